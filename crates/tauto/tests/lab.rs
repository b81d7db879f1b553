//! Real runs of `tauto lab`, in their shortest form. Without root, tests that need it report that they were skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::{document, failed, text};
use cpus::Registry;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
    command.arg("lab").args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn lab(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Makes a folder, if this machine can run a lab.
fn folder(root: bool) -> Option<tempfile::TempDir> {
    let can = test_support::needs(test_support::allowed_cpus().len() > 1, "two CPUs")
        && (!root || test_support::needs_root());
    can.then(|| tempfile::tempdir().unwrap())
}

/// Returns whether a process has children or a group is left.
fn left_over(process: u32) -> Vec<String> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let mut left: Vec<_> = children.split_whitespace().map(str::to_owned).collect();
    for tree in ["/sys/fs/cgroup", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpuset"] {
        let group = Path::new(tree).join(format!("tauto-lab-{process}"));
        left.extend(group.exists().then(|| group.display().to_string()));
    }
    left
}

/// Returns whether it failed because another process's group has exclusive CPUs; then waits until no `tauto` process
/// has timed runs on this machine.
fn others_had_the_cpus(output: &Output) -> bool {
    let words = text(&output.stderr);
    let taken = [
        "another group has some of them for itself",
        "usable cores are free",
        "which the load of an experiment would spoil",
        "others wait for CPUs already",
    ];
    let is_so = output.status.code() == Some(3) && taken.iter().any(|taken| words.contains(taken));
    if is_so {
        println!("waits for other tauto processes: {words}");
        let registry = Registry::here().unwrap();
        registry.wait_for(&registry.topology().cpus()).unwrap();
    }
    is_so
}

/// Runs it on CPUs that no other process has for itself; returns its PID too.
fn throttling(folder: &Path, arguments: &[&str]) -> (u32, Output) {
    loop {
        let mut command = command(folder, &[&["throttling"], arguments].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let process = child.id();
        let output = child.wait_with_output().unwrap();
        if !others_had_the_cpus(&output) {
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            return (process, output);
        }
    }
}

#[test]
fn throttling_goes_from_start_to_report_and_leaves_nothing() {
    let Some(folder) = folder(true) else { return };
    let arguments = ["--rounds", "1", "--time", "300ms", "--json", "--chores", "0"];
    let (process, output) = throttling(folder.path(), &arguments);
    assert_eq!(left_over(process), [""; 0]);
    let report: documents::LabThrottlingReport = documents::from_json(&text(&output.stdout)).unwrap();
    assert!(report.arms.iter().all(|arm| arm.runs.len() == 1 && arm.all.requests > 0), "{report:?}");
    let whole = report.arms.iter().find(|arm| arm.mode == "cpus").unwrap();
    assert_eq!(whole.all.throttled_periods, 0);
    assert_eq!(report.compared.len(), 4);
    let files = folder.path().join("lab-throttling");
    let page = fs::read_to_string(files.join("report.html")).unwrap();
    assert!(
        page.contains("<svg") && !page.contains("src=") && !page.contains("href="),
        "nothing comes from elsewhere"
    );
    for file in ["report.json", "latency.svg", "throttling.svg", "sizes.svg"] {
        assert!(files.join(file).exists(), "{file}");
    }
}

#[test]
fn placement_shows_present_levels_and_names_missing_ones() {
    let Some(folder) = folder(false) else { return };
    let output =
        lab(folder.path(), &["placement", "--rounds", "1", "--time", "50ms", "--json", "--out", "here"]);
    let report: documents::LabPlacementReport = document(&output);
    let missing = report.places.iter().filter(|place| place.missing.is_some()).count();
    assert_eq!(report.setting.not_shown.len(), missing);
    assert_eq!(report.works.len(), 4);
    for work in &report.works {
        assert!(
            work.results.iter().filter(|result| result.threads == 2).count() == report.places.len() - missing
        );
        assert!(work.results.iter().all(|result| result.all.batches > 0), "{work:?}");
    }
    assert!(folder.path().join("here/ping-pong-p99.svg").exists());
}

#[test]
fn affinity_sends_and_receives_on_the_given_cpus() {
    let Some(folder) = folder(false) else { return };
    let output = lab(folder.path(), &["affinity", "--rounds", "1", "--time", "600ms", "--json"]);
    let report: documents::LabAffinityReport = document(&output);
    let [unpinned, pinned] = report.arms.as_slice() else { panic!("{report:?}") };
    assert_eq!((unpinned.receiver_cpu, unpinned.runs[0].sent.len()), (None, 7));
    // The amount of work depends on the machine; the report must contain what the threads counted.
    let any = |counts: &[u64]| counts.iter().any(|count| *count > 0);
    let (sent, received) = (any(&pinned.runs[0].sent), any(&pinned.runs[0].received));
    assert_eq!((pinned.sent_per_second > 0.0, pinned.received_per_second > 0.0), (sent, received));
    assert!(sent || !received, "what came was sent");
    for thread in &pinned.runs[0].threads {
        let cpu = if thread.program == "sender" { pinned.sender_cpu } else { pinned.receiver_cpu };
        assert_eq!(thread.cpus, cpu.unwrap().to_string(), "{thread:?}");
        assert_eq!(thread.name, format!("lab-{}", thread.program));
    }
}

/// Returns the first child of this process; `None` if it ends before.
fn first_child(of: &mut Child) -> Option<String> {
    let children = format!("/proc/{0}/task/{0}/children", of.id());
    while of.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&children).unwrap_or_default();
        if let Some(child) = text.split_whitespace().next() {
            return Some(child.to_owned());
        }
        std::thread::yield_now();
    }
    None
}

#[test]
fn a_killed_experiment_takes_its_server_with_it_and_the_next_one_its_group() {
    let Some(folder) = folder(true) else { return };
    let (mut child, server) = loop {
        let mut command = command(folder.path(), &["throttling", "--time", "60s", "--quiet"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(server) = first_child(&mut child) {
            break (child, Path::new("/proc").join(server));
        }
        let output = child.wait_with_output().unwrap();
        assert!(others_had_the_cpus(&output), "no server was started: {}", text(&output.stderr));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    // An orphan that has ended is gone, or a zombie until init reaps it.
    let is_alive = || fs::read_to_string(server.join("stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while is_alive() {
        std::thread::yield_now();
    }
    throttling(folder.path(), &["--rounds", "1", "--time", "50ms"]);
    assert_eq!(left_over(child.id()), [""; 0]);
}

#[test]
fn sharing_judges_under_every_condition_forwards_and_backwards() {
    let Some(folder) = folder(true) else { return };
    let output = loop {
        let output = lab(folder.path(), &["sharing", "--rounds", "2", "--program", "registers", "--json"]);
        if !others_had_the_cpus(&output) {
            break output;
        }
    };
    let report: documents::LabSharingReport = document(&output);
    assert!(report.complete, "{report:?}");
    let costs = &report.programs[0].costs;
    assert!(costs.len() >= 3 && costs.iter().all(|cost| cost.judgements.len() == 2), "{report:?}");
}

#[test]
fn clock_shows_counts_that_are_equal_while_all_cpus_are_busy() {
    let Some(folder) = folder(true) else { return };
    let arguments = ["clock", "--quick", "--program", "registers", "--counter", "emulated", "--json"];
    let output = loop {
        let output = lab(folder.path(), &arguments);
        if !others_had_the_cpus(&output) {
            break output;
        }
    };
    let report: documents::LabClockReport = document(&output);
    assert!(
        report.complete && report.load.contains("cpu: ") && report.rank_correlation.is_none(),
        "{report:?}"
    );
    let program = &report.programs[0];
    assert_eq!((program.calm_ns.len(), program.loaded_ns.len(), program.instructions.len()), (2, 2, 2));
    // Two instructions in each step of its loop are the fewest that compute something.
    assert!(program.instructions[0] > 80_000_000 && program.count_spread == 0.0, "{report:?}");
    assert_eq!(program.times_predicted, 1.0, "one program is the usual one");
}

#[test]
fn noise_draws_every_figure_and_reports_agreement() {
    let Some(folder) = folder(false) else { return };
    let output = lab(folder.path(), &["noise", "--quick", "--rounds", "1", "--time", "1s", "--json"]);
    let report: documents::LabNoiseReport = document(&output);
    // Three kinds of work for each figure and number of processes; without Open MPI a reason.
    let injected = report.injected.len();
    assert!((injected > 0 && injected.is_multiple_of(9)) || report.not_injected.is_some(), "{report:?}");
    assert_eq!(report.figures.iter().map(|figure| figure.number).collect::<Vec<_>>(), [3, 4, 5]);
    assert!(report.calls.iter().all(|calls| calls.calls > 0 && calls.median_ns > 0.0), "{report:?}");
    assert!(report.compared.len() >= 7 && report.setting.not_shown.len() >= 2, "{report:?}");
    for figure in ["1a", "1b", "2a", "2b", "2c", "3", "4", "5"] {
        assert!(folder.path().join(format!("lab-noise/figure-{figure}.svg")).exists(), "{figure}");
    }
}

#[test]
fn wrong_input_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (["affinity", "--interval", "1ms"].as_slice(), "--interval 1.0 ms is too short"),
        (&["affinity", "--interval", "10s"], "use from 2"),
        (&["affinity", "--receiver-cpu", "9999", "--sender-cpu", "0"], "CPU 9999 is not within"),
        (&["affinity", "--receiver-cpu", "0"], "--sender-cpu"),
        (&["throttling", "--cpus", "0"], "at least 1"),
        (&["placement", "--out", "/proc/nowhere"], "cannot make the folder /proc/nowhere"),
        (&["placement", "--quick", "--full"], "cannot be used with"),
    ] {
        let output = lab(folder.path(), arguments);
        failed(&output, 2, words);
    }
}
