//! What an operator watches: numbers and times without names of teams or problems.

use crate::{ContestId, Instant, JudgehostId, JudgehostState, JudgementKey, JudgementReason, PoolId, State};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationsView<'a> {
    /// For each pool since when its oldest judgement waits.
    pub oldest_waiting: BTreeMap<&'a PoolId, Instant>,
    pub judgehosts: Vec<(&'a JudgehostId, &'a PoolId, JudgehostState)>,
    pub contests: usize,
    pub submissions: usize,
}

/// Since when a judgement waits for its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgementTimes<'a> {
    pub pool: &'a PoolId,
    /// When its submission was received, if this is its first judgement.
    pub received: Option<Instant>,
    /// When a judgehost began it, if one has.
    pub begun: Option<Instant>,
}

impl State {
    pub fn operations(&self) -> OperationsView<'_> {
        let mut view = OperationsView { contests: self.contests.len(), ..OperationsView::default() };
        for submission in self.contests.values().flat_map(|contest| &contest.submissions) {
            view.submissions += 1;
            for judgement in &submission.judgements {
                if judgement.is_open() && judgement.is_queued && judgement.attempt.is_none() {
                    let oldest = view.oldest_waiting.entry(&judgement.pool).or_insert(judgement.opened);
                    *oldest = judgement.opened.min(*oldest);
                }
            }
        }
        view.judgehosts = self.judgehosts.iter().map(|(id, host)| (id, &host.pool, host.state)).collect();
        view
    }

    /// Returns whether a contest is frozen, so that counts of its verdicts would show hidden ones.
    pub fn hides_results(&self, contest: &ContestId) -> bool {
        self.contests.get(contest).is_some_and(|contest| contest.phase().hides_results())
    }

    /// Returns since when a judgement waits for its verdict.
    pub fn times(&self, contest: &ContestId, key: JudgementKey) -> Option<JudgementTimes<'_>> {
        let submission = self.contests.get(contest)?.submission(key.submission)?;
        let judgement = submission.judgement(key.number)?;
        Some(JudgementTimes {
            pool: &judgement.pool,
            received: (judgement.reason == JudgementReason::First).then_some(submission.time),
            begun: judgement.attempt.as_ref().map(|attempt| attempt.begun),
        })
    }
}
