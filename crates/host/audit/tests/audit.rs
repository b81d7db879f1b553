//! Tests the audit on this machine's own CPUs. Needs root and the kernel's tracing; without them it prints why it is
//! skipped.

#![allow(clippy::unwrap_used)]

use audit::{Auditor, KnownTasks};
use model::{AuditMethod, CpuId, CpuSet, Nanos, Reading, RunnerKind};
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use system::Roots;

/// Returns a shell under another name, bound to a CPU.
fn start(folder: &std::path::Path, name: &str, script: &str, cpu: CpuId) -> Child {
    let program = folder.join(name);
    symlink("/bin/sh", &program).unwrap();
    let child = Command::new(&program).args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
    let mut mask = rustix::thread::CpuSet::new();
    mask.set(cpu.0 as usize);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::thread::sched_setaffinity(Some(pid), &mask).unwrap();
    child
}

fn last_allowed_cpu() -> CpuId {
    CpuId(test_support::last_cpu())
}

#[test]
fn process_spinning_next_to_a_run_is_named() {
    let cpu = last_allowed_cpu();
    let cpus: CpuSet = [cpu].into_iter().collect();
    let roots = Roots::host();
    let mut auditor = Auditor::open(&roots, &cpus);
    let folder = tempfile::tempdir().unwrap();
    let mut spinner = start(folder.path(), "spinner", "while :; do :; done", cpu);
    // New descendants of this thread's children belong to the run; the spinner was made before.
    let me = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    let known = KnownTasks { launchers: vec![me], ..KnownTasks::default() };
    auditor.begin(&known);
    // It waits to be bound before it works, so that both compete for one CPU.
    symlink("/bin/sh", folder.path().join("worker")).unwrap();
    let work = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let script = format!("read go; {}/worker -c '{work}'; exit $?", folder.path().display());
    let mut init = start(folder.path(), "init", &script, cpu);
    std::io::Write::write_all(init.stdin.as_mut().unwrap(), b"go\n").unwrap();
    assert!(init.wait().unwrap().success());
    let audit = auditor.end(&known);
    spinner.kill().unwrap();
    spinner.wait().unwrap();
    let Reading::Known(audit) = audit else { panic!("{audit:?}") };
    println!("{audit:#?}");
    if let AuditMethod::Estimate { why } = &audit.method {
        return test_support::lacks(&format!("events of the kernel: {why}"));
    }
    let shares = *audit.shares.known().unwrap();
    assert_eq!(shares.sum(), audit.interval, "one CPU");
    let spun = audit.findings.iter().find(|finding| finding.name == "spinner").unwrap();
    assert_eq!((spun.kind, spun.number), (RunnerKind::Process, Some(spinner.id())));
    assert_eq!(spun.cpus, cpus);
    let (total, taken) = (*spun.total.known().unwrap(), *spun.taken_from_run.known().unwrap());
    assert!(spun.count > 1 && total > Nanos::ZERO && total <= shares.others);
    // The scheduler alternates both, so the worker waited for a part of the spinner's time.
    assert!(taken > Nanos::ZERO && taken <= total);
    let worked: Vec<_> = audit.threads.iter().filter(|thread| thread.name == "worker").collect();
    assert_eq!(worked.len(), 1, "{:?}", audit.threads);
    assert!(worked[0].cpu_times.get(&cpu).is_some_and(|time| *time > Nanos::ZERO));
    assert!(worked[0].forced_switches.known().is_some_and(|count| *count > 0));
    assert!(audit.findings.iter().any(|finding| finding.kind == RunnerKind::Interrupt));
}

#[test]
fn counters_without_events_are_marked_as_an_estimate() {
    let cpu = last_allowed_cpu();
    let cpus: CpuSet = [cpu].into_iter().collect();
    let mut auditor = Auditor::by_counters(&Roots::host(), &cpus, "a test");
    let folder = tempfile::tempdir().unwrap();
    let mut spinner = start(folder.path(), "counted", "while :; do :; done", cpu);
    let known = KnownTasks::of_this_process(&Roots::host(), vec![]);
    auditor.begin(&known);
    let ran = || {
        let text = std::fs::read_to_string(format!("/proc/{}/schedstat", spinner.id()));
        text.ok().and_then(|text| text.split(' ').next().and_then(|word| word.parse::<u64>().ok()))
    };
    let Some(begin) = ran() else {
        spinner.kill().unwrap();
        spinner.wait().unwrap();
        return test_support::lacks("a kernel with /proc/PID/schedstat");
    };
    while ran().unwrap() < begin + 50_000_000 {
        std::thread::yield_now();
    }
    let Reading::Known(audit) = auditor.end(&known) else { panic!("there are counters") };
    spinner.kill().unwrap();
    spinner.wait().unwrap();
    assert_eq!(audit.method, AuditMethod::Estimate { why: "a test".to_owned() });
    let found = audit.findings.iter().find(|finding| finding.name == "counted").unwrap();
    assert!(found.total.known().is_some_and(|total| *total >= Nanos::from_millis(50)), "{found:?}");
    assert!(audit.shares.known().is_none());
}
