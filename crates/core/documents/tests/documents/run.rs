use crate::{printed, result};
use documents::{LabRun, RunReport, from_json, to_json};
use model::{Bytes, LimitKind, Limits, Nanos, Reading, RunEnd, Usage};

#[test]
fn run() {
    let limits = Limits {
        cpu_time: Some(Nanos::from_millis(1_000)),
        memory: Some(Bytes::from_mib(64)),
        ..Limits::unlimited()
    };
    let mut over = result(RunEnd::Limit(LimitKind::CpuTime), 1_001);
    over.usage.memory_peak = Reading::unavailable("kernel 5.15 has no memory.peak");
    let report = RunReport::new(
        vec!["./a.out".to_owned(), "17".to_owned()],
        &limits,
        &over,
        vec!["The CPU was shared.".to_owned()],
    );
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn the_three_ends() {
    let ends = [RunEnd::Exited(0), RunEnd::Exited(3), RunEnd::Signaled(11), RunEnd::Limit(LimitKind::Output)];
    let lines: Vec<_> = ends
        .map(|end| {
            let report = RunReport::new(Vec::new(), &Limits::unlimited(), &result(end, 5), Vec::new());
            let end = serde_json::to_string(&report.end).unwrap();
            format!("{} {end}", serde_json::to_string(&report.status).unwrap())
        })
        .to_vec();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    "OK" {"kind":"exit","code":0,"signal":null,"limit":null}
    "RTE" {"kind":"exit","code":3,"signal":null,"limit":null}
    "RTE" {"kind":"signal","code":null,"signal":11,"limit":null}
    "OLE" {"kind":"limit","code":null,"signal":null,"limit":"output"}
    "#);
}

#[test]
fn unknown_values_of_a_run_are_null_with_a_reason() {
    let mut killed = result(RunEnd::Limit(LimitKind::WallTime), 5);
    let why = "its init was killed";
    killed.usage = Usage::of_times(killed.usage.cpu_time, killed.usage.wall_time, why);
    let report = RunReport::new(Vec::new(), &Limits::unlimited(), &killed, Vec::new());
    assert!(printed(&report).contains("\"max_rss_bytes\": \"its init was killed\""));
    let usage = serde_json::to_string(&report.usage).unwrap().replace(why, "?");
    insta::assert_snapshot!(usage.replace(",\"", ",\n\""));
}

/// Documents of before had a number in every field but the memory peak.
#[test]
fn a_document_with_a_number_in_each_field_is_read() {
    let report = RunReport::new(Vec::new(), &Limits::unlimited(), &result(RunEnd::Exited(0), 5), Vec::new());
    let text = to_json(&report).replace("\"max_rss_bytes\": 2097152", "\"max_rss_bytes\": 0");
    let read: RunReport = from_json(&text).unwrap();
    assert_eq!((read.usage.max_rss_bytes, read.usage.minor_faults), (Some(0), Some(3)));
}

#[test]
fn lab_run_has_counts_and_disturbances() {
    let run = LabRun::from(&result(RunEnd::Exited(0), 100));
    assert_eq!(
        (run.cpu_time_ns, run.wall_time_ns, run.system_time_ns),
        (100_000_000, 102_000_000, Some(1_000_000))
    );
    assert_eq!((run.steal_ns, run.minor_faults, run.forced_switches), (Some(20_000_000), Some(3), Some(1)));
    assert_eq!(run.disturbances, ["the hypervisor took 20.0 ms"]);
}
