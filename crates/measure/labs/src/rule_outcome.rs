//! The time that some runs of a program determine, and the loop that repeats programs until all have one.

use super::LabError;
use model::{Nanos, RunResult};
use ruling::RuleNumbers;
use stats::{Agreement, AgreementRule, LowestAgreement};

/// The result of the rule for some runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleOutcome {
    /// The lowest time.
    pub time: Nanos,
    /// Whether two runs on an undisturbed core confirm it.
    pub agreed: bool,
}

/// Returns the time that runs determine by [`AgreementRule::FOR_A_TIME`]; `None` while more runs are needed. A run on a
/// slow core confirms no other.
pub fn rule_outcome(runs: &[RunResult]) -> Option<RuleOutcome> {
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

/// Runs programs until each has a time, and returns the runs and their result. `pass` runs each of the named ones once:
/// programs take turns, so that one works while another rests.
pub fn in_turns(
    count: usize,
    outcome_of: impl Fn(&[RunResult]) -> Option<RuleOutcome>,
    mut pass: impl FnMut(&[usize]) -> Result<Vec<RunResult>, LabError>,
) -> Result<Vec<(Vec<RunResult>, RuleOutcome)>, LabError> {
    let mut runs: Vec<Vec<RunResult>> = vec![Vec::new(); count];
    loop {
        let reported: Vec<_> = runs.iter().map(|runs| outcome_of(runs)).collect();
        let wanted: Vec<usize> = (0..count).filter(|at| reported[*at].is_none()).collect();
        if wanted.is_empty() {
            return Ok(runs.into_iter().zip(reported.into_iter().flatten()).collect());
        }
        for (at, run) in wanted.iter().zip(pass(&wanted)?) {
            runs[*at].push(run);
        }
    }
}

/// Returns whether a run's core was seen slower than at its best; `false` if that is not known.
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
        assert_eq!(rule_outcome(&runs), expected, "{runs:?}");
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

    #[test]
    fn programs_take_turns_until_each_has_a_time() {
        let mut passes = Vec::new();
        let outcomes = in_turns(2, rule_outcome, |wanted| {
            passes.push(wanted.to_vec());
            // The second program's times never agree.
            let spread = passes.len() as u64;
            Ok(wanted.iter().map(|at| run((1000 + *at as u64 * 100 * spread, Some(10)))).collect())
        });
        let runs: Vec<usize> = outcomes.unwrap().into_iter().map(|(runs, _)| runs.len()).collect();
        assert_eq!(runs, [5, 10]);
        assert_eq!((&passes[0][..], &passes[9][..]), (&[0, 1][..], &[1][..]));
    }
}
