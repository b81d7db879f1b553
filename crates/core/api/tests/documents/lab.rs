use crate::{machine, printed};
use api::{
    ExchangeInjection, ExchangeSpread, LabAffinityArm, LabAffinityReport, LabAffinityRun, LabBeside,
    LabNoiseCalls, LabNoiseCurve, LabNoiseFigure, LabNoiseInjected, LabNoisePoint, LabNoiseReport,
    LabNoiseSource, LabPlace, LabPlacementReport, LabPlacementResult, LabPlacementRun, LabPlacementWork,
    LabSetting, LabSizing, LabThread, LabThreadCounts, LabThrottlingArm, LabThrottlingReport,
    LabThrottlingRun, LabTick, LabWorkload,
};

fn setting() -> LabSetting {
    LabSetting {
        machine: machine(),
        cpus: "0-1".to_owned(),
        rounds_wanted: 4,
        complete: true,
        run_time_ns: 5_000_000_000,
        not_shown: vec!["this machine cannot show it".to_owned()],
        warnings: vec!["it was busy".to_owned()],
    }
}

fn beside() -> Vec<LabBeside> {
    vec![LabBeside { what: "P99".to_owned(), article: "-50 %".to_owned(), here: "-60 %".to_owned() }]
}

#[test]
fn throttling() {
    let all = LabThrottlingRun {
        requests: 100,
        given_up: 1,
        p50_ns: 2_000_000,
        p90_ns: 3_000_000,
        p99_ns: 40_000_000,
        max_ns: 50_000_000,
        served_per_second: 49.5,
        cpu_time_ns: 900_000_000,
        wall_time_ns: 2_000_000_000,
        periods: 20,
        throttled_periods: 3,
        throttled_ns: 100_000_000,
        latencies_ns: Vec::new(),
        ticks: Vec::new(),
    };
    let tick = LabTick { at_ns: 50_000_000, throttled_periods: 1, throttled_ns: 7 };
    let run = LabThrottlingRun { latencies_ns: vec![1, 2], ticks: vec![tick], ..all.clone() };
    let report = LabThrottlingReport {
        setting: setting(),
        workload: LabWorkload {
            seed: 1,
            bursts_per_second: 10.0,
            requests_per_burst: 5,
            request_ns: 2_000_000,
            parts: 4,
            threads: 4,
            chores_ns: 120_000_000,
            chores_every_ns: 400_000_000,
            chore_threads: 2,
            cpus_needed: 0.4,
        },
        arms: vec![LabThrottlingArm {
            name: "quota 1.00, period 100 ms".to_owned(),
            mode: "quota".to_owned(),
            cpus: 1.0,
            quota_ns: Some(100_000_000),
            period_ns: Some(100_000_000),
            cpu_list: None,
            compared: true,
            all,
            runs: vec![run],
        }],
        sizing: vec![LabSizing {
            target_ns: 20_000_000,
            quota_cpus: Some(1.25),
            whole_cpus: Some(1.0),
            saving: Some(0.2),
        }],
        beside: beside(),
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn placement() {
    let run = LabPlacementRun { batches: 10, p50_ns: 100, p99_ns: 200, max_ns: 300, batches_per_second: 7.5 };
    let report = LabPlacementReport {
        setting: setting(),
        places: vec![LabPlace { name: "same L3".to_owned(), cpus: Some(vec![1, 0]), missing: None }],
        works: vec![LabPlacementWork {
            name: "computing".to_owned(),
            what: "they compute".to_owned(),
            results: vec![LabPlacementResult {
                place: "same L3".to_owned(),
                threads: 2,
                all: run.clone(),
                times_alone: Some(1.9),
                p99_times_nearest: Some(1.0),
                runs: vec![run],
            }],
        }],
        beside: beside(),
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn affinity() {
    let counts = LabThreadCounts {
        migrations: None,
        voluntary_switches: vec![1, 2],
        forced_switches: vec![3, 4],
        waited_ns: vec![5, 6],
    };
    let report = LabAffinityReport {
        setting: setting(),
        interval_ns: 100_000_000,
        arms: vec![LabAffinityArm {
            name: "pinned".to_owned(),
            receiver_cpu: Some(0),
            sender_cpu: Some(1),
            sent_per_second: 80_000.0,
            received_per_second: 55_000.0,
            received_variation: Some(0.05),
            sent_variation: None,
            received_min: 5_000.0,
            received_max: 6_000.0,
            runs: vec![LabAffinityRun {
                sent: vec![8_000, 8_000],
                received: vec![5_500, 5_500],
                receiver: counts.clone(),
                sender: counts,
                threads: vec![LabThread {
                    program: "sender".to_owned(),
                    thread: 17,
                    name: "lab-sender".to_owned(),
                    cpus: "1".to_owned(),
                    migrations: None,
                    voluntary_switches: 3,
                    forced_switches: 7,
                    ran_ns: 8,
                    waited_ns: 9,
                }],
            }],
        }],
        variation_ratio: Some(0.3),
        variation_low: Some(0.2),
        variation_high: None,
        explanation: vec!["it is steadier".to_owned()],
        beside: beside(),
    };
    insta::assert_snapshot!(printed(&report));
}

#[test]
fn noise() {
    let spread = |median_ns| ExchangeSpread {
        mean_ns: median_ns + 0.5,
        median_ns,
        low_ns: median_ns - 1.0,
        high_ns: median_ns + 1.0,
    };
    let report = LabNoiseReport {
        setting: setting(),
        calls: vec![LabNoiseCalls {
            cpu: 1,
            load: "one_cpu".to_owned(),
            call_wanted_ns: 155_000,
            calls: 64_516,
            median_ns: 155_020.5,
            max_ns: 210_000.0,
            first_quarter_ratio: None,
        }],
        sources: vec![LabNoiseSource {
            cpu: 1,
            load: "one_cpu".to_owned(),
            frequency_hz: 250.0,
            length_ns: 6_300.5,
            share: 0.0016,
        }],
        injected: vec![LabNoiseInjected {
            figure: 3,
            ranks: 4,
            work: "blocking".to_owned(),
            measured: Some(spread(2_000.0)),
            computed: spread(1_900.0),
        }],
        not_injected: None,
        figures: vec![LabNoiseFigure {
            number: 3,
            call_ns: 75_000,
            sources: vec![ExchangeInjection { frequency_hz: 8.0, length_ns: 580_000.0, ranks: None }],
            origin: "figure 3".to_owned(),
            preset: "fig3".to_owned(),
            curves: vec![LabNoiseCurve {
                shape: "line".to_owned(),
                points: vec![LabNoisePoint {
                    nodes: 300,
                    iteration_ns: 96_000.5,
                    half_ns: 90.0,
                    over_three_ns: 19_000.5,
                    over_three_half_ns: 100.0,
                    replicas: 112,
                    closed_ns: 95_800.0,
                    closed_over_three_ns: 18_800.0,
                }],
            }],
        }],
        beside: beside(),
    };
    insta::assert_snapshot!(printed(&report));
}
