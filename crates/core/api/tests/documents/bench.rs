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
            shared_cpus: false,
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
    insta::assert_snapshot!(printed(&report));
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
    insta::assert_snapshot!(printed(&report));
}
