//! What series of runs come to.

use super::{LoadShare, Series};
use model::{Bytes, Nanos, OffCpuCause};
use ruling::RuleNumbers;
use stats::{
    Agreement, AgreementRule, Interval, LowestAgreement, Pairs, PairsError, RatioEstimate, Sample,
    SampleError, USUAL_CONFIDENCE, USUAL_OUTLIER_SCORE,
};

/// Differences from this part up are what people ask for.
pub const TELLING_PART: f64 = 0.01;

/// Decides every draw; any number does, as long as it stays the same.
const SEED: u64 = 1673;

/// One measure over all runs. Times are in ns, memory in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The values.
    pub sample: Sample,
    /// Where the median lies, by bootstrap; none of a single run.
    pub median_interval: Option<Interval>,
}

/// A run whose CPU time lies apart from the others'.
#[derive(Clone, Debug, PartialEq)]
pub struct OddRun {
    /// Which run, from 0.
    pub run: usize,
    /// Its CPU time.
    pub cpu_time: Nanos,
    /// How far apart, in robust standard deviations.
    pub score: f64,
    /// What the evidence shows to have taken time from it. Empty means "none seen".
    pub causes: Vec<OffCpuCause>,
}

/// What one series comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesDescription {
    /// User and system time.
    pub cpu_time: Described,
    /// Wall-clock time.
    pub wall_time: Described,
    /// The most memory; none if it could not be read of every run.
    pub memory_peak: Option<Described>,
    /// The two-lowest-agree estimate of the CPU time, in ns.
    pub lowest: Agreement,
    /// Runs whose CPU time lies apart.
    pub odd_runs: Vec<OddRun>,
    /// Runs in which a disturbance was seen.
    pub disturbed_runs: usize,
    /// How many runs of this and of another command it takes to tell [`TELLING_PART`]; none of a single run.
    pub runs_needed: Option<u64>,
    /// What the load did during all runs.
    pub load: Option<LoadShare>,
}

/// What two series that took turns come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How many pairs there are.
    pub pairs: usize,
    /// The second's CPU time as a multiple of the first's.
    pub cpu_time: RatioEstimate,
    /// The same on the clock.
    pub wall_time: RatioEstimate,
    /// How large the effect on CPU time is beside what varies, from -1 to 1.
    pub rank_biserial: f64,
    /// A second opinion on the CPU time: only the signs count.
    pub sign_p_value: f64,
    /// A third: the mean, with every sign by chance.
    pub permutation_p_value: f64,
    /// How many pairs it takes to tell [`TELLING_PART`]; none of a single pair.
    pub pairs_needed: Option<u64>,
}

/// What a comparison comes to in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The second takes less time.
    Faster,
    /// The second takes more time.
    Slower,
    /// The runs do not tell.
    Undecided,
}

impl Direction {
    /// Reads it off an interval of a ratio.
    pub fn of(interval: Option<Interval>) -> Self {
        match interval {
            Some(interval) if interval.low > 1.0 => Self::Slower,
            Some(interval) if interval.high < 1.0 => Self::Faster,
            _ => Self::Undecided,
        }
    }
}

impl Described {
    /// Describes values.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(values: Vec<f64>) -> Result<Self, SampleError> {
        let sample = Sample::new(values)?;
        let median_interval = (sample.count() > 1)
            .then(|| stats::bootstrap_one(&sample, stats::median_of, USUAL_CONFIDENCE, SEED));
        Ok(Self { sample, median_interval })
    }
}

/// Describes a series.
///
/// # Errors
/// When it has no run.
pub fn describe(series: &Series) -> Result<SeriesDescription, SampleError> {
    let cpu_time = Described::new(series.cpu_times_ns())?;
    let wall_time = Described::new(series.wall_times_ns())?;
    let memory: Option<Vec<f64>> = series
        .runs
        .iter()
        .map(|run| run.result.usage.memory_peak.known().map(|Bytes(bytes)| *bytes as f64))
        .collect();
    let runs = u32::try_from(series.runs.len()).unwrap_or(u32::MAX);
    let rule = AgreementRule::default();
    let mut lowest = LowestAgreement::new(AgreementRule { runs_max: rule.runs_max.max(runs), ..rule });
    for time in cpu_time.sample.values() {
        lowest.add(*time);
    }
    let odd_runs = stats::outliers(&cpu_time.sample, USUAL_OUTLIER_SCORE)
        .into_iter()
        .map(|outlier| {
            let result = &series.runs[outlier.index].result;
            OddRun {
                run: outlier.index,
                cpu_time: result.usage.cpu_time,
                score: outlier.score,
                causes: RuleNumbers::CURRENT.disturbances(&result.evidence),
            }
        })
        .collect();
    Ok(SeriesDescription {
        lowest: lowest.conclude(),
        odd_runs,
        disturbed_runs: series
            .runs
            .iter()
            .filter(|run| !RuleNumbers::CURRENT.disturbances(&run.result.evidence).is_empty())
            .count(),
        runs_needed: stats::runs_needed(cpu_time.sample.values(), TELLING_PART, USUAL_CONFIDENCE),
        memory_peak: memory.map(Described::new).transpose()?,
        load: series.load(),
        cpu_time,
        wall_time,
    })
}

/// Compares two series that took turns; runs without a partner are left out.
///
/// # Errors
/// When there is no pair, or a time is 0.
pub fn compare(first: &Series, second: &Series) -> Result<Comparison, PairsError> {
    let count = first.runs.len().min(second.runs.len());
    let pairs = |of: fn(&Series) -> Vec<f64>| Pairs::new(&of(first)[..count], &of(second)[..count]);
    let cpu = pairs(Series::cpu_times_ns)?;
    let cpu_time = cpu.ratio(USUAL_CONFIDENCE);
    Ok(Comparison {
        pairs: count,
        cpu_time,
        wall_time: pairs(Series::wall_times_ns)?.ratio(USUAL_CONFIDENCE),
        rank_biserial: stats::rank_biserial(&cpu_time.test),
        sign_p_value: stats::sign_test(cpu.log_ratios()),
        permutation_p_value: stats::permutation_of_pairs(cpu.log_ratios(), SEED),
        pairs_needed: stats::pairs_needed(&cpu, TELLING_PART, USUAL_CONFIDENCE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::series::tests::{measured, series};

    #[test]
    fn a_series_is_described_with_the_causes_of_its_odd_runs() {
        let mut runs = series([100, 101, 100, 102, 101, 100, 150, 101]);
        runs.runs[3] = measured(102, 10);
        runs.runs.push(measured(140, 30));
        let description = describe(&runs).unwrap();
        assert_eq!(description.cpu_time.sample.median(), 101e6);
        assert_eq!(description.cpu_time.sample.spread(), 50e6);
        assert_eq!(description.lowest, Agreement::Agreed { value: 100e6, runs: 3 });
        let odd: Vec<_> = description.odd_runs.iter().map(|odd| (odd.run, odd.causes.clone())).collect();
        let stolen = vec![OffCpuCause::Steal(Nanos::from_millis(30))];
        assert_eq!(odd, [(6, vec![]), (8, stolen)]);
        assert_eq!(description.disturbed_runs, 2);
        // Two of nine runs lie apart, and the others differ by about one per cent.
        assert!((20..60).contains(&description.runs_needed.unwrap()), "{description:?}");
        assert_eq!(describe(&Series::default()), Err(SampleError::Empty));
    }

    #[test]
    fn one_run_says_what_it_can() {
        let description = describe(&series([7])).unwrap();
        assert_eq!(description.cpu_time.median_interval, None);
        assert_eq!(description.lowest, Agreement::GaveUp { lowest: 7e6, gap: None, runs: 1 });
        assert_eq!(description.runs_needed, None);
    }

    #[test]
    fn memory_that_was_not_read_once_is_not_described() {
        let mut runs = series([1, 2]);
        assert!(describe(&runs).unwrap().memory_peak.is_some());
        runs.runs[1].result.usage.memory_peak = model::Reading::unavailable("no");
        assert!(describe(&runs).unwrap().memory_peak.is_none());
    }

    #[test]
    fn pairs_are_compared_and_a_lone_run_is_left_out() {
        let first = series((0..10).map(|i| 1000 + 100 * (i % 3)));
        let second = series((0..11).map(|i| (1000 + 100 * (i % 3)) * 110 / 100));
        let comparison = compare(&first, &second).unwrap();
        assert_eq!(comparison.pairs, 10);
        assert!((comparison.cpu_time.ratio - 1.1).abs() < 1e-9, "{comparison:?}");
        assert_eq!(Direction::of(comparison.cpu_time.interval), Direction::Slower);
        assert!(comparison.sign_p_value < 0.01 && comparison.permutation_p_value < 0.01);
        assert_eq!(comparison.rank_biserial, 1.0);
        let back = compare(&second, &first).unwrap();
        assert_eq!(Direction::of(back.cpu_time.interval), Direction::Faster);
        assert_eq!(Direction::of(compare(&first, &first).unwrap().cpu_time.interval), Direction::Undecided);
        assert_eq!(compare(&Series::default(), &second), Err(PairsError::Empty));
    }
}
