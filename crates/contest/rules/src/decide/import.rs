//! Decisions about imports with results.

use super::InContest;
use super::texts::{TEXT_LENGTH_MAX, check_imported, check_length};
use crate::{Body, Commentary, Imported, ImportedSubmission, Refusal};

/// The longest id of another system that is kept.
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
                let teams = content.from_team.iter().chain(&content.to_teams);
                teams.into_iter().try_for_each(|team| self.has_team("team", team))?;
                content.problem.iter().try_for_each(|problem| self.problem(problem).map(|_| ()))?;
                let groups = &self.contest.groups;
                if let Some(group) = content.to_groups.iter().find(|group| !groups.contains_key(*group)) {
                    return Err(Refusal::invalid("to_groups", format!("there is no group '{group}'")));
                }
                if content.reply_to.is_some_and(|parent| parent.0 == 0 || parent.0 as usize > count) {
                    return Err(Refusal::invalid("reply_to", "it replies to a later clarification"));
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
        content.teams.iter().try_for_each(|team| self.has_team("team_ids", team))?;
        content.problems.iter().try_for_each(|problem| self.problem(problem).map(|_| ()))?;
        content.submissions.iter().try_for_each(|number| self.submission(*number).map(|_| ()))?;
        match &content.source {
            Some(person) if !self.contest.persons.contains_key(person) => {
                Err(Refusal::invalid("source_id", format!("there is no person '{person}'")))
            }
            _ => Ok(()),
        }
    }

    fn check_imported(&self, entry: &ImportedSubmission) -> Result<(), Refusal> {
        self.not_final()?;
        let submitted = &entry.submitted;
        check_number("submission", submitted.number.0, self.contest.submissions.len())?;
        submitted.team.iter().try_for_each(|team| self.has_team("team", team))?;
        self.problem(&submitted.problem)?;
        for file in &submitted.files {
            super::check_name("files", &file.name)?;
            super::check_hash("files", &file.blob.0)?;
        }
        entry.foreign_id.iter().try_for_each(|id| check_length("id", id, FOREIGN_ID_LENGTH_MAX))?;
        entry.ignored.iter().try_for_each(|reason| check_imported("reason", reason))?;
        if self.contest.submissions.last().is_some_and(|last| last.time > entry.time) {
            return Err(Refusal::invalid("time", "submissions must come in the order of their times"));
        }
        if entry.judgements.len() > JUDGEMENTS_MAX {
            return Err(Refusal::invalid("judgements", format!("there are more than {JUDGEMENTS_MAX}")));
        }
        let current = (entry.current as usize).checked_sub(1);
        if current.is_some_and(|at| !matches!(entry.judgements.get(at), Some(Some(_)))) {
            return Err(Refusal::invalid("current", "the judgement that counts does not exist"));
        }
        for judgement in entry.judgements.iter().flatten() {
            if judgement.end < judgement.begun {
                return Err(Refusal::invalid("end_time", "a judgement ends before it begins"));
            }
            let mut scores = judgement.outcome.score.iter().chain(&judgement.subtasks);
            if scores.any(|score| score.0.unsigned_abs() > SCORE_MAX.unsigned_abs()) {
                return Err(Refusal::invalid("score", "a score has at most a billion points"));
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
