//! Compares predictions with naive ones on recorded days, if there are any next to the checkout.
//!
//! `cargo test -p tautochrone-placement --test predict -- --nocapture` prints the tables of docs/prediction.md.

#![allow(clippy::unwrap_used)]
// The crate is pure, its test reads recordings and prints.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros)]

use placement::predict::evaluate::{self, Predictions, Recorded};
use placement::predict::{Options, Predictor};
use std::collections::BTreeMap;
use std::io::Read;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/fixtures/traces");
const DAYS: [&str; 4] = ["20110303", "20110322", "20110403", "20110411"];
const DAY_MS: u64 = 24 * 3600 * 1000;
const REQUEST_MILLI: u32 = 1000;
const HOST_JOBS: usize = 30;
const RESAMPLES: usize = 400;

/// The standard normal quantiles of 0.5 and 0.95.
const QUANTILES: [(u32, f64); 2] = [(500, 0.0), (950, 1.645)];

/// A multiplicative generator: draws need to be repeatable here, no more.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// The names and loads of each day; none where the recordings are not there.
fn days() -> Vec<(&'static str, Vec<String>, Vec<Recorded>)> {
    let mut days = Vec::new();
    let mut numbers = BTreeMap::new();
    for day in DAYS {
        let path = format!("{FOLDER}/planetlab-{day}.csv.gz");
        let Ok(file) = std::fs::File::open(&path) else {
            eprintln!("skipped: no recorded day {path}");
            return Vec::new();
        };
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
        let (mut names, mut jobs) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let (name, loads) = line.split_once(',').unwrap();
            let next = numbers.len() as u32;
            let service = Some(*numbers.entry(name.to_owned()).or_insert(next));
            let milli = |percent: &str| percent.parse::<u32>().unwrap() * REQUEST_MILLI / 100;
            jobs.push(Recorded { service, loads: loads.split(',').map(milli).collect() });
            names.push(name.to_owned());
        }
        days.push((day, names, jobs));
    }
    days
}

fn predictor(quantile_permille: u32) -> Predictor {
    Predictor::new(Options { quantile_permille, ..Options::default() })
}

fn without_services(jobs: &[Recorded]) -> Vec<Recorded> {
    jobs.iter().map(|job| Recorded { service: None, loads: job.loads.clone() }).collect()
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// How many of the naive predictors are plain; the others look back over a time that was chosen knowing these days.
const PLAIN: usize = 3;

/// The losses of the naive predictions of a quantile.
fn naive_losses(jobs: &[Recorded], permille: u32) -> Vec<(&'static str, Vec<f64>)> {
    let quantile = f64::from(permille) / 1000.0;
    let predictions = [
        ("last", evaluate::last(jobs)),
        ("mean", evaluate::mean(jobs)),
        ("quantile of the day", evaluate::quantile(jobs, quantile, usize::MAX)),
        ("quantile of 2 h", evaluate::quantile(jobs, quantile, 24)),
        ("quantile of 4 h", evaluate::quantile(jobs, quantile, 48)),
    ];
    predictions.map(|(name, predictions)| (name, evaluate::losses(jobs, &predictions, quantile))).into()
}

/// Compares losses: returns the ratio to the best naive ones, and the bootstrap's interval of 0.95 for it, in which the
/// best ones are chosen anew in each resample.
fn compare(ours: &[f64], naive: &[(&str, Vec<f64>)]) -> (f64, f64, f64) {
    let ratio = |picked: &[usize]| {
        let sum = |losses: &[f64]| picked.iter().map(|at| losses[*at]).sum::<f64>();
        sum(ours) / naive.iter().map(|(_, losses)| sum(losses)).fold(f64::INFINITY, f64::min)
    };
    let all: Vec<usize> = (0..ours.len()).collect();
    let mut draws = Draws(1);
    let resample = |_| ratio(&all.iter().map(|_| draws.below(all.len())).collect::<Vec<_>>());
    let mut ratios: Vec<f64> = (0..RESAMPLES).map(resample).collect();
    ratios.sort_by(f64::total_cmp);
    (ratio(&all), ratios[RESAMPLES / 40], ratios[RESAMPLES - 1 - RESAMPLES / 40])
}

/// Ratios of our loss to those of the best naive predictors.
struct Ratios {
    /// To the plain ones, and any that were added.
    plain: f64,
    /// To all, those with hindsight included.
    all: f64,
}

/// Prints a line of the table, with losses in per cent of a job's request.
fn line(
    what: &str,
    jobs: &[Recorded],
    ours: &Predictions,
    added: Option<(&'static str, Vec<f64>)>,
    permille: u32,
) -> Ratios {
    let losses = evaluate::losses(jobs, ours, f64::from(permille) / 1000.0);
    let mut naive = naive_losses(jobs, permille);
    let with_hindsight = naive.split_off(PLAIN);
    naive.extend(added);
    let (plain, low, high) = compare(&losses, &naive);
    naive.extend(with_hindsight);
    let best = naive.iter().map(|(_, losses)| average(losses)).fold(f64::INFINITY, f64::min);
    let all = average(&losses) / best;
    let percent = |losses: &[f64]| average(losses) * 100.0 / f64::from(REQUEST_MILLI);
    let others: Vec<String> =
        naive.iter().map(|(name, losses)| format!("{name} {:.3}", percent(losses))).collect();
    eprintln!(
        "{what}, {permille}: ours {:.3}, {}; ratio {plain:.3} ({low:.3} to {high:.3}), with hindsight {all:.3}, \
         covered {:.3}",
        percent(&losses),
        others.join(", "),
        average(&evaluate::covered(jobs, ours))
    );
    Ratios { plain, all }
}

#[test]
fn each_day_is_predicted_better_than_by_the_best_naive_predictor() {
    for (day, _, jobs) in days() {
        let jobs = without_services(&jobs);
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let mut draws = Draws(2);
        (1..order.len()).rev().for_each(|at| order.swap(at, draws.below(at + 1)));
        let groups: Vec<Vec<usize>> = order.chunks_exact(HOST_JOBS).map(<[usize]>::to_vec).collect();
        let hosts = evaluate::sums(&jobs, &groups);
        for (permille, deviations) in QUANTILES {
            let replayed = evaluate::replay(&mut predictor(permille), &jobs, REQUEST_MILLI, 0);
            let ratios = line(day, &jobs, &replayed.quantiles, None, permille);
            assert!(ratios.plain < 1.0, "{day}, {permille}");
            // On 22 March, the median of two hours is better by 0.4 %.
            assert!(ratios.all < 1.01, "{day}, {permille}");

            let peaks = evaluate::peaks_of_sums(&replayed, &groups, deviations);
            let added_up = line(&format!("{day}, hosts"), &hosts, &peaks, None, permille);
            assert!(added_up.all < 1.0, "{day}, {permille}");
            // A host as one series is hardly better than naive: its jobs know more.
            let request_milli = REQUEST_MILLI * HOST_JOBS as u32;
            let alone = evaluate::replay(&mut predictor(permille), &hosts, request_milli, 0).quantiles;
            let alone = line(&format!("{day}, hosts as one series"), &hosts, &alone, None, permille);
            assert!(added_up.all < alone.all, "{day}, {permille}");
        }
    }
}

/// Returns the mean load of earlier days at each time of day.
fn earlier_mean(days: &[Vec<u32>]) -> Vec<f64> {
    let at = |window: usize| days.iter().map(|day| f64::from(day[window])).sum::<f64>() / days.len() as f64;
    (0..days[0].len()).map(at).collect()
}

#[test]
fn services_that_recur_are_predicted_better_from_their_earlier_days_too() {
    let days = days();
    for (permille, _) in QUANTILES {
        let quantile = f64::from(permille) / 1000.0;
        let (mut all_days, mut earlier) = (predictor(permille), BTreeMap::<&str, Vec<Vec<u32>>>::new());
        for ((day, names, jobs), number) in days.iter().zip(0..) {
            let recurs: Vec<usize> =
                (0..jobs.len()).filter(|at| earlier.contains_key(names[*at].as_str())).collect();
            let of = |predictions: &Predictions| recurs.iter().map(|at| predictions[*at].clone()).collect();
            let some: Vec<Recorded> = recurs.iter().map(|at| jobs[*at].clone()).collect();
            let begun = begin_errors(&all_days, &some, number * DAY_MS);
            let ours: Predictions =
                of(&evaluate::replay(&mut all_days, jobs, REQUEST_MILLI, number * DAY_MS).quantiles);
            let strangers = without_services(jobs);
            let without =
                of(&evaluate::replay(&mut predictor(permille), &strangers, REQUEST_MILLI, 0).quantiles);
            if !recurs.is_empty() {
                let means: Vec<_> =
                    recurs.iter().map(|at| earlier_mean(&earlier[names[*at].as_str()])).collect();
                let seasonal = evaluate::seasonal_losses(&some, &means, quantile);
                let what = format!("{day}, {} that recur", recurs.len());
                let ratios = line(&what, &some, &ours, Some(("earlier days", seasonal)), permille);
                assert!(ratios.plain < 1.0, "{day}, {permille}");
                let loss = |predictions| average(&evaluate::losses(&some, predictions, quantile)) / 10.0;
                eprintln!(
                    "    without services {:.3}; error of a new job's first hour {:.2} with, {:.2} without",
                    loss(&without),
                    begun[0],
                    begun[1]
                );
                assert!(loss(&ours) < loss(&without), "{day}, {permille}");
                assert!(begun[0] < begun[1], "{day}");
            }
            for (name, job) in names.iter().zip(jobs) {
                earlier.entry(name).or_default().push(job.loads.clone());
            }
        }
    }
}

/// Returns the mean absolute error of the first hour's mean before anything was observed, in per cent of the request:
/// with the service, and without.
fn begin_errors(predictor: &Predictor, jobs: &[Recorded], at_ms: u64) -> [f64; 2] {
    [true, false].map(|with| {
        let error = |job: &Recorded| {
            let series = predictor.begin(job.service.filter(|_| with), REQUEST_MILLI, at_ms);
            let hour = f64::from(job.loads[..12].iter().sum::<u32>()) / 12.0;
            (predictor.forecast(&series, at_ms).mean_milli - hour).abs() * 100.0 / f64::from(REQUEST_MILLI)
        };
        average(&jobs.iter().map(error).collect::<Vec<_>>())
    })
}
