//! Toolchain images: commands about them, and judging with one. Needs root and busybox-static; without them each test
//! reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::{document, failed, put, real, text};
use documents::{ImageReport, ImagesPruneReport, ImagesReport, JudgeReport};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use test_support::oci::{Answers, Layer, Layout, stored};

const BUSYBOX: &str = "/bin/busybox";
/// A language whose compiler is in the image and nowhere else: it makes a script that says what the image says.
const LANGUAGE: &str = "\
id: tale
name: Tale
extensions: [tale]
entry: {main_file: {}}
compile:
  - [/usr/bin/tale-compiler, '{mainfile}']
run: [/bin/sh, '{path}/out']
version: {command: [/usr/bin/tale-compiler, --version], after: tale}
debian: [tale]
seccomp: runtime
tools: [[/usr/bin/tale-compiler], [/bin/sh]]
";

struct Here(tempfile::TempDir);

impl Here {
    /// Makes a folder with a package, and an image whose compiler makes programs that say `answer`.
    fn new(answer: &str) -> Option<Self> {
        let is_there = test_support::needs(Path::new(BUSYBOX).is_file(), "busybox-static");
        let here = Self(real::sandbox_package().filter(|_| is_there)?);
        let folder = here.0.path();
        put(folder, "languages/tale.yaml", LANGUAGE);
        put(folder, "a.tale", "once\n");
        let compiler =
            format!("#!/bin/sh\necho 'tale 1.5'; [ \"$1\" = --version ] || echo 'echo {answer}' > out\n");
        let busybox = fs::read(BUSYBOX).unwrap();
        let layer = Layer::new()
            .folder("usr")
            .folder("usr/bin")
            .link("bin", "usr/bin")
            .program("usr/bin/busybox", busybox);
        let links = ["sh", "cat", "ls"].map(|name| format!("usr/bin/{name}"));
        let layer = links.iter().fold(layer, |layer, link| layer.hard_link(link, "usr/bin/busybox"));
        let layer = layer.folder("etc").program("usr/bin/tale-compiler", compiler);
        let layer = layer.hard_link("usr/bin/gcc", "usr/bin/tale-compiler");
        let layout = Layout::new().image(Some("judge/tale:1"), &[stored(layer)]);
        let copied = Command::new("cp").arg("-r").arg(layout.path()).arg(folder.join("layout")).status();
        assert!(copied.unwrap().success());
        Some(here)
    }

    fn tauto(&self, arguments: &[&str]) -> Output {
        let images = self.0.path().join("images");
        let mut command = real::command(self.0.path(), arguments);
        command.env("TAUTO_IMAGES", images).stdin(Stdio::null()).output().unwrap()
    }

    fn judge(&self, arguments: &[&str]) -> JudgeReport {
        let output = self.tauto(&[&["judge", "p", "--languages", "languages", "--json"], arguments].concat());
        documents::from_json(&text(&output.stdout)).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
    }
}

#[test]
fn a_submission_is_compiled_and_run_by_what_is_in_the_image_alone() {
    let Some(here) = Here::new("1") else { return };
    let missing = here.tauto(&["judge", "p", "a.tale", "--languages", "languages"]);
    failed(&missing, 3, "/usr/bin/tale-compiler");
    let imported: ImageReport = document(&here.tauto(&["image", "import", "oci:layout", "--json"]));
    assert!(imported.unpacked && imported.image.names == ["judge/tale:1"], "{imported:?}");
    let report = here.judge(&["a.tale", "--image", "judge/tale:1"]);
    assert_eq!(report.image, Some(imported.image.digest.clone()));
    assert_eq!(report.submissions[0].verdict.0, model::Verdict::Accepted, "{report:?}");
    // What is installed here is not in the image, and the other way round.
    let output = here.tauto(&["run", "--image", &imported.image.digest, "--", "/bin/ls", "/usr/bin"]);
    assert_eq!(
        text(&output.stdout),
        "busybox\ncat\ngcc\nls\nsh\ntale-compiler\n",
        "{}",
        text(&output.stderr)
    );
    let elsewhere = here.tauto(&["judge", "p", "p/submissions/accepted/a.sh", "--image", "judge/tale:1"]);
    failed(&elsewhere, 3, "in an image: apt-get install bash");
}

#[test]
fn the_hosts_compiler_does_not_matter_to_an_image() {
    let Some(here) = Here::new("1") else { return };
    let compiler = Path::new("/usr/bin/gcc");
    if !test_support::needs(compiler.exists(), "gcc") {
        return;
    }
    document::<ImageReport>(&here.tauto(&["image", "import", "oci:layout", "--json"]));
    // The same language, whose compiler is now where the host has another one.
    put(here.0.path(), "languages/tale.yaml", LANGUAGE.replace("/usr/bin/tale-compiler", "/usr/bin/gcc"));
    put(here.0.path(), "gcc", "#!/bin/sh\necho 'tale 1.5'; [ \"$1\" = --version ] || echo 'echo 2' > out\n");
    let script = "chmod 755 gcc; mount --bind gcc \"$(readlink -f /usr/bin/gcc)\"; exec \"$@\"";
    let swapped = |arguments: &[&str]| {
        let words = [
            "--mount",
            "sh",
            "-c",
            script,
            "sh",
            env!("CARGO_BIN_EXE_tauto"),
            "judge",
            "--wait",
            "p",
            "a.tale",
        ];
        let more = ["--languages", "languages", "--json"];
        let mut command = Command::new("unshare");
        command.args(words).args(more).args(arguments).current_dir(here.0.path());
        let output =
            command.env("TAUTO_IMAGES", here.0.path().join("images")).stdin(Stdio::null()).output().unwrap();
        let report = documents::from_json::<JudgeReport>(&text(&output.stdout));
        report.unwrap_or_else(|_| panic!("{}", text(&output.stderr))).submissions[0].verdict.0
    };
    assert_eq!(swapped(&[]), model::Verdict::WrongAnswer, "the host's says 2");
    assert_eq!(swapped(&["--image", "judge/tale:1"]), model::Verdict::Accepted, "the image's says 1");
}

#[test]
fn a_compiler_that_executes_what_was_submitted_reads_a_disk_of_its_own() {
    let Some(here) = Here::new("1") else { return };
    let here_is = |path: &str, what: &str| fs::read_to_string(path).is_ok_and(|text| text.contains(what));
    let has_disks = here_is("/proc/filesystems", "squashfs") && Path::new("/dev/loop-control").exists();
    if !test_support::needs(has_disks, "loop devices and squashfs in the kernel") {
        return;
    }
    document::<ImageReport>(&here.tauto(&["image", "import", "oci:layout", "--json"]));
    // While it compiles, it says where its files are.
    put(
        here.0.path(),
        "languages/tale.yaml",
        LANGUAGE.replace("/usr/bin/tale-compiler, '{mainfile}'", "/bin/sh, '{mainfile}'"),
    );
    put(
        here.0.path(),
        "a.tale",
        "while read -r line; do case $line in *' /usr '*' - squashfs '*) echo 'echo 1' >out;; esac; done </proc/self/mountinfo",
    );
    let verdict = || here.judge(&["a.tale", "--image", "judge/tale:1"]).submissions[0].verdict.0;
    // An import that goes on is nothing to wait for.
    let lock = fs::File::create(here.0.path().join("images/lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(verdict(), model::Verdict::Accepted);
    drop(lock);
    // Another one is made where it is damaged.
    let disks = || {
        let all =
            fs::read_dir(here.0.path().join("images/disks")).unwrap().map(|entry| entry.unwrap().path());
        all.filter(|path| path.extension().is_none() && !path.ends_with("lock")).collect::<Vec<_>>()
    };
    let [disk] = &disks()[..] else { panic!("{:?}", disks()) };
    let before = fs::read(disk).unwrap();
    fs::write(disk, "damaged").unwrap();
    assert_eq!(verdict(), model::Verdict::Accepted);
    assert_eq!(fs::read(disk).unwrap(), before);
    // Where there can be none, it reads copies.
    fs::remove_dir_all(here.0.path().join("images/disks")).unwrap();
    put(here.0.path(), "images/disks", "no folder");
    put(here.0.path(), "languages/tale.yaml", LANGUAGE);
    put(here.0.path(), "a.tale", "once\n");
    assert_eq!(verdict(), model::Verdict::Accepted);
}

#[test]
fn a_record_names_the_image() {
    let Some(here) = Here::new("2") else { return };
    document::<ImageReport>(&here.tauto(&["image", "import", "oci:layout", "-t", "other:2", "--json"]));
    let report = here.judge(&["a.tale", "--image", "other:2", "--record", "record"]);
    assert_eq!(
        report.submissions[0].verdict.0,
        model::Verdict::WrongAnswer,
        "the image's compiler says 2: {report:?}"
    );
    let record = fs::read_to_string(here.0.path().join("record")).unwrap();
    let begin: serde_json::Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    assert_eq!(begin["image"].as_str(), report.image.as_deref());
}

#[test]
fn a_judgehost_fetches_its_image_once_and_refuses_another_one() {
    let Some(here) = Here::new("1") else { return };
    put(here.0.path(), "token", "secret\n");
    let imported: ImageReport =
        document(&here.tauto(&["image", "import", "oci:layout", "--store", "other", "--json"]));
    let registry = test_support::oci::serve(&here.0.path().join("layout"), Answers::Right);
    let host = |digest: &str| {
        let image = format!("{registry}/judge/tale@{digest}");
        // There is no server, so it ends once it has the image.
        here.tauto(&[
            "judgehost",
            "--server",
            "http://127.0.0.1:1",
            "--token",
            "token",
            "--shared",
            "--image",
            &image,
        ])
    };
    let wrong = host(&format!("sha256:{}", "0".repeat(64)));
    assert!(text(&wrong.stderr).contains("it has no such image"), "{}", text(&wrong.stderr));
    let right = host(&imported.image.digest);
    assert_ne!(right.status.code(), Some(0));
    let list: ImagesReport = document(&here.tauto(&["image", "list", "--json"]));
    let names: Vec<_> = list.images.iter().map(|image| (&image.digest, &image.names)).collect();
    let name = format!("{registry}/judge/tale");
    assert_eq!(names, [(&imported.image.digest, &vec![name])], "{}", text(&right.stderr));
}

#[test]
fn what_is_pushed_is_fetched_by_its_digest() {
    let Some(here) = Here::new("1") else { return };
    let imported: ImageReport = document(&here.tauto(&["image", "import", "oci:layout", "--json"]));
    let held = tempfile::tempdir().unwrap();
    let registry = test_support::oci::serve(held.path(), Answers::Right);
    let push = |registry: &str, more: &[&str]| {
        let to = format!("{registry}/judge/tale:1");
        here.tauto(&[&["image", "push", "judge/tale:1", &to, "--json"], more].concat())
    };
    let pushed: ImageReport = document(&push(&registry, &[]));
    let name = format!("{registry}/judge/tale@{}", imported.image.digest);
    assert_eq!(pushed.pushed.as_deref(), Some(name.as_str()));
    let again = here.tauto(&["image", "push", "judge/tale:1", &format!("{registry}/judge/tale:1")]);
    assert!(text(&again.stdout).contains("sent               0 B"), "{}", text(&again.stdout));
    let fetched: ImageReport =
        document(&here.tauto(&["image", "import", &name, "--store", "other", "--json"]));
    assert_eq!((fetched.unpacked, fetched.image.digest), (true, imported.image.digest));
    let guarded = test_support::oci::serve(held.path(), Answers::WithPassword);
    failed(&push(&guarded, &[]), 2, "asks for a name and a password");
    let secret = format!(r#"{{"auths": {{"{guarded}": {{"auth": "anVkZ2U6c2VjcmV0"}}}}}}"#);
    put(here.0.path(), "config.json", secret);
    document::<ImageReport>(&push(&guarded, &["--secret", "config.json"]));
    // The password is for one server.
    let away = test_support::oci::send_to(&guarded);
    put(here.0.path(), "away.json", format!(r#"{{"auths": {{"{away}": {{"auth": "anVkZ2U6c2VjcmV0"}}}}}}"#));
    failed(
        &push(&away, &["--secret", "away.json"]),
        2,
        "it sends to another server, which asks for a password",
    );
    let broken = test_support::oci::serve(held.path(), Answers::Failure);
    failed(&push(&broken, &[]), 2, "it answers 500");
}

#[test]
fn images_are_listed_verified_exported_and_removed() {
    let Some(here) = Here::new("1") else { return };
    let none = here.tauto(&["image", "verify", "judge/tale:1"]);
    failed(&none, 2, "there are no images in");
    document::<ImageReport>(&here.tauto(&["image", "import", "oci:layout:judge/tale:1", "--json"]));
    let list: ImagesReport = document(&here.tauto(&["image", "list", "--json"]));
    assert_eq!(list.images.len(), 1);
    document::<ImageReport>(&here.tauto(&["image", "export", "judge/tale:1", "image.tar", "--json"]));
    let again: ImageReport = document(&here.tauto(&[
        "image",
        "import",
        "oci:image.tar",
        "-t",
        "copy",
        "--store",
        "second",
        "--json",
    ]));
    assert_eq!(again.image.digest, list.images[0].digest);
    document::<ImageReport>(&here.tauto(&["image", "verify", "judge/tale:1", "--json"]));
    let root = here.0.path().join("images/roots");
    let compiler =
        root.join(list.images[0].digest.trim_start_matches("sha256:")).join("usr/bin/tale-compiler");
    fs::write(compiler, "#!/bin/sh\necho 'echo 2' > out\n").unwrap();
    let output = here.tauto(&["image", "verify", "judge/tale:1"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("/usr/bin/tale-compiler has another content"),
        "{}",
        text(&output.stdout)
    );
    let near = here.tauto(&["run", "--image", "judge/tale:2", "--", "/bin/ls"]);
    failed(&near, 2, "did you mean judge/tale:1?");
    document::<ImageReport>(&here.tauto(&["image", "remove", "judge/tale:1", "--json"]));
    let pruned: ImagesPruneReport = document(&here.tauto(&["image", "prune", "--json"]));
    assert_eq!((pruned.roots, pruned.blobs, pruned.in_use), (1, 3, 0));
    assert_eq!(fs::read_dir(root).unwrap().count(), 0);
}

#[test]
fn a_dockerfile_is_built_to_the_same_digest_and_not_built_again() {
    let Some(here) = Here::new("1").filter(|_| test_support::needs_program("buildah", "buildah")) else {
        return;
    };
    fs::create_dir(here.0.path().join("context")).unwrap();
    fs::copy(BUSYBOX, here.0.path().join("context/busybox")).unwrap();
    let dockerfile = "FROM scratch\nARG GREETING\nCOPY busybox /bin/busybox\n\
                      RUN [\"/bin/busybox\", \"sh\", \"-c\", \"/bin/busybox ln -s busybox /bin/sh; echo $GREETING > /greeting\"]\n";
    put(here.0.path(), "context/Dockerfile", dockerfile);
    let build = |store: &str, greeting: &str, more: &[&str]| {
        let argument = format!("GREETING={greeting}");
        let arguments = [
            "image",
            "build",
            "context",
            "-t",
            "tiny:1",
            "--json",
            "--store",
            store,
            "--build-arg",
            &argument,
        ];
        here.tauto(&[&arguments, more].concat())
    };
    let first: ImageReport = document(&build("one", "hello", &["--lock", "lock.json"]));
    let other: ImageReport = document(&build("two", "hello", &["--lock", "lock.json"]));
    assert_eq!((other.unpacked, other.image.digest), (true, first.image.digest.clone()));
    let again: ImageReport = document(&build("one", "hello", &[]));
    assert_eq!((again.unpacked, again.image.digest), (false, first.image.digest.clone()));
    // The next one stands on it, wherever the store is, and notices another one of this name.
    put(here.0.path(), "above/Dockerfile", "FROM tiny:1\nCOPY Dockerfile /copied\n");
    let above = |store: &str| -> ImageReport {
        document(&here.tauto(&["image", "build", "above", "-t", "above:1", "--json", "--store", store]))
    };
    let stands = above("one");
    assert_eq!(stands.image.layers, first.image.layers + 1);
    assert_eq!(above("two").image.digest, stands.image.digest);
    document::<ImageReport>(&build("one", "goodbye", &[]));
    assert_ne!(above("one").image.digest, stands.image.digest);
    let kaniko =
        here.tauto(&["image", "build", "above", "-t", "above:1", "--engine", "kaniko", "--store", "one"]);
    assert_eq!(kaniko.status.code(), Some(2), "{}", text(&kaniko.stderr));
    let output = build("two", "goodbye", &["--lock", "lock.json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let changed: ImageReport = documents::from_json(&text(&output.stdout)).unwrap();
    assert!(changed.differences.len() == 1 && changed.differences[0].starts_with("digest: "), "{changed:?}");
    put(here.0.path(), "context/Dockerfile", format!("{dockerfile}RUN [\"/bin/sh\", \"-c\", \"exit 7\"]\n"));
    failed(&build("one", "hello", &[]), 1, "the image was not built");
}

#[test]
fn what_is_no_image_is_a_sentence() {
    let Some(here) = Here::new("1") else { return };
    put(here.0.path(), "recipe/Dockerfile", "FROM judge/base:bookworm\n");
    for (arguments, words) in [
        (&["import", "layout"][..], "hint: oci:layout"),
        (&["import", "oci:nowhere"], "cannot read the image nowhere"),
        (&["import", "oci:p"], "cannot read 'index.json' of it"),
        (&["import", "oci:a.tale", "-t", "a"], "expected a folder, or an archive that is not compressed"),
        (&["import", "oci:layout", "-t", "Upper"], "'Upper' is no name of an image"),
        (&["import", "oci:layout:other"], "no image 'other', but judge/tale:1"),
        (&["import", "127.0.0.1:1/a:1"], "the registry 127.0.0.1:1: "),
        (&["build", "p", "-t", "a"], "p has no Dockerfile or Containerfile"),
        (&["build", "nowhere", "-t", "a"], "nowhere is not a folder with a Dockerfile"),
        (&["build", "recipe", "-t", "a"], "recipe/Dockerfile stands on judge/base:bookworm, which is not in"),
    ] {
        let output = here.tauto(&[&["image"], arguments].concat());
        failed(&output, 2, words);
    }
}
