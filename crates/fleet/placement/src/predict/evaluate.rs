//! How good predictions are: the loss of recorded loads, compared with naive predictors on the same loads.
//!
//! The origin moves through the recording, and from each one the loads 30 to 60 minutes ahead are predicted.

use super::{ObservedLoad, Predictor};
use crate::NameId;
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// The first origin: a predictor has then observed this many windows of five minutes, an hour.
pub const FIRST_WINDOWS: usize = 12;

/// How many windows of five minutes after the origin the loads are predicted.
pub const AHEAD: RangeInclusive<usize> = 6..=12;

#[derive(Clone, Debug)]
pub struct Recorded {
    pub service: Option<NameId>,
    /// The load of each window, in thousandths of a CPU.
    pub loads: Vec<u32>,
}

/// The predictions for each job, one after each window.
pub type Predictions = Vec<Vec<f64>>;

/// The prediction for each job after each window.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    pub quantiles: Predictions,
    pub means: Predictions,
    pub variances: Predictions,
}

/// Replays jobs with the same request, all from the same time on, window by window.
pub fn replay(predictor: &mut Predictor, jobs: &[Recorded], request_milli: u32, start_ms: u64) -> Replayed {
    let mut series: Vec<_> =
        jobs.iter().map(|job| predictor.begin(job.service, request_milli, start_ms)).collect();
    let mut replayed = Replayed::default();
    for predictions in [&mut replayed.quantiles, &mut replayed.means, &mut replayed.variances] {
        predictions.resize(jobs.len(), Vec::new());
    }
    let windows = jobs.iter().map(|job| job.loads.len()).max().unwrap_or(0);
    for at in 0..windows {
        let at_ms = start_ms + (at as u64 + 1) * predictor.options.window_ms;
        for (number, (job, series)) in jobs.iter().zip(&mut series).enumerate() {
            let Some(&load) = job.loads.get(at) else { continue };
            predictor.observe(series, ObservedLoad { mean_milli: load, peak_milli: load }, at_ms);
            let forecast = predictor.forecast(series, at_ms);
            replayed.quantiles[number].push(f64::from(predictor.quantile(series, at_ms)));
            replayed.means[number].push(forecast.mean_milli);
            replayed.variances[number].push(forecast.variance);
        }
    }
    replayed
}

/// Adds up each group of jobs: their loads on one host.
pub fn sums(jobs: &[Recorded], groups: &[Vec<usize>]) -> Vec<Recorded> {
    let windows = |group: &[usize]| group.iter().map(|job| jobs[*job].loads.len()).min().unwrap_or(0);
    let sum = |group: &Vec<usize>| Recorded {
        service: None,
        loads: (0..windows(group)).map(|at| group.iter().map(|job| jobs[*job].loads[at]).sum()).collect(),
    };
    groups.iter().map(sum).collect()
}

/// Adds up forecasts of each group of jobs: the mean, and this many roots of the sum of the variances.
pub fn peaks_of_sums(replayed: &Replayed, groups: &[Vec<usize>], deviations: f64) -> Predictions {
    let windows = |group: &[usize]| group.iter().map(|job| replayed.means[*job].len()).min().unwrap_or(0);
    let at = |predictions: &Predictions, group: &[usize], at: usize| -> f64 {
        group.iter().map(|job| predictions[*job][at]).sum()
    };
    let peak = |group: &[usize], window| {
        at(&replayed.means, group, window) + deviations * at(&replayed.variances, group, window).sqrt()
    };
    groups.iter().map(|group| (0..windows(group)).map(|window| peak(group, window)).collect()).collect()
}

pub fn last(jobs: &[Recorded]) -> Predictions {
    jobs.iter().map(|job| job.loads.iter().map(|load| f64::from(*load)).collect()).collect()
}

/// Predicts the mean of all loads so far.
pub fn mean(jobs: &[Recorded]) -> Predictions {
    let means = |job: &Recorded| {
        let sums = job.loads.iter().scan(0, |sum, load| {
            *sum += u64::from(*load);
            Some(*sum as f64)
        });
        sums.zip(1..).map(|(sum, windows)| sum / f64::from(windows)).collect()
    };
    jobs.iter().map(means).collect()
}

/// Predicts the quantile of the last loads, at most this many: the smallest that at least the stated share do not exceed.
pub fn quantile(jobs: &[Recorded], quantile: f64, windows_max: usize) -> Predictions {
    let quantiles = |job: &Recorded| {
        let (mut recent, mut sorted) = (VecDeque::new(), Vec::new());
        let mut next = |load: &u32| {
            if recent.len() == windows_max
                && let Some(old) = recent.pop_front()
            {
                sorted.remove(sorted.partition_point(|other| *other < old));
            }
            recent.push_back(*load);
            sorted.insert(sorted.partition_point(|other| other < load), *load);
            let at = (quantile * sorted.len() as f64).ceil() as usize;
            f64::from(sorted[at.clamp(1, sorted.len()) - 1])
        };
        job.loads.iter().map(&mut next).collect()
    };
    jobs.iter().map(quantiles).collect()
}

/// Returns each job's loss: of the predictions from all origins, for all windows ahead, the mean of the quantile loss.
///
/// A load above the prediction costs the quantile for each thousandth of a CPU, one below costs the rest to 1.
pub fn losses(jobs: &[Recorded], predictions: &Predictions, quantile: f64) -> Vec<f64> {
    of_each(jobs, |job, at, load| loss(f64::from(load), predictions[job][at], quantile))
}

/// Returns each job's loss where the loads at the same time of earlier days are the predictions: their mean.
pub fn seasonal_losses(jobs: &[Recorded], earlier: &[Vec<f64>], quantile: f64) -> Vec<f64> {
    of_targets(jobs, |job, _, target, load| loss(f64::from(load), earlier[job][target], quantile))
}

/// Returns the share of each job's loads that are at most what was predicted.
pub fn covered(jobs: &[Recorded], predictions: &Predictions) -> Vec<f64> {
    of_each(jobs, |job, at, load| f64::from(u8::from(f64::from(load) <= predictions[job][at])))
}

fn loss(load: f64, predicted: f64, quantile: f64) -> f64 {
    let over = load - predicted;
    (quantile * over).max((quantile - 1.0) * over)
}

fn of_each(jobs: &[Recorded], figure: impl Fn(usize, usize, u32) -> f64) -> Vec<f64> {
    of_targets(jobs, |job, origin, _, load| figure(job, origin, load))
}

/// Returns the mean of a figure of job, origin, target and load over each job's targets.
fn of_targets(jobs: &[Recorded], figure: impl Fn(usize, usize, usize, u32) -> f64) -> Vec<f64> {
    let of_job = |(number, job): (usize, &Recorded)| {
        let (mut sum, mut count) = (0.0, 0.0);
        for origin in FIRST_WINDOWS - 1..job.loads.len().saturating_sub(*AHEAD.end()) {
            for target in AHEAD.map(|ahead| origin + ahead) {
                sum += figure(number, origin, target, job.loads[target]);
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    };
    jobs.iter().enumerate().map(of_job).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(loads: impl IntoIterator<Item = u32>) -> Recorded {
        Recorded { service: None, loads: loads.into_iter().collect() }
    }

    #[test]
    fn losses_are_those_of_a_growing_load() {
        // The load grows by 10 a window: from 6 to 12 windows after an origin it is 60 to 120 higher, 90 on average.
        let jobs = [job((0..30).map(|at| at * 10)), job([5; 30])];
        assert_eq!(losses(&jobs, &last(&jobs), 0.95), [0.95 * 90.0, 0.0]);
        assert_eq!(covered(&jobs, &last(&jobs)), [0.0, 1.0]);
        let earlier = jobs.iter().map(|job| job.loads.iter().map(|load| f64::from(load + 20)).collect());
        for loss in seasonal_losses(&jobs, &earlier.collect::<Vec<_>>(), 0.95) {
            assert!((loss - 0.05 * 20.0).abs() < 1e-9, "{loss}");
        }
        assert_eq!(losses(&[job([1; 5])], &vec![vec![0.0; 5]], 0.5), [0.0]);
    }

    #[test]
    fn naive_predictions_are_of_the_loads_so_far() {
        let jobs = [job([4, 2, 9, 1])];
        assert_eq!(mean(&jobs), [[4.0, 3.0, 5.0, 4.0]]);
        assert_eq!(quantile(&jobs, 0.5, usize::MAX), [[4.0, 2.0, 4.0, 2.0]]);
        assert_eq!(quantile(&jobs, 0.95, 2), [[4.0, 4.0, 9.0, 9.0]]);
    }

    #[test]
    fn hosts_add_up_loads_means_and_variances() {
        let jobs = [job([1, 2]), job([10, 20]), job([100, 200])];
        let groups = [vec![0, 2], vec![1]];
        let loads: Vec<_> = sums(&jobs, &groups).into_iter().map(|host| host.loads).collect();
        assert_eq!(loads, [[101, 202], [10, 20]]);
        let each = |value: f64| vec![vec![value; 2]; 3];
        let replayed = Replayed { quantiles: each(0.0), means: each(5.0), variances: each(8.0) };
        assert_eq!(peaks_of_sums(&replayed, &groups, 2.0)[0], [18.0, 18.0]);
    }
}
