//! Decisions about rejudgings.

use super::{InContest, check_text};
use crate::state::{Rejudging, RejudgingStatus, Submission};
use crate::{Body, JudgementKey, JudgementReason, Refusal, RejudgingNumber, Selection, SubmissionNumber};
use model::{Counted, message};

/// The most judgements that a rejudging can make: some hours of work.
const JUDGEMENTS_MAX: usize = 100_000;
const REPEAT_MAX: u32 = 1000;

impl InContest<'_> {
    pub(super) fn open_rejudging(
        &self,
        selection: &Selection,
        repeat: u32,
        reason: String,
    ) -> Result<Vec<Body>, Refusal> {
        check_text("reason", &reason)?;
        if !(1..=REPEAT_MAX).contains(&repeat) {
            return Err(Refusal::invalid(
                "repeat",
                message!("repeat-1-to-max", "repeat must be 1 to {max}", max = REPEAT_MAX),
            ));
        }
        selection.submissions.iter().try_for_each(|number| self.submission(*number).map(drop))?;
        selection.problems.iter().try_for_each(|problem| self.problem(problem).map(drop))?;
        let chosen: Vec<(SubmissionNumber, &Submission)> =
            self.contest.numbered().filter(|(number, entry)| selection.holds(*number, entry)).collect();
        if chosen.is_empty() {
            return Err(Refusal::conflict(
                "nothing",
                message!("nothing-to-rejudge", "no submission with a verdict is selected"),
            ));
        }
        if chosen.len().saturating_mul(repeat as usize) > JUDGEMENTS_MAX {
            let message = message!(
                "rejudging-too-large",
                "{count}, each judged {repeat}: more than {max} judgements",
                count = Counted(chosen.len(), "submission"),
                repeat = Counted(repeat as usize, "time"),
                max = JUDGEMENTS_MAX
            );
            return Err(Refusal::invalid("repeat", message));
        }
        let is_open = |entry: &(usize, &Rejudging)| entry.1.status == RejudgingStatus::Open;
        for (at, open) in self.contest.rejudgings.iter().enumerate().filter(is_open) {
            // Both are in the order of their numbers.
            let is_chosen = |number: &&SubmissionNumber| {
                chosen.binary_search_by_key(*number, |(chosen, _)| *chosen).is_ok()
            };
            if let Some(number) = open.submissions.iter().find(is_chosen) {
                let message = message!(
                    "submission-in-rejudging",
                    "submission {number} is in rejudging {rejudging}, which is open",
                    number,
                    rejudging = at + 1
                );
                return Err(Refusal::conflict("open", message));
            }
        }
        let number = RejudgingNumber(self.contest.rejudgings.len() as u32 + 1);
        let submissions = chosen.iter().map(|(number, _)| *number).collect();
        let mut bodies = vec![Body::RejudgingOpened { number, submissions, repeat, reason }];
        let pool = &self.contest.settings.strict_pool;
        // Round by round, so that the first results of all come early.
        for round in 1..=repeat {
            bodies.extend(chosen.iter().map(|(submission, entry)| Body::JudgementOpened {
                judgement: JudgementKey {
                    submission: *submission,
                    number: entry.judgements.len() as u32 + round,
                },
                reason: JudgementReason::Rejudging(number),
                pool: pool.clone(),
            }));
        }
        Ok(bodies)
    }

    fn open_entry(&self, number: RejudgingNumber) -> Result<&Rejudging, Refusal> {
        let entry = self.contest.rejudging(number).ok_or_else(|| Refusal::not_found("rejudging", number))?;
        let message = match entry.status {
            RejudgingStatus::Open => return Ok(entry),
            RejudgingStatus::Applied(_) => {
                message!("rejudging-applied-already", "rejudging {number} is applied already", number)
            }
            RejudgingStatus::Cancelled(_) => {
                message!("rejudging-cancelled-already", "rejudging {number} is cancelled already", number)
            }
        };
        Err(Refusal::conflict("ended", message))
    }

    pub(super) fn apply_rejudging(&self, number: RejudgingNumber) -> Result<Vec<Body>, Refusal> {
        self.not_final()?;
        let entry = self.open_entry(number)?;
        let open = entry
            .judgements
            .iter()
            .filter(|key| self.contest.judgement(**key).is_some_and(|entry| entry.is_open()));
        let open = open.count();
        if open > 0 {
            let message = message!(
                "judgements-not-done",
                "{open} of {count} not done",
                open,
                count = Counted(entry.judgements.len(), "judgement")
            );
            return Err(Refusal::conflict("not-done", message));
        }
        let rejudged = self.contest.rejudged(entry);
        let failed: Vec<String> = rejudged
            .iter()
            .filter(|entry| entry.judgement.is_none())
            .map(|entry| entry.submission.to_string())
            .collect();
        if !failed.is_empty() {
            let message = message!(
                "judging-errors",
                "we failed to judge these submissions: {failed}",
                failed = failed.join(", ")
            );
            return Err(Refusal::conflict("judging-errors", message));
        }
        let keys = rejudged.iter().filter_map(|entry| entry.judgement).collect();
        Ok(vec![Body::JudgementsCurrent(keys), Body::RejudgingApplied(number)])
    }

    pub(super) fn cancel_rejudging(&self, number: RejudgingNumber) -> Result<Vec<Body>, Refusal> {
        self.open_entry(number)?;
        Ok(vec![Body::RejudgingCancelled(number)])
    }
}

impl Selection {
    /// Returns whether a submission is selected: only those whose current judgement is done can be.
    fn holds(&self, number: SubmissionNumber, submission: &Submission) -> bool {
        fn has<T: Ord>(set: &std::collections::BTreeSet<T>, value: Option<&T>) -> bool {
            set.is_empty() || value.is_some_and(|value| set.contains(value))
        }
        let Some(current) = submission.current() else { return false };
        let Some(done) = &current.done else { return false };
        let host = current.attempt.as_ref().and_then(|attempt| attempt.host.as_ref());
        has(&self.submissions, Some(&number))
            && has(&self.problems, Some(&submission.problem))
            && has(&self.teams, submission.team.as_ref())
            && has(&self.languages, Some(&submission.language))
            && has(&self.judgehosts, host)
            && (self.verdicts.is_empty() || self.verdicts.contains(&done.result.verdict))
            && self.from.is_none_or(|from| submission.contest_time >= from)
            && self.until.is_none_or(|until| submission.contest_time < until)
    }
}
