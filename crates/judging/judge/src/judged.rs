//! A judgement compared with its expectation.

use crate::{Checked, Judgement};
use model::Verdict;
use package::{Expectation, Match};

/// A submission that was judged, and how that compares with the expectation.
#[derive(Debug)]
pub struct Judged {
    pub judgement: Judgement,
    pub expectation: Option<Expectation>,
    /// The result of the comparison.
    pub matched: Option<Match>,
}

/// Returns a sentence if the package's validators left `score.txt` in one case and `score_multiplier.txt` in another: the formats
/// have one of them only, over all cases and submissions.
pub fn mixed_scores(judged: &[Judged]) -> Option<String> {
    let first = |has: fn(&Checked) -> bool| {
        let cases = judged
            .iter()
            .flat_map(|one| one.judgement.cases.iter().map(move |case| (&one.judgement.name, case)));
        let mut fitting = cases.filter(|(_, case)| case.checked.as_ref().is_some_and(has));
        fitting.next().map(|(name, case)| format!("for {name} on {}", case.name))
    };
    let score = first(|checked| checked.score.is_some())?;
    let multiplier = first(|checked| checked.score_multiplier.is_some())?;
    Some(format!(
        "the validator left score.txt {score}, and score_multiplier.txt {multiplier}, expected one of the two files in all cases; write \
         the same one everywhere"
    ))
}

impl Judged {
    /// Compares a judgement with the expectation.
    pub fn new(judgement: Judgement, expectation: Option<&Expectation>) -> Self {
        let matched = expectation.map(|expectation| expectation.check(&judgement.outcome()));
        Self { judgement, expectation: expectation.cloned(), matched }
    }

    /// Returns whether it is as expected; `None` if nothing is expected or a person has to decide.
    pub fn as_expected(&self) -> Option<bool> {
        if self.judgement.for_jury().next().is_some() {
            return None;
        }
        match &self.matched {
            Some(Match::AsExpected) => Some(true),
            Some(Match::Unexpected(_)) => Some(false),
            Some(Match::Manual) | None => None,
        }
    }

    /// Explains why it is not as expected, or that a person has to decide.
    pub fn message(&self) -> Option<String> {
        if let Some(case) = self.judgement.for_jury().next() {
            return Some(format!("for the jury to decide: {}: {}", case.name, case.other_output_words()?));
        }
        match &self.matched {
            Some(Match::Unexpected(why)) => Some(why.clone()),
            Some(Match::Manual) => {
                Some("the package expects nothing that can be checked; check it yourself".to_owned())
            }
            Some(Match::AsExpected) | None => None,
        }
    }

    /// Lists the verdicts that are expected for the whole submission, as far as verdicts can express the expectation.
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
