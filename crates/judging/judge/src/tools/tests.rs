use super::*;
use std::os::unix::fs::MetadataExt;

fn language(fields: &str) -> Language {
    let yaml = format!(
        "id: x\nname: X\nextensions: [x]\nrun: [/bin/sh]\nversion: {{command: [/bin/sh]}}\ndebian: [x-compiler]\n\
         seccomp: native\n{fields}\n"
    );
    Language::parse("x.yaml", &yaml).unwrap()
}

/// Copies to a new folder and returns it.
fn copied(fields: &str) -> Result<tempfile::TempDir, JudgeError> {
    let root = tempfile::tempdir().unwrap();
    copy(&language(fields), Path::new("/"), root.path())?;
    Ok(root)
}

#[test]
fn tools_of_an_image_are_its_own_files_wherever_its_links_lead() {
    let image = tempfile::tempdir().unwrap();
    let path = |name: &str| image.path().join(name);
    fs::create_dir_all(path("usr/lib/[1]")).unwrap();
    fs::create_dir_all(path("etc/alternatives")).unwrap();
    fs::write(path("usr/lib/[1]/shell"), "the image's").unwrap();
    fs::write(path("etc/ld.so.conf"), "/usr/lib/[1]").unwrap();
    symlink("usr/bin", path("bin")).unwrap();
    fs::create_dir(path("usr/bin")).unwrap();
    symlink("/etc/alternatives/sh", path("usr/bin/sh")).unwrap();
    symlink("/../../../../usr/lib/[1]/shell", path("etc/alternatives/sh")).unwrap();
    let root = tempfile::tempdir().unwrap();
    copy(&language("tools: [[/bin/s*]]"), image.path(), root.path()).unwrap();
    let copied = root.path().join("usr/lib/[1]/shell");
    assert_eq!(fs::read_to_string(copied).unwrap(), "the image's");
    assert_eq!(
        configured_folders(image.path(), Path::new("/etc/ld.so.conf"), 0),
        [Path::new("/usr/lib/[1]")]
    );
    let error = copy(&language("tools: [[/bin/ls]]"), image.path(), root.path()).unwrap_err();
    assert!(
        matches!(error, JudgeError::MissingTools { .. }),
        "the machine has it, and the image has not: {error}"
    );
}

#[test]
fn folders_are_copied_with_links_but_nothing_that_only_a_link_leads_to() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    fs::create_dir_all(path("tools/below")).unwrap();
    fs::create_dir_all(path("tools/left-out")).unwrap();
    fs::create_dir_all(path("others")).unwrap();
    for (name, mode) in [("tools/below/file", 0o4755), ("tools/left-out/file", 0o644), ("tools/ours", 0o600)]
    {
        fs::write(path(name), name).unwrap();
        fs::set_permissions(path(name), Permissions::from_mode(mode)).unwrap();
    }
    fs::write(path("others/secret"), "secret").unwrap();
    symlink("below/file", path("tools/inside")).unwrap();
    symlink("../others/secret", path("tools/outside")).unwrap();
    symlink(path("others"), path("tools/folder-outside")).unwrap();
    symlink("round", path("tools/round")).unwrap();
    symlink("/no/such/file", path("tools/nowhere")).unwrap();
    let place = here.path().display();
    let root = copied(&format!("tools: [[{place}/t*s]]\ntools_except: ['*/left-out']")).unwrap();
    let copy = |name: &str| root.path().join(path(name).strip_prefix("/").unwrap());
    assert_eq!(fs::read_to_string(copy("tools/inside")).unwrap(), "tools/below/file");
    assert_eq!(fs::metadata(copy("tools/inside")).unwrap().mode() & 0o7777, 0o755);
    assert_eq!(fs::metadata(copy("tools/ours")).unwrap().mode() & 0o7777, 0o600);
    for link in ["outside", "folder-outside"] {
        assert!(copy(&format!("tools/{link}")).symlink_metadata().unwrap().is_symlink());
    }
    for absent in ["others", "tools/left-out"] {
        assert!(copy(absent).symlink_metadata().is_err(), "{absent} was copied");
    }
}

#[test]
fn a_program_is_copied_with_its_loader_and_libraries() {
    // On a merged system /bin leads to /usr/bin.
    let root = copied("tools: [[/bin/sh]]").unwrap();
    let at = |path: &Path| root.path().join(path.strip_prefix("/").unwrap());
    let shell = fs::canonicalize("/bin/sh").unwrap();
    assert_eq!(fs::read(at(&shell)).unwrap(), fs::read(&shell).unwrap());
    let needs = linked(&fs::read(&shell).unwrap());
    if let Some(loader) = &needs.loader {
        let loader = fs::canonicalize(loader).unwrap();
        assert!(at(&loader).is_file(), "{} is not there", loader.display());
    }
    for name in &needs.libraries {
        let mut files = walkdir::WalkDir::new(root.path()).into_iter().flatten();
        assert!(files.any(|file| file.file_name() == name.as_str()), "{name} is not there");
    }
    let size: u64 = walkdir::WalkDir::new(root.path())
        .into_iter()
        .flatten()
        .filter_map(|file| file.metadata().ok().filter(|data| data.is_file()))
        .map(|data| data.len())
        .sum();
    assert!(size < 64 << 20, "{size} bytes for a shell");
}

#[test]
fn a_path_that_is_missing_is_named_with_file_and_field() {
    let error = copied("tools: [[/bin/sh], [/no/such/*, /nor/this]]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.yaml: tools[1]: none of /no/such/*, /nor/this is here; install X (apt-get install x-compiler), or name \
         where these files are"
    );
}

#[test]
fn folders_of_libraries_are_read_as_the_loader_has_them() {
    let here = tempfile::tempdir().unwrap();
    let place = here.path().display();
    fs::write(here.path().join("a.conf"), "# a comment\n/a # another\n\nhwcap 0 nothing\n").unwrap();
    fs::write(here.path().join("b.conf"), "/b\n").unwrap();
    fs::write(
        here.path().join("main"),
        format!("/first\ninclude {place}/*.conf\ninclude {place}/main\n/last\n"),
    )
    .unwrap();
    let folders = configured_folders(Path::new("/"), &here.path().join("main"), 8);
    assert_eq!(folders, [Path::new("/first"), Path::new("/last")]);
    let folders = configured_folders(Path::new("/"), &here.path().join("main"), 7);
    assert_eq!(folders, ["/first", "/a", "/b", "/first", "/last", "/last"].map(PathBuf::from));
}

/// Returns how much of a file this machine has in memory.
fn cached(path: &Path) -> u64 {
    let output = std::process::Command::new("fincore")
        .args(["--bytes", "--noheadings", "-o", "RES"])
        .arg(path)
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap().trim().parse().unwrap()
}

#[test]
fn each_compilation_reads_pages_of_its_own_and_all_of_the_disk_is_in_memory() {
    // The mounts of this thread alone.
    if sandbox::enter_private_mounts().is_err() {
        eprintln!("skipped: it needs root");
        return;
    }
    let (tree, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let content = vec![7; 1 << 20];
    fs::create_dir(tree.path().join("usr")).unwrap();
    fs::write(tree.path().join("usr/tool"), &content).unwrap();
    let file = kept.path().join("disk");
    disk::write(tree.path(), &fs::File::create(&file).unwrap(), &|| false).unwrap();
    fs::File::open(&file).unwrap().sync_all().unwrap();
    let forget = || {
        rustix::fs::fadvise(fs::File::open(&file).unwrap(), 0, None, rustix::fs::Advice::DontNeed).unwrap();
    };
    forget();
    let asked_for = file.clone();
    let disk = Disk::new(move || Ok(asked_for.clone()));
    let (language, root) = (language("tools: [[/usr/tool]]"), RootView::Tree(tree.path().to_owned()));
    let tools = || Tools::of(&language, &root, Some(&disk)).unwrap().unwrap();
    let first = tools();
    let RootView::Tree(seen) = first.root() else { panic!("it is a tree") };
    if matches!(first, Tools::Copies(_)) {
        eprintln!("skipped: it needs loop devices and squashfs");
        return;
    }
    assert_eq!(fs::read(seen.join("usr/tool")).unwrap(), content);
    assert_eq!(cached(&seen.join("usr/tool")), 1 << 20);
    forget();
    assert!(cached(&file) >= 1 << 20, "what is in use stays");
    let second = tools();
    let RootView::Tree(other) = second.root() else { panic!("it is a tree") };
    assert_eq!(cached(&other.join("usr/tool")), 0, "nothing that an earlier one has read");
    assert!(fs::write(other.join("usr/tool"), "other").is_err(), "it is read-only");
    drop((first, second));
    let mounts = fs::read_to_string("/proc/thread-self/mountinfo").unwrap();
    assert!(!mounts.contains(" - squashfs "), "{mounts}");
    forget();
    assert!(cached(&file) < 1 << 20, "nothing keeps it");
}
