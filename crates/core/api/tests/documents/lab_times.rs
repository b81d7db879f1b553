//! The documents of the experiments.

use super::{printed, result};
use api::*;
use model::RunEnd;

fn machine() -> MachineIdentity {
    MachineIdentity {
        cpu_model: Some("Abacus 3".to_owned()),
        core_count: Some(2),
        memory_bytes: Some(1 << 30),
        kernel: Some("6.1.0".to_owned()),
        hypervisor: Some("none".to_owned()),
        hash: "abc".to_owned(),
        unavailable: Unavailable::new(),
    }
}

fn spread() -> LabSpread {
    LabSpread {
        mean_ns: 101,
        median_ns: 100,
        min_ns: 100,
        max_ns: 103,
        spread_ns: 3,
        share: 0.03,
        variation: Some(0.01),
    }
}

#[test]
fn a_run_in_short_says_what_it_was_kept_from() {
    let run = LabRun::from(&result(RunEnd::Exited(0), 100));
    assert_eq!(
        (run.cpu_time_ns, run.wall_time_ns, run.system_time_ns),
        (100_000_000, 102_000_000, Some(1_000_000))
    );
    assert_eq!((run.steal_ns, run.minor_faults, run.forced_switches), (Some(20_000_000), Some(3), Some(1)));
    assert_eq!(run.disturbances, ["the hypervisor took 20.0 ms"]);
}

#[test]
fn a_ladder_and_a_series_can_be_read_back() {
    let run = LabRun::from(&result(RunEnd::Exited(0), 100));
    let sieve = LabSieveReport {
        machine: machine(),
        cpus: "1".to_owned(),
        load: "cpu".to_owned(),
        rounds_wanted: 20,
        rounds: 1,
        changed: vec!["autogroup: /proc/sys/kernel/sched_autogroup_enabled = 0".to_owned()],
        steps: vec![LabSieveStep {
            id: "plain".to_owned(),
            title: "plain, idle".to_owned(),
            what: "nothing".to_owned(),
            not_applied: None,
            article_spread_ms: Some(2230.0),
            article_share: Some(0.27875),
        }],
        programs: vec![LabSieveProgram {
            name: "sieve".to_owned(),
            what: "writes".to_owned(),
            argument: Some(7),
            not_run: None,
            results: vec![LabSieveResult {
                step: "plain".to_owned(),
                spread: spread(),
                times: vec![LabSieveTime { cpu_time_ns: 100, agreed: true, runs: vec![run.clone()] }],
            }],
        }],
        not_shown: Vec::new(),
        warnings: Vec::new(),
    };
    assert!(printed(&sieve).contains("\"schema\": \"tautochrone/lab-sieve/1\""));
    let stability = LabStabilityReport {
        machine: machine(),
        cpus: "1".to_owned(),
        load: "cpu".to_owned(),
        neighbours: vec!["forks".to_owned()],
        program: "sieve".to_owned(),
        argument: 7,
        judgements_wanted: 1,
        complete: false,
        rule_version: 2,
        calibrated_ns: 100,
        reference_ns: 100,
        first_half_ns: 100,
        second_half_ns: 102,
        drift: 0.02,
        void: Some("it moved".to_owned()),
        sides: vec![LabStabilitySide {
            by: "alone".to_owned(),
            needs_percent: 97,
            needs_percent_measured: 97.0,
            limit_ns: 103,
            judgements: 1,
            flips: 0,
            undecided: 0,
            extra_runs: 0,
            spread: Some(spread()),
            each: vec![LabJudgement { told: "within".to_owned(), why: None, runs: vec![run.clone()] }],
        }],
        references: vec![run],
        warnings: Vec::new(),
    };
    assert!(printed(&stability).contains("\"schema\": \"tautochrone/lab-stability/2\""));
}
