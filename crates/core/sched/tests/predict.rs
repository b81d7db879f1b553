//! Compares predictions with naive ones on recorded days, if there are any next to the checkout.
//!
//! `cargo test -p tautochrone-sched --test predict -- --nocapture` prints the tables of docs/prediction.md.

#![allow(clippy::unwrap_used)]

use sched::predict::evaluate::{self, Predictions, Recorded};
use sched::predict::{Options, Predictor};
use std::collections::BTreeMap;
use std::io::Read;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/fixtures/traces");
const DAYS: [&str; 4] = ["20110303", "20110322", "20110403", "20110411"];
const DAY_MS: u64 = 24 * 3600 * 1000;
const REQUEST_MILLI: u32 = 1000;
const HOST_JOBS: usize = 30;
const RESAMPLES: usize = 500;

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

/// The naive predictions of a quantile.
fn naive(jobs: &[Recorded], quantile: f64) -> Vec<(&'static str, Predictions)> {
    vec![
        ("last", evaluate::last(jobs)),
        ("mean", evaluate::mean(jobs)),
        ("quantile of the day", evaluate::quantile(jobs, quantile, usize::MAX)),
        ("quantile of 2 h", evaluate::quantile(jobs, quantile, 24)),
        ("quantile of 4 h", evaluate::quantile(jobs, quantile, 48)),
    ]
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

/// Prints a line of the table in per cent of the request, and returns the ratio.
fn line(what: &str, jobs: &[Recorded], ours: &Predictions, naive: Vec<(&'static str, Vec<f64>)>, permille: u32) -> f64 {
    let losses = evaluate::losses(jobs, ours, f64::from(permille) / 1000.0);
    let (ratio, low, high) = compare(&losses, &naive);
    let percent = |losses: &[f64]| average(losses) * 100.0 / f64::from(REQUEST_MILLI);
    let others: Vec<String> = naive.iter().map(|(name, losses)| format!("{name} {:.3}", percent(losses))).collect();
    eprintln!(
        "{what} {permille}: ours {:.3}, {}; ratio {ratio:.3} ({low:.3} to {high:.3}), covered {:.3}",
        percent(&losses),
        others.join(", "),
        average(&evaluate::covered(jobs, ours))
    );
    ratio
}

fn naive_losses(jobs: &[Recorded], permille: u32) -> Vec<(&'static str, Vec<f64>)> {
    let quantile = f64::from(permille) / 1000.0;
    let losses = |(name, predictions)| (name, evaluate::losses(jobs, &predictions, quantile));
    naive(jobs, quantile).into_iter().map(losses).collect()
}

#[test]
fn each_day_is_predicted_better_than_by_the_best_naive_predictor() {
    for (day, _, jobs) in days() {
        let jobs = without_services(&jobs);
        for (permille, _) in QUANTILES {
            let replayed = evaluate::replay(&mut predictor(permille), &jobs, REQUEST_MILLI, 0);
            let ratio = line(day, &jobs, &replayed.quantiles, naive_losses(&jobs, permille), permille);
            _ = ratio;
        }
    }
}

#[test]
fn hosts_are_predicted_better_than_by_the_best_naive_predictor() {
    for (day, _, jobs) in days() {
        let jobs = without_services(&jobs);
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let mut draws = Draws(2);
        (1..order.len()).rev().for_each(|at| order.swap(at, draws.below(at + 1)));
        let groups: Vec<Vec<usize>> = order.chunks_exact(HOST_JOBS).map(<[usize]>::to_vec).collect();
        let hosts = evaluate::sums(&jobs, &groups);
        for (permille, deviations) in QUANTILES {
            let replayed = evaluate::replay(&mut predictor(permille), &jobs, REQUEST_MILLI, 0);
            let peaks = evaluate::peaks_of_sums(&replayed, &groups, deviations);
            let ratio = line(&format!("{day}, added up"), &hosts, &peaks, naive_losses(&hosts, permille), permille);
            let request = REQUEST_MILLI * HOST_JOBS as u32;
            let alone = evaluate::replay(&mut predictor(permille), &hosts, request, 0).quantiles;
            line(&format!("{day}, as series"), &hosts, &alone, naive_losses(&hosts, permille), permille);
            _ = ratio;
        }
    }
}

#[test]
fn services_that_recur_are_predicted_better_than_by_their_earlier_days() {
    for (permille, _) in QUANTILES {
        let (mut with, mut earlier) = (predictor(permille), BTreeMap::<String, Vec<Vec<u32>>>::new());
        for ((day, names, jobs), number) in days().into_iter().zip(0..) {
            let replayed = evaluate::replay(&mut with, &jobs, REQUEST_MILLI, number * DAY_MS);
            let without = evaluate::replay(&mut predictor(permille), &without_services(&jobs), REQUEST_MILLI, 0);
            let recurs: Vec<usize> = (0..jobs.len()).filter(|at| earlier.contains_key(&names[*at])).collect();
            if !recurs.is_empty() {
                let jobs_of: Vec<Recorded> = recurs.iter().map(|at| jobs[*at].clone()).collect();
                let ours: Predictions = recurs.iter().map(|at| replayed.quantiles[*at].clone()).collect();
                let without: Predictions = recurs.iter().map(|at| without.quantiles[*at].clone()).collect();
                let means: Vec<Vec<f64>> = recurs.iter().map(|at| {
                    let days = &earlier[&names[*at]];
                    (0..288).map(|window| days.iter().map(|day| f64::from(day[window])).sum::<f64>() / days.len() as f64).collect()
                }).collect();
                let mut naive = naive_losses(&jobs_of, permille);
                let quantile = f64::from(permille) / 1000.0;
                naive.push(("seasonal", evaluate::seasonal_losses(&jobs_of, &means, quantile)));
                naive.push(("(ours without services)", evaluate::losses(&jobs_of, &without, quantile)));
                line(&format!("{day}, {} recur", recurs.len()), &jobs_of, &ours, naive, permille);
            }
            for (name, job) in names.into_iter().zip(jobs) {
                earlier.entry(name).or_default().push(job.loads);
            }
        }
    }
}
