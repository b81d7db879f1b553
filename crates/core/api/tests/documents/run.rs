use crate::{printed, result};
use api::{RunReport, from_json, to_json};
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
    insta::assert_snapshot!(printed(&report), @r#"
    {
      "schema": "tautochrone/run/1",
      "argv": [
        "./a.out",
        "17"
      ],
      "limits": {
        "cpu_time_ns": 1000000000,
        "wall_time_ns": null,
        "memory_bytes": 67108864,
        "processes": null,
        "output_bytes": null,
        "file_size_bytes": null,
        "open_files": null,
        "stack_bytes": null,
        "box_size_bytes": 268435456,
        "box_files": 65536
      },
      "end": {
        "kind": "limit",
        "code": null,
        "signal": null,
        "limit": "cpu_time"
      },
      "status": "TLE",
      "usage": {
        "cpu_time_ns": 1001000000,
        "user_time_ns": 1000000000,
        "system_time_ns": 1000000,
        "wall_time_ns": 1003000000,
        "memory_peak_bytes": null,
        "max_rss_bytes": 2097152,
        "output_bytes": 12,
        "forced_switches": 1,
        "voluntary_switches": 2,
        "minor_faults": 3,
        "major_faults": 0,
        "unavailable": {
          "memory_peak_bytes": "kernel 5.15 has no memory.peak"
        }
      },
      "evidence": {
        "cpus": "1",
        "steal_ns": 20000000,
        "interrupts": 260,
        "softirqs": 40,
        "throttled_ns": 0,
        "cpu_pressure_ns": null,
        "others_cpu_time_ns": 0,
        "migrations": 0,
        "frequency_hz": null,
        "heat_throttles": null,
        "core_slowdown_permille": 12,
        "guard": {
          "looks": 50,
          "slow_looks": 3,
          "slowdown_permille": 12,
          "held_ns": 7000000
        },
        "neighbours": {
          "helpers": [
            "checker"
          ],
          "timed_cpus": "1"
        },
        "isolation": "cpuset",
        "isolation_lost": null,
        "unusual": [
          "2600 interrupts a second, 260 are usual"
        ],
        "disturbances": [
          "the hypervisor took 20.0 ms"
        ],
        "unavailable": {
          "cpu_pressure_ns": "cpu.pressure cannot be opened",
          "frequency_hz": "this machine has no cpufreq",
          "heat_throttles": "this machine has no thermal_throttle",
          "isolation": "cgroup v1 has no partitions"
        }
      },
      "audit": null,
      "warnings": [
        "The CPU was shared."
      ]
    }
    "#);
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
fn what_is_not_known_of_a_run_is_null_with_the_reason() {
    let mut killed = result(RunEnd::Limit(LimitKind::WallTime), 5);
    let why = "its init was killed";
    killed.usage = Usage::of_times(killed.usage.cpu_time, killed.usage.wall_time, why);
    let report = RunReport::new(Vec::new(), &Limits::unlimited(), &killed, Vec::new());
    assert!(printed(&report).contains("\"max_rss_bytes\": \"its init was killed\""));
    let usage = serde_json::to_string(&report.usage).unwrap().replace(why, "?");
    insta::assert_snapshot!(usage.replace(",\"", ",\n\""), @r#"
    {"cpu_time_ns":5000000,
    "user_time_ns":null,
    "system_time_ns":null,
    "wall_time_ns":7000000,
    "memory_peak_bytes":null,
    "max_rss_bytes":null,
    "output_bytes":null,
    "forced_switches":null,
    "voluntary_switches":null,
    "minor_faults":null,
    "major_faults":null,
    "unavailable":{"forced_switches":"?",
    "major_faults":"?",
    "max_rss_bytes":"?",
    "memory_peak_bytes":"?",
    "minor_faults":"?",
    "output_bytes":"?",
    "system_time_ns":"?",
    "user_time_ns":"?",
    "voluntary_switches":"?"}}
    "#);
}

/// Documents of before had a number in every field but the memory peak.
#[test]
fn a_document_with_a_number_in_each_field_is_read() {
    let report = RunReport::new(Vec::new(), &Limits::unlimited(), &result(RunEnd::Exited(0), 5), Vec::new());
    let text = to_json(&report).replace("\"max_rss_bytes\": 2097152", "\"max_rss_bytes\": 0");
    let read: RunReport = from_json(&text).unwrap();
    assert_eq!((read.usage.max_rss_bytes, read.usage.minor_faults), (Some(0), Some(3)));
}
