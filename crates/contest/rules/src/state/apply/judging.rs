//! Events of submissions and judgements.

use super::Change;
use crate::board::BoardSide;
use crate::jobs::{self, JobChange};
use crate::notices::{Audience, Object};
use crate::state::{
    Attempt, Changes, Contest, Done, Judgehost, Judgement, Overridden, Pool, Rejudging, RejudgingStatus,
    StoredRun, Submission, Turns, is_paused,
};
use crate::{
    Actor, BlobHash, Body, ContestId, Event, Instant, Judged, JudgehostId, JudgementKey, JudgementReason,
    PauseScope, PoolId, RejudgingNumber, State, SubmissionNumber, Submitted, TeamId,
};
use model::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of the server that judging changes in addition to the contest.
pub(super) struct Judging<'a> {
    pub hosts: &'a mut BTreeMap<JudgehostId, Judgehost>,
    pub pools: &'a mut BTreeMap<PoolId, Pool>,
    pub paused: &'a BTreeMap<PauseScope, String>,
    pub package_failures: &'a mut BTreeMap<BlobHash, BTreeSet<JudgehostId>>,
    pub turns: &'a mut Turns,
}

impl Contest {
    pub(super) fn requeue(
        &mut self,
        id: &ContestId,
        paused: &BTreeMap<PauseScope, String>,
        changes: &mut Changes,
    ) {
        for (index, submission) in self.submissions.iter_mut().enumerate() {
            let is_paused = is_paused(self.problems.get(&submission.problem), paused);
            let owner = owner(id, submission.team.as_ref());
            for (number, judgement) in (1..).zip(&mut submission.judgements) {
                if !judgement.is_open() || judgement.attempt.is_some() || judgement.is_queued != is_paused {
                    continue;
                }
                judgement.is_queued = !is_paused;
                let key = JudgementKey { submission: SubmissionNumber(index as u32 + 1), number };
                changes.jobs.push(if is_paused {
                    JobChange::Remove(jobs::job_id(id, key))
                } else {
                    JobChange::Add(spec(id, key, judgement, owner.clone()))
                });
            }
        }
    }
}

fn owner(contest: &ContestId, team: Option<&TeamId>) -> String {
    format!("{contest}/{}", team.map_or("", TeamId::as_str))
}

impl State {
    /// Returns the job of a judgement that is in the queue, to be queued anew.
    pub fn queued(&self, job: &str) -> Option<jobs::JobSpec> {
        let (id, key) = jobs::of_job(job)?;
        let submission = self.contests.get(&id)?.submission(key.submission)?;
        let judgement = submission.judgement(key.number).filter(|entry| entry.is_queued)?;
        Some(spec(&id, key, judgement, owner(&id, submission.team.as_ref())))
    }
}

fn spec(contest: &ContestId, key: JudgementKey, judgement: &Judgement, owner: String) -> jobs::JobSpec {
    jobs::JobSpec {
        id: jobs::job_id(contest, key),
        pool: judgement.pool.clone(),
        class: judgement.class,
        turn: judgement.turn,
        owner,
    }
}

impl Change<'_> {
    pub(super) fn apply_judging(&mut self, body: &Body, event: &Event, judging: Judging<'_>) {
        match body {
            Body::Submitted(submitted) => self.submit(submitted, event),
            Body::SubmissionIgnored { submission, is_ignored, reason } => {
                let ignored = is_ignored.then(|| reason.clone());
                self.with_submission(*submission, |entry| entry.ignored = ignored);
                self.note_jury(Object::Submission(*submission));
            }
            Body::JudgementOpened { judgement, reason, pool } => {
                self.open(*judgement, *reason, pool, event, judging);
            }
            Body::JudgingBegun { judgement } => self.begin(*judgement, event, judging.turns),
            Body::RunsJudged { judgement, runs } => self.with_judgement(*judgement, |entry| {
                entry.runs.extend(runs.iter().map(|run| StoredRun::from(*run)));
            }),
            Body::Judged(judged) => self.judged(judged, event, judging),
            Body::JudgingFailed { judgement, scope, reason } => {
                self.failed(*judgement, scope, reason, event, judging);
            }
            Body::JudgingReturned { judgement, .. } => {
                self.begin_anew(*judgement, event.time, judging.paused)
            }
            Body::JudgementCancelled { judgement, reason } => self.cancel(*judgement, reason),
            Body::JudgementsCurrent(keys) => {
                for key in keys {
                    let Some(entry) = self.contest.submission(key.submission) else { continue };
                    let (before, old) = (self.contest.result(entry), entry.current);
                    self.with_submission(key.submission, |entry| {
                        if (key.number as usize) <= entry.judgements.len() {
                            entry.current = key.number;
                            if before.is_some() {
                                entry.shown += 1;
                                let attempt =
                                    entry.current().and_then(|judgement| judgement.attempt.as_ref());
                                entry.begun = attempt.map(|attempt| attempt.begun);
                            }
                        }
                    });
                    for number in [old, key.number] {
                        self.note_jury(Object::Judgement(JudgementKey { number, ..*key }));
                    }
                }
            }
            Body::VerdictOverridden { submission, verdict, reason } => {
                let overridden = verdict.map(|outcome| Overridden {
                    result: outcome.into(),
                    by: event.actor.account(),
                    reason: reason.clone(),
                    time: event.time,
                    verified: None,
                });
                self.with_submission(*submission, |entry| entry.overridden = overridden);
                self.note_jury(Object::Submission(*submission));
                let number = self.contest.submission(*submission).map_or(0, |entry| entry.current);
                if number > 0 {
                    self.note_jury(Object::Judgement(JudgementKey { submission: *submission, number }));
                }
            }
            Body::Verified { judgement, comment } => {
                let verified = event.actor.account().map(|account| (account, comment.clone()));
                let submission = self.contest.submission(judgement.submission);
                if submission.is_some_and(|entry| entry.overridden.is_some()) {
                    self.with_submission(judgement.submission, |entry| {
                        entry.overridden.iter_mut().for_each(|set| set.verified.clone_from(&verified));
                    });
                    self.note_jury(Object::Judgement(*judgement));
                } else {
                    self.with_judgement(*judgement, |entry| entry.verified = verified);
                }
            }
            Body::ReplicasDiffer { submission, .. } => self.note_jury(Object::Submission(*submission)),
            _ => self.apply_rejudging(body, event),
        }
    }

    fn apply_rejudging(&mut self, body: &Body, event: &Event) {
        match body {
            Body::RejudgingOpened { number, submissions, repeat, reason } => {
                let result = |number: &SubmissionNumber| {
                    self.contest.submission(*number).and_then(|submission| self.contest.result(submission))
                };
                let before = submissions.iter().map(result).collect();
                self.contest.rejudgings.push(Rejudging {
                    submissions: submissions.clone(),
                    before,
                    judgements: Vec::new(),
                    repeat: *repeat,
                    reason: reason.clone(),
                    by: event.actor.account(),
                    opened: event.time,
                    status: RejudgingStatus::Open,
                });
                self.note_jury(Object::Rejudging(*number));
            }
            Body::RejudgingApplied(number) => {
                self.end_rejudging(*number, RejudgingStatus::Applied(event.time))
            }
            Body::RejudgingCancelled(number) => {
                self.end_rejudging(*number, RejudgingStatus::Cancelled(event.time))
            }
            _ => {}
        }
    }

    /// Changes what counts of a submission, and notes what that changed for whom.
    fn with_submission(&mut self, number: SubmissionNumber, change: impl FnOnce(&mut Submission)) {
        self.with_pending(number, change);
        self.note_cells(number);
    }

    /// Changes a submission, but not what counts of it, and notes what that changed for whom.
    fn with_pending(&mut self, number: SubmissionNumber, change: impl FnOnce(&mut Submission)) {
        let before = self.contest.sight(number);
        let Some(submission) = self.contest.submission_mut(number) else { return };
        change(submission);
        self.note_judging(number, before);
    }

    /// Changes a judgement, and notes what that changed for whom.
    fn with_judgement(&mut self, key: JudgementKey, change: impl FnOnce(&mut Judgement)) {
        let before = self.contest.sight(key.submission);
        let Some(submission) = self.contest.submission_mut(key.submission) else { return };
        let Some(judgement) = submission.judgement_mut(key.number) else { return };
        let (runs, was_done, was_verified) =
            (judgement.runs.len() as u32, judgement.done.is_some(), judgement.verified.is_some());
        change(judgement);
        let (count, is_result) = (
            judgement.runs.len() as u32,
            judgement.done.is_some() != was_done || judgement.verified.is_some() != was_verified,
        );
        if count == runs {
            self.note_jury(Object::Judgement(key));
        } else {
            let (first, last, is_gone) =
                if count > runs { (runs + 1, count, false) } else { (1, runs, true) };
            self.note(Audience::Jury, Object::Runs { judgement: key, first, last }, is_gone);
        }
        self.note_judging(key.submission, before);
        if is_result {
            self.note_cells(key.submission);
        }
    }

    /// Works out the cells of a submission, and notes what changed on the boards.
    pub(super) fn note_cells(&mut self, number: SubmissionNumber) {
        let change = self.contest.update_cells(number);
        let Some((team, problem)) = self
            .contest
            .submission(number)
            .and_then(|submission| Some((submission.team.clone()?, submission.problem.clone())))
        else {
            return;
        };
        let is_public = self.contest.is_public_team_id(&team);
        if change.jury {
            self.note_jury(Object::Board);
        }
        if change.public && is_public {
            self.note(Audience::Public, Object::Board, false);
        }
        if change.jury && !change.public && is_public {
            // While frozen, a team still sees its own row live.
            self.note(Audience::Team(team.clone()), Object::Board, false);
        }
        if (change.is_newly_solved || change.public) && is_public {
            // Not always the submission that changed: of subtasks a later one may have been the last.
            let cell = self.contest.boards.cell(BoardSide::Jury, &team, &problem);
            if let Some(number) = cell.and_then(|cell| cell.solved_by) {
                self.add_balloon(&team, &problem, number);
            }
        }
    }

    fn submit(&mut self, submitted: &Submitted, event: &Event) {
        if submitted.number.0 as usize != self.contest.submissions.len() + 1 {
            return;
        }
        let before = self.contest.sight(submitted.number);
        let time = submitted.time.unwrap_or(event.time);
        let account = submitted.account.clone().or_else(|| event.actor.account());
        self.add_submission(
            submitted.number,
            Submission::new(submitted, account, time, self.contest.contest_time(time)),
        );
        if let Some(team) = &submitted.team
            && !self.contest.sight(submitted.number).submission
        {
            self.note(Audience::Team(team.clone()), Object::Submission(submitted.number), false);
        }
        self.note_sight(submitted.number, before);
        self.note_cells(submitted.number);
    }

    pub(super) fn add_submission(&mut self, number: SubmissionNumber, submission: Submission) {
        self.contest.boards.add(number, &submission);
        self.contest.submissions.push(submission);
        self.note_jury(Object::Submission(number));
    }

    fn open(
        &mut self,
        key: JudgementKey,
        reason: JudgementReason,
        pool: &PoolId,
        event: &Event,
        judging: Judging<'_>,
    ) {
        let Some(submission) = self.contest.submission(key.submission) else { return };
        if key.number as usize != submission.judgements.len() + 1 {
            return;
        }
        let class = match reason {
            JudgementReason::Rejudging(_) => jobs::CLASS_REJUDGING,
            _ if self.contest.is_practice(submission) => jobs::CLASS_PRACTICE,
            _ => jobs::CLASS_CONTEST,
        };
        let owner = owner(self.id, submission.team.as_ref());
        let judgement = Judgement {
            turn: judging.turns.next(pool, class, &owner),
            is_queued: !self.contest.is_paused(submission, judging.paused),
            ..Judgement::new(reason, pool.clone(), event.time, class)
        };
        if judgement.is_queued {
            self.changes.jobs.push(JobChange::Add(spec(self.id, key, &judgement, owner)));
        }
        if let JudgementReason::Rejudging(number) = reason
            && let Some(rejudging) = self.contest.rejudging_mut(number)
        {
            rejudging.judgements.push(key);
        }
        self.note_jury(Object::Judgement(key));
        self.with_pending(key.submission, |submission| {
            // Most get no second one.
            submission.judgements.reserve_exact(1);
            submission.judgements.push(judgement);
            if submission.current == 0 {
                submission.current = key.number;
            }
        });
    }

    fn begin(&mut self, key: JudgementKey, event: &Event, turns: &mut Turns) {
        let host = match &event.actor {
            Actor::Judgehost(host) => Some(host.clone()),
            _ => None,
        };
        if let Some(judgement) = self.contest.judgement(key) {
            turns.begin(&judgement.pool, judgement.class, judgement.turn);
        }
        self.with_judgement(key, |judgement| {
            judgement.runs.clear();
            judgement.lost += u32::from(judgement.attempt.is_some());
            judgement.attempt = Some(Attempt { host, begun: event.time });
        });
        self.with_pending(key.submission, |submission| {
            if submission.current == key.number && submission.begun.is_none() {
                submission.begun = Some(event.time);
            }
        });
    }

    fn begin_anew(&mut self, key: JudgementKey, not_before: Instant, paused: &BTreeMap<PauseScope, String>) {
        self.with_judgement(key, |judgement| {
            judgement.runs.clear();
            judgement.attempt = None;
        });
        let Some(submission) = self.contest.submission(key.submission) else { return };
        let is_queued = submission.judgement(key.number).is_some_and(|judgement| judgement.is_queued);
        if is_queued && self.contest.is_paused(submission, paused) {
            self.take_from_queue(key);
        } else if is_queued {
            self.changes.jobs.push(JobChange::GiveBack { id: jobs::job_id(self.id, key), not_before });
        }
    }

    fn judged(&mut self, judged: &Judged, event: &Event, judging: Judging<'_>) {
        let key = judged.judgement;
        let done = Done::new(event.time, judged);
        if let Actor::Judgehost(id) = &event.actor
            && let Some(host) = judging.hosts.get_mut(id)
            && let Some(submission) = self.contest.submission(key.submission)
        {
            let verdict = judged.outcome.verdict.0;
            if verdict != Verdict::JudgingError {
                host.clear_failures();
                host.judged += 1;
                if let Some(problem) = self.contest.problems.get(&submission.problem)
                    && verdict != Verdict::CompileError
                    && let Some(failed) = judging.package_failures.get_mut(&problem.settings.package)
                {
                    failed.remove(id);
                }
            }
        }
        self.note_ratio(judged, judging.pools);
        self.with_judgement(key, |judgement| judgement.done = Some(done));
        self.take_from_queue(key);
    }

    /// Keeps how much slower the strict pool was than the fast one.
    fn note_ratio(&mut self, judged: &Judged, pools: &mut BTreeMap<PoolId, Pool>) {
        let key = judged.judgement;
        let Some(submission) = self.contest.submission(key.submission) else { return };
        let Some(judgement) = submission.judgement(key.number) else { return };
        if judgement.reason != JudgementReason::Strict {
            return;
        }
        if let Some((fast, permille)) = crate::pools::measured(submission, &judgement.pool, judged)
            && let Some(pool) = pools.get_mut(&fast)
        {
            let pair = pool.pairs.entry((judgement.pool.clone(), submission.language.clone())).or_default();
            *pair = (pair.0 + 1, pair.1.max(permille));
        }
    }

    fn failed(
        &mut self,
        key: JudgementKey,
        scope: &crate::FailureScope,
        reason: &str,
        event: &Event,
        judging: Judging<'_>,
    ) {
        use crate::FailureScope;
        let Actor::Judgehost(id) = &event.actor else { return };
        match scope {
            FailureScope::Judgement | FailureScope::Machine => {
                let entry = self.contest.judgement(key);
                let is_same_again =
                    entry.is_some_and(|entry| entry.failures.iter().any(|(host, _)| host == id));
                if let Some(host) = judging.hosts.get_mut(id) {
                    // The same judgement failing again is no fault of the machine.
                    host.failures += u32::from(*scope == FailureScope::Machine || !is_same_again);
                    if let Some(submission) = self.contest.submission(key.submission) {
                        let cause = (self.id.clone(), submission.problem.clone(), submission.team.clone());
                        host.failed_with.insert(cause);
                    }
                }
            }
            FailureScope::Package(package) => {
                judging.package_failures.entry(package.clone()).or_default().insert(id.clone());
            }
            FailureScope::Language(_) | FailureScope::Undecided => {}
        }
        let Some(judgement) = self.contest.judgement(key) else { return };
        let wait = jobs::retry_delay(judgement.failures.len() as u32);
        let entry = (id.clone(), reason.to_owned());
        self.with_judgement(key, |judgement| judgement.failures.push(entry));
        self.begin_anew(key, event.time + wait, judging.paused);
    }

    fn cancel(&mut self, key: JudgementKey, reason: &str) {
        self.with_judgement(key, |judgement| {
            if judgement.done.is_none() {
                judgement.cancelled = Some(reason.to_owned());
            }
        });
        self.take_from_queue(key);
    }

    fn take_from_queue(&mut self, key: JudgementKey) {
        let judgement =
            self.contest.submission_mut(key.submission).and_then(|entry| entry.judgement_mut(key.number));
        if let Some(judgement) = judgement
            && std::mem::take(&mut judgement.is_queued)
        {
            self.changes.jobs.push(JobChange::Remove(jobs::job_id(self.id, key)));
        }
    }

    fn end_rejudging(&mut self, number: RejudgingNumber, status: RejudgingStatus) {
        let Some(rejudging) = self.contest.rejudging_mut(number) else { return };
        rejudging.status = status;
        for key in rejudging.judgements.clone() {
            if self.contest.judgement(key).is_some_and(Judgement::is_open) {
                self.cancel(key, "its rejudging ended");
            }
        }
        self.note_jury(Object::Rejudging(number));
    }
}
