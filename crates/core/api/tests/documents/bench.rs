use crate::{machine, printed, result};
use api::{
    BenchComparison, BenchComparisonReport, BenchDetails, BenchLoad, BenchOutlier, BenchReport, BenchResult,
    BenchRun, BenchSeries, ComparedFile, ComparedResult, LowestTime, Ratio, TimeSummary,
};
use model::RunEnd;

fn time() -> TimeSummary {
    TimeSummary {
        mean_ns: 100_500_000,
        median_ns: 100_000_000,
        median_low_ns: Some(99_000_000),
        median_high_ns: Some(102_000_000),
        min_ns: 99_000_000,
        max_ns: 102_000_000,
        spread_ns: 3_000_000,
        standard_deviation_ns: Some(1_500_000),
        variation: Some(0.015),
        median_absolute_deviation_ns: 1_000_000,
    }
}

fn ratio() -> Ratio {
    Ratio { ratio: 1.05, low: Some(1.04), high: None, p_value: 0.001, verdict: "slower".to_owned() }
}

#[test]
fn bench() {
    let run = result(RunEnd::Exited(0), 100);
    let series = BenchSeries {
        argv: vec!["./a.out".to_owned(), "a b".to_owned()],
        cpu_time: time(),
        wall_time: time(),
        lowest: LowestTime { agreed: false, value_ns: 99_000_000, runs: 2, gap: Some(0.03) },
        outliers: vec![BenchOutlier {
            run: 1,
            cpu_time_ns: 102_000_000,
            score: 4.5,
            disturbances: Vec::new(),
        }],
        disturbed_runs: 1,
        runs_needed_for_1_percent: Some(36),
        load_work_per_second: Some(1.5e9),
        runs: vec![BenchRun {
            end: run.end.into(),
            usage: (&run.usage).into(),
            evidence: (&run.evidence).into(),
            load_work: Some(150_000_000),
            load_time_ns: Some(100_000_000),
        }],
    };
    let report = BenchReport {
        results: vec![BenchResult {
            command: "./a.out 'a b'".to_owned(),
            mean: 0.1005,
            stddev: None,
            median: 0.1,
            user: Some(0.099),
            system: Some(0.001),
            min: 0.099,
            max: 0.102,
            times: vec![0.102],
            exit_codes: vec![Some(0), None],
            tautochrone: series,
        }],
        tautochrone: BenchDetails {
            machine: machine(),
            cpus: "1".to_owned(),
            warm_ups: 1,
            runs_wanted: 20,
            complete: false,
            load: Some(BenchLoad {
                kind: "cpu".to_owned(),
                cpus: "0,2-3".to_owned(),
                unit: "steps".to_owned(),
            }),
            comparison: Some(BenchComparison {
                pairs: 20,
                cpu_time: ratio(),
                wall_time: ratio(),
                rank_biserial: 1.0,
                sign_p_value: 0.5,
                permutation_p_value: 0.25,
                pairs_needed_for_1_percent: None,
            }),
            warnings: vec!["The CPU was shared.".to_owned()],
        },
    };
    insta::assert_snapshot!(printed(&report), @r#"
    {
      "schema": "tautochrone/bench/1",
      "results": [
        {
          "command": "./a.out 'a b'",
          "mean": 0.1005,
          "stddev": null,
          "median": 0.1,
          "user": 0.099,
          "system": 0.001,
          "min": 0.099,
          "max": 0.102,
          "times": [
            0.102
          ],
          "exit_codes": [
            0,
            null
          ],
          "tautochrone": {
            "argv": [
              "./a.out",
              "a b"
            ],
            "cpu_time": {
              "mean_ns": 100500000,
              "median_ns": 100000000,
              "median_low_ns": 99000000,
              "median_high_ns": 102000000,
              "min_ns": 99000000,
              "max_ns": 102000000,
              "spread_ns": 3000000,
              "standard_deviation_ns": 1500000,
              "variation": 0.015,
              "median_absolute_deviation_ns": 1000000
            },
            "wall_time": {
              "mean_ns": 100500000,
              "median_ns": 100000000,
              "median_low_ns": 99000000,
              "median_high_ns": 102000000,
              "min_ns": 99000000,
              "max_ns": 102000000,
              "spread_ns": 3000000,
              "standard_deviation_ns": 1500000,
              "variation": 0.015,
              "median_absolute_deviation_ns": 1000000
            },
            "lowest": {
              "agreed": false,
              "value_ns": 99000000,
              "runs": 2,
              "gap": 0.03
            },
            "outliers": [
              {
                "run": 1,
                "cpu_time_ns": 102000000,
                "score": 4.5,
                "disturbances": []
              }
            ],
            "disturbed_runs": 1,
            "runs_needed_for_1_percent": 36,
            "load_work_per_second": 1500000000.0,
            "runs": [
              {
                "end": {
                  "kind": "exit",
                  "code": 0,
                  "signal": null,
                  "limit": null
                },
                "usage": {
                  "cpu_time_ns": 100000000,
                  "user_time_ns": 99000000,
                  "system_time_ns": 1000000,
                  "wall_time_ns": 102000000,
                  "memory_peak_bytes": 3145728,
                  "max_rss_bytes": 2097152,
                  "output_bytes": 12,
                  "forced_switches": 1,
                  "voluntary_switches": 2,
                  "minor_faults": 3,
                  "major_faults": 0,
                  "unavailable": {}
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
                "load_work": 150000000,
                "load_time_ns": 100000000
              }
            ]
          }
        }
      ],
      "tautochrone": {
        "machine": {
          "cpu_model": "Fast CPU",
          "core_count": 2,
          "memory_bytes": 1073741824,
          "kernel": "6.1.0",
          "hypervisor": null,
          "hash": "0123456789abcdef",
          "unavailable": {
            "hypervisor": "the firmware names no product"
          }
        },
        "cpus": "1",
        "warm_ups": 1,
        "runs_wanted": 20,
        "complete": false,
        "load": {
          "kind": "cpu",
          "cpus": "0,2-3",
          "unit": "steps"
        },
        "comparison": {
          "pairs": 20,
          "cpu_time": {
            "ratio": 1.05,
            "low": 1.04,
            "high": null,
            "p_value": 0.001,
            "verdict": "slower"
          },
          "wall_time": {
            "ratio": 1.05,
            "low": 1.04,
            "high": null,
            "p_value": 0.001,
            "verdict": "slower"
          },
          "rank_biserial": 1.0,
          "sign_p_value": 0.5,
          "permutation_p_value": 0.25,
          "pairs_needed_for_1_percent": null
        },
        "warnings": [
          "The CPU was shared."
        ]
      }
    }
    "#);
}

#[test]
fn bench_comparison() {
    let file = |path: &str| ComparedFile { path: path.to_owned(), machine: machine() };
    let report = BenchComparisonReport {
        first: file("a.json"),
        second: file("b.json"),
        differences: vec!["loads: no load; load cpu on CPU 0".to_owned()],
        results: vec![ComparedResult {
            first_command: "./a.out".to_owned(),
            second_command: "./a.out".to_owned(),
            first_median_ns: 100,
            second_median_ns: 105,
            cpu_time: ratio(),
            wall_time: ratio(),
            cliffs_delta: 1.0,
        }],
    };
    insta::assert_snapshot!(printed(&report), @r#"
    {
      "schema": "tautochrone/bench-comparison/1",
      "first": {
        "path": "a.json",
        "machine": {
          "cpu_model": "Fast CPU",
          "core_count": 2,
          "memory_bytes": 1073741824,
          "kernel": "6.1.0",
          "hypervisor": null,
          "hash": "0123456789abcdef",
          "unavailable": {
            "hypervisor": "the firmware names no product"
          }
        }
      },
      "second": {
        "path": "b.json",
        "machine": {
          "cpu_model": "Fast CPU",
          "core_count": 2,
          "memory_bytes": 1073741824,
          "kernel": "6.1.0",
          "hypervisor": null,
          "hash": "0123456789abcdef",
          "unavailable": {
            "hypervisor": "the firmware names no product"
          }
        }
      },
      "differences": [
        "loads: no load; load cpu on CPU 0"
      ],
      "results": [
        {
          "first_command": "./a.out",
          "second_command": "./a.out",
          "first_median_ns": 100,
          "second_median_ns": 105,
          "cpu_time": {
            "ratio": 1.05,
            "low": 1.04,
            "high": null,
            "p_value": 0.001,
            "verdict": "slower"
          },
          "wall_time": {
            "ratio": 1.05,
            "low": 1.04,
            "high": null,
            "p_value": 0.001,
            "verdict": "slower"
          },
          "cliffs_delta": 1.0
        }
      ]
    }
    "#);
}
