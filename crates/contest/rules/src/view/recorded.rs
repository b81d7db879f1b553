//! What a contest's package has of its results: from it alone the boards can be worked out again.

use super::{JudgementView, View};
use crate::state::{AwardEdit, Submission};
use crate::{BlobHash, JudgementKey, Outcome, Refusal, SubmissionNumber};
use model::Verdict;
use std::collections::BTreeMap;

impl<'a> View<'a> {
    /// Returns the judgements that have a verdict, for the jury. Of each submission the one that counts has the verdict
    /// that counts: also one that was set by hand.
    pub fn recorded_judgements(&self) -> Result<impl Iterator<Item = JudgementView<'a>>, Refusal> {
        self.require_jury()?;
        let view = self.clone();
        Ok(self.contest.numbered().flat_map(move |(number, submission)| view.recorded(number, submission)))
    }

    /// Returns the judgements of a submission that [`View::recorded_judgements`] has.
    pub fn recorded_of(&self, number: SubmissionNumber) -> Vec<JudgementView<'a>> {
        let submission = self.contest.submission(number).filter(|_| self.is_jury());
        submission.map(|submission| self.recorded(number, submission)).unwrap_or_default()
    }

    fn recorded(
        &self,
        submission_number: SubmissionNumber,
        submission: &'a Submission,
    ) -> Vec<JudgementView<'a>> {
        let judgements = (1..).zip(&submission.judgements).filter_map(|(number, entry)| {
            let key = JudgementKey { submission: submission_number, number };
            let is_current = number == submission.current;
            let judgement = self.judgement_view(key, is_current, submission, entry);
            if !is_current {
                return Some(judgement).filter(|judgement| judgement.outcome.is_some());
            }
            let is_error = |outcome: &Outcome| outcome.verdict.0 == Verdict::JudgingError;
            let counted: Option<Outcome> = self.contest.result(submission).map(Into::into);
            let outcome = counted.or(judgement.outcome.filter(is_error))?;
            let end = submission.end().map(|end| end.max(judgement.start));
            let end_contest_time = end.map(|end| self.contest.contest_time(end));
            Some(JudgementView { outcome: Some(outcome), end, end_contest_time, ..judgement })
        });
        judgements.collect()
    }

    pub fn award_edits(&self) -> Option<&'a BTreeMap<String, AwardEdit>> {
        Some(&self.contest.awards).filter(|_| self.is_jury())
    }

    /// Returns the content of a file of a problem, a package among them, by its name; for those who see it.
    pub fn problem_file(&self, problem: &crate::ProblemId, filename: &str) -> Option<&'a BlobHash> {
        let problem = self.problem(problem).ok()?;
        let file = problem.files.all().find(|file| file.filename == filename);
        let package = problem.jury.as_ref().map(|jury| &jury.settings.package);
        file.map(|file| &file.blob).or_else(|| package.filter(|_| filename == format!("{}.zip", problem.id)))
    }
}
