//! Runs in virtual machines. Needs root, busybox-static, QEMU and a kernel for guests; without them each test reports that it was
//! skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::{document, failed, put, real, text};
use documents::{JudgeReport, RunReport};
use model::{LimitKind, Verdict};
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use test_support::until;

const BUSYBOX: &str = "/bin/busybox";
const APPLETS: [&str; 9] = ["uname", "sh", "cat", "ls", "id", "head", "sleep", "yes", "cp"];
/// A language without a compiler, whose "compiler" in the root copies.
const LANGUAGE: &str = "\
id: tale
name: Tale
extensions: [tale]
entry: {main_file: {}}
compile:
  - [/bin/cp, '{mainfile}', out]
run: [/bin/sh, '{path}/out']
version: {command: [/bin/sh, -c, 'echo tale 1'], after: tale}
debian: [tale]
seccomp: runtime
tools: [[/bin/cp], [/bin/sh]]
";

struct Here(tempfile::TempDir);

impl Here {
    /// Makes a folder with a package, and a root with a shell.
    fn new() -> Option<Self> {
        let is_there = test_support::needs(Path::new(BUSYBOX).is_file(), "busybox-static")
            && test_support::needs(Path::new("/usr/bin/qemu-system-x86_64").is_file(), "qemu-system-x86")
            && test_support::needs(has_kernel(), "a kernel for guests (tools/install test)");
        let here = Self(real::sandbox_package().filter(|_| is_there)?);
        let bin = here.0.path().join("root/bin");
        fs::create_dir_all(&bin).unwrap();
        fs::copy(BUSYBOX, bin.join("busybox")).unwrap();
        for applet in APPLETS {
            std::os::unix::fs::symlink("busybox", bin.join(applet)).unwrap();
        }
        put(here.0.path(), "languages/tale.yaml", LANGUAGE);
        fs::create_dir(here.0.path().join("here")).unwrap();
        Some(here)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
        command.args(["run", "--isolation", "microvm", "--root", "../root"]).args(arguments);
        command.current_dir(self.0.path().join("here")).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn report(&self, arguments: &[&str]) -> (Output, RunReport) {
        let output = self.run(&[&["--json", "--output", "../report"], arguments].concat());
        let report = fs::read_to_string(self.0.path().join("report"));
        let report = report.unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        (output, documents::from_json(&report).unwrap())
    }
}

fn has_kernel() -> bool {
    let folder = std::env::var_os("TAUTO_GUEST").unwrap_or_else(|| "/var/lib/tauto/guest".into());
    fs::read_dir(Path::new(&folder).join("boot")).is_ok_and(|files| files.count() > 0)
}

#[test]
fn a_run_has_a_kernel_of_its_own_and_its_input_and_files() {
    let Some(here) = Here::new() else { return };
    put(here.0.path(), "here/words", "from a file\n");
    let mut child = here
        .command(&["--", "/bin/sh", "-c", "cat; cat words; uname -r; echo wrong >&2; exit 7"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"from the input\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = text(&output.stdout);
    assert!(stdout.starts_with("from the input\nfrom a file\n"), "{stdout}");
    assert!(stdout.contains("cloud-amd64"), "{stdout}");
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("wrong\n") && stderr.contains("exit code 7"), "{stderr}");
}

#[test]
fn limits_hold_inside_and_what_the_machine_used_is_evidence() {
    let Some(here) = Here::new() else { return };
    let (_, report) = here.report(&["--wall", "1s", "--", "/bin/sleep", "60"]);
    assert_eq!(report.end.limit, Some(LimitKind::WallTime));
    assert!(report.usage.wall_time_ns >= 1_000_000_000, "{:?}", report.usage);
    let machine = report.evidence.machine.unwrap();
    assert!(machine.cpu_time_ns >= report.usage.cpu_time_ns && machine.start_time_ns > 0, "{machine:?}");
    let (output, report) = here.report(&["--output-limit", "64KiB", "--", "/bin/yes"]);
    assert_eq!(report.end.limit, Some(LimitKind::Output));
    assert!(
        output.stdout.starts_with(b"y\ny\n") && output.stdout.len() <= 64 << 10,
        "{}",
        output.stdout.len()
    );
    let (_, report) = here.report(&["--", "/bin/sh", "-c", "kill -9 $$"]);
    assert_eq!(report.end.signal, Some(9));
}

#[test]
fn a_submission_is_compiled_and_judged_in_machines() {
    let Some(here) = Here::new() else { return };
    put(here.0.path(), "a.tale", "echo 1\n");
    put(here.0.path(), "b.tale", "ls /proc/1 /dev >&2; echo 2\n");
    let arguments = [
        "judge",
        "p",
        "a.tale",
        "b.tale",
        "--languages",
        "languages",
        "--json",
        "--root",
        "root",
        "--isolation",
        "microvm",
    ];
    let output = real::tauto(here.0.path(), &arguments);
    let report: JudgeReport =
        documents::from_json(&text(&output.stdout)).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let verdicts: Vec<Verdict> = report.submissions.iter().map(|one| one.verdict.0).collect();
    assert_eq!(verdicts, [Verdict::Accepted, Verdict::WrongAnswer], "{report:?}");
    let run = &report.submissions[0].runs[0];
    assert!(run.evidence.machine.is_some(), "{run:?}");
    assert!(report.warnings.iter().any(|one| one.contains("virtual machines are emulated")) || has_kvm());
}

fn has_kvm() -> bool {
    let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    flags.split_whitespace().any(|flag| flag == "vmx" || flag == "svm")
}

#[test]
fn nothing_is_left_of_a_machine_whose_judge_was_killed() {
    let Some(here) = Here::new() else { return };
    for after in [0, 300, 9_000] {
        let mut child = here.command(&["--", "/bin/sleep", "3612.5"]).stderr(Stdio::null()).spawn().unwrap();
        let started = Instant::now();
        let hypervisors = || hypervisors_of(child.id());
        if after > 0 {
            until("a hypervisor", || {
                !hypervisors().is_empty() && started.elapsed() > Duration::from_millis(after)
            });
        }
        let before = hypervisors();
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        until("the hypervisors to end", || {
            before.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists())
        });
    }
}

/// Lists the processes below a process that are hypervisors.
fn hypervisors_of(pid: u32) -> Vec<u32> {
    let children = |pid: u32| -> Vec<u32> {
        let path = format!("/proc/{pid}/task");
        let tasks =
            fs::read_dir(path).into_iter().flatten().flatten().map(|task| task.path().join("children"));
        let lists = tasks.filter_map(|list| fs::read_to_string(list).ok());
        lists
            .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
            .collect()
    };
    let mut found = Vec::new();
    let mut below = children(pid);
    while let Some(pid) = below.pop() {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if name.starts_with("qemu-system") {
            found.push(pid);
        }
        below.extend(children(pid));
    }
    found
}

#[test]
fn what_machines_lack_is_a_sentence() {
    let Some(here) = Here::new() else { return };
    let without = |kernel: &str, arguments: &[&str]| {
        real::command(&here.0.path().join("here"), arguments).env("TAUTO_GUEST", kernel).output().unwrap()
    };
    let machine = ["run", "--isolation", "microvm", "--root", "../root", "--", "/bin/id"];
    failed(
        &without("/nowhere", &machine),
        2,
        "there is no kernel for it (boot/vmlinuz-*-cloud-amd64) in /nowhere",
    );
    put(here.0.path(), "guest/boot/vmlinuz-1-cloud-amd64", "");
    failed(&without("../guest", &machine), 2, "has no modules (lib/modules/1-cloud-amd64)");
    for module in ["virtio_pci", "virtio_blk", "virtio_console", "squashfs"] {
        put(here.0.path(), format!("guest/lib/modules/1-cloud-amd64/kernel/{module}.ko"), "");
    }
    failed(&without("../guest", &machine), 3, "the virtual machine did not start");
    let host = here.0.path().join("here");
    let bare = ["run", "--isolation", "microvm", "--", "/bin/id"];
    failed(
        &real::tauto(&host, &bare),
        2,
        "a virtual machine has no toolchains of this machine; add --image NAME",
    );
    let bench = ["bench", "--isolation", "microvm", "--", "/bin/id"];
    failed(
        &real::tauto(&host, &bench),
        2,
        "a virtual machine has no toolchains of this machine; add --image NAME",
    );
    failed(&here.run(&["--mount", "../root:/box/x:rw", "--", "/bin/id"]), 2, "leave out :rw");
    let output = here.run(&["--", "/bin/none"]);
    failed(&output, 2, "/bin/none");
    document::<documents::DoctorReport>(&real::tauto(&host, &["doctor", "--json"]));
}
