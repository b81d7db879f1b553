//! Descriptions of series of runs.

use super::{LoadShare, Metric, Series};
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

/// A run whose time lies apart from the others'.
#[derive(Clone, Debug, PartialEq)]
pub struct OddRun {
    /// Which run, from 0.
    pub run: usize,
    pub cpu_time: Nanos,
    pub wall_time: Nanos,
    /// How far apart, in robust standard deviations.
    pub score: f64,
    /// What the evidence shows to have taken time from it. Empty means "none seen".
    pub causes: Vec<OffCpuCause>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeriesDescription {
    /// User and system time.
    pub cpu_time: Described,
    pub wall_time: Described,
    /// The most memory; none if it could not be read of every run.
    pub memory_peak: Option<Described>,
    /// The two-lowest-agree estimate of the time that is compared, in ns.
    pub lowest: Agreement,
    /// Runs whose time lies apart: the one that is compared.
    pub odd_runs: Vec<OddRun>,
    /// Runs in which a disturbance was seen.
    pub disturbed_runs: usize,
    /// How many runs of this and of another command it takes to detect [`TELLING_PART`]; none of a single run.
    pub runs_needed: Option<u64>,
    /// What the load did during all runs.
    pub load: Option<LoadShare>,
}

/// The comparison of two series that took turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub pairs: usize,
    /// The second's CPU time as a multiple of the first's.
    pub cpu_time: RatioEstimate,
    /// The same on the clock.
    pub wall_time: RatioEstimate,
    /// How large the effect is compared with the variation, from -1 to 1; this and all below are of the time that is compared.
    pub rank_biserial: f64,
    /// A second opinion: only the signs count.
    pub sign_p_value: f64,
    /// A third: the mean, with every sign by chance.
    pub permutation_p_value: f64,
    /// How many pairs it takes to detect [`TELLING_PART`]; none of a single pair.
    pub pairs_needed: Option<u64>,
}

/// The result of a comparison in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The second takes less time.
    Faster,
    /// The second takes more time.
    Slower,
    /// The runs do not decide it.
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
        let median_interval =
            (sample.count() > 1).then(|| stats::median_interval(&sample, USUAL_CONFIDENCE, SEED));
        Ok(Self { sample, median_interval })
    }
}

/// Describes a series of which this time is compared.
///
/// # Errors
/// When it has no run.
pub fn describe(series: &Series, metric: Metric) -> Result<SeriesDescription, SampleError> {
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
    let compared = if metric == Metric::Wall { &wall_time } else { &cpu_time };
    for time in compared.sample.values() {
        lowest.add(*time);
    }
    let odd_runs = stats::outliers(&compared.sample, USUAL_OUTLIER_SCORE)
        .into_iter()
        .map(|outlier| {
            let result = &series.runs[outlier.index].result;
            OddRun {
                run: outlier.index,
                cpu_time: result.usage.cpu_time,
                wall_time: result.usage.wall_time,
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
        runs_needed: stats::runs_needed(compared.sample.values(), TELLING_PART, USUAL_CONFIDENCE),
        memory_peak: memory.map(Described::new).transpose()?,
        load: series.load(),
        cpu_time,
        wall_time,
    })
}

/// Compares two series that took turns, above all by this time; runs without a partner are left out.
///
/// # Errors
/// When there is no pair, or a time is 0.
pub fn compare(first: &Series, second: &Series, metric: Metric) -> Result<Comparison, PairsError> {
    let count = first.runs.len().min(second.runs.len());
    let pairs = |of: fn(&Series) -> Vec<f64>| Pairs::new(&of(first)[..count], &of(second)[..count]);
    let (cpu, wall) = (pairs(Series::cpu_times_ns)?, pairs(Series::wall_times_ns)?);
    let (cpu_time, wall_time) = (cpu.ratio(USUAL_CONFIDENCE), wall.ratio(USUAL_CONFIDENCE));
    let (compared, ratio) = if metric == Metric::Wall { (&wall, wall_time) } else { (&cpu, cpu_time) };
    Ok(Comparison {
        pairs: count,
        cpu_time,
        wall_time,
        rank_biserial: stats::rank_biserial(&ratio.test),
        sign_p_value: stats::sign_test(compared.log_ratios()),
        permutation_p_value: stats::permutation_of_pairs(compared.log_ratios(), SEED),
        pairs_needed: stats::pairs_needed(compared, TELLING_PART, USUAL_CONFIDENCE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::tests::{measured, series};

    #[test]
    fn a_series_is_described_with_the_causes_of_its_odd_runs() {
        let mut runs = series([100, 101, 100, 102, 101, 100, 150, 101]);
        runs.runs[3] = measured(102, 10);
        runs.runs.push(measured(140, 30));
        let description = describe(&runs, Metric::Cpu).unwrap();
        assert_eq!(description.cpu_time.sample.median(), 101e6);
        assert_eq!(description.cpu_time.sample.spread(), 50e6);
        assert_eq!(description.lowest, Agreement::Agreed { value: 100e6, runs: 3 });
        let odd: Vec<_> = description.odd_runs.iter().map(|odd| (odd.run, odd.causes.clone())).collect();
        let stolen = vec![OffCpuCause::Steal(Nanos::from_millis(30))];
        assert_eq!(odd, [(6, vec![]), (8, stolen)]);
        assert_eq!(description.disturbed_runs, 2);
        // Two of nine runs lie apart, and the others differ by about one per cent.
        assert!((20..60).contains(&description.runs_needed.unwrap()), "{description:?}");
        assert_eq!(describe(&Series::default(), Metric::Cpu), Err(SampleError::Empty));
    }

    #[test]
    fn one_run_says_what_it_can() {
        let description = describe(&series([7]), Metric::Cpu).unwrap();
        assert_eq!(description.cpu_time.median_interval, None);
        assert_eq!(description.lowest, Agreement::GaveUp { lowest: 7e6, gap: None, runs: 1 });
        assert_eq!(description.runs_needed, None);
    }

    #[test]
    fn memory_that_was_not_read_once_is_not_described() {
        let mut runs = series([1, 2]);
        assert!(describe(&runs, Metric::Cpu).unwrap().memory_peak.is_some());
        runs.runs[1].result.usage.memory_peak = model::Reading::unavailable("no");
        assert!(describe(&runs, Metric::Cpu).unwrap().memory_peak.is_none());
    }

    #[test]
    fn pairs_are_compared_and_a_lone_run_is_left_out() {
        let first = series((0..10).map(|i| 1000 + 100 * (i % 3)));
        let second = series((0..11).map(|i| (1000 + 100 * (i % 3)) * 110 / 100));
        let comparison = compare(&first, &second, Metric::Cpu).unwrap();
        assert_eq!(comparison.pairs, 10);
        assert!((comparison.cpu_time.ratio - 1.1).abs() < 1e-9, "{comparison:?}");
        assert_eq!(Direction::of(comparison.cpu_time.interval), Direction::Slower);
        assert!(comparison.sign_p_value < 0.01 && comparison.permutation_p_value < 0.01);
        assert_eq!(comparison.rank_biserial, 1.0);
        let back = compare(&second, &first, Metric::Cpu).unwrap();
        assert_eq!(Direction::of(back.cpu_time.interval), Direction::Faster);
        assert_eq!(
            Direction::of(compare(&first, &first, Metric::Cpu).unwrap().cpu_time.interval),
            Direction::Undecided
        );
        assert_eq!(compare(&Series::default(), &second, Metric::Cpu), Err(PairsError::Empty));
    }

    #[test]
    fn what_is_compared_decides_what_lies_apart() {
        let mut first = series((0..10).map(|i| 100 + i % 3));
        let mut second = first.clone();
        second.runs.iter_mut().for_each(|run| run.result.usage.wall_time = Nanos::from_millis(202));
        first.runs[4].result.usage.wall_time = Nanos::from_millis(190);
        let odd = |metric| describe(&first, metric).unwrap().odd_runs.len();
        assert_eq!((odd(Metric::Cpu), odd(Metric::Wall), odd(Metric::Both)), (0, 1, 0));
        let of = |metric| compare(&first, &second, metric).unwrap();
        assert_eq!(Direction::of(of(Metric::Wall).cpu_time.interval), Direction::Undecided);
        assert_eq!(Direction::of(of(Metric::Wall).wall_time.interval), Direction::Slower);
        assert!(of(Metric::Wall).sign_p_value < 0.05 && of(Metric::Cpu).sign_p_value == 1.0);
    }
}
