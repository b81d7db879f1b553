//! From measured series to the document.

use super::commands::{Command, Hook, letter};
use super::failed::{direction, failures, leave_undecided};
use super::measuring::Setting;
use bench::{
    Comparison, Described, Direction, Measured, Metric, Series, SeriesDescription, StopReason, compare,
    describe,
};
use model::{Nanos, Reading, RunEnd};
use sandbox::ReferenceTime;
use stats::{Agreement, RatioEstimate};

/// Up to here a p-value shows a difference.
const SIGNIFICANT: f64 = 0.05;

/// What is done of a benchmark.
pub struct Done<'a> {
    /// The runs of each command.
    pub series: &'a [Series],
    /// What the fixed work took before each round.
    pub reference: &'a [ReferenceTime],
    /// Why there are no more runs, if that was not given.
    pub stopped: Option<StopReason>,
}

/// Makes the document; none where a command has no run.
pub fn make(setting: &Setting, done: &Done<'_>) -> Option<documents::BenchReport> {
    let commands = setting.commands.iter().zip(done.series).enumerate();
    let results = commands.map(|(at, (command, series))| result(at, command, series, setting.metric));
    let results: Vec<_> = results.collect::<Option<_>>()?;
    let mut warnings = setting.warnings.clone();
    let mut comparisons = comparisons(setting, done.series, &mut warnings);
    let mut comparison = match done.series {
        [_, _] if setting.reference == 0 => comparisons.first().map(|against| against.comparison.clone()),
        [first, second] => compare(first, second, setting.metric).ok().map(|found| comparison(&found)),
        _ => None,
    };
    for against in &mut comparisons {
        let of = |letter: &str| results.iter().find(|result| result.tautochrone.letter == letter);
        let reference = letter(setting.reference);
        if let (Some(one), Some(other)) = (of(&against.command), of(&reference)) {
            leave_undecided([(&against.command, one), (&reference, other)], ratios(&mut against.comparison));
        }
    }
    if let (Some(comparison), [first, second]) = (&mut comparison, results.as_slice()) {
        leave_undecided([("B", second), ("A", first)], ratios(comparison));
    }
    warnings.extend(results.iter().filter_map(|result| {
        let of =
            if results.len() > 1 { format!("of {}, ", result.tautochrone.letter) } else { String::new() };
        Some(format!("{of}{}: their times count all the same, as --ignore-failure asks", failures(result)?))
    }));
    let runs = done.series.iter().map(|series| series.runs.len()).min().unwrap_or(0);
    Some(documents::BenchReport {
        results,
        tautochrone: documents::BenchDetails {
            machine: setting.machine.clone(),
            cpus: setting.cpus.to_string(),
            shared_cpus: setting.is_shared,
            warm_ups: setting.warm_ups,
            runs_wanted: if done.stopped.is_some() { runs as u32 } else { setting.runs },
            complete: done.stopped.is_some()
                || done.series.iter().all(|series| series.runs.len() == setting.runs as usize),
            load: setting.load.as_ref().map(|load| documents::BenchLoad {
                kind: load.kind.word().to_owned(),
                cpus: load.cpus.to_string(),
                unit: load.kind.unit().to_owned(),
            }),
            comparison,
            warnings,
            metric: setting.metric.word().to_owned(),
            shell: setting.shell.clone(),
            compared_with: (done.series.len() > 1).then(|| letter(setting.reference)),
            comparisons,
            stop: setting.stop.map(|rule| documents::BenchStop {
                reason: done.stopped.map(|reason| stop_word(reason).to_owned()),
                precision: rule.precision,
                min_runs: rule.runs_min,
                max_runs: rule.runs_max,
                max_time_ns: rule.time_max.0,
            }),
            reference: Some(reference(done.reference)),
        },
    })
}

/// Compares every other command with the one that is the reference, and corrects the p-values for how many there are.
fn comparisons(
    setting: &Setting,
    series: &[Series],
    warnings: &mut Vec<String>,
) -> Vec<documents::BenchAgainst> {
    let mut found = Vec::new();
    for (at, one) in series.iter().enumerate().filter(|(at, _)| *at != setting.reference) {
        match compare(&series[setting.reference], one, setting.metric) {
            Ok(comparison_found) => {
                found.push(documents::BenchAgainst {
                    command: letter(at),
                    comparison: comparison(&comparison_found),
                });
            }
            Err(error) => {
                warnings.push(format!(
                    "{} cannot be compared with {}: {error}",
                    letter(at),
                    letter(setting.reference)
                ));
            }
        }
    }
    if found.len() > 1 {
        correct(&mut found, |comparison| &mut comparison.cpu_time);
        correct(&mut found, |comparison| &mut comparison.wall_time);
    }
    found
}

/// Decides by corrected p-values: of many comparisons that show nothing, some would show something by chance.
fn correct(
    found: &mut [documents::BenchAgainst],
    of: fn(&mut documents::BenchComparison) -> &mut documents::Ratio,
) {
    let p_values: Vec<f64> = found.iter_mut().map(|against| of(&mut against.comparison).p_value).collect();
    let count = p_values.len();
    let needed = u64::from(stats::pairs_for_confidence(1.0 - SIGNIFICANT / count as f64));
    for (against, corrected) in found.iter_mut().zip(stats::holm(&p_values)) {
        let pairs = against.comparison.pairs;
        let ratio = of(&mut against.comparison);
        ratio.corrected_p_value = Some(corrected);
        let undecided = direction(Direction::Undecided);
        if corrected > SIGNIFICANT && ratio.verdict != undecided {
            undecided.clone_into(&mut ratio.verdict);
            ratio.undecided_because = Some(if pairs < needed {
                format!("{count} comparisons need {needed} pairs or more")
            } else {
                format!("of {count} comparisons one may show this by chance")
            });
        }
    }
}

fn stop_word(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Precise => "precise",
        StopReason::RunsMax => "max_runs",
        StopReason::TimeMax => "max_time",
    }
}

fn reference(times: &[ReferenceTime]) -> documents::ReferenceTimes {
    let all = |of: fn(&ReferenceTime) -> Nanos| times.iter().map(|time| of(time).0).collect();
    documents::ReferenceTimes {
        compute_ns: all(|time| time.compute),
        cache_ns: all(|time| time.cache),
        memory_ns: all(|time| time.memory),
        wall_ns: all(|time| time.wall),
    }
}

fn result(at: usize, command: &Command, series: &Series, metric: Metric) -> Option<documents::BenchResult> {
    let SeriesDescription {
        cpu_time, wall_time, lowest, odd_runs, disturbed_runs, runs_needed, load, ..
    } = describe(series, metric).ok()?;
    let seconds = |ns: f64| ns / 1e9;
    let mean = |of: fn(&Measured) -> &Reading<Nanos>| {
        let times: Option<Vec<_>> =
            series.runs.iter().map(|run| of(run).known().map(|time| time.as_secs_f64())).collect();
        times.map(|times| times.iter().sum::<f64>() / times.len() as f64)
    };
    let line = |hook: &Option<Hook>| hook.as_ref().map(|hook| hook.line.clone());
    let wall = &wall_time.sample;
    Some(documents::BenchResult {
        command: command.label().to_owned(),
        mean: seconds(wall.mean()),
        stddev: wall.standard_deviation().map(seconds),
        median: seconds(wall.median()),
        user: mean(|run| &run.result.usage.user_time),
        system: mean(|run| &run.result.usage.system_time),
        min: seconds(wall.min()),
        max: seconds(wall.max()),
        times: wall.values().iter().map(|ns| seconds(*ns)).collect(),
        exit_codes: series.runs.iter().map(|run| exit_code(run.result.end)).collect(),
        parameters: command.parameters.iter().cloned().collect(),
        tautochrone: documents::BenchSeries {
            letter: letter(at),
            name: command.name.clone(),
            argv: command.argv.clone(),
            hooks: documents::BenchHooks {
                setup: line(&command.hooks.setup),
                prepare: line(&command.hooks.prepare),
                conclude: line(&command.hooks.conclude),
                cleanup: line(&command.hooks.cleanup),
            },
            cpu_time: time_summary(&cpu_time),
            wall_time: time_summary(&wall_time),
            lowest: lowest_time(lowest),
            outliers: odd_runs
                .into_iter()
                .map(|odd| documents::BenchOutlier {
                    run: odd.run as u64 + 1,
                    cpu_time_ns: odd.cpu_time.0,
                    wall_time_ns: odd.wall_time.0,
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

fn run(measured: &Measured) -> documents::BenchRun {
    documents::BenchRun {
        end: measured.result.end.into(),
        usage: (&measured.result.usage).into(),
        evidence: (&measured.result.evidence).into(),
        load_work: measured.load.map(|load| load.work),
        load_time_ns: measured.load.map(|load| load.during.0),
    }
}

fn time_summary(described: &Described) -> documents::TimeSummary {
    let sample = &described.sample;
    documents::TimeSummary {
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

fn lowest_time(lowest: Agreement) -> documents::LowestTime {
    match lowest {
        Agreement::Agreed { value, runs } => {
            documents::LowestTime { agreed: true, value_ns: whole(value), runs, gap: None }
        }
        Agreement::GaveUp { lowest, gap, runs } => {
            documents::LowestTime { agreed: false, value_ns: whole(lowest), runs, gap }
        }
        // The series is done, so there is a run and no more will come.
        Agreement::NeedMore { runs } => documents::LowestTime { agreed: false, value_ns: 0, runs, gap: None },
    }
}

fn ratios(comparison: &mut documents::BenchComparison) -> [&mut documents::Ratio; 2] {
    [&mut comparison.cpu_time, &mut comparison.wall_time]
}

fn comparison(found: &Comparison) -> documents::BenchComparison {
    documents::BenchComparison {
        pairs: found.pairs as u64,
        cpu_time: ratio(&found.cpu_time),
        wall_time: ratio(&found.wall_time),
        rank_biserial: found.rank_biserial,
        sign_p_value: found.sign_p_value,
        permutation_p_value: found.permutation_p_value,
        pairs_needed_for_1_percent: found.pairs_needed,
    }
}

fn ratio(estimate: &RatioEstimate) -> documents::Ratio {
    documents::Ratio {
        ratio: estimate.ratio,
        low: estimate.interval.map(|interval| interval.low),
        high: estimate.interval.map(|interval| interval.high),
        p_value: estimate.test.p_value,
        verdict: direction(Direction::of(estimate.interval)).to_owned(),
        corrected_p_value: None,
        undecided_because: None,
    }
}

fn whole(ns: f64) -> u64 {
    // A time is never negative; one of more than 584 years is not measured.
    ns.round() as u64
}
