//! Real runs of `tauto run`, and the ends and leftovers of it and of `tauto judge`. Needs root; without it each test
//! reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/left.rs"]
mod left;
#[path = "sandboxed/limits.rs"]
mod limits;
#[path = "sandboxed/unread.rs"]
mod unread;

use common::real::{command, sandbox_folder, sandbox_package, tauto};
use common::{failed, text};
use left::{groups_of, left_of, slots_of};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a program sees of itself depends neither on how its run was built nor on the CPUs that it may use.
#[test]
fn a_program_has_the_same_number_and_the_callers_cpus() {
    let Some(folder) = sandbox_folder() else { return };
    let script = "echo $$; grep Cpus_allowed_list /proc/self/status";
    let all = fs::read_to_string("/proc/self/status").unwrap();
    let all = all.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap();
    let last = test_support::last_cpu().to_string();
    let one = format!("Cpus_allowed_list:\t{last}");
    for (options, cpus) in [(&[][..], all), (&["--cpu-list", &last], &one)] {
        let output = tauto(folder.path(), &[&["run"], options, &["--", "sh", "-c", script]].concat());
        assert_eq!(text(&output.stdout), format!("2\n{cpus}\n"), "{}", text(&output.stderr));
    }
}

#[test]
fn audit_separates_the_program_from_others() {
    let Some(folder) = sandbox_folder() else { return };
    // It works until it was sampled.
    let script = "echo said; while [ ! -e /program/seen ]; do :; done; exit 3";
    for (way, method) in [(None, "events"), (Some("--estimate"), "estimate")] {
        let mut arguments = vec!["machine", "audit", "--json"];
        arguments.extend(way);
        arguments.extend(["--", "bash", "-c", script]);
        let mut child = command(folder.path(), &arguments);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut printed = String::new();
        while !printed.contains("said") {
            assert!(
                stderr.read_line(&mut printed).unwrap() > 0,
                "what the program prints is passed on: {printed}"
            );
        }
        if way.is_some() {
            wait_for_looks(child.id());
        }
        fs::write(folder.path().join("seen"), "").unwrap();
        let output = child.wait_with_output().unwrap();
        stderr.read_to_string(&mut printed).unwrap();
        fs::remove_file(folder.path().join("seen")).unwrap();
        assert_eq!(output.status.code(), Some(1), "{printed}");
        let report: documents::AuditReport = documents::from_json(&text(&output.stdout)).unwrap();
        assert_eq!(report.end.unwrap().code, Some(3));
        let audit = report.audit;
        if audit.method != method {
            test_support::lacks(&format!("the audit's {method}: {:?}", audit.method_reason));
            continue;
        }
        let bash = audit.threads.iter().find(|thread| thread.name == "bash");
        assert!(bash.is_some_and(|bash| bash.cpu_time_ns > 0), "{:?}", audit.threads);
        // The launcher and the init of the sandbox count neither as the program nor as other tasks.
        assert!(audit.threads.iter().all(|thread| thread.name != "exe"), "{:?}", audit.threads);
        if let Some(shares) = audit.shares {
            let known = shares.run_ns + shares.ours_ns + shares.others_ns + shares.idle_ns;
            let sum = known + shares.interrupts_ns + shares.soft_interrupts_ns + shares.unknown_ns;
            let cpus: model::CpuSet = audit.cpus.parse().unwrap();
            assert_eq!(sum, audit.interval_ns * cpus.len() as u64);
            assert!(shares.run_ns > 0 && shares.ours_ns > 0);
        }
    }
}

/// Waits until the thread that samples a program's threads has seen all threads that exist now.
fn wait_for_looks(tauto: u32) {
    /// It sleeps after each sample, and rarely waits for anything else.
    const SLEEPS: u64 = 10;
    let sleeps = || {
        let threads =
            fs::read_dir(format!("/proc/{tauto}/task")).unwrap().flatten().map(|entry| entry.path());
        let read = |folder: &Path, file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        let sampler = threads.into_iter().find(|folder| read(folder, "comm") == "tauto-sampler\n")?;
        let status = read(&sampler, "status");
        status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok())
    };
    let begin = sleeps().expect("an estimate has a thread that looks");
    while sleeps().expect("it looks as long as the program runs") < begin + SLEEPS {
        std::thread::yield_now();
    }
}

#[test]
fn input_and_output_pass_through_and_the_report_goes_elsewhere() {
    let Some(folder) = sandbox_folder() else { return };
    let mut child = command(
        folder.path(),
        &["run", "--json", "--output", "r.json", "--", "sh", "-c", "cat; echo err >&2"],
    )
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    child.stdin.take().unwrap().write_all(b"in\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("in\n".to_owned(), "err\n".to_owned()));
    assert_eq!(output.status.code(), Some(0));
    let report: documents::RunReport =
        documents::from_json(&fs::read_to_string(folder.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report.status, documents::RunStatus::Ok);
    assert_eq!(report.usage.output_bytes, Some(7));
    assert_eq!(report.limits.output_bytes, None);
}

#[test]
fn a_relative_program_runs_in_the_current_folder() {
    let Some(folder) = sandbox_folder() else { return };
    let path = folder.path().join("hello");
    fs::write(&path, "#!/bin/sh\npwd; touch here 2>/dev/null && echo written; touch /tmp/x && echo tmp\n")
        .unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = tauto(folder.path(), &["run", "--", "./hello"]);
    assert_eq!(text(&output.stdout), "/program\ntmp\n", "{}", text(&output.stderr));
}

#[test]
fn exit_code_reports_how_a_run_ended() {
    let Some(folder) = sandbox_folder() else { return };
    let code = |arguments: &[&str]| tauto(folder.path(), &[&["run"], arguments].concat()).status.code();
    assert_eq!(code(&["--", "true"]), Some(0));
    assert_eq!(code(&["--", "sh", "-c", "exit 7"]), Some(1));
    assert_eq!(code(&["--cpu", "50ms", "--", "sh", "-c", "while :; do :; done"]), Some(1));
    assert_eq!(code(&["--output-limit", "1KiB", "--", "yes"]), Some(1));
    assert_eq!(code(&["--", "no-such-program"]), Some(2));
    assert_eq!(code(&["--cpus", "100000", "--", "true"]), Some(2));
    assert_eq!(code(&["--cpu-list", "60000", "--", "true"]), Some(2));
}

/// Copies a program and the libraries that it needs into a tree, with the same paths.
fn copy_with_libraries(program: &str, tree: &Path) {
    let libraries = Command::new("ldd").arg(program).output().unwrap();
    let libraries = text(&libraries.stdout);
    let paths = libraries.split_whitespace().filter(|word| word.starts_with('/')).chain([program]);
    for path in paths {
        let copy = tree.join(path.trim_start_matches('/'));
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(path, copy).unwrap();
    }
}

#[test]
fn a_tree_takes_the_place_of_the_host() {
    let Some(folder) = sandbox_folder() else { return };
    let tree = folder.path().join("tree");
    copy_with_libraries("/bin/cat", &tree);
    for (name, content) in [("etc/motd", "of the tree\n"), ("box/secret", "not seen\n"), ("data", "a file\n")]
    {
        fs::create_dir_all(tree.join(name).parent().unwrap()).unwrap();
        fs::write(tree.join(name), content).unwrap();
    }
    std::os::unix::fs::symlink("etc", tree.join("settings")).unwrap();
    // The tree's path is relative to the caller.
    let cat = |name: &str| tauto(folder.path(), &["run", "--root", "tree", "--", "/bin/cat", name]);
    for (name, expected) in
        [("/etc/motd", "of the tree\n"), ("/settings/motd", "of the tree\n"), ("/data", "a file\n")]
    {
        let output = cat(name);
        assert_eq!(text(&output.stdout), expected, "{name}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(0));
    }
    // Neither the host's files nor the tree's files in folders that tauto makes itself.
    for name in ["/etc/passwd", "/usr/bin/env", "/box/secret"] {
        assert_eq!(cat(name).status.code(), Some(1), "{name}");
    }
    let output = tauto(folder.path(), &["run", "--root", "no-such-tree", "--", "/bin/cat", "/data"]);
    failed(&output, 2, "no-such-tree");
}

#[test]
fn many_simultaneous_runs_leave_nothing() {
    let Some(folder) = sandbox_folder() else { return };
    let start = |_| {
        let mut command = command(folder.path(), &["run", "--", "cat"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for _ in 0..4 {
        let mut running: Vec<_> = (0..6).map(start).collect();
        let mut slots = Vec::new();
        for child in &mut running {
            // It prints from inside its slot, and stays there until its input ends.
            child.stdin.as_mut().unwrap().write_all(b"?").unwrap();
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            slots.extend(slots_of(child.id()));
        }
        assert_eq!(slots.len(), 6);
        for child in running {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
        slots.iter().for_each(|slot| assert_nothing_left(slot));
    }
}

fn assert_nothing_left(slot: &str) {
    assert_eq!(left_of(slot), [""; 0]);
}

#[test]
fn a_folder_closed_to_the_program_is_wrong_input() {
    let Some(folder) = sandbox_folder() else { return };
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let output = tauto(folder.path(), &["run", "--", "true"]);
    failed(&output, 2, "hint: chmod o+rx");
    assert_eq!(
        tauto(folder.path(), &["run", "--directory", "/box/work", "--", "true"]).status.code(),
        Some(0)
    );
}

/// Returns what a command may leave behind.
fn traces(of: u32) -> (Vec<String>, usize) {
    let mut processes = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let parent = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The parent is the second word after the name, which ends with the last parenthesis.
        let parent = parent.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        if parent == Some(&of.to_string()) {
            processes.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    (processes, mounts.lines().filter(|line| line.contains("/run/tauto")).count())
}

/// Sends a signal to a command once it has printed `word`, and returns leftovers.
fn interrupted(mut command: Command, word: &str, signal: rustix::process::Signal, code: i32) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let mounts_before = traces(pid).1;
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "{command:?} never printed '{word}'");
    }
    let slots = slots_of(pid);
    assert!(!slots.is_empty(), "a run is under way in a slot");
    for slot in &slots {
        assert!(!groups_of(slot).is_empty(), "a slot has control groups");
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(code), "{rest}");
    assert!(rest.contains("error: interrupted by SIG"), "{rest}");
    let (processes, mounts) = traces(pid);
    assert_eq!(processes, [""; 0], "processes are left");
    assert_eq!(mounts, mounts_before, "mounts are left");
    slots.iter().for_each(|slot| assert_nothing_left(slot));
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    printed
}

fn ignores(signal: rustix::process::Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << (signal.as_raw() - 1)) != 0
}

#[test]
fn signals_end_a_run_and_leave_nothing() {
    let Some(folder) = sandbox_folder() else { return };
    let arguments = ["run", "--", "sh", "-c", "echo begun >&2; sleep 600"];
    interrupted(command(folder.path(), &arguments), "begun", rustix::process::Signal::INT, 130);
    interrupted(command(folder.path(), &arguments), "begun", rustix::process::Signal::TERM, 143);
    // If started by nohup, both tests and command ignore hang-ups, as they should.
    if !ignores(rustix::process::Signal::HUP) {
        interrupted(command(folder.path(), &arguments), "begun", rustix::process::Signal::HUP, 129);
    }
}

/// Service managers start programs with blocked signals, and some daemons ignore the ends of their children.
#[test]
fn inherited_signal_settings_change_nothing() {
    let Some(folder) = sandbox_package() else { return };
    let inherits = |arguments: &[&str]| {
        let plain = command(folder.path(), arguments);
        let mut inherits = Command::new("env");
        inherits.args(["--ignore-signal=CHLD", "--block-signal"]).arg(plain.get_program());
        inherits.args(plain.get_args()).current_dir(folder.path()).stdin(Stdio::null());
        inherits
    };
    let ran = inherits(&["run", "--", "sh", "-c", "sh -c 'exit 3'; exit $?"]).output().unwrap();
    failed(&ran, 1, "exit code 3");
    let arguments = ["judge", "p", "p/submissions/accepted/a.sh", "p/submissions/wrong_answer/b.sh"];
    let judged = inherits(&arguments).output().unwrap();
    assert_eq!(judged.status.code(), Some(0), "{}", text(&judged.stderr));
    let arguments = ["run", "--", "sh", "-c", "echo begun >&2; sleep 600"];
    interrupted(inherits(&arguments), "begun", rustix::process::Signal::INT, 130);
    interrupted(inherits(&arguments), "begun", rustix::process::Signal::TERM, 143);
}

#[test]
fn signals_end_judging_and_leave_nothing() {
    let Some(folder) = sandbox_package() else { return };
    let arguments = ["judge", "p", "p/submissions/accepted/a.sh", "idle.sh"];
    // The second submission sleeps when the first is reported.
    interrupted(command(folder.path(), &arguments), "a.sh: accepted", rustix::process::Signal::INT, 130);
    let arguments = [&arguments[..], &["--json"]].concat();
    let printed =
        interrupted(command(folder.path(), &arguments), "a.sh: accepted", rustix::process::Signal::TERM, 143);
    // Finished results are printed as one document.
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&report["complete"], &report["cut_short"]),
        (&false.into(), &"interrupted by SIGTERM".into())
    );
    assert_eq!(report["submissions"].as_array().map(Vec::len), Some(1), "{printed}");
}

#[test]
fn program_sees_only_the_callers_folder() {
    let Some(folder) = sandbox_folder() else { return };
    // The first process of a single run is a copy of the command itself.
    let script = "cat /proc/1/cmdline /proc/1/environ /proc/1/comm /proc/1/stat; echo /proc/[0-9]*";
    let output = tauto(folder.path(), &["run", "--env", "SEED=7", "--", "sh", "-c", script]);
    let stdout = text(&output.stdout);
    assert!(stdout.starts_with("/proc/") && !stdout.contains("/proc/1 "), "{stdout}");
    // The host's mounts below the root, such as its /proc, are not included.
    let script = "[ -e /program/proc/1 ] || [ -e /program/sys/kernel ] || ls -d /program/usr";
    let output = tauto(Path::new("/"), &["run", "--", "sh", "-c", script]);
    let stderr = text(&output.stderr);
    assert_eq!(text(&output.stdout), "/program/usr\n", "{stderr}");
    assert!(stderr.contains("warning     /program shows the whole root file system"), "{stderr}");
}

#[test]
fn input_that_leads_out_of_the_sandbox_is_refused() {
    let Some(folder) = sandbox_folder() else { return };
    fs::write(folder.path().join("file"), "content").unwrap();
    let both = |path: PathBuf| fs::File::options().read(true).write(true).open(path).unwrap();
    for (input, words) in [
        (fs::File::open("/").unwrap(), "it is a folder"),
        (both(folder.path().join("file")), "open for writing"),
    ] {
        let output = command(folder.path(), &["run", "--", "cat"]).stdin(input).output().unwrap();
        failed(&output, 2, words);
    }
    let file = folder.path().join("file");
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let mut input = fs::File::open(&file).unwrap();
    input.read_exact(&mut [0; 3]).unwrap();
    let script = "cat; echo changed > /proc/self/fd/0";
    let output = command(folder.path(), &["run", "--", "sh", "-c", script]).stdin(input).output().unwrap();
    assert_eq!(text(&output.stdout), "tent", "it goes on where its opener was");
    assert_eq!(fs::read_to_string(&file).unwrap(), "content", "{}", text(&output.stderr));
}

#[test]
fn program_cannot_reopen_or_write_its_input() {
    let Some(folder) = sandbox_folder() else { return };
    let (file, pipe) = (folder.path().join("file"), folder.path().join("pipe"));
    fs::write(&file, "content").unwrap();
    let run = |input: fs::File| {
        let script = "readlink /proc/self/fd/0; cat; echo changed > /proc/self/fd/0 || echo refused";
        command(folder.path(), &["run", "--", "sh", "-c", script]).stdin(input).output().unwrap()
    };
    let output = run(fs::File::open(&file).unwrap());
    assert_eq!(text(&output.stdout), "/\ncontentrefused\n", "{}", text(&output.stderr));
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o666.into()).unwrap();
    fs::set_permissions(&pipe, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let output = std::thread::scope(|scope| {
        // Opening it blocks until the other side opens it.
        let write = scope.spawn(|| fs::write(&pipe, "content"));
        let output = run(fs::File::open(&pipe).unwrap());
        write.join().unwrap().unwrap();
        output
    });
    let printed = text(&output.stdout);
    assert!(printed.starts_with("pipe:[") && printed.ends_with("]\ncontentrefused\n"), "{printed}");
    // The program can only reopen its own pipe, for reading.
    let script = "cat /dev/stdin";
    let output = std::thread::scope(|scope| {
        let write = scope.spawn(|| fs::write(&pipe, "again"));
        let input = fs::File::open(&pipe).unwrap();
        let output = command(folder.path(), &["run", "--", "sh", "-c", script]).stdin(input).output();
        write.join().unwrap().unwrap();
        output.unwrap()
    });
    assert_eq!(text(&output.stdout), "again", "{}", text(&output.stderr));
}

#[test]
fn output_is_passed_on_up_to_its_limit_and_no_further() {
    let Some(folder) = sandbox_folder() else { return };
    let arguments = ["run", "--output-limit", "1000003", "--json", "--output", "report.json", "--", "yes"];
    let output = tauto(folder.path(), &arguments);
    assert_eq!(output.stdout.len(), 1_000_003);
    let report = fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: documents::RunReport = documents::from_json(&report).unwrap();
    assert_eq!(report.end.limit, Some(model::LimitKind::Output), "{report:?}");
    assert_eq!(report.usage.output_bytes, Some(1_000_003));
}
