//! Decisions about imports with results.

use super::texts::{TEXT_LENGTH_MAX, check_imported, check_length};
use super::{InContest, check_known};
use crate::{Body, Commentary, Imported, ImportedSubmission, Refusal};
use model::message;

const FOREIGN_ID_LENGTH_MAX: usize = 64;
/// Judgements of a submission; more is a mistake.
const JUDGEMENTS_MAX: usize = 1000;
/// A billion points: sums of all problems and subtasks are far from where numbers end.
const SCORE_MAX: i64 = 1_000_000_000_000_000;

impl InContest<'_> {
    /// An import has happened elsewhere, so only references and numbers are checked, not permissions and times.
    pub(super) fn import(&self, imported: Imported) -> Result<Vec<Body>, Refusal> {
        match &imported {
            Imported::Submission(entry) => self.check_imported(entry)?,
            Imported::Clarification { content, .. } => {
                let count = self.contest.clarifications.len();
                check_number("clarification", content.number.0, count)?;
                check_length("text", &content.text, TEXT_LENGTH_MAX)?;
                self.check_teams("team", content.from_team.iter().chain(&content.to_teams))?;
                content.problem.iter().try_for_each(|problem| self.problem(problem).map(drop))?;
                check_known("to_groups", "group", &self.contest.groups, &content.to_groups)?;
                if content.reply_to.is_some_and(|parent| parent.0 == 0 || parent.0 as usize > count) {
                    return Err(Refusal::invalid(
                        "reply_to",
                        message!("reply-to-later", "it replies to a later clarification"),
                    ));
                }
            }
            Imported::Commentary { content, .. } => self.check_imported_remark(content)?,
            Imported::Finalized { comment, .. } => {
                self.not_final()?;
                check_length("comment", comment, TEXT_LENGTH_MAX)?;
            }
        }
        Ok(vec![Body::Imported(Box::new(imported))])
    }

    fn check_imported_remark(&self, content: &Commentary) -> Result<(), Refusal> {
        check_number("commentary", content.number.0, self.contest.commentary.len())?;
        check_imported("message", &content.message)?;
        self.check_teams("team_ids", &content.teams)?;
        content.problems.iter().try_for_each(|problem| self.problem(problem).map(drop))?;
        content.submissions.iter().try_for_each(|number| self.submission(*number).map(drop))?;
        check_known("source_id", "person", &self.contest.persons, &content.source)
    }

    fn check_imported(&self, entry: &ImportedSubmission) -> Result<(), Refusal> {
        self.not_final()?;
        let submitted = &entry.submitted;
        check_number("submission", submitted.number.0, self.contest.submissions.len())?;
        self.check_teams("team", &submitted.team)?;
        self.problem(&submitted.problem)?;
        for file in &submitted.files {
            super::check_name("files", &file.name)?;
            super::check_hash("files", &file.blob.0)?;
        }
        entry.foreign_id.iter().try_for_each(|id| check_length("id", id, FOREIGN_ID_LENGTH_MAX))?;
        entry.ignored.iter().try_for_each(|reason| check_imported("reason", reason))?;
        if self.contest.submissions.last().is_some_and(|last| last.time > entry.time) {
            return Err(Refusal::invalid(
                "time",
                message!("submissions-out-of-order", "submissions must come in the order of their times"),
            ));
        }
        if entry.judgements.len() > JUDGEMENTS_MAX {
            return Err(Refusal::invalid(
                "judgements",
                message!("too-many-judgements", "there are more than {max}", max = JUDGEMENTS_MAX),
            ));
        }
        let current = (entry.current as usize).checked_sub(1);
        if current.is_some_and(|at| !matches!(entry.judgements.get(at), Some(Some(_)))) {
            return Err(Refusal::invalid(
                "current",
                message!("current-judgement-missing", "the judgement that counts does not exist"),
            ));
        }
        for judgement in entry.judgements.iter().flatten() {
            if judgement.end < judgement.begun {
                return Err(Refusal::invalid(
                    "end_time",
                    message!("judgement-ends-before-begins", "a judgement ends before it begins"),
                ));
            }
            let mut scores = judgement.outcome.score.iter().chain(&judgement.subtasks);
            if scores.any(|score| score.0.unsigned_abs() > SCORE_MAX.unsigned_abs()) {
                return Err(Refusal::invalid(
                    "score",
                    message!("score-too-large", "a score has at most a billion points"),
                ));
            }
        }
        Ok(())
    }
}

/// Numbers follow one another; what is imported comes first.
fn check_number(what: &'static str, number: u32, count: usize) -> Result<(), Refusal> {
    if number as usize == count + 1 {
        return Ok(());
    }
    let message = format!("{what} {number} cannot be imported: the contest has {count} of its own");
    Err(Refusal::conflict("not-empty", message))
}
