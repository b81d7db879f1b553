//! Computes the points of a recorded submission again.

use documents::{CaseRun, Submission};
use model::{ScoreRules, Verdict};
use package::scoring::{CaseResult, Grades, NoTotal, Results, total};
use package::{Group, Package};
use std::collections::BTreeMap;

/// Points are added up in the same way as when they were recorded; the JSON between keeps every digit.
const ROUNDING: f64 = 1e-9;

/// What the points of a package follow from, by each of the rules that it can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackagePoints {
    groups: BTreeMap<ScoreRules, Group>,
}

/// Why points cannot be computed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NotComputed {
    /// Records of before there were several rules name none.
    NoRules,
    /// A part of the cases was judged.
    Selection,
    /// A factor by which a validator of the newer formats scales points is not recorded.
    NoFactors,
    /// The answers of the package's own grader are not recorded.
    NoGrades,
}

impl NotComputed {
    pub(crate) fn note(self, submissions: u64) -> String {
        let whose = match submissions {
            1 => "the points of 1 submission are".to_owned(),
            more => format!("the points of {more} submissions are"),
        };
        let why = match self {
            Self::NoRules => {
                "the record does not name the rules by which they were computed, as older versions did not"
            }
            Self::Selection => "a part of the cases was judged",
            Self::NoFactors => "a record has no factors by which validators of this format scale points",
            Self::NoGrades => "a record has no answers of the package's own grader",
        };
        format!("{whose} not computed again: {why}")
    }
}

/// The recorded cases of a submission.
pub(crate) type Cases = BTreeMap<String, CaseResult>;

impl PackagePoints {
    /// Adds a package's groups as its rules read them.
    ///
    /// Only the legacy formats' are used: a factor by which a validator of the newer formats scales points is not recorded.
    pub fn add(&mut self, package: &Package) {
        let scores = package.scores.as_ref().filter(|_| package.format.is_legacy());
        if let Some(scores) = scores {
            self.groups.insert(scores.rules, package.data.clone());
        }
    }

    /// Returns what of a submission's recorded result does not follow from its cases.
    pub(crate) fn contradiction(
        &self,
        rules: Result<ScoreRules, NotComputed>,
        submission: &Submission,
        cases: &Cases,
    ) -> Result<Option<String>, NotComputed> {
        let verdict = submission.verdict.0;
        if matches!(verdict, Verdict::JudgingError | Verdict::CompileError) {
            return Ok(None);
        }
        let rules = rules?;
        let results: Results = cases.clone();
        let groups = self.groups.get(&rules).ok_or(NotComputed::NoFactors)?;
        let found = match total(groups, true, &results, &Grades::new()) {
            Err(NoTotal::Ungraded(_)) => return Err(NotComputed::NoGrades),
            Err(error) => return Ok(Some(format!("{}: its points do not follow: {error}", submission.name))),
            Ok(found) => found,
        };
        let is_same = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => (one - other).abs() <= ROUNDING * one.abs().max(1.0),
            (one, other) => one == other,
        };
        let words = |verdict: Verdict, score: Option<f64>| {
            format!(
                "{} with {} points",
                verdict.clics_id(),
                score.map_or_else(|| "no".to_owned(), |score| score.to_string())
            )
        };
        Ok((found.verdict != verdict || !is_same(found.score, submission.score)).then(|| {
            format!(
                "{}: its cases give {} by the rules '{}', but recorded is {}",
                submission.name,
                words(found.verdict, found.score),
                rules,
                words(verdict, submission.score)
            )
        }))
    }
}

/// Returns what a recorded case adds to the points.
pub(crate) fn result_of(case: &CaseRun) -> CaseResult {
    CaseResult { score: case.score, ..CaseResult::plain(case.verdict.0) }
}
