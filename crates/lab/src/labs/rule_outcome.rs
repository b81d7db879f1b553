//! What time some runs of a program tell.

use model::{Nanos, RunResult};
use ruling::RuleNumbers;
use stats::{Agreement, AgreementRule, LowestAgreement};

/// What some runs of our rule come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RuleOutcome {
    /// The lowest time.
    pub time: Nanos,
    /// Whether two runs on an undisturbed core confirm it.
    pub agreed: bool,
}

/// Returns what time runs tell, by [`AgreementRule::FOR_A_TIME`]; none while more of them are wanted. A run whose core was
/// seen slow confirms no other.
pub(super) fn rule_outcome<'r>(runs: impl Iterator<Item = &'r RunResult>) -> Option<RuleOutcome> {
    let mut estimator = LowestAgreement::new(AgreementRule::FOR_A_TIME);
    for run in runs {
        estimator.add_from(run.usage.cpu_time.0 as f64, !is_slow(run));
    }
    let (ns, agreed) = match estimator.state() {
        Agreement::NeedMore { .. } => return None,
        Agreement::Agreed { value, .. } => (value, true),
        Agreement::GaveUp { lowest, .. } => (lowest, false),
    };
    Some(RuleOutcome { time: Nanos(ns as u64), agreed })
}

/// Returns whether a run's core was seen slower than at its best; where nobody could look, it was not.
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
