use super::*;
use proptest::prelude::*;
use std::cell::Cell;
use zip::write::{SimpleFileOptions, ZipWriter};

struct Made {
    folder: tempfile::TempDir,
}

impl Made {
    /// Makes an archive of entries with name, Unix mode with type, and content.
    fn new(entries: &[(&str, u32, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = fs::File::create(folder.path().join("sum.zip")).unwrap();
        let mut zip = ZipWriter::new(file);
        for (name, mode, content) in entries {
            let options = SimpleFileOptions::default().unix_permissions(mode & 0o777);
            match mode & MODE_TYPE {
                MODE_FOLDER => zip.add_directory(*name, options).unwrap(),
                MODE_LINK => zip.add_symlink(*name, String::from_utf8_lossy(content), options).unwrap(),
                _ => {
                    zip.start_file(*name, options).unwrap();
                    zip.write_all(content).unwrap();
                }
            }
        }
        zip.finish().unwrap();
        Self { folder }
    }

    /// Replaces bytes in the archive as a hostile packer would: same length, everywhere.
    fn forge(self, from: &[u8], to: &[u8]) -> Self {
        let path = self.folder.path().join("sum.zip");
        let mut bytes = fs::read(&path).unwrap();
        let places: Vec<_> =
            (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + from.len()].copy_from_slice(to);
        }
        fs::write(path, bytes).unwrap();
        self
    }

    fn unpack(&self) -> Result<PathBuf, PackageError> {
        self.unpack_but().map(|(folder, _)| folder)
    }

    fn unpack_but(&self) -> Result<(PathBuf, Vec<String>), PackageError> {
        self.unpack_until(&|| false)
    }

    fn unpack_until(&self, is_stopped: &dyn Fn() -> bool) -> Result<(PathBuf, Vec<String>), PackageError> {
        unpack(&self.folder.path().join("sum.zip"), &self.folder.path().join("scratch"), is_stopped)
    }

    #[track_caller]
    fn refused(&self, part: &str) {
        let error = self.unpack().unwrap_err().to_string();
        assert!(error.starts_with("sum.zip: ") && error.contains(part), "{error}");
        self.has_left_nothing();
    }

    #[track_caller]
    fn has_left_nothing(&self) {
        let scratch = self.folder.path().join("scratch");
        let left: Vec<_> =
            fs::read_dir(scratch).map(|entries| entries.flatten().collect()).unwrap_or_default();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn files_folders_modes_and_links_come_out() {
    let made = Made::new(&[
        ("problem.yaml", 0o100644, b"name: x\n"),
        ("data/", 0o040755, b""),
        ("data/a.in", 0o100600, b"1\n"),
        ("data/b.in", 0o120777, b"a.in"),
        ("output_validators/v/run", 0o100755, b"#!/bin/sh\n"),
    ]);
    let root = made.unpack().unwrap();
    assert_eq!(root, made.folder.path().join("scratch/sum"));
    assert_eq!(fs::read(root.join("data/b.in")).unwrap(), b"1\n");
    let mode = |name: &str| fs::metadata(root.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("data/a.in"), mode("output_validators/v/run")), (0o644, 0o755));
}

#[test]
fn unpacking_stops_anywhere_and_leaves_nothing() {
    let large = vec![0; 3 << 20];
    let made = Made::new(&[
        ("problem.yaml", 0o100644, b"name: x\n"),
        ("data/a.in", 0o100644, &large),
        ("data/b.in", 0o120777, b"a.in"),
        ("data/c.in", 0o100644, b"1\n"),
    ]);
    let stopping_at = |last: usize| {
        let asked = Cell::new(0);
        let unpacked = made.unpack_until(&|| {
            asked.set(asked.get() + 1);
            asked.get() > last
        });
        (asked.get(), unpacked)
    };
    let mut at = 0;
    loop {
        let (asked, unpacked) = stopping_at(at);
        match unpacked {
            Err(PackageError::Stopped { .. }) => {
                made.has_left_nothing();
                // The zip library tries some other places for the list of entries before it fails.
                assert!(asked <= at + 10, "asked {asked} times, stopped after {at}");
            }
            other => {
                other.unwrap();
                break;
            }
        }
        at += 1;
    }
    assert!(at > large.len() / COPIED_BYTES, "it asks for each piece: {at}");
}

#[test]
fn one_folder_at_the_top_is_entered() {
    let made = Made::new(&[
        ("sum-1.0/problem.yaml", 0o100644, b"name: x\n"),
        ("__MACOSX/sum-1.0/._problem.yaml", 0o100644, b"?"),
    ]);
    assert_eq!(made.unpack().unwrap(), made.folder.path().join("scratch/sum/sum-1.0"));
}

#[test]
fn the_target_must_be_free() {
    let made = Made::new(&[("problem.yaml", 0o100644, b"")]);
    made.unpack().unwrap();
    assert!(made.unpack().unwrap_err().to_string().contains("scratch folder already"));
}

#[test]
fn paths_out_of_the_package_are_refused() {
    let file = |name| Made::new(&[(name, 0o100644, b"x")]);
    file("aa/bb").forge(b"aa/bb", b"../bb").refused("'..'");
    file("aaabb").forge(b"aaabb", b"/aabb").refused("absolute");
    file("aaabb").forge(b"aaabb", b"aa\\bb").refused("backslash");
    file("aaabb").forge(b"aaabb", b"aa\xffbb").refused("not UTF-8");
}

#[test]
fn links_out_of_the_package_are_left_out() {
    for target in ["/etc/passwd", "../x", "nowhere", "sub/../../x"] {
        let made = Made::new(&[
            ("problem.yaml", 0o100644, b""),
            ("sub/l", 0o100644, b""),
            ("link", 0o120777, target.as_bytes()),
        ]);
        let (folder, left_out) = made.unpack_but().unwrap();
        assert_eq!(left_out, ["link"], "{target}");
        assert!(folder.join("sub/l").exists() && folder.join("link").symlink_metadata().is_err());
    }
}

#[test]
fn links_through_links_are_followed_to_their_end() {
    let made = Made::new(&[
        ("a/b/c", 0o100644, b"x"),
        ("here", 0o120777, b"."),
        ("a/top", 0o120777, b"../here/.."),
        ("through", 0o120777, b"a/top"),
    ]);
    assert_eq!(made.unpack_but().unwrap().1, ["a/top", "through"]);
}

#[test]
fn devices_are_refused() {
    let mode = |kind: u32| ((kind | 0o644) << 16).to_le_bytes();
    let forged = Made::new(&[("null", 0o100644, b"")]).forge(&mode(MODE_FILE), &mode(0o020_000));
    forged.refused("device");
}

#[test]
fn names_that_collide_are_refused() {
    Made::new(&[("a.in", 0o100644, b""), ("A.in", 0o100644, b"")]).refused("case");
    Made::new(&[("a.in", 0o100644, b""), ("b.in", 0o100644, b"")]).forge(b"b.in", b"a.in").refused("twice");
    Made::new(&[("data/x", 0o100644, b""), ("dat", 0o100644, b""), ("daTa", 0o100644, b"")]).refused("case");
}

#[test]
fn bombs_are_refused_while_they_unpack() {
    let unpacker = Unpacker { archive_name: "sum.zip".into() };
    let folder = tempfile::tempdir().unwrap();
    let error =
        unpacker.copy(&mut std::io::repeat(0), "zeros", &folder.path().join("z"), 1 << 20).unwrap_err();
    assert!(error.to_string().contains("'zeros': makes the package unpack to more than"), "{error}");
}

#[test]
fn files_that_are_no_archives_are_refused() {
    let made = Made::new(&[("problem.yaml", 0o100644, b"name: x\n")]);
    fs::write(made.folder.path().join("sum.zip"), b"not a zip").unwrap();
    made.refused("sum.zip: is no ZIP archive that can be read");
}

#[test]
fn damaged_content_is_refused_and_leaves_nothing() {
    let content: Vec<u8> = (0..4000_u32).flat_map(|i| (i * i % 251).to_le_bytes()).collect();
    let made = Made::new(&[("problem.yaml", 0o100644, &content)]);
    let path = made.folder.path().join("sum.zip");
    let mut bytes = fs::read(&path).unwrap();
    bytes[100] ^= 0x55;
    fs::write(path, bytes).unwrap();
    made.refused("cannot be unpacked");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_damage_is_survived(at: prop::sample::Index, value: u8) {
        let made = Made::new(&[("problem.yaml", 0o100644, b"name: x\n"), ("l", 0o120777, b"problem.yaml")]);
        let path = made.folder.path().join("sum.zip");
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = value;
        fs::write(&path, bytes).unwrap();
        // Checks that nothing new was made next to the scratch folder.
        let _ = made.unpack();
        let beside: Vec<_> = fs::read_dir(made.folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        prop_assert!(beside.iter().all(|name| name == "sum.zip" || name == "scratch"));
    }
}
