//! What each version of the rule makes of the same runs.

use super::{By, Judged};
use model::{Nanos, RunResult, Verdict};
use ruling::{RuleNumbers, Ruling, TimeRule};
use stats::Dice;

/// The program's time in per cent of the limit.
const NEEDS_PERCENT: [u32; 7] = [97, 98, 99, 101, 102, 103, 110];
/// Judgements that are drawn for each of them.
const DRAWN: usize = 2000;
const SEED: u64 = 97;

/// What a version of the rule decides on runs drawn from a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionSide {
    pub version: u32,
    /// The program's time in per cent of the limit.
    pub needs_percent: u32,
    /// Judgements that were drawn.
    pub judgements: usize,
    /// Verdicts that differ from the expected one.
    pub wrong: usize,
    /// Judgements without a verdict.
    pub undecided: usize,
    pub runs: usize,
}

/// Draws judgements from the runs that the judge made, with limits of which the reference is 97 to 110 %, and decides them by
/// each version. A run within its own limit was not probed, so drawn for a lower one it counts as on an undisturbed core.
/// Empty without runs.
pub fn versions(judged: &[Judged], reference: Nanos) -> Vec<VersionSide> {
    let by_judge = judged.iter().filter(|judged| judged.arm.by != By::Plain);
    let runs: Vec<&RunResult> = by_judge.flat_map(|judged| &judged.runs).collect();
    if runs.is_empty() || reference == Nanos::ZERO {
        return Vec::new();
    }
    let sides = NEEDS_PERCENT.into_iter().flat_map(|needs_percent| {
        let limit = Nanos(reference.0.saturating_mul(100) / u64::from(needs_percent));
        RuleNumbers::VERSIONS.iter().map(move |numbers| (needs_percent, TimeRule::of(*numbers, limit)))
    });
    sides.map(|(needs_percent, rule)| side(&runs, rule, needs_percent)).collect()
}

fn side(runs: &[&RunResult], rule: TimeRule, needs_percent: u32) -> VersionSide {
    let mut side = VersionSide {
        version: rule.numbers.version,
        needs_percent,
        judgements: DRAWN,
        wrong: 0,
        undecided: 0,
        runs: 0,
    };
    let mut dice = Dice::new(SEED);
    for _ in 0..DRAWN {
        let mut drawn: Vec<RunResult> = Vec::new();
        let ruling = loop {
            drawn.push(runs[dice.below(runs.len())].clone());
            let repeats = rule.repeats_allowed(1).saturating_sub(drawn.len() as u32 - 1);
            match rule.rule(&drawn, repeats) {
                Ruling::RunAgain { .. } => {}
                ruling => break ruling,
            }
        };
        side.runs += drawn.len();
        let is_within = match ruling {
            Ruling::CheckOutput { .. } => Some(true),
            Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, .. } => Some(false),
            _ => None,
        };
        match is_within {
            Some(is_within) => side.wrong += usize::from(is_within != (needs_percent < 100)),
            None => side.undecided += 1,
        }
    }
    side
}

#[cfg(test)]
mod tests {
    use super::super::{Arm, Decision};
    use super::*;
    use model::{Evidence, RunEnd, Usage};

    fn judged(by: By, times_ms: &[u64]) -> Judged {
        let run = |ms: &u64| RunResult {
            end: RunEnd::Exited(0),
            usage: Usage { cpu_time: Nanos::from_millis(*ms), ..Usage::default() },
            evidence: Evidence::default(),
        };
        Judged {
            arm: Arm { by, needs_percent: 97 },
            limit: Nanos::from_millis(1030),
            decision: Decision::Within,
            runs: times_ms.iter().map(run).collect(),
        }
    }

    #[test]
    fn steady_times_are_decided_alike_by_all_versions() {
        let all = versions(&[judged(By::Alone, &[1000, 1001])], Nanos::from_millis(1000));
        assert_eq!(all.len(), NEEDS_PERCENT.len() * RuleNumbers::VERSIONS.len());
        assert!(all.iter().all(|side| (side.wrong, side.undecided) == (0, 0)), "{all:?}");
        assert!(all.iter().filter(|side| side.needs_percent < 100).all(|side| side.runs == side.judgements));
    }

    #[test]
    fn versions_differ_where_times_never_agree() {
        let times: Vec<u64> = (0..40).map(|at| 1060 + at * at / 3).collect();
        let all = versions(&[judged(By::Among, &times)], Nanos::from_millis(1000));
        let of = |version, needs_percent| {
            all.iter().find(|side| (side.version, side.needs_percent) == (version, needs_percent)).unwrap()
        };
        assert!(of(6, 103).runs < of(5, 103).runs, "{all:?}");
    }

    #[test]
    fn plain_runs_show_nothing_of_the_rule() {
        assert_eq!(versions(&[judged(By::Plain, &[1000])], Nanos::from_millis(1000)), []);
        assert_eq!(versions(&[], Nanos::from_millis(1000)), []);
    }
}
