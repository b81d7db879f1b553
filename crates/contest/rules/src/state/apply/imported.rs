//! What is imported: it counts as if it had been judged here, but nothing is queued.

use super::Change;
use crate::notices::Object;
use crate::state::{Attempt, Done, Finalized, Judgement, StoredRun, Submission};
use crate::{Event, Imported, ImportedJudgement, ImportedSubmission, JudgementKey, JudgementReason};

impl Change<'_> {
    pub(super) fn import(&mut self, imported: &Imported, event: &Event) {
        match imported {
            Imported::Submission(entry) => self.import_submission(entry),
            Imported::Clarification { content, time } => {
                // Who sent it there has no account here.
                self.send(content, &Event { time: *time, actor: Default::default(), ..event.clone() });
            }
            Imported::Commentary { content, time } => {
                self.comment(content, &Event { time: *time, actor: Default::default(), ..event.clone() });
            }
            Imported::Finalized { time, extra_bronze, comment } => {
                let (time, extra_bronze, comment) = (*time, *extra_bronze, comment.clone());
                self.contest.finalized = Some(Finalized { time, extra_bronze, comment });
                self.note_final();
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
        let submission = Submission {
            team: submitted.team.clone(),
            account: entry.account.clone(),
            problem: submitted.problem.clone(),
            language: submitted.language.clone(),
            entry_point: submitted.entry_point.clone(),
            files: submitted.files.clone(),
            time: entry.time,
            contest_time: self.contest.contest_time(entry.time),
            ignored: entry.ignored.clone(),
            judgements: judgements.collect(),
            current: entry.current,
            overridden: None,
            shown: 1,
            begun: current.and_then(Option::as_ref).map(|judgement| judgement.begun),
        };
        self.contest.boards.add(number, &submission);
        self.contest.submissions.push(submission);
        self.note_jury(Object::Submission(number));
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
        let empty = Judgement {
            reason: JudgementReason::Imported,
            pool: self.contest.settings.strict_pool.clone(),
            opened: entry.time,
            attempt: None,
            runs: Vec::new(),
            done: None,
            cancelled: None,
            lost: 0,
            failures: Vec::new(),
            verified: None,
            turn: 0,
            class: crate::jobs::CLASS_CONTEST,
            is_queued: false,
        };
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
