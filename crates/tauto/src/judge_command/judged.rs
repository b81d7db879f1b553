//! A judgement beside what was expected.

use judge::Judgement;
use model::Verdict;
use package::{Expectation, Match};

/// A submission that was judged, and how that compares with what is expected of it.
#[derive(Debug)]
pub struct Judged {
    /// What it came to.
    pub judgement: Judgement,
    /// What is expected, if anything is.
    pub expectation: Option<Expectation>,
    /// How the two compare.
    pub matched: Option<Match>,
}

impl Judged {
    /// Compares a judgement with what is expected.
    pub fn new(judgement: Judgement, expectation: Option<&Expectation>) -> Self {
        let matched = expectation.map(|expectation| expectation.check(&judgement.outcome()));
        Self { judgement, expectation: expectation.cloned(), matched }
    }

    /// Says whether it is as expected; nothing where nothing is or a person has to look.
    pub fn as_expected(&self) -> Option<bool> {
        match &self.matched {
            Some(Match::AsExpected) => Some(true),
            Some(Match::Unexpected(_)) => Some(false),
            Some(Match::Manual) | None => None,
        }
    }

    /// Says why it is not as expected, or that a person has to look.
    pub fn message(&self) -> Option<String> {
        match &self.matched {
            Some(Match::Unexpected(why)) => Some(why.clone()),
            Some(Match::Manual) => {
                Some("the package says nothing that can be checked; look at it yourself".to_owned())
            }
            Some(Match::AsExpected) | None => None,
        }
    }

    /// Lists the verdicts that are expected of the whole, as far as that can be said in verdicts.
    pub fn expected_verdicts(&self) -> Vec<Verdict> {
        match &self.expectation {
            Some(Expectation::Verdict { any_of, .. }) => any_of.iter().copied().collect(),
            Some(Expectation::Rules(rules)) => {
                let whole = rules.iter().find(|rule| rule.cases.is_none());
                let verdicts = whole.and_then(|rule| rule.required.as_ref().or(rule.permitted.as_ref()));
                verdicts.map_or_else(Vec::new, |verdicts| verdicts.iter().copied().collect())
            }
            Some(Expectation::Manual) | None => Vec::new(),
        }
    }
}

/// Gives the exit code that they come to.
pub fn exit_code(judged: &[Judged]) -> u8 {
    if judged.iter().any(|one| one.judgement.verdict == Verdict::JudgingError) {
        return 3;
    }
    let is_well = |one: &Judged| match one.matched {
        Some(Match::Unexpected(_)) => false,
        Some(Match::AsExpected | Match::Manual) => true,
        None => one.judgement.verdict == Verdict::Accepted,
    };
    u8::from(!judged.iter().all(is_well))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn judged(verdict: Verdict, expected: Option<Verdict>) -> Judged {
        let judgement = Judgement { verdict, ..Judgement::failed("a.c", String::new()) };
        let expectation = expected
            .map(|verdict| Expectation::Verdict { any_of: BTreeSet::from([verdict]), partial_score: false });
        Judged::new(judgement, expectation.as_ref())
    }

    #[test]
    fn the_worst_decides_the_exit_code() {
        use Verdict::{Accepted, JudgingError, WrongAnswer};
        let as_expected = || judged(WrongAnswer, Some(WrongAnswer));
        assert_eq!(exit_code(&[as_expected(), judged(Accepted, None)]), 0);
        assert_eq!(exit_code(&[as_expected(), judged(Accepted, Some(WrongAnswer))]), 1);
        assert_eq!(
            exit_code(&[judged(WrongAnswer, None)]),
            1,
            "nothing is expected, so it should be accepted"
        );
        assert_eq!(exit_code(&[judged(WrongAnswer, None), judged(JudgingError, None)]), 3);
        let by_hand = Judged::new(Judgement::failed("a.c", String::new()), None);
        let by_hand = Judged {
            judgement: Judgement { verdict: WrongAnswer, ..by_hand.judgement },
            expectation: Some(Expectation::Manual),
            matched: Some(Match::Manual),
        };
        assert_eq!(exit_code(&[by_hand]), 0);
    }
}
