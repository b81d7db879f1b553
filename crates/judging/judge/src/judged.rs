//! A judgement beside what was expected.

use crate::Judgement;
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

    /// Returns whether it is as expected; nothing where nothing is or a person has to look.
    pub fn as_expected(&self) -> Option<bool> {
        match &self.matched {
            Some(Match::AsExpected) => Some(true),
            Some(Match::Unexpected(_)) => Some(false),
            Some(Match::Manual) | None => None,
        }
    }

    /// Explains why it is not as expected, or that a person has to look.
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
