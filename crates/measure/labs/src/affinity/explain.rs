//! Finds out from the numbers what made the difference.

use super::{Interval, RunOfPair};
use stats::{Interval as Range, Sample, USUAL_CONFIDENCE, bootstrap_two};

/// The seed of every draw; its value does not matter, as long as it stays the same.
const SEED: u64 = 1673;
/// With fewer intervals on either side a mean is meaningless.
const SIDE_MIN: usize = 5;

/// All intervals of one arm, over its runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmSeries {
    /// Messages sent in each interval.
    pub sent: Vec<f64>,
    /// Messages received.
    pub received: Vec<f64>,
    /// The activity of the receiver's threads.
    pub receiver: Vec<Interval>,
    /// The activity of the sender's threads.
    pub sender: Vec<Interval>,
}

/// The conclusions from the numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The pinned series' variation divided by the other's: below 1 it is steadier.
    pub variation_ratio: Option<f64>,
    /// Its 95 % confidence interval.
    pub variation_range: Option<Range>,
    /// Sentences for display.
    pub sentences: Vec<String>,
}

impl ArmSeries {
    /// Concatenates an arm's runs, each without its first interval, in which both programs start.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a RunOfPair>) -> Self {
        let mut series = Self::default();
        for run in runs {
            series.sent.extend(run.sent.iter().skip(1).map(|count| *count as f64));
            series.received.extend(run.received.iter().skip(1).map(|count| *count as f64));
            series.receiver.extend(run.receiver.iter().skip(1));
            series.sender.extend(run.sender.iter().skip(1));
        }
        series
    }

    /// Returns the sum over both programs' threads for each interval, counted by `what`; `None` if it is unknown.
    pub fn both(&self, what: impl Fn(&Interval) -> Option<f64>) -> Option<Vec<f64>> {
        self.receiver.iter().zip(&self.sender).map(|(one, other)| Some(what(one)? + what(other)?)).collect()
    }
}

/// Compares two arms.
pub fn explain(unpinned: &ArmSeries, pinned: &ArmSeries) -> Explained {
    let mut sentences = Vec::new();
    let variation =
        |values: &mut [f64]| Sample::new(values.to_vec()).ok().and_then(|sample| sample.variation());
    let ratio = |first: &mut [f64], second: &mut [f64]| {
        let (first, second) = (variation(first)?, variation(second)?);
        (first > 0.0).then(|| second / first)
    };
    let variation_ratio = ratio(&mut unpinned.received.clone(), &mut pinned.received.clone());
    let variation_range = match (Sample::new(unpinned.received.clone()), Sample::new(pinned.received.clone()))
    {
        (Ok(first), Ok(second)) if variation_ratio.is_some() => {
            let drawn = |a: &mut [f64], b: &mut [f64]| ratio(a, b).unwrap_or(f64::INFINITY);
            Some(bootstrap_two(&first, &second, drawn, USUAL_CONFIDENCE, SEED))
        }
        _ => None,
    };
    if let Some((ratio, range)) = variation_ratio.zip(variation_range) {
        let what = match range {
            _ if range.high < 1.0 => "pinning made the received series steadier",
            _ if range.low > 1.0 => "pinning made the received series less steady here",
            _ => "whether pinning made the received series steadier cannot be decided from these intervals",
        };
        sentences.push(format!(
            "{what}: its variation is {ratio:.2} times that without (with 95 % confidence {:.2} to {:.2})",
            range.low, range.high
        ));
    }
    for (name, series) in [("without pinning", unpinned), ("pinned", pinned)] {
        sentences.extend(causes(name, series));
    }
    Explained { variation_ratio, variation_range, sentences }
}

/// Returns for each possible cause how often it was seen, and what was received with and without it.
fn causes(name: &str, series: &ArmSeries) -> Vec<String> {
    let intervals = series.received.len();
    let mut sentences = Vec::new();
    match series.both(|interval| interval.migrations.map(|count| count as f64)) {
        Some(counts) => {
            sentences
                .push(counted(name, "moved between CPUs", &counts, &series.received, |count| count > 0.0))
        }
        None => sentences.push(format!(
            "{name}: how often threads moved between CPUs is unavailable: this kernel has no /proc/PID/sched"
        )),
    }
    if let Some(counts) = series.both(|interval| Some(interval.forced as f64)) {
        let middle = Sample::new(counts.clone()).map_or(0.0, |sample| sample.median());
        sentences
            .push(counted(name, "were preempted", &counts, &series.received, move |count| count > middle));
    }
    let looks = || series.receiver.iter().zip(&series.sender);
    let known = looks().filter(|(one, other)| one.cpu.is_some() && other.cpu.is_some()).count();
    if known > 0 {
        let shared = looks().filter(|(one, other)| one.cpu.is_some() && one.cpu == other.cpu).count();
        sentences.push(format!(
            "{name}: in {shared} of {known} checks both programs were on one CPU, where only one can run"
        ));
    }
    if let Some(waited) =
        series.both(|interval| Some(interval.waited.as_secs_f64())).filter(|_| intervals > 0)
    {
        let mean_ms = waited.iter().sum::<f64>() / intervals as f64 * 1e3;
        let with = correlation(&waited, &series.received);
        let with = with.map_or_else(String::new, |r| format!("; correlation with messages received {r:+.2}"));
        sentences.push(format!(
            "{name}: threads were ready and had no CPU for {mean_ms:.1} ms of an interval, on the mean{with}"
        ));
    }
    sentences
}

fn counted(
    name: &str,
    what: &str,
    counts: &[f64],
    received: &[f64],
    is_high: impl Fn(f64) -> bool,
) -> String {
    let total: f64 = counts.iter().sum();
    let side = |wanted: bool| {
        let values: Vec<_> = counts
            .iter()
            .zip(received)
            .filter(|(count, _)| is_high(**count) == wanted)
            .map(|(_, n)| *n)
            .collect();
        (values.len() >= SIDE_MIN).then(|| (values.iter().sum::<f64>() / values.len() as f64, values.len()))
    };
    let comparison = match (side(true), side(false)) {
        (Some((with, count)), Some((without, others))) => format!(
            "; the {count} intervals with more of it received {:+.1} % compared with the mean of the {others} others",
            (with / without - 1.0) * 100.0
        ),
        _ => String::new(),
    };
    format!("{name}: threads {what} {total:.0} times in {} intervals{comparison}", counts.len())
}

/// Returns Pearson's correlation; `None` if either series does not vary.
fn correlation(first: &[f64], second: &[f64]) -> Option<f64> {
    let count = first.len().min(second.len()) as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (of_first, of_second) = (mean(first), mean(second));
    let (mut both, mut squares_first, mut squares_second) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        both += (a - of_first) * (b - of_second);
        squares_first += (a - of_first).powi(2);
        squares_second += (b - of_second).powi(2);
    }
    let scale = (squares_first * squares_second).sqrt();
    (scale > 0.0).then(|| both / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(received: &[f64], migrations: Option<u64>) -> ArmSeries {
        let interval = |at: usize| Interval {
            cpu: Some(model::CpuId(u32::from(at.is_multiple_of(4)))),
            migrations: migrations.map(|every| u64::from((at as u64).is_multiple_of(every))),
            forced: at as u64 % 3,
            waited: model::Nanos::from_millis(at as u64 % 4),
            ..Interval::default()
        };
        let intervals: Vec<_> = (0..received.len()).map(interval).collect();
        ArmSeries {
            sent: received.to_vec(),
            received: received.to_vec(),
            receiver: intervals.clone(),
            sender: intervals,
        }
    }

    #[test]
    fn a_steadier_series_is_called_so_with_its_causes() {
        let rough: Vec<f64> =
            (0..60).map(|at| if at % 4 == 0 { 500.0 } else { 1000.0 + f64::from(at % 7) * 20.0 }).collect();
        let flat: Vec<f64> = (0..60).map(|at| 1000.0 + f64::from(at % 5)).collect();
        let explained = explain(&series(&rough, Some(4)), &series(&flat, Some(1000)));
        assert!(explained.variation_ratio.unwrap() < 0.1, "{explained:?}");
        let text = explained.sentences.join("\n");
        assert!(text.contains("pinning made the received series steadier"), "{text}");
        assert!(text.contains("moved between CPUs 30 times in 60 intervals; the 15 intervals"), "{text}");
        assert!(text.contains("in 60 of 60 checks both programs were on one CPU"), "{text}");
        let back = explain(&series(&flat, Some(4)), &series(&rough, Some(4)));
        assert!(back.sentences[0].contains("less steady here"), "{back:?}");
        let same = explain(&series(&rough, Some(4)), &series(&rough, Some(4)));
        assert!(same.sentences[0].contains("cannot be decided"), "{same:?}");
    }

    #[test]
    fn unknown_variation_is_reported() {
        let flat = [1000.0; 10];
        let explained = explain(&series(&flat, None), &series(&flat, None));
        assert_eq!(explained.variation_ratio, None);
        assert!(explained.sentences[0].contains("unavailable"), "{explained:?}");
        assert!(explain(&ArmSeries::default(), &ArmSeries::default()).variation_ratio.is_none());
    }

    #[test]
    fn correlation_is_pearsons() {
        assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]).unwrap() - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[6.0, 4.0, 2.0]).unwrap() + 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn runs_are_joined_without_their_first_interval() {
        let run = RunOfPair {
            sent: vec![1, 2, 3],
            received: vec![4, 5, 6],
            receiver: vec![Interval::default(); 3],
            sender: vec![Interval::default(); 3],
            threads: Vec::new(),
        };
        let series = ArmSeries::of([&run, &run]);
        assert_eq!(series.received, [5.0, 6.0, 5.0, 6.0]);
        assert_eq!(series.receiver.len(), 4);
    }
}
