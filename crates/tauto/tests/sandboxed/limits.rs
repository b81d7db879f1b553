//! The limits of `tauto run`, and those with which it was started.

use crate::common::real::{command, folder, sandbox_folder, tauto};
use crate::common::{failed, text};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs `ulimit ARGUMENTS && tauto run -- sh -c PROGRAM` in a shell.
fn run_under(limit: &str, program: &str) -> std::process::Output {
    let script = format!("ulimit {limit} && exec \"$0\" run -- sh -c '{program}'");
    let mut shell = Command::new("bash");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_tauto")]).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn the_limits_of_the_shell_are_not_those_of_runs() {
    if !test_support::needs_root() {
        return;
    }
    let limits = "ulimit -v; ulimit -d; ulimit -t; ulimit -f";
    for soft in ["-Sv 4000000", "-Sd 200000", "-St 100", "-Sf 100000"] {
        let output = run_under(soft, limits);
        assert_eq!(output.status.code(), Some(0), "{soft}: {}", text(&output.stderr));
        assert!(
            !text(&output.stdout).lines().take(3).any(|limit| limit != "unlimited"),
            "{soft}: {output:?}"
        );
    }
    for (hard, what) in [("-v 4000000", "address space"), ("-d 200000", "data"), ("-t 100", "CPU time")] {
        let output = run_under(hard, "true");
        failed(&output, 3, what);
    }
}

#[test]
fn the_limits_of_a_single_run_hold() {
    let Some(folder) = sandbox_folder() else { return };
    let fork = "/bin/true; echo forked";
    let fill = "head -c 100000000 /dev/zero >/tmp/x";
    let orphan = "sleep 600 & echo left";
    let cpu = test_support::last_cpu().to_string();
    let send = "python3 -c 'import socket as s; a = s.socketpair(); s.send_fds(a[0], [b\"-\"], [0])' 2>&1 | tail -n 1";
    let refused = "OSError: [Errno 109] Too many references: cannot splice\n";
    for (limits, script, status, stdout) in [
        (&["--processes", "1"][..], fork, "RTE", ""),
        (&["--processes", "2"], fork, "OK", "forked\n"),
        (&["--memory", "32MiB"], fill, "MLE", ""),
        (&["--wall", "100ms"], "sleep 600", "WTL", ""),
        (&["--cpu", "50ms"], "while :; do :; done", "TLE", ""),
        (&["--cpu", "1200ms", "--wall", "2s", "--cpu-list", &cpu], "ulimit -t", "OK", "5\n"),
        (&[], orphan, "OK", "left\n"),
        (&[], "ulimit -Hn", "OK", "4096\n"),
        (&[], send, "OK", refused),
        (&["--open-files", "64"], send, "OK", refused),
        (&["--open-files", "8000"], send, "OK", refused),
    ] {
        let start = ["run", "--json", "--output", "r.json"];
        let output = tauto(folder.path(), &[&start, limits, &["--", "sh", "-c", script]].concat());
        let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["status"], status, "{limits:?}: {report}");
        assert_eq!(text(&output.stdout), stdout, "{limits:?}");
    }
}

/// Runs a program with limits while tauto is held, and checks that it ends by the limit.
fn ends_while_held(limits: &[&str], script: &str, held: impl FnOnce(Pid) -> Box<dyn FnOnce()>, status: &str) {
    let Some(folder) = sandbox_folder() else { return };
    let start = ["run", "--json", "--output", "r.json"];
    let mut child = command(folder.path(), &[&start[..], limits, &["--", "sh", "-c", script]].concat());
    let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let id = child.id();
    let init = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let release = held(Pid::from_child(&child));
    // Nobody waits for the init yet, so it stays as a zombie.
    let has_ended = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", init.trim())).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    let ended = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        has_ended()
    });
    release();
    child.wait().unwrap();
    let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(ended, "{report}");
    assert_eq!(report["status"], status, "{report}");
}

#[test]
fn the_kernel_ends_a_program_that_tauto_cannot_end() {
    let stop = |tauto| -> Box<dyn FnOnce()> {
        kill_process(tauto, Signal::STOP).unwrap();
        Box::new(move || kill_process(tauto, Signal::CONT).unwrap())
    };
    let cpu = test_support::last_cpu().to_string();
    let limits = ["--cpu", "500ms", "--wall", "1s", "--cpu-list", &cpu];
    ends_while_held(&limits, "echo begun >&2; while :; do :; done", stop, "TLE");
}

#[test]
fn the_watchdog_ends_a_program_that_its_supervisor_cannot_end() {
    // Only the first thread, which supervises.
    let stop = |tauto: Pid| -> Box<dyn FnOnce()> {
        ptrace(libc::PTRACE_SEIZE, tauto);
        ptrace(libc::PTRACE_INTERRUPT, tauto);
        rustix::process::waitpid(Some(tauto), rustix::process::WaitOptions::UNTRACED).unwrap();
        Box::new(move || ptrace(libc::PTRACE_DETACH, tauto))
    };
    ends_while_held(&["--wall", "500ms"], "echo begun >&2; sleep 600", stop, "WTL");
}

/// The watchdog counts from the start of the run, and the verdict from the program's execution, which is late here.
#[test]
fn program_ended_before_its_execution_has_exceeded_its_limit() {
    if !test_support::needs_root() || !test_support::needs_program("strace", "strace") {
        return;
    }
    let mut delayed = Command::new("strace");
    delayed.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=mount,poll,ppoll"]);
    for delay in ["mount:delay_enter=200000", "poll:delay_enter=800000", "ppoll:delay_enter=800000"] {
        delayed.args(["-e", &format!("inject={delay}")]);
    }
    delayed.arg(env!("CARGO_BIN_EXE_tauto")).args(["bench", "--wait", "-n", "2", "--warmup", "0"]);
    delayed.args([
        "--wall",
        "50ms",
        "--cpu-list",
        &test_support::last_cpu().to_string(),
        "--",
        "sleep",
        "600",
    ]);
    let output = delayed.stdin(Stdio::null()).current_dir(folder().path()).output().unwrap();
    let printed = text(&output.stderr);
    assert!(printed.contains("run 1 of sleep 600 was ended at its wall time limit"), "{printed}");
}

#[allow(unsafe_code)]
fn ptrace(request: libc::c_uint, tauto: Pid) {
    let null = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: these requests read and write no memory.
    let result = unsafe { libc::ptrace(request, tauto.as_raw_nonzero().get(), null, null) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
}
