//! Real runs of `tauto bench`. Needs root; without it each test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::sandbox_folder;
use common::{document, failed, text, words};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
    command.args(["bench", "--wait"]).args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn bench(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn read<T: documents::Document>(path: &Path) -> T {
    documents::from_json(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn two_commands_take_turns_and_every_form_of_the_result_is_written() {
    let Some(folder) = sandbox_folder() else { return };
    let here = folder.path();
    let script = "i=0; while [ $i -lt 300 ]; do i=$((i+1)); done; echo out";
    let cpu = test_support::last_cpu().to_string();
    let files = ["--export-json", "r.json", "--svg", "r.svg", "--html", "r.html", "--each"];
    let commands = ["--vs", "sh -c 'read line; exit 0'", "--", "sh", "-c", script];
    let output = bench(here, &[&["-n", "3", "--cpu-list", &cpu], &files[..], &commands].concat());
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        printed.contains("B takes ") && printed.contains("CPU time") && !printed.contains("out\n"),
        "{printed}"
    );
    let report: documents::BenchReport = read(&here.join("r.json"));
    assert!(report.tautochrone.complete);
    assert_eq!(report.results.iter().map(|result| result.times.len()).collect::<Vec<_>>(), [3, 3]);
    assert_eq!(report.results[1].command, "sh -c 'read line; exit 0'");
    assert_eq!(report.results[0].exit_codes, [Some(0); 3]);
    assert_eq!(report.tautochrone.comparison.unwrap().pairs, 3);
    let runs = &report.results[0].tautochrone.runs;
    assert!(runs.iter().all(|run| run.usage.cpu_time_ns > 0 && run.evidence.cpus == cpu));
    let svg = fs::read_to_string(here.join("r.svg")).unwrap();
    assert_eq!(svg.matches("<title>run ").count(), 6);
    assert!(fs::read_to_string(here.join("r.html")).unwrap().contains(svg.trim_end()));

    let compared = bench(here, &["--compare", "r.json", "r.json", "--json"]);
    let compared: documents::BenchComparisonReport = documents::from_json(&text(&compared.stdout)).unwrap();
    assert_eq!(compared.differences, [""; 0]);
    assert_eq!(compared.results[0].cpu_time.ratio, 1.0);
    assert_eq!(compared.results[0].cpu_time.verdict, "undecided");
}

#[test]
fn input_and_output_options_are_followed() {
    let Some(folder) = sandbox_folder() else { return };
    fs::write(folder.path().join("in.txt"), "line\n").unwrap();
    let cpu = test_support::last_cpu();
    let line = format!("-n 2 --cpu-list {cpu} --show-output --input in.txt -- cat");
    let output = bench(folder.path(), &words(&line));
    let printed = text(&output.stdout);
    assert!(printed.starts_with("line\nline\nline\ncat\n"), "a warm-up and two runs read it anew: {printed}");
}

#[test]
fn a_command_that_fails_ends_it_unless_that_is_ignored() {
    let Some(folder) = sandbox_folder() else { return };
    let cpu = test_support::last_cpu().to_string();
    let failing = ["-n", "2", "--cpu-list", &cpu, "--", "sh", "-c", "echo no luck >&2; exit 3"];
    let output = bench(folder.path(), &failing);
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("error: warm-up 1 of sh -c "), "{stderr}");
    assert!(stderr.contains("ended with exit code 3, saying 'no luck'"), "{stderr}");
    assert!(output.stdout.is_empty());
    let ignored = [&["--ignore-failure", "--json"], &failing[..]].concat();
    let output = bench(folder.path(), &ignored);
    assert_eq!(output.status.code(), Some(0));
    let report: documents::BenchReport = documents::from_json(&text(&output.stdout)).unwrap();
    assert_eq!(report.results[0].exit_codes, [Some(3), Some(3)]);
    let script = "while echo line; do :; done";
    let over = ["-n", "2", "--cpu-list", &cpu, "--output-limit", "1KiB", "--", "sh", "-c", script];
    let output = bench(folder.path(), &over);
    failed(&output, 1, "wrote more than its output limit");
    let steering = ["-n", "2", "--cpu-list", &cpu, "--", "sh", "-c", "printf '\\033[2J' >&2; exit 1"];
    assert!(!bench(folder.path(), &steering).stderr.contains(&0x1b));
    let output = bench(folder.path(), &["--cpu-list", &cpu, "--", "./absent"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn every_load_works_and_is_reported() {
    let Some(folder) = sandbox_folder() else { return };
    for (kind, unit) in [("cpu", "steps"), ("memory", "bytes"), ("io", "bytes")] {
        let cpu = test_support::last_cpu().to_string();
        // On the runs' CPU, so that it works on a machine with one CPU.
        let arguments =
            ["-n", "2", "--cpu-list", &cpu, "--load", kind, "--load-on", "leased", "--json", "--", "true"];
        let output = bench(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{kind}: {}", text(&output.stderr));
        let report: documents::BenchReport = documents::from_json(&text(&output.stdout)).unwrap();
        let load = report.tautochrone.load.unwrap();
        assert_eq!((load.kind.as_str(), load.unit.as_str(), load.cpus), (kind, unit, cpu));
        let runs = &report.results[0].tautochrone.runs;
        assert!(runs.iter().all(|run| run.load_work.is_some() && run.load_time_ns.is_some()), "{runs:?}");
    }
}

/// Finds the load of a process.
fn load_of(parent: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).find(|pid| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        text(&words).contains("internal\0load\0cpu\0--cpu-list")
    })
}

/// Returns whether a process is still active; its new parent may be slow to reap it.
fn is_alive(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z') && !line.contains('X'))
}

#[test]
fn load_does_not_outlive_its_bench() {
    let Some(folder) = sandbox_folder() else { return };
    let cpu = test_support::last_cpu().to_string();
    let arguments = ["-n", "4096", "--cpu-list", &cpu, "--load", "cpu", "--load-on", "leased", "--", "true"];
    let mut bench = command(folder.path(), &arguments).stdout(Stdio::null()).spawn().unwrap();
    let load = loop {
        if let Some(load) = load_of(bench.id()) {
            break load;
        }
        assert!(bench.try_wait().unwrap().is_none(), "it ended before its load began");
        std::thread::yield_now();
    };
    bench.kill().unwrap();
    bench.wait().unwrap();
    while is_alive(load) {
        std::thread::yield_now();
    }
}

#[test]
fn interrupted_bench_prints_what_was_measured() {
    let Some(folder) = sandbox_folder() else { return };
    let path = folder.path().join("r.json");
    let line = format!("-n 4096 --cpu-list {} --export-json r.json -- true", test_support::last_cpu());
    let bench =
        command(folder.path(), &words(&line)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It is written while more is measured.
    while !path.exists() {
        std::thread::yield_now();
    }
    let before: documents::BenchReport = read(&path);
    assert!(!before.tautochrone.complete);
    rustix::process::kill_process(rustix::process::Pid::from_child(&bench), rustix::process::Signal::INT)
        .unwrap();
    let output = bench.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(text(&output.stderr), "error: interrupted by SIGINT\n");
    let printed = text(&output.stdout);
    assert!(printed.contains(" of 4096 wanted after 1 warm-up"), "{printed}");
    let after: documents::BenchReport = read(&path);
    assert!(after.results[0].times.len() >= before.results[0].times.len());
}

#[test]
fn setup_and_cleanup_commands_run_in_the_sandbox() {
    let Some(folder) = sandbox_folder() else { return };
    let here = folder.path();
    let work = here.join("work");
    fs::create_dir(&work).unwrap();
    fs::set_permissions(&work, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let cpu = test_support::last_cpu().to_string();
    let usual = ["-n", "2", "--cpu-list", &cpu, "--mount", "work:/box/w:rw", "--shell"];
    let log = |word: &str| format!("printf '{word} ' >> /box/w/log");
    let (setup, prepare, conclude, cleanup) = (log("s{n}"), log("p"), log("c"), log("e{n}"));
    let run = format!("{}; touch /box/work/gone /tmp/gone", log("{n}"));
    let around = ["--setup", &setup, "--prepare", &prepare, "--conclude", &conclude, "--cleanup", &cleanup];
    let files = ["--export-json", "r.json", "--export-csv", "r.csv", "--export-markdown", "r.md"];
    let command = ["-L", "n", "1,2,3", "--name", "with {n}", "--reference", "with 2", "--", &run];
    let output = bench(here, &[&usual[..], &around, &files, &command].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let warm_ups = "s1 p 1 c s2 p 2 c s3 p 3 c ";
    let rounds = "p 1 c p 2 c p 3 c p 3 c p 2 c p 1 c ";
    assert_eq!(fs::read_to_string(work.join("log")).unwrap(), format!("{warm_ups}{rounds}e1 e2 e3 "));
    let report: documents::BenchReport = read(&here.join("r.json"));
    assert_eq!(report.tautochrone.compared_with.as_deref(), Some("B"));
    assert_eq!(report.tautochrone.comparisons.len(), 2);
    assert_eq!(report.results[2].parameters["n"], "3");
    assert_eq!(report.results[2].tautochrone.argv[..2], ["sh", "-c"]);
    // Once before each round.
    let reference = report.tautochrone.reference.unwrap();
    let parts = [&reference.compute_ns, &reference.cache_ns, &reference.memory_ns, &reference.wall_ns];
    assert_eq!(parts.map(Vec::len), [2; 4]);
    let csv = fs::read_to_string(here.join("r.csv")).unwrap();
    assert!(csv.starts_with("command,mean,stddev,median,user,system,min,max,parameter_n\nwith 1,"), "{csv}");
    assert_eq!(fs::read_to_string(here.join("r.md")).unwrap().lines().count(), 5);

    // The next run may be that of another user, which cannot append to it.
    fs::remove_file(work.join("log")).unwrap();
    let failing = ["--prepare", "echo no >&2; exit 7", "--cleanup", &cleanup, "-L", "n", "9", "--", &run];
    let output = bench(here, &[&usual[..], &failing].concat());
    assert_eq!(output.status.code(), Some(1));
    let words = text(&output.stderr);
    assert!(words.starts_with("error: --prepare 'echo no >&2; exit 7' of printf"), "{words}");
    assert!(words.contains("ended with exit code 7, saying 'no'"), "{words}");
    let log = fs::read_to_string(work.join("log")).unwrap();
    assert_eq!(log, "e9 ", "what was set up is cleaned up all the same");
}

#[test]
fn an_automatic_number_of_runs_has_an_end() {
    let Some(folder) = sandbox_folder() else { return };
    let cpu = test_support::last_cpu().to_string();
    let usual = ["--cpu-list", &cpu, "--json", "--vs", "sh -c exit", "--min-runs", "2"];
    let most = ["--max-runs", "4", "--precision", "0.01", "--", "true"];
    let output = bench(folder.path(), &[&usual[..], &most].concat());
    let report: documents::BenchReport = document(&output);
    let details = report.tautochrone;
    // Six pairs are the least that have an interval.
    assert_eq!(details.stop.unwrap().reason.as_deref(), Some("max_runs"));
    assert!(details.complete && details.runs_wanted == 4, "{}", details.runs_wanted);
    let short = ["--max-time", "1ns", "--", "true"];
    let output = bench(folder.path(), &[&usual[..], &short].concat());
    let report: documents::BenchReport = documents::from_json(&text(&output.stdout)).unwrap();
    assert_eq!(report.tautochrone.stop.unwrap().reason.as_deref(), Some("max_time"));
    assert_eq!(report.results[1].times.len(), 2);
}
