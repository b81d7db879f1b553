//! Whether two measurements made at different times differ by more than the machine did.

use super::Direction;
use stats::{Interval, Sample, USUAL_CONFIDENCE};

/// By which power of the fixed work's change a program may have changed. Five programs that were measured six times within five
/// minutes, with and without loads, changed by up to the power of 2.15 of the parts for registers and memory, and, measured again, by
/// 0.45 of all parts.
const SENSITIVITY: f64 = 3.0;
/// Decides every draw; any number does, as long as it stays the same.
const SEED: u64 = 1673;

/// How one time changed between two measurements: the ratio of its medians, second / first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub ratio: f64,
    pub interval: Interval,
}

/// What is known about a difference between two measurements made at different times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// The difference is larger than what the machine may account for, or the runs show none.
    Known(Direction),
    /// The machine may account for a change by this part, which is no less than the difference.
    MachineChanged(f64),
    /// There is a difference, and nothing shows whether it is the machine's.
    NoReference,
}

/// Compares the times that the same fixed work took in both; none without two of each, or where one is 0.
pub fn change(first: &[f64], second: &[f64]) -> Option<Change> {
    let sample = |times: &[f64]| {
        Sample::new(times.to_vec()).ok().filter(|sample| sample.count() > 1 && sample.min() > 0.0)
    };
    let (first, second) = (sample(first)?, sample(second)?);
    let interval = stats::median_ratio_interval(&first, &second, USUAL_CONFIDENCE, SEED);
    Some(Change { ratio: second.median() / first.median(), interval })
}

/// Returns by which part a program may have changed with the machine, by all changes of the fixed work; none where there are none.
pub fn changed_by(changes: &[Change]) -> Option<f64> {
    let farthest = |change: &Change| change.interval.low.ln().abs().max(change.interval.high.ln().abs());
    changes.iter().map(farthest).reduce(f64::max).map(|most| (most * SENSITIVITY).exp_m1())
}

/// Decides what a ratio's interval shows if the machine may account for a change by this part. In which direction it changed does not
/// matter: a program can gain by what the fixed work loses by.
pub fn find(interval: Option<Interval>, changed_by: Option<f64>) -> Finding {
    let direction = Direction::of(interval);
    let (Some(interval), Direction::Faster | Direction::Slower) = (interval, direction) else {
        return Finding::Known(Direction::Undecided);
    };
    let Some(part) = changed_by else { return Finding::NoReference };
    let difference = interval.low.ln().abs().min(interval.high.ln().abs());
    if difference > part.ln_1p() { Finding::Known(direction) } else { Finding::MachineChanged(part) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Option<Interval> {
        Some(Interval { low, high, confidence: USUAL_CONFIDENCE })
    }

    #[test]
    fn a_difference_counts_if_it_is_larger_than_the_machines() {
        for (ratio, changed_by, expected) in [
            (interval(1.10, 1.12), Some(0.02), Finding::Known(Direction::Slower)),
            (interval(0.80, 0.90), Some(0.02), Finding::Known(Direction::Faster)),
            (interval(1.01, 1.12), Some(0.02), Finding::MachineChanged(0.02)),
            (interval(0.95, 0.99), Some(0.02), Finding::MachineChanged(0.02)),
            (interval(0.99, 1.01), Some(0.02), Finding::Known(Direction::Undecided)),
            (interval(0.99, 1.01), None, Finding::Known(Direction::Undecided)),
            (interval(1.50, 1.60), None, Finding::NoReference),
            (None, Some(0.0), Finding::Known(Direction::Undecided)),
        ] {
            assert_eq!(find(ratio, changed_by), expected, "{ratio:?} {changed_by:?}");
        }
    }

    #[test]
    fn the_part_that_changed_most_counts_with_its_interval() {
        let calm: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i % 3) / 10.0).collect();
        let slower: Vec<f64> = calm.iter().map(|time| time / 1.05).collect();
        let same = change(&calm, &calm).unwrap();
        assert_eq!(same.ratio, 1.0);
        let other = change(&calm, &slower).unwrap();
        assert!((other.ratio - 1.0 / 1.05).abs() < 1e-9, "{other:?}");
        let part = changed_by(&[same, other]).unwrap();
        assert!((0.157..0.17).contains(&part), "{part}");
        assert!(changed_by(&[same]).unwrap() < 0.006);
        assert_eq!((change(&calm, &[1.0]), change(&calm, &[0.0, 1.0]), changed_by(&[])), (None, None, None));
    }
}
