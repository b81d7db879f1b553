//! From measured series to the document.

use super::commands::quoted;
use super::measuring::Setting;
use lab::measure::{
    Comparison, Described, Direction, Measured, Series, SeriesDescription, compare, describe,
};
use model::{Nanos, Reading, RunEnd};
use stats::{Agreement, RatioEstimate};

/// Makes the document; none where a command has no run.
pub fn make(setting: &Setting, series: &[Series]) -> Option<api::BenchReport> {
    let results = setting.commands.iter().zip(series).map(|(argv, series)| result(argv, series));
    let mut warnings = setting.warnings.clone();
    let comparison = match series {
        [first, second] => match compare(first, second) {
            Ok(found) => Some(comparison(&found)),
            Err(error) => {
                warnings.push(format!("the commands cannot be compared: {error}"));
                None
            }
        },
        _ => None,
    };
    Some(api::BenchReport {
        results: results.collect::<Option<_>>()?,
        tautochrone: api::BenchDetails {
            machine: setting.machine.clone(),
            cpus: setting.cpus.to_string(),
            shared_cpus: setting.is_shared,
            warm_ups: setting.warm_ups,
            runs_wanted: setting.runs,
            complete: series.iter().all(|series| series.runs.len() == setting.runs as usize),
            load: setting.load.as_ref().map(|load| api::BenchLoad {
                kind: load.kind.word().to_owned(),
                cpus: load.cpus.to_string(),
                unit: load.kind.unit().to_owned(),
            }),
            comparison,
            warnings,
        },
    })
}

fn result(argv: &[String], series: &Series) -> Option<api::BenchResult> {
    let SeriesDescription {
        cpu_time, wall_time, lowest, odd_runs, disturbed_runs, runs_needed, load, ..
    } = describe(series).ok()?;
    let seconds = |ns: f64| ns / 1e9;
    let mean = |of: fn(&Measured) -> &Reading<Nanos>| {
        let times: Option<Vec<_>> =
            series.runs.iter().map(|run| of(run).known().map(|time| time.as_secs_f64())).collect();
        times.map(|times| times.iter().sum::<f64>() / times.len() as f64)
    };
    let wall = &wall_time.sample;
    Some(api::BenchResult {
        command: quoted(argv),
        mean: seconds(wall.mean()),
        stddev: wall.standard_deviation().map(seconds),
        median: seconds(wall.median()),
        user: mean(|run| &run.result.usage.user_time),
        system: mean(|run| &run.result.usage.system_time),
        min: seconds(wall.min()),
        max: seconds(wall.max()),
        times: wall.values().iter().map(|ns| seconds(*ns)).collect(),
        exit_codes: series.runs.iter().map(|run| exit_code(run.result.end)).collect(),
        tautochrone: api::BenchSeries {
            argv: argv.to_vec(),
            cpu_time: time_summary(&cpu_time),
            wall_time: time_summary(&wall_time),
            lowest: lowest_time(lowest),
            outliers: odd_runs
                .into_iter()
                .map(|odd| api::BenchOutlier {
                    run: odd.run as u64 + 1,
                    cpu_time_ns: odd.cpu_time.0,
                    score: odd.score,
                    disturbances: odd.causes.iter().map(ToString::to_string).collect(),
                })
                .collect(),
            disturbed_runs: disturbed_runs as u64,
            runs_needed_for_1_percent: runs_needed,
            load_work_per_second: load.and_then(|load| load.per_second()),
            runs: series.runs.iter().map(run).collect(),
        },
    })
}

fn exit_code(end: RunEnd) -> Option<i32> {
    match end {
        RunEnd::Exited(code) => Some(i32::from(code)),
        RunEnd::Signaled(_) | RunEnd::Limit(_) => None,
    }
}

fn run(measured: &Measured) -> api::BenchRun {
    api::BenchRun {
        end: measured.result.end.into(),
        usage: (&measured.result.usage).into(),
        evidence: (&measured.result.evidence).into(),
        load_work: measured.load.map(|load| load.work),
        load_time_ns: measured.load.map(|load| load.during.0),
    }
}

fn time_summary(described: &Described) -> api::TimeSummary {
    let sample = &described.sample;
    api::TimeSummary {
        mean_ns: whole(sample.mean()),
        median_ns: whole(sample.median()),
        median_low_ns: described.median_interval.map(|interval| whole(interval.low)),
        median_high_ns: described.median_interval.map(|interval| whole(interval.high)),
        min_ns: whole(sample.min()),
        max_ns: whole(sample.max()),
        spread_ns: whole(sample.spread()),
        standard_deviation_ns: sample.standard_deviation().map(whole),
        variation: sample.variation(),
        median_absolute_deviation_ns: whole(sample.median_absolute_deviation()),
    }
}

fn lowest_time(lowest: Agreement) -> api::LowestTime {
    match lowest {
        Agreement::Agreed { value, runs } => {
            api::LowestTime { agreed: true, value_ns: whole(value), runs, gap: None }
        }
        Agreement::GaveUp { lowest, gap, runs } => {
            api::LowestTime { agreed: false, value_ns: whole(lowest), runs, gap }
        }
        // The series is done, so there is a run and no more will come.
        Agreement::NeedMore { runs } => api::LowestTime { agreed: false, value_ns: 0, runs, gap: None },
    }
}

fn comparison(found: &Comparison) -> api::BenchComparison {
    api::BenchComparison {
        pairs: found.pairs as u64,
        cpu_time: ratio(&found.cpu_time),
        wall_time: ratio(&found.wall_time),
        rank_biserial: found.rank_biserial,
        sign_p_value: found.sign_p_value,
        permutation_p_value: found.permutation_p_value,
        pairs_needed_for_1_percent: found.pairs_needed,
    }
}

fn ratio(estimate: &RatioEstimate) -> api::Ratio {
    api::Ratio {
        ratio: estimate.ratio,
        low: estimate.interval.map(|interval| interval.low),
        high: estimate.interval.map(|interval| interval.high),
        p_value: estimate.test.p_value,
        verdict: direction(Direction::of(estimate.interval)).to_owned(),
    }
}

/// Returns the word for a direction.
pub fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Faster => "faster",
        Direction::Slower => "slower",
        Direction::Undecided => "undecided",
    }
}

fn whole(ns: f64) -> u64 {
    // A time is never negative; one of more than 584 years is not measured.
    ns.round() as u64
}
