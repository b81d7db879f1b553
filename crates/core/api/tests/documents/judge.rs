use crate::{machine, printed, result};
use api::{
    CaseRun, Compile, Difference, GroupResult, JudgeReport, NotJudged, Package, Submission, Summary,
    TimeLimit,
};
use model::{RunEnd, Verdict};

#[test]
fn judge() {
    let accepted = Submission {
        language: Some("cpp".to_owned()),
        expected: vec![Verdict::Accepted.into()],
        as_expected: Some(true),
        score: Some(40.0),
        compile: Some(Compile::new(true, &result(RunEnd::Exited(0), 700).usage, "a warning".to_owned())),
        groups: vec![GroupResult {
            name: "secret".to_owned(),
            verdict: Some(Verdict::Accepted.into()),
            score: Some(40.0),
            max_score: Some(100.0),
        }],
        ..Submission::new("accepted/fast.cpp", Verdict::Accepted)
    }
    .with_runs(vec![
        CaseRun::new("sample/1", Verdict::Accepted, &result(RunEnd::Exited(0), 5)),
        CaseRun::new("secret/1", Verdict::Accepted, &result(RunEnd::Exited(0), 5))
            .with_repeats(&[result(RunEnd::Exited(0), 9), result(RunEnd::Exited(0), 5)]),
    ]);
    let wrong = Submission {
        expected: vec![Verdict::Accepted.into()],
        as_expected: Some(false),
        expectation_message: Some("expected AC, got WA".to_owned()),
        ..Submission::new("accepted/wrong.py", Verdict::WrongAnswer)
    }
    .with_runs(vec![CaseRun {
        judge_message: Some("line 1: expected 3, got 4".to_owned()),
        first_difference: Some(Difference {
            line: 1,
            column: 1,
            token: 1,
            answer_line: 1,
            expected: "3".to_owned(),
            got: "4".to_owned(),
            message: "line 1: expected 3, got 4".to_owned(),
        }),
        ..CaseRun::new("sample/1", Verdict::WrongAnswer, &result(RunEnd::Exited(0), 8))
    }]);
    let submissions = vec![accepted, wrong, Submission::new("other.c", Verdict::JudgingError)];
    let report = JudgeReport {
        package: Package {
            name: "different".to_owned(),
            title: Some("A Different Problem".to_owned()),
            format: "legacy".to_owned(),
            path: "problems/different".to_owned(),
            hash: None,
        },
        machine: machine(),
        language: None,
        time_limit: TimeLimit {
            value_ns: Some(1_000_000_000),
            kill_limit_ns: Some(2_000_000_000),
            source: "problem.yaml".to_owned(),
            derivation: None,
            reused: false,
            stored_in: None,
        },
        memory_limit_bytes: Some(2_147_483_648),
        summary: Summary::of(&submissions),
        submissions,
        not_judged: vec![NotJudged {
            name: "b.nim".to_owned(),
            cause: "not_installed".to_owned(),
            reason: "Nim is not installed here (/usr/bin/nim is absent)".to_owned(),
            hint: Some("install it with: apt-get install nim".to_owned()),
        }],
        warnings: Vec::new(),
    };
    insta::assert_snapshot!(printed(&report), @r#"
    {
      "schema": "tautochrone/judge/1",
      "package": {
        "name": "different",
        "title": "A Different Problem",
        "format": "legacy",
        "path": "problems/different",
        "hash": null
      },
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
      "language": null,
      "time_limit": {
        "value_ns": 1000000000,
        "kill_limit_ns": 2000000000,
        "source": "problem.yaml",
        "derivation": null,
        "reused": false,
        "stored_in": null
      },
      "memory_limit_bytes": 2147483648,
      "submissions": [
        {
          "name": "accepted/fast.cpp",
          "language": "cpp",
          "expected": [
            "AC"
          ],
          "verdict": "AC",
          "as_expected": true,
          "expectation_message": null,
          "score": 40.0,
          "compile": {
            "succeeded": true,
            "cpu_time_ns": 700000000,
            "wall_time_ns": 702000000,
            "memory_peak_bytes": 3145728,
            "output": "a warning",
            "unavailable": {}
          },
          "runs": [
            {
              "case": "sample/1",
              "verdict": "AC",
              "cpu_time_ns": 5000000,
              "wall_time_ns": 7000000,
              "memory_peak_bytes": 3145728,
              "end": {
                "kind": "exit",
                "code": 0,
                "signal": null,
                "limit": null
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
              "score": null,
              "judge_message": null,
              "team_message": null,
              "first_difference": null,
              "nondeterministic": false,
              "repeats": [],
              "unavailable": {}
            },
            {
              "case": "secret/1",
              "verdict": "AC",
              "cpu_time_ns": 5000000,
              "wall_time_ns": 7000000,
              "memory_peak_bytes": 3145728,
              "end": {
                "kind": "exit",
                "code": 0,
                "signal": null,
                "limit": null
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
              "score": null,
              "judge_message": null,
              "team_message": null,
              "first_difference": null,
              "nondeterministic": false,
              "repeats": [
                {
                  "cpu_time_ns": 9000000,
                  "wall_time_ns": 11000000,
                  "memory_peak_bytes": 3145728,
                  "end": {
                    "kind": "exit",
                    "code": 0,
                    "signal": null,
                    "limit": null
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
                  "unavailable": {}
                },
                {
                  "cpu_time_ns": 5000000,
                  "wall_time_ns": 7000000,
                  "memory_peak_bytes": 3145728,
                  "end": {
                    "kind": "exit",
                    "code": 0,
                    "signal": null,
                    "limit": null
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
                  "unavailable": {}
                }
              ],
              "unavailable": {}
            }
          ],
          "slowest": {
            "case": "sample/1",
            "cpu_time_ns": 5000000
          },
          "groups": [
            {
              "name": "secret",
              "verdict": "AC",
              "score": 40.0,
              "max_score": 100.0
            }
          ],
          "warnings": [],
          "explanation": []
        },
        {
          "name": "accepted/wrong.py",
          "language": null,
          "expected": [
            "AC"
          ],
          "verdict": "WA",
          "as_expected": false,
          "expectation_message": "expected AC, got WA",
          "score": null,
          "compile": null,
          "runs": [
            {
              "case": "sample/1",
              "verdict": "WA",
              "cpu_time_ns": 8000000,
              "wall_time_ns": 10000000,
              "memory_peak_bytes": 3145728,
              "end": {
                "kind": "exit",
                "code": 0,
                "signal": null,
                "limit": null
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
              "score": null,
              "judge_message": "line 1: expected 3, got 4",
              "team_message": null,
              "first_difference": {
                "line": 1,
                "column": 1,
                "token": 1,
                "answer_line": 1,
                "expected": "3",
                "got": "4",
                "message": "line 1: expected 3, got 4"
              },
              "nondeterministic": false,
              "repeats": [],
              "unavailable": {}
            }
          ],
          "slowest": {
            "case": "sample/1",
            "cpu_time_ns": 8000000
          },
          "groups": [],
          "warnings": [],
          "explanation": []
        },
        {
          "name": "other.c",
          "language": null,
          "expected": [],
          "verdict": "JE",
          "as_expected": null,
          "expectation_message": null,
          "score": null,
          "compile": null,
          "runs": [],
          "slowest": null,
          "groups": [],
          "warnings": [],
          "explanation": []
        }
      ],
      "not_judged": [
        {
          "name": "b.nim",
          "cause": "not_installed",
          "reason": "Nim is not installed here (/usr/bin/nim is absent)",
          "hint": "install it with: apt-get install nim"
        }
      ],
      "summary": {
        "submissions": 3,
        "as_expected": 1,
        "unexpected": 1,
        "without_expectation": 1,
        "judging_errors": 1,
        "runs": 4,
        "verdicts": {
          "AC": 1,
          "JE": 1,
          "WA": 1
        }
      },
      "warnings": []
    }
    "#);
}
