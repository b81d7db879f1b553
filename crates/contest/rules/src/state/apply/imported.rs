//! What is imported: it counts as if it had been judged here, but nothing is queued.

use super::Change;
use crate::notices::Object;
use crate::state::{Attempt, Done, Judgement, StoredRun, Submission};
use crate::{Imported, ImportedJudgement, ImportedSubmission, JudgementKey, JudgementReason};

impl Change<'_> {
    pub(super) fn import(&mut self, imported: &Imported) {
        match imported {
            Imported::Submission(entry) => self.import_submission(entry),
            Imported::Clarification { content, time } => {
                // Who sent it there has no account here.
                self.send(content, None, content.time.unwrap_or(*time));
            }
            Imported::Commentary { content, time } => self.comment(content, *time),
            Imported::Finalized { time, extra_bronze, comment } => {
                self.finalize(*time, *extra_bronze, comment);
            }
        }
    }

    fn import_submission(&mut self, entry: &ImportedSubmission) {
        let submitted = &entry.submitted;
        let number = submitted.number;
        if number.0 as usize != self.contest.submissions.len() + 1 {
            return;
        }
        let before = self.contest.sight(number);
        let judgements = entry.judgements.iter().map(|judgement| self.imported_judgement(entry, judgement));
        let current = entry.judgements.get((entry.current as usize).wrapping_sub(1));
        let contest_time = self.contest.contest_time(entry.time);
        let submission = Submission {
            ignored: entry.ignored.clone(),
            judgements: judgements.collect(),
            current: entry.current,
            begun: current.and_then(Option::as_ref).map(|judgement| judgement.begun),
            ..Submission::new(submitted, entry.account.clone(), entry.time, contest_time)
        };
        self.add_submission(number, submission);
        for judgement in 1..=entry.judgements.len() as u32 {
            let key = JudgementKey { submission: number, number: judgement };
            self.note_jury(Object::Judgement(key));
            let last = self.contest.judgement(key).map_or(0, |judgement| judgement.runs.len() as u32);
            if last > 0 {
                self.note_jury(Object::Runs { judgement: key, first: 1, last });
            }
        }
        self.note_sight(number, before);
        self.note_cells(number);
    }

    fn imported_judgement(
        &self,
        entry: &ImportedSubmission,
        judgement: &Option<ImportedJudgement>,
    ) -> Judgement {
        let pool = self.contest.settings.strict_pool.clone();
        let empty = Judgement::new(JudgementReason::Imported, pool, entry.time, crate::jobs::CLASS_CONTEST);
        let Some(judgement) = judgement else {
            return Judgement { cancelled: Some("it had no verdict".to_owned()), ..empty };
        };
        Judgement {
            opened: judgement.begun,
            attempt: Some(Attempt { host: None, begun: judgement.begun }),
            runs: judgement.runs.iter().map(|run| StoredRun::from(*run)).collect(),
            done: Some(Done {
                time: judgement.end,
                result: judgement.outcome.into(),
                max_run_time: judgement.max_run_time,
                subtasks: judgement.subtasks.clone(),
                evidence: None,
                compile_output: None,
                nondeterministic: Default::default(),
                for_jury: Default::default(),
            }),
            ..empty
        }
    }
}
