//! What time some runs of a program tell.

use model::{Nanos, RunResult};
use ruling::RuleNumbers;
use stats::AgreementRule;

/// What some runs of our rule come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RuleOutcome {
    /// The lowest time.
    pub time: Nanos,
    /// Whether two runs on a calm core bear it out.
    pub agreed: bool,
}

/// Says what time runs tell; none while more of them are wanted. The lowest counts as told once two runs are as low, by
/// [`AgreementRule::FOR_A_TIME`], whose core was not seen slow: on a slow one all runs can be slow alike, and agree.
pub(super) fn rule_outcome<'r>(
    runs: impl ExactSizeIterator<Item = &'r RunResult> + Clone,
) -> Option<RuleOutcome> {
    let rule = AgreementRule::FOR_A_TIME;
    let count = runs.len() as u32;
    let time = runs.clone().map(|run| run.usage.cpu_time).min()?;
    let bears_out = |run: &&RunResult| {
        let above = (run.usage.cpu_time - time).0 as f64;
        !is_slow(run) && above <= (time.0 as f64 * rule.tolerance).max(rule.floor)
    };
    let agreed = count >= rule.runs_min && runs.filter(bears_out).count() >= 2;
    (agreed || count >= rule.runs_max).then_some(RuleOutcome { time, agreed })
}

/// Says whether a run's core was seen slower than at its best; where nobody could look, it was not.
fn is_slow(run: &RunResult) -> bool {
    run.evidence.core_slowdown.known().is_some_and(|slowdown| *slowdown >= RuleNumbers::CURRENT.slow_core)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, Reading, RunEnd, Slowdown, Usage};

    fn run((cpu_ms, slowdown): (u64, Option<u32>)) -> RunResult {
        let core_slowdown =
            slowdown.map_or_else(Reading::default, |permille| Reading::Known(Slowdown(permille)));
        RunResult {
            end: RunEnd::Exited(0),
            usage: Usage { cpu_time: Nanos::from_millis(cpu_ms), ..Usage::default() },
            evidence: Evidence { core_slowdown, ..Evidence::default() },
        }
    }

    fn check(runs: &[(u64, Option<u32>)], expected: Option<(u64, bool)>) {
        let runs: Vec<RunResult> = runs.iter().copied().map(run).collect();
        let expected = expected.map(|(ms, agreed)| RuleOutcome { time: Nanos::from_millis(ms), agreed });
        assert_eq!(rule_outcome(runs.iter()), expected, "{runs:?}");
    }

    #[test]
    fn two_calm_runs_bear_a_time_out() {
        let (calm, slow, unknown) = (Some(10), Some(100), None);
        check(&[], None);
        check(&[(1000, calm); 4], None);
        check(&[(1000, calm); 5], Some((1000, true)));
        check(&[(1000, unknown); 5], Some((1000, true)));
        check(&[(1000, slow); 9], None);
        check(&[(1000, slow); 10], Some((1000, false)));
        let rest = [(1300, calm); 3];
        check(&[&rest[..], &[(1000, calm), (1005, calm)]].concat(), Some((1000, true)));
        check(&[&rest[..], &[(1000, calm), (1006, calm)]].concat(), None);
        check(&[&rest[..], &[(1000, slow), (1005, calm)]].concat(), None);
        check(&[&rest[..], &[(1000, slow), (1005, calm), (1004, calm)]].concat(), Some((1000, true)));
    }
}
