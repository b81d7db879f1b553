//! Which of several errors is the verdict, if the caller chooses that instead of the package.

use super::legacy::WORST_FIRST;
use crate::expectation::widen;
use model::Verdict;
use std::collections::BTreeSet;
use std::str::FromStr;

/// Which of several errors is the verdict of a pass-fail problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorChoice {
    /// The first in judging order, as for judges that stop there.
    First,
    /// The one in the first of these sets; of several in one set, the first in judging order. Verdicts in no set come
    /// last.
    Ranked(Vec<BTreeSet<Verdict>>),
}

impl ErrorChoice {
    /// Returns the order of the legacy formats' grader.
    fn worst() -> Self {
        let is_possible =
            |verdict: &&Verdict| !matches!(verdict, Verdict::JudgingError | Verdict::CompileError);
        Self::Ranked(
            WORST_FIRST.iter().filter(is_possible).map(|verdict| BTreeSet::from([*verdict])).collect(),
        )
    }

    /// Returns the verdict that follows from those of the cases, in judging order.
    pub fn verdict(&self, cases: impl Iterator<Item = Verdict>) -> Verdict {
        let mut errors = cases.filter(|verdict| *verdict != Verdict::Accepted);
        match self {
            Self::First => errors.next(),
            Self::Ranked(_) => errors.min_by_key(|error| self.rank(*error)),
        }
        .unwrap_or(Verdict::Accepted)
    }

    /// Returns whether another case can still change the verdict.
    pub fn can_change(&self, mut cases: impl Iterator<Item = Verdict>) -> bool {
        !cases.any(|verdict| verdict != Verdict::Accepted && self.rank(verdict) == 0)
    }

    fn rank(&self, error: Verdict) -> usize {
        match self {
            Self::First => 0,
            Self::Ranked(ranks) => ranks.iter().position(|rank| rank.contains(&error)).unwrap_or(ranks.len()),
        }
    }
}

/// Parses `first`, `worst`, or ids such as `TLE,RTE,WA`, in descending precedence.
impl FromStr for ErrorChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "first" => return Ok(Self::First),
            "worst" => return Ok(Self::worst()),
            _ => {}
        }
        let named: Vec<Verdict> = text
            .split(',')
            .map(|id| {
                let known = WORST_FIRST.iter().find(|verdict| verdict.clics_id() == id.trim());
                known
                    .copied()
                    .filter(|verdict| *verdict != Verdict::JudgingError && *verdict != Verdict::CompileError)
            })
            .collect::<Option<_>>()
            .ok_or("expected first, worst, or ids of errors such as TLE,RTE,WA")?;
        let mut left: BTreeSet<Verdict> = WORST_FIRST.into_iter().collect();
        // Verdicts that the formats do not distinguish share a rank, unless one is named itself.
        let ranks = named.iter().map(|verdict| {
            let mut rank = widen(&BTreeSet::from([*verdict]));
            rank.retain(|other| other == verdict || !named.contains(other) && left.contains(other));
            left.retain(|other| !rank.contains(other));
            rank
        });
        Ok(Self::Ranked(ranks.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{
        Accepted, MemoryLimitExceeded, RunTimeError, TimeLimitExceeded, WallTimeLimitExceeded, WrongAnswer,
    };

    #[track_caller]
    fn check(choice: &str, cases: &[Verdict], verdict: Verdict, can_change: bool) {
        let choice: ErrorChoice = choice.parse().unwrap();
        let cases = || cases.iter().copied();
        assert_eq!((choice.verdict(cases()), choice.can_change(cases())), (verdict, can_change));
    }

    #[test]
    fn the_first_or_the_worst_error_decides() {
        check("first", &[], Accepted, true);
        check("first", &[Accepted, WrongAnswer, RunTimeError], WrongAnswer, false);
        check("worst", &[Accepted, WrongAnswer, TimeLimitExceeded], TimeLimitExceeded, true);
        check("worst", &[WrongAnswer, RunTimeError], RunTimeError, false);
        check("worst", &[WrongAnswer, MemoryLimitExceeded, TimeLimitExceeded], MemoryLimitExceeded, true);
    }

    #[test]
    fn a_custom_order_of_errors_decides() {
        check("TLE", &[WrongAnswer, RunTimeError], WrongAnswer, true);
        check("TLE", &[WrongAnswer, WallTimeLimitExceeded], WallTimeLimitExceeded, false);
        check("TLE,WTL", &[WallTimeLimitExceeded, TimeLimitExceeded], TimeLimitExceeded, false);
        check("WA, RTE", &[MemoryLimitExceeded, RunTimeError, WrongAnswer], WrongAnswer, false);
        check("WA,RTE", &[TimeLimitExceeded, MemoryLimitExceeded, RunTimeError], MemoryLimitExceeded, true);
        for text in ["", "AC", "JE", "CE", "worst,first", "tle"] {
            assert!(text.parse::<ErrorChoice>().is_err(), "{text}");
        }
    }
}
