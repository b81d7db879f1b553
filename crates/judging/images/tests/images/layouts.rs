//! Images from layouts: what a root has of its layers, what is refused, and what is left of it.

use images::{Image, ImageError, Limits, Source, Store, Unpacked};
use model::Bytes;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tar::EntryType;
use test_support::oci::{Layer, Layout, digest, stored};

struct Here {
    folder: tempfile::TempDir,
    limits: Limits,
}

impl Here {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), limits: Limits::default() }
    }

    fn store(&self) -> Store {
        Store::open(&self.folder.path().join("images"), self.limits).unwrap()
    }

    fn import(&self, path: &Path, name: Option<&str>) -> Result<(Image, Option<Unpacked>), ImageError> {
        let source = Source::open(path, self.limits)?;
        let chosen = source.choose(name)?;
        self.store().import(&source, &chosen, "test/image:1", &|| false)
    }

    /// Imports an image of these layers; returns its root.
    fn root(&self, layers: Vec<Layer>) -> PathBuf {
        let layout = Layout::new().image(None, &layers.into_iter().map(stored).collect::<Vec<_>>());
        let (image, _) = self.import(layout.path(), None).unwrap();
        self.folder.path().join("images/roots").join(image.digest.hex())
    }

    /// Imports an image of these layers, which is refused; returns why.
    fn refusal(&self, layers: Vec<Layer>) -> String {
        let layout = Layout::new().image(None, &layers.into_iter().map(stored).collect::<Vec<_>>());
        self.refused(layout.path())
    }

    fn refused(&self, path: &Path) -> String {
        let error = self.import(path, None).unwrap_err();
        assert!(matches!(error, ImageError::Bad { .. }), "{error:?}");
        for part in ["roots", "partial", "blobs/sha256"] {
            let folder = self.folder.path().join("images").join(part);
            assert!(
                !folder.exists() || fs::read_dir(&folder).unwrap().next().is_none(),
                "{part} has something"
            );
        }
        error.to_string()
    }
}

fn listed(root: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            names.push(path.strip_prefix(root).unwrap().display().to_string());
            if path.symlink_metadata().unwrap().is_dir() {
                folders.push(path);
            }
        }
    }
    names.sort();
    names
}

#[test]
fn a_root_has_the_files_of_all_layers_with_their_modes_and_times() {
    let here = Here::new();
    let root = here.root(vec![
        Layer::new().folder("./").folder("./usr/").folder("usr/bin").link("bin", "usr/bin").entry(
            EntryType::Regular,
            "usr/bin/cc",
            "",
            b"compiler",
            0o4755,
        ),
        // Through a link of the layer below, and a name that is absolute.
        Layer::new()
            .file("bin/ld", "linker")
            .hard_link("/usr/bin/gcc", "/bin/cc")
            .link("usr/bin/c99", "/usr/bin/cc"),
    ]);
    assert_eq!(
        listed(&root),
        ["bin", "usr", "usr/bin", "usr/bin/c99", "usr/bin/cc", "usr/bin/gcc", "usr/bin/ld"]
    );
    let compiler = root.join("usr/bin/cc").metadata().unwrap();
    // No setuid.
    assert_eq!((compiler.permissions().mode() & 0o7777, compiler.mtime()), (0o755, 1_000_000_000));
    assert_eq!(compiler.ino(), root.join("usr/bin/gcc").metadata().unwrap().ino());
    assert_eq!(root.join("usr/bin").metadata().unwrap().mtime(), 1_000_000_000);
    // No layer says when these were changed.
    let root_again = here.root(vec![Layer::new().file("a/b/c", "1")]);
    for folder in ["", "a", "a/b"] {
        assert_eq!(root_again.join(folder).metadata().unwrap().mtime(), 0, "{folder}");
    }
    assert_eq!(fs::read_to_string(root.join("usr/bin/ld")).unwrap(), "linker");
    assert_eq!(fs::read_link(root.join("usr/bin/c99")).unwrap(), Path::new("/usr/bin/cc"));
}

#[test]
fn later_layers_replace_and_remove_what_earlier_ones_have() {
    let here = Here::new();
    let lower = || {
        Layer::new()
            .folder("a")
            .folder("a/deep")
            .file("a/deep/old", "1")
            .file("a/old", "1")
            .file("b", "1")
            .folder("c")
            .file("c/old", "1")
            .file("d", "1")
            .link("e", "a")
    };
    let root = here.root(vec![
        lower(),
        Layer::new()
            .folder("a")
            .file("a/new", "2")
            .folder("a/deep")
            .file("a/.wh..wh..opq", "")
            .file(".wh.b", "")
            .file(".wh.nothing", "")
            // A file in place of a folder, a folder in place of a file, and of a link.
            .file("c", "2")
            .folder("d")
            .file("d/new", "2")
            .folder("e")
            // A layer does not take away what it has itself.
            .file("f", "2")
            .file(".wh.f", "")
            .file(".wh..wh.plnk", ""),
    ]);
    assert_eq!(listed(&root), ["a", "a/deep", "a/new", "c", "d", "d/new", "e", "f"]);
    assert_eq!(fs::read_to_string(root.join("c")).unwrap(), "2");
}

#[test]
fn names_of_any_length_are_read() {
    let here = Here::new();
    let (long, target) = (format!("{}/file", "a".repeat(200)), "t".repeat(300));
    let root = here.root(vec![
        Layer::new()
            .extended("path", &long)
            .file("short", "1")
            .extended("linkpath", &target)
            .link("link", "short")
            .entry(
                EntryType::GNULongName,
                "././@LongLink",
                "",
                format!("{}\0", "b".repeat(150)).as_bytes(),
                0o644,
            )
            .file("b", "1"),
    ]);
    assert_eq!(listed(&root), ["a".repeat(200), long, "b".repeat(150), "link".to_owned()]);
    assert_eq!(fs::read_link(root.join("link")).unwrap().as_os_str().len(), 300);
}

#[test]
fn nothing_outside_the_root_is_touched() {
    let here = Here::new();
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().display().to_string();
    fs::write(outside.path().join("victim"), "1").unwrap();
    // Links out of the root lead to the same names within it.
    let root = here.root(vec![
        Layer::new()
            .link("out", &path)
            .link("up", "../../../../../../../..")
            .folder(path.strip_prefix('/').unwrap())
            .file("out/victim", "2")
            .file("up/here", "2")
            .file("out/.wh.victim2", ""),
    ]);
    assert_eq!(fs::read_to_string(outside.path().join("victim")).unwrap(), "1");
    assert_eq!(fs::read_to_string(root.join(path.strip_prefix('/').unwrap()).join("victim")).unwrap(), "2");
    assert!(root.join("here").is_file());
    for (layer, words) in [
        (Layer::new().file("../outside", "1"), "'../outside' leads out of the image"),
        (Layer::new().file("a/../../outside", "1"), "leads out of the image"),
        (Layer::new().hard_link("h", "../../outside"), "leads out of the image"),
        (Layer::new().hard_link("h", &format!("{path}/victim")), "not a file of this or an earlier layer"),
        (Layer::new().folder("a").hard_link("h", "a"), "not a file of this or an earlier layer"),
        (Layer::new().file("a", "1").file("a/b", "1"), "'a' is a file and has files below it"),
        (Layer::new().link("a", "nowhere").file("a/b", "1"), "below a link to nothing"),
        (Layer::new().link("a", "a").file("a/b", "1"), "Too many levels of symbolic links"),
        (Layer::new().file(".wh..", ""), "says that '.' is gone"),
        (Layer::new().file("a/.wh...", ""), "says that '..' is gone"),
        (Layer::new().entry(EntryType::Regular, "/", "", b"1", 0o644), "its root is not a folder"),
        (
            Layer::new().entry(EntryType::GNULongName, "x", "", b"../x\nerror: no", 0o644).file("x", ""),
            r"'../x\nerror: no' leads out",
        ),
        (Layer::new().entry(EntryType::GNUSparse, "s", "", b"", 0o644), "of the kind 'S'"),
        (Layer::new().extended("GNU.sparse.major", "1").file("s", ""), "a file with holes"),
        (Layer::new().extended("path", &"x/".repeat(3000)).file("s", ""), "4096 at most"),
    ] {
        let other = Here::new();
        let refusal = other.refusal(vec![layer]);
        assert!(refusal.contains(words), "{refusal}");
    }
}

#[test]
fn folders_that_are_gone_or_replaced_stay_so() {
    let here = Here::new();
    let lower = || Layer::new().folder("a").folder("a/b").file("a/b/c", "1");
    assert_eq!(listed(&here.root(vec![lower(), Layer::new().file(".wh.a", "")])), [""; 0]);
    let root = here.root(vec![lower(), Layer::new().file("a", "2")]);
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "2");
    let root = here.root(vec![lower(), Layer::new().file(".wh.a", "").link("a", "nowhere")]);
    assert!(root.join("a").is_symlink());
    // Below a file there is nothing to remove.
    assert_eq!(
        listed(&here.root(vec![Layer::new().file("f", "1"), Layer::new().file("f/.wh.x", "")])),
        ["f"]
    );
}

#[test]
fn a_name_never_stands_for_another_images_digest() {
    let here = Here::new();
    let layout = Layout::new().image(None, &[stored(Layer::new().file("good", "1"))]);
    let (good, _) = here.import(layout.path(), None).unwrap();
    let evil = Layout::new().image(None, &[stored(Layer::new().file("evil", "1"))]);
    let source = Source::open(evil.path(), here.limits).unwrap();
    let chosen = source.choose(None).unwrap();
    let import = |name: &str| here.store().import(&source, &chosen, name, &|| false);
    let digits = &good.digest.hex()[..12];
    for name in [
        &good.digest.to_string(),
        good.digest.hex(),
        digits,
        "",
        "a:",
        "a//b",
        "a/../b",
        "a/",
        "a@b",
        "a:b:c",
        "A",
        "-a",
        "a\nb",
        "sha256:1",
        ".",
        "a/.b",
    ] {
        let refused = import(name);
        assert!(matches!(refused, Err(ImageError::Name { .. })), "{name}: {refused:?}");
    }
    for name in [
        "a",
        "judge/cpp:2026-1",
        "127.0.0.1:5000/judge/cpp",
        "r.example.org/a_b/c--d:V1.0",
        &format!("a@{}", good.digest),
    ] {
        import(name).unwrap();
    }
    for name in [&good.digest.to_string(), digits] {
        let opened = here.store().open_image(name).unwrap();
        assert!(opened.root.join("good").is_file(), "{name}");
    }
}

#[test]
fn a_store_is_its_owners_and_one_that_is_damaged_is_mended() {
    let here = Here::new();
    let layout = Layout::new().image(None, &[stored(Layer::new().file("file", "1"))]);
    let (image, _) = here.import(layout.path(), None).unwrap();
    let store = here.store();
    assert_eq!(store.folder().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let other = Layout::new().image(None, &[stored(Layer::new().file("other", "1"))]);
    let source = Source::open(other.path(), here.limits).unwrap();
    store.import(&source, &source.choose(None).unwrap(), "other", &|| false).unwrap();
    // A document of one image, files that nothing of ours made, and the index of a killed import.
    fs::write(store.folder().join("blobs/sha256").join(image.digest.hex()), "{").unwrap();
    fs::write(store.folder().join("roots/file"), "").unwrap();
    fs::create_dir(store.folder().join("blobs/sha256/folder")).unwrap();
    fs::write(store.folder().join(".tmpX"), "").unwrap();
    assert_eq!(store.images().unwrap().len(), 2);
    assert!(store.verify("test/image:1", &|| false).unwrap()[0].contains("is damaged"));
    assert_eq!(store.verify("other", &|| false).unwrap(), [""; 0]);
    store.remove("test/image:1").unwrap();
    let pruned = store.prune().unwrap();
    assert_eq!((pruned.roots, pruned.blobs), (2, 4));
    assert!(!store.folder().join(".tmpX").exists());
    let kept = digest(&stored(Layer::new().file("other", "1")).0);
    fs::write(store.folder().join("blobs/sha256").join(kept.trim_start_matches("sha256:")), "cut").unwrap();
    here.import(other.path(), None).unwrap();
    assert_eq!(store.verify("other", &|| false).unwrap(), [""; 0]);
    here.import(layout.path(), None).unwrap();
    // Without its index a store knows no names, and has what is imported again.
    fs::remove_file(store.folder().join("index.json")).unwrap();
    assert_eq!(Store::find(store.folder(), here.limits).unwrap().unwrap().images().unwrap(), []);
    let (again, unpacked) = here.import(layout.path(), None).unwrap();
    assert_eq!((again.entries, unpacked), (1, None));
}

#[test]
fn a_folder_with_other_files_does_not_become_a_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine"), "").unwrap();
    let before = folder.path().metadata().unwrap().permissions().mode();
    let error = Store::open(folder.path(), Limits::default()).unwrap_err();
    assert!(error.to_string().ends_with("has files and is no store of images"), "{error}");
    assert_eq!(folder.path().metadata().unwrap().permissions().mode(), before);
    assert_eq!(listed(folder.path()), ["mine"]);
}

#[test]
fn devices_and_pipes_are_left_out() {
    let here = Here::new();
    let layer = Layer::new()
        .entry(EntryType::Char, "dev/null", "", b"", 0o666)
        .entry(EntryType::Block, "disk", "", b"", 0o666)
        .entry(EntryType::Fifo, "pipe", "", b"", 0o666)
        .file("file", "1");
    let layout = Layout::new().image(None, &[stored(layer)]);
    let (image, unpacked) = here.import(layout.path(), None).unwrap();
    assert_eq!(unpacked, Some(Unpacked { entries: 1, bytes: Bytes(1), left_out: 3 }));
    assert_eq!(listed(&here.store().folder().join("roots").join(image.digest.hex())), ["file"]);
}

#[test]
fn what_is_larger_than_allowed_is_refused() {
    let small = Limits { bytes: Bytes(1 << 20), entries: 10, layers: 2, ..Limits::default() };
    let zeros = "\0".repeat(1 << 20);
    let many = || (0..11).fold(Layer::new(), |layer, at| layer.file(&format!("file{at}"), ""));
    let bomb = || Layer::new().file("a", &zeros).file("b", &zeros);
    let one = || Layer::new().file("a", "");
    let deep = || {
        (0..200).fold(Layer::new(), |layer, at| {
            layer.extended("path", &format!("{}x{at}", "a/".repeat(at))).file("x", "")
        })
    };
    let through_links = || {
        Layer::new()
            .folder("a")
            .link("l", "a")
            .extended("path", &format!("l/{}x", "a/".repeat(127)))
            .file("x", "")
    };
    let implied = || (0..6).fold(Layer::new(), |layer, at| layer.file(&format!("{at}/a/b/c"), ""));
    let name = || Layer::new().entry(EntryType::XHeader, "x", "", "x".repeat(2 << 20).as_bytes(), 0o644);
    for (layers, words) in [
        (vec![bomb()], "its files have more than 1.0 MiB"),
        (vec![many()], "more than 10 files"),
        (vec![one(), one(), one()], "it has 3 layers; expected 1 to 2"),
        (vec![], "it has 0 layers"),
        (vec![deep()], "more than 128 folders"),
        (vec![through_links()], "more than 128 folders"),
        (vec![implied()], "more than 10 files"),
        (vec![name()], "the name of a file has 2097152 bytes"),
    ] {
        let limits = if words.contains("folders") { Limits::default() } else { small };
        let here = Here { limits, ..Here::new() };
        let refusal = here.refusal(layers);
        assert!(refusal.contains(words), "{refusal}");
    }
    // Zeros after the end of an archive are read to the limit, and not to their end.
    let here = Here { limits: small, ..Here::new() };
    let mut content = one().tar();
    content.resize(content.len() + (3 << 20), 0);
    let layout = Layout::new().image(None, &[(test_support::oci::gzip(&content), content)]);
    assert!(here.refused(layout.path()).contains("content has the digest"));
}

#[test]
fn an_image_that_lies_about_itself_is_refused() {
    let layer = || stored(Layer::new().file("a", "1"));
    let import = |layout: Layout| Here::new().refused(layout.path());
    // Another content under the layer's digest.
    let layout = Layout::new().image(None, &[layer()]);
    let digest = digest(&layer().0);
    fs::write(layout.blob_path(&digest), stored(Layer::new().file("b", "1")).0).unwrap();
    assert!(import(layout).contains("and the digest sha256:"));
    let layout = Layout::new().image(None, &[layer()]);
    fs::write(layout.blob_path(&digest), [&layer().0[..], b"more"].concat()).unwrap();
    assert!(import(layout).contains("larger than its manifest says"));
    let layout = Layout::new().image(None, &[layer()]);
    fs::remove_file(layout.blob_path(&digest)).unwrap();
    assert!(import(layout).contains("cannot read 'blobs/sha256/"));
    // Another content than the configuration says, and content that is none.
    let other = Layer::new().file("b", "1").tar();
    assert!(import(Layout::new().image(None, &[(layer().0, other)])).contains("the configuration says"));
    let half = layer().0[..40].to_vec();
    assert!(import(Layout::new().image(None, &[(half, layer().1)])).contains("a layer"));
    let noise = b"no archive at all, but text ".repeat(100);
    assert!(import(Layout::new().image(None, &[(noise.clone(), noise)])).contains("not a tar archive"));

    let change = |change: &dyn Fn(&mut serde_json::Value, &mut serde_json::Value)| {
        let layout = Layout::new();
        let (mut manifest, mut config) = layout.documents(&[layer()]);
        change(&mut manifest, &mut config);
        import(layout.image_of(None, &manifest, &config))
    };
    assert!(
        change(&|manifest, _| manifest["layers"][0]["size"] = json!(1)).contains("larger than its manifest")
    );
    assert!(
        change(&|manifest, _| manifest["layers"][0]["size"] = json!(1_u64 << 30)).contains("should have")
    );
    assert!(
        change(&|manifest, _| manifest["layers"][0]["digest"] = json!("sha256:../x")).contains("not valid")
    );
    assert!(change(&|manifest, _| manifest["layers"] = json!([])).contains("0 layers, its configuration 1"));
    let long = "0".repeat(128);
    let refusal = change(&|manifest, _| manifest["layers"][0]["digest"] = json!(format!("sha512:{long}")));
    assert!(refusal.contains("is no digest"), "{refusal}");
    assert!(change(&|_, config| config["architecture"] = json!("s390x")).contains("it is for linux/s390x"));
    assert!(change(&|_, config| config["rootfs"]["diff_ids"][0] = json!("x")).contains("'x' is no digest"));
    assert!(change(&|_, config| *config = json!([])).contains("configuration is not valid"));
}

#[test]
fn an_image_of_several_is_chosen_by_name() {
    let here = Here::new();
    let layer = |content: &str| stored(Layer::new().file("file", content));
    let layout = Layout::new().image(Some("one"), &[layer("1")]).image(Some("two"), &[layer("2")]);
    let (two, _) = here.import(layout.path(), Some("two")).unwrap();
    let file = here.store().folder().join("roots").join(two.digest.hex()).join("file");
    assert_eq!(fs::read_to_string(file).unwrap(), "2");
    let refusal = |name| here.import(layout.path(), name).unwrap_err().to_string();
    assert!(refusal(None).contains("it has several images: one, two"), "{}", refusal(None));
    assert!(refusal(Some("three")).contains("no image 'three', but one, two"));
    fs::write(layout.path().join("index.json"), "{").unwrap();
    assert!(refusal(None).contains("index.json is not valid"));
    fs::remove_file(layout.path().join("index.json")).unwrap();
    assert!(refusal(None).contains("cannot read 'index.json' of it"));
}

#[test]
fn an_archive_is_what_export_writes() {
    let here = Here::new();
    let layout = Layout::new().image(None, &[stored(Layer::new().file("file", "1"))]);
    let (image, _) = here.import(layout.path(), None).unwrap();
    let path = here.folder.path().join("image.tar");
    let mut archive = Vec::new();
    here.store().export("test/image:1", &mut archive).unwrap();
    fs::write(&path, &archive).unwrap();
    let mut again = Vec::new();
    here.store().export(image.digest.hex(), &mut again).unwrap();
    assert!(archive == again, "an export is always the same");
    let there = Here::new();
    assert_eq!(there.import(&path, None).unwrap().0, image);
    fs::write(&path, test_support::oci::gzip(&archive)).unwrap();
    assert!(there.import(&path, None).unwrap_err().to_string().contains("an archive that is not compressed"));
}

#[test]
fn an_image_that_is_there_is_neither_copied_nor_unpacked_again() {
    let here = Here::new();
    let layout = Layout::new().image(None, &[stored(Layer::new().file("file", "1"))]);
    let (first, unpacked) = here.import(layout.path(), None).unwrap();
    assert!(unpacked.is_some());
    let root = here.store().open_image("test/image:1").unwrap().root;
    let inode = root.metadata().unwrap().ino();
    let source = Source::open(layout.path(), here.limits).unwrap();
    let chosen = source.choose(None).unwrap();
    let (second, unpacked) = here.store().import(&source, &chosen, "other:2", &|| false).unwrap();
    assert_eq!((unpacked, root.metadata().unwrap().ino()), (None, inode));
    assert_eq!((second.digest, second.names.len()), (first.digest, 2));
}

#[test]
fn prune_removes_what_has_no_name_and_is_not_in_use() {
    let here = Here::new();
    let store = here.store();
    let layout = Layout::new().image(None, &[stored(Layer::new().file("file", "1"))]);
    here.import(layout.path(), None).unwrap();
    // What a killed import leaves.
    fs::create_dir_all(store.folder().join("partial/.tmpX/root/usr")).unwrap();
    assert_eq!(store.prune().unwrap(), images::Pruned::default());
    assert!(!store.folder().join("partial/.tmpX").exists());
    let used = store.open_image("test/image:1").unwrap();
    store.remove("test/image:1").unwrap();
    let error = store.open_image("test/image:1").unwrap_err();
    assert!(matches!(&error, ImageError::Unknown { known, .. } if known.is_empty()), "{error:?}");
    let pruned = store.prune().unwrap();
    assert_eq!((pruned.roots, pruned.blobs, pruned.in_use), (0, 3, 1));
    assert!(used.root.join("file").is_file());
    let root = used.root.clone();
    drop(used);
    assert_eq!(store.prune().unwrap().roots, 1);
    assert!(!root.exists());
    // Imported again, it is unpacked again.
    assert!(here.import(layout.path(), None).unwrap().1.is_some());
}

#[test]
fn verify_names_what_was_changed() {
    let here = Here::new();
    let store = here.store();
    let layer =
        Layer::new().folder("usr").file("usr/a", "1").file("usr/b", "1").file("usr/c", "1").link("l", "usr");
    let layout = Layout::new().image(None, &[stored(layer)]);
    here.import(layout.path(), None).unwrap();
    let verify = || store.verify("test/image:1", &|| false).unwrap();
    assert_eq!(verify(), [""; 0]);
    let root = store.open_image("test/image:1").unwrap().root;
    fs::write(root.join("usr/a"), "2").unwrap();
    fs::remove_file(root.join("usr/b")).unwrap();
    fs::write(root.join("usr/d"), "1").unwrap();
    fs::set_permissions(root.join("usr/c"), fs::Permissions::from_mode(0o777)).unwrap();
    let differences = verify();
    assert_eq!(
        differences,
        [
            "/usr has another time",
            "/usr/b is missing",
            "/usr/d is in no layer",
            "/usr/a has another content",
            "/usr/c has other permissions"
        ]
    );
    let layer = fs::read_dir(store.folder().join("blobs/sha256")).unwrap().map(|entry| entry.unwrap().path());
    for blob in layer.filter(|path| fs::read(path).unwrap().starts_with(&[0x1f, 0x8b])) {
        fs::write(blob, "2").unwrap();
    }
    assert!(verify()[0].starts_with("the layer sha256:"));
}

#[test]
fn a_stop_leaves_nothing() {
    let here = Here::new();
    let layout = Layout::new().image(None, &[stored(Layer::new().file("file", "1"))]);
    let source = Source::open(layout.path(), here.limits).unwrap();
    let chosen = source.choose(None).unwrap();
    let error = here.store().import(&source, &chosen, "test", &|| true).unwrap_err();
    assert!(matches!(error, ImageError::Stopped), "{error:?}");
    for part in ["roots", "partial", "blobs/sha256"] {
        assert_eq!(fs::read_dir(here.store().folder().join(part)).unwrap().count(), 0, "{part}");
    }
}
