//! The results of a series of judgements.

use super::{Arm, Decision, Judged};
use model::Nanos;

/// If the reference moves by more than this fraction, the series is void: its results would be about the machine.
pub const DRIFT_MAX: f64 = 0.01;

/// The results of all judgements of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    pub arm: Arm,
    pub judgements: usize,
    /// Verdicts that differ from the expected one.
    pub flips: usize,
    /// Judgements without a verdict.
    pub undecided: usize,
    /// Runs in addition to one per judgement.
    pub extra_runs: usize,
    /// The lowest CPU time of each judgement.
    pub times: Vec<Nanos>,
}

/// The results of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The lowest of all references: 100 %.
    pub reference: Nanos,
    /// The lowest of the first half's references.
    pub first_half: Nanos,
    /// The lowest of the second half's references.
    pub second_half: Nanos,
    /// The relative difference of the halves' lowest.
    pub drift: f64,
    /// Why the series is void, if it is.
    pub void: Option<String>,
    /// Each arm.
    pub sides: Vec<Side>,
}

/// Summarises a series; `None` without references in both halves. `calibrated` is the time from which the limits were
/// computed.
pub fn outcome(references: &[Nanos], judged: &[Judged], calibrated: Nanos) -> Option<Outcome> {
    let (first, second) = references.split_at(references.len() / 2);
    let (first_half, second_half) = (*first.iter().min()?, *second.iter().min()?);
    let reference = first_half.min(second_half);
    let part =
        |one: Nanos, other: Nanos| (one.0 as f64 - other.0 as f64).abs() / one.min(other).0.max(1) as f64;
    let drift = part(first_half, second_half);
    let off = part(calibrated, reference);
    let void = if drift > DRIFT_MAX {
        Some(format!(
            "the lowest reference moved from {first_half} to {second_half} ({:.2} %) between the halves of the series, \
             more than {} %",
            drift * 100.0,
            DRIFT_MAX * 100.0
        ))
    } else if off > DRIFT_MAX {
        Some(format!(
            "the limits were made from {calibrated}, and a later reference took {reference} ({:.2} % less)",
            off * 100.0
        ))
    } else {
        None
    };
    let mut arms: Vec<Arm> = judged.iter().map(|judged| judged.arm).collect();
    arms.sort();
    arms.dedup();
    let sides = arms.into_iter().map(|arm| side(arm, judged)).collect();
    Some(Outcome { reference, first_half, second_half, drift, void, sides })
}

fn side(arm: Arm, judged: &[Judged]) -> Side {
    let of: Vec<&Judged> = judged.iter().filter(|judged| judged.arm == arm).collect();
    let expected = if arm.needs_percent <= 100 { Decision::Within } else { Decision::Over };
    let undecided = of.iter().filter(|judged| matches!(judged.decision, Decision::Undecided(_))).count();
    Side {
        arm,
        judgements: of.len(),
        flips: of.iter().filter(|judged| judged.decision != expected).count() - undecided,
        undecided,
        extra_runs: of.iter().map(|judged| judged.runs.len().saturating_sub(1)).sum(),
        times: of
            .iter()
            .filter_map(|judged| judged.runs.iter().map(|run| run.usage.cpu_time).min())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::By;
    use super::*;
    use model::{Evidence, RunEnd, RunResult, Usage};

    fn run(ms: u64) -> RunResult {
        let usage = Usage { cpu_time: Nanos::from_millis(ms), ..Usage::default() };
        RunResult { end: RunEnd::Exited(0), usage, evidence: Evidence::default() }
    }

    fn ms(values: &[u64]) -> Vec<Nanos> {
        values.iter().map(|value| Nanos::from_millis(*value)).collect()
    }

    fn judged(arm: Arm, decision: Decision, times: &[u64]) -> Judged {
        Judged {
            arm,
            limit: Nanos::from_millis(1000),
            decision,
            runs: times.iter().map(|time| run(*time)).collect(),
        }
    }

    #[test]
    fn flips_and_extra_runs_are_counted_by_arm() {
        let arm = |by, needs_percent| Arm { by, needs_percent };
        let (low, high) = (arm(By::Alone, 97), arm(By::Among, 103));
        let plain = arm(By::Plain, 97);
        let all = [
            judged(low, Decision::Within, &[970]),
            judged(low, Decision::Within, &[1010, 980]),
            judged(high, Decision::Over, &[1030, 1031, 1030]),
            judged(high, Decision::Undecided("x".to_owned()), &[1200]),
            judged(plain, Decision::Over, &[1002]),
        ];
        let reported = outcome(&ms(&[970, 975, 971, 990]), &all, Nanos::from_millis(970)).unwrap();
        assert_eq!((reported.reference, reported.void), (Nanos::from_millis(970), None));
        let sides: Vec<_> = reported
            .sides
            .iter()
            .map(|side| (side.arm, side.judgements, side.flips, side.undecided, side.extra_runs))
            .collect();
        assert_eq!(sides, [(low, 2, 0, 0, 1), (high, 2, 0, 1, 2), (plain, 1, 1, 0, 0)]);
        assert_eq!(reported.sides[0].times, ms(&[970, 980]));
    }

    #[test]
    fn a_reference_that_moves_makes_the_series_void() {
        let void = |references: &[u64], calibrated| {
            outcome(&ms(references), &[], Nanos::from_millis(calibrated)).and_then(|reported| reported.void)
        };
        assert_eq!(void(&[1000, 1010], 1000), None);
        assert!(void(&[1000, 1011], 1000).unwrap().contains("moved from 1.000 s to 1.011 s (1.10 %)"));
        assert!(void(&[1000, 1000], 1020).unwrap().contains("limits were made from 1.020 s"));
        assert_eq!(outcome(&ms(&[1000]), &[], Nanos::from_millis(1)), None);
    }
}
