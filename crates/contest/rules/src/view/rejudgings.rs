//! What the jury sees of a rejudging: what it would change.

use super::View;
use crate::state::{Rejudging, RejudgingStatus};
use crate::{AccountId, Instant, JudgementKey, Outcome, Refusal, RejudgingNumber, SubmissionNumber};
use model::{Nanos, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RejudgingView<'a> {
    pub number: RejudgingNumber,
    pub reason: &'a str,
    pub by: Option<&'a AccountId>,
    pub opened: Instant,
    pub repeat: u32,
    pub status: RejudgingStatus,
    pub judgements: u32,
    pub done: u32,
    /// How many submissions would get another result.
    pub changed: u32,
    pub submissions: Vec<RejudgedSubmission>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RejudgedSubmission {
    pub submission: SubmissionNumber,
    pub before: Option<Outcome>,
    /// What would count: the most frequent result, of the earliest one. `None` until all are done.
    pub after: Option<Outcome>,
    pub judgement: Option<JudgementKey>,
    pub verdicts: BTreeMap<String, u32>,
    /// The lowest time of the slowest case.
    pub lowest: Option<Nanos>,
    pub median: Option<Nanos>,
    pub highest: Option<Nanos>,
}

impl RejudgedSubmission {
    pub fn is_changed(&self) -> bool {
        self.after.is_some() && self.after != self.before
    }
}

impl<'a> View<'a> {
    pub fn rejudgings(&self) -> Result<Vec<RejudgingView<'a>>, Refusal> {
        self.require_jury()?;
        let numbers = (1..).map(RejudgingNumber);
        Ok(numbers
            .zip(&self.contest.rejudgings)
            .map(|(number, entry)| self.rejudging_view(number, entry))
            .collect())
    }

    /// Returns a rejudging: what it would change, or did.
    pub fn rejudging(&self, number: RejudgingNumber) -> Result<RejudgingView<'a>, Refusal> {
        self.require_jury()?;
        self.contest
            .rejudging(number)
            .map(|entry| self.rejudging_view(number, entry))
            .ok_or_else(|| Refusal::not_found("rejudging", number))
    }

    fn rejudging_view(&self, number: RejudgingNumber, entry: &'a Rejudging) -> RejudgingView<'a> {
        let submissions = self.contest.rejudged(entry);
        let judgements: Vec<_> =
            entry.judgements.iter().filter_map(|key| self.contest.judgement(*key)).collect();
        RejudgingView {
            number,
            reason: &entry.reason,
            by: entry.by.as_ref(),
            opened: entry.opened,
            repeat: entry.repeat,
            status: entry.status,
            judgements: judgements.len() as u32,
            done: judgements.iter().filter(|judgement| !judgement.is_open()).count() as u32,
            changed: submissions.iter().filter(|entry| entry.is_changed()).count() as u32,
            submissions,
        }
    }
}

impl crate::state::Contest {
    pub(crate) fn rejudged(&self, entry: &Rejudging) -> Vec<RejudgedSubmission> {
        let mut keys: BTreeMap<SubmissionNumber, Vec<JudgementKey>> = BTreeMap::new();
        for key in &entry.judgements {
            keys.entry(key.submission).or_default().push(*key);
        }
        let pairs = entry.submissions.iter().zip(&entry.before);
        pairs
            .map(|(submission, before)| {
                let keys = keys.get(submission).map_or(&[][..], Vec::as_slice);
                let judged: Vec<_> = keys
                    .iter()
                    .filter_map(|key| Some((*key, self.judgement(*key)?.done.as_ref()?)))
                    .filter(|(_, done)| done.result.verdict.0 != Verdict::JudgingError)
                    .collect();
                let is_done =
                    keys.iter().all(|key| self.judgement(*key).is_none_or(|entry| !entry.is_open()));
                let mut verdicts: BTreeMap<String, u32> = BTreeMap::new();
                for (_, done) in &judged {
                    *verdicts.entry(done.result.verdict.0.to_string()).or_default() += 1;
                }
                let count = |result| judged.iter().filter(|(_, done)| done.result == result).count();
                let most = judged.iter().rev().max_by_key(|(_, done)| count(done.result)).filter(|_| is_done);
                let mut times: Vec<Nanos> = judged.iter().filter_map(|(_, done)| done.max_run_time).collect();
                times.sort_unstable();
                let entry = self.submission(*submission);
                let by_hand =
                    entry.and_then(|entry| entry.overridden.as_ref()).map(|overridden| overridden.result);
                RejudgedSubmission {
                    submission: *submission,
                    before: before.map(Outcome::from),
                    // A verdict set by hand counts on.
                    after: most.map(|(_, done)| by_hand.unwrap_or(done.result).into()),
                    judgement: most.map(|(key, _)| *key),
                    verdicts,
                    lowest: times.first().copied(),
                    median: times.get(times.len() / 2).copied(),
                    highest: times.last().copied(),
                }
            })
            .collect()
    }
}
