//! Decisions about reports of judgehosts.

use super::{InContest, check_length, find, work_of};
use crate::state::Judgement;
use crate::{
    BlobHash, Body, Event, FailureScope, Judged, JudgehostId, JudgehostState, JudgementKey, JudgementReason,
    MeasuredRatio, Outcome, PauseScope, Refusal, Run, Score, Scoring, StoredVerdict, pools,
};
use model::{CaseKind, Nanos, Verdict, supports_acceptance};
use std::collections::BTreeSet;

/// Failures of ours until a judgement is a judging error, and waits for the jury.
const ATTEMPTS_MAX: usize = 3;
/// A judgement whose judgehost was lost more often is a judging error.
const LOST_MAX: u32 = 9;
/// Failures of ours in a row, with different judgements, until a judgehost is disabled, unless one team or one problem may be the
/// cause of all of them.
const FAILURES_MAX: u32 = 3;

impl InContest<'_> {
    fn open_judgement(&self, key: JudgementKey) -> Result<(&crate::state::Submission, &Judgement), Refusal> {
        let (submission, judgement) = self.judgement(key)?;
        if judgement.cancelled.is_some() {
            return Err(Refusal::conflict("cancelled", format!("judgement {key} was cancelled")));
        }
        if judgement.done.is_some() {
            return Err(Refusal::conflict("done", format!("judgement {key} is done")));
        }
        Ok((submission, judgement))
    }

    /// Returns an open judgement that the caller has begun.
    fn own_judgement(&self, key: JudgementKey) -> Result<(&crate::state::Submission, &Judgement), Refusal> {
        let (submission, judgement) = self.open_judgement(key)?;
        let is_own =
            judgement.attempt.as_ref().is_some_and(|attempt| attempt.host == self.context.caller.judgehost);
        if !is_own {
            return Err(Refusal::conflict(
                "stale",
                format!("judgement {key} is not this judgehost's any more"),
            ));
        }
        Ok((submission, judgement))
    }

    pub(super) fn begun(&self, key: JudgementKey) -> Result<Vec<Body>, Refusal> {
        let (_, judgement) = self.open_judgement(key)?;
        if !judgement.is_queued {
            return Err(Refusal::conflict("paused", format!("the judging of judgement {key} is paused")));
        }
        let mut bodies = vec![Body::JudgingBegun { judgement: key }];
        // It may be what makes the judgehosts vanish.
        if judgement.attempt.is_some() && judgement.lost >= LOST_MAX {
            bodies.push(judging_error(key));
        }
        Ok(bodies)
    }

    /// A limit counts for everybody: it comes from the strict pool, and only while there is none.
    pub(super) fn derived_limit(
        &self,
        key: JudgementKey,
        package: &BlobHash,
        limit: Nanos,
    ) -> Result<Vec<Body>, Refusal> {
        let (submission, judgement) = self.open_judgement(key)?;
        let settings = &self.problem(&submission.problem)?.settings;
        let is_wanted = settings.time_limit.is_none()
            && settings.package == *package
            && judgement.pool == self.contest.settings.strict_pool
            && limit > Nanos::ZERO;
        if !is_wanted {
            return Ok(Vec::new());
        }
        let settings = crate::ProblemSettings { time_limit: Some(limit), ..settings.clone() };
        Ok(vec![Body::ProblemSet(Box::new(settings))])
    }

    pub(super) fn runs(&self, key: JudgementKey, runs: Vec<Run>) -> Result<Vec<Body>, Refusal> {
        let (submission, judgement) = self.own_judgement(key)?;
        let most = self.problem(&submission.problem)?.settings.test_data_count;
        let mut known: BTreeSet<u32> = judgement.runs.iter().map(|run| run.ordinal).collect();
        for run in &runs {
            if run.ordinal == 0 || (most > 0 && run.ordinal > most) {
                let message = format!("there is no case {}; the problem has 1 to {most}", run.ordinal);
                return Err(Refusal::invalid("runs", message));
            }
            if !known.insert(run.ordinal) {
                return Err(Refusal::conflict(
                    "reported",
                    format!("case {} was reported before", run.ordinal),
                ));
            }
        }
        if runs.is_empty() { Ok(Vec::new()) } else { Ok(vec![Body::RunsJudged { judgement: key, runs }]) }
    }

    pub(super) fn judged(&self, mut judged: Box<Judged>) -> Result<Vec<Body>, Refusal> {
        let key = judged.judgement;
        let (submission, judgement) = self.own_judgement(key)?;
        let verdict = judged.outcome.verdict.0;
        self.check_acceptance(submission, judgement, judged.outcome)?;
        if !matches!(verdict, Verdict::JudgingError | Verdict::CompileError) {
            let max = self.problem(&submission.problem)?.settings.max_score;
            if let (Scoring::Points { .. }, None, Some(max)) =
                (self.contest.settings.scoring, judged.outcome.score, max)
            {
                // A package without points: all of them, or none.
                judged.outcome.score = Some(if verdict == Verdict::Accepted { max } else { Score(0) });
            }
            self.check_score(&submission.problem, judged.outcome.score)?;
        }
        if judged.subtasks.iter().any(|score| *score < Score(0)) {
            return Err(Refusal::invalid("subtasks", "a subtask has a negative score"));
        }
        let mut bodies = Vec::new();
        if !matches!(judgement.reason, JudgementReason::Rejudging(_)) {
            bodies.extend(self.other_judgements(key, &judged)?);
        }
        let ratio = self.raised_ratio(submission, judgement, &judged);
        let differing = self.differing(key, judged.outcome);
        let confirmed = self.confirmed_host(key, verdict);
        bodies.push(Body::Judged(judged));
        bodies.extend(ratio);
        if !differing.is_empty() {
            bodies.push(Body::ReplicasDiffer { submission: key.submission, judgements: differing });
        }
        if let Some(host) = confirmed {
            let reason =
                format!("it could not compile submission {}, and another judgehost could", key.submission);
            let scope = PauseScope::Language(submission.language.clone(), host);
            if !self.context.state.paused.contains_key(&scope) {
                bodies.push(Body::JudgingPaused { scope, reason });
            }
        }
        Ok(bodies)
    }

    /// Refuses an acceptance that the reported runs do not support. Where points count, a submission is as good as its score.
    fn check_acceptance(
        &self,
        submission: &crate::state::Submission,
        judgement: &Judgement,
        outcome: Outcome,
    ) -> Result<(), Refusal> {
        let settings = &self.problem(&submission.problem)?.settings;
        let is_pass_fail =
            matches!(self.contest.settings.scoring, Scoring::PassFail { .. }) || outcome.score.is_none();
        // Without a number of cases, nothing is known about them.
        if outcome.verdict.0 != Verdict::Accepted || !is_pass_fail || settings.test_data_count == 0 {
            return Ok(());
        }
        let is_accepted = |ordinal| {
            judgement.runs.iter().any(|run| run.ordinal == ordinal && run.verdict.0 == Verdict::Accepted)
        };
        let kind =
            |ordinal| if ordinal <= settings.sample_count { CaseKind::Sample } else { CaseKind::Secret };
        if supports_acceptance((1..=settings.test_data_count).map(|n| (kind(n), is_accepted(n)))) {
            return Ok(());
        }
        Err(Refusal::invalid(
            "verdict",
            "the submission is accepted without an accepted run of a secret case; report the runs before the verdict",
        ))
    }

    /// Returns what raises the bound of the pools' ratio, if this program was slower than it allows.
    fn raised_ratio(
        &self,
        submission: &crate::state::Submission,
        judgement: &Judgement,
        judged: &Judged,
    ) -> Option<Body> {
        if judgement.reason != JudgementReason::Strict {
            return None;
        }
        let (fast, permille) = pools::measured(submission, &judgement.pool, judged)?;
        let (strict, language) = (&judgement.pool, &submission.language);
        let (upper_permille, programs) =
            pools::raised(self.context.state, strict, &fast, language, permille)?;
        let (strict, language) = (strict.clone(), language.clone());
        Some(Body::PoolRatioMeasured(MeasuredRatio { strict, fast, language, upper_permille, programs }))
    }

    /// Returns the events that open the judgements that count in place of this one, if it needs others.
    fn other_judgements(&self, key: JudgementKey, judged: &Judged) -> Result<Vec<Body>, Refusal> {
        let (submission, judgement) = self.judgement(key)?;
        let settings = &self.contest.settings;
        let next = submission.judgements.len() as u32 + 1;
        let current = Body::JudgementsCurrent(vec![JudgementKey { number: next, ..key }]);
        let problem = &self.problem(&submission.problem)?.settings;
        // The new judgement counts before this one is done, so that no verdict is shown that may vanish.
        if judgement.pool != settings.strict_pool {
            let ratio = pools::ratio(
                self.context.state,
                &settings.strict_pool,
                &judgement.pool,
                &submission.language,
            );
            if pools::needs_strict(judged, problem.time_limit, ratio) {
                let mut bodies = self.strict_judgements(key.submission, next, JudgementReason::Strict);
                bodies.push(current);
                return Ok(bodies);
            }
        }
        let is_suspect = judged.outcome.verdict.0 == Verdict::CompileError
            && settings.replicas <= 1
            && judgement.reason != JudgementReason::Confirm
            && self
                .context
                .caller
                .judgehost
                .as_ref()
                .is_some_and(|host| pools::is_suspect(self.context.state, host, &submission.language));
        if is_suspect {
            let opened = Body::JudgementOpened {
                judgement: JudgementKey { number: next, ..key },
                reason: JudgementReason::Confirm,
                pool: judgement.pool.clone(),
            };
            return Ok(vec![opened, current]);
        }
        Ok(Vec::new())
    }

    /// Returns the replicas of a judgement, if they are all done with it and differ.
    fn differing(&self, key: JudgementKey, outcome: Outcome) -> Vec<JudgementKey> {
        let Ok((submission, _)) = self.judgement(key) else { return Vec::new() };
        let replicas: Vec<_> = submission.replicas().collect();
        if replicas.len() < 2 || !replicas.iter().any(|(number, _)| *number == key.number) {
            return Vec::new();
        }
        let others = replicas.iter().filter(|(number, _)| *number != key.number);
        let results: Option<Vec<_>> = others.map(|(_, entry)| Some(entry.done.as_ref()?.result)).collect();
        match results {
            Some(results) if results.iter().any(|result| *result != outcome.into()) => {
                replicas.iter().map(|(number, _)| JudgementKey { number: *number, ..key }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the judgehost whose compile error a judgement has not confirmed.
    fn confirmed_host(&self, key: JudgementKey, verdict: Verdict) -> Option<JudgehostId> {
        let (submission, judgement) = self.judgement(key).ok()?;
        if judgement.reason != JudgementReason::Confirm
            || matches!(verdict, Verdict::CompileError | Verdict::JudgingError)
        {
            return None;
        }
        let failed =
            submission.judgements.iter().find(|entry| entry.verdict() == Some(Verdict::CompileError))?;
        failed
            .attempt
            .as_ref()?
            .host
            .clone()
            .filter(|host| Some(host) != self.context.caller.judgehost.as_ref())
    }

    pub(super) fn returned(&self, key: JudgementKey, reason: String) -> Result<Vec<Body>, Refusal> {
        check_length("reason", &reason, super::TEXT_LENGTH_MAX)?;
        let (_, judgement) = self.open_judgement(key)?;
        if self.context.caller.judgehost.is_some() && judgement.attempt.is_some() {
            self.own_judgement(key)?;
        }
        Ok(vec![Body::JudgingReturned { judgement: key, reason }])
    }

    pub(super) fn failed(
        &self,
        key: JudgementKey,
        scope: FailureScope,
        reason: String,
    ) -> Result<Vec<Event>, Refusal> {
        check_length("reason", &reason, super::TEXT_LENGTH_MAX)?;
        let (submission, judgement) = self.open_judgement(key)?;
        let caller = self.context.caller;
        let Some(host) = &caller.judgehost else {
            return Err(Refusal::forbidden("only a judgehost fails"));
        };
        if judgement.attempt.is_some() {
            self.own_judgement(key)?;
        }
        let state = self.context.state;
        let entry = find("judgehost", &state.judgehosts, host)?;
        let mut bodies =
            vec![Body::JudgingFailed { judgement: key, scope: scope.clone(), reason: reason.clone() }];
        let is_same_again = judgement.failures.iter().any(|(failed, _)| failed == host);
        match &scope {
            FailureScope::Language(language) => {
                let scope = PauseScope::Language(language.clone(), host.clone());
                if !state.paused.contains_key(&scope) {
                    bodies.push(Body::JudgingPaused { scope, reason: reason.clone() });
                }
            }
            FailureScope::Package(package) => {
                let failed = state.package_failures.get(package);
                let others = failed.is_some_and(|failed| failed.iter().any(|other| other != host));
                let scope = PauseScope::Package(package.clone());
                // It gets the same again only if no other judgehost takes it.
                if (others || is_same_again || pools::others(state, &entry.pool, host) == 0)
                    && !state.paused.contains_key(&scope)
                {
                    bodies.push(Body::JudgingPaused { scope, reason: reason.clone() });
                }
            }
            FailureScope::Undecided => bodies.push(judging_error(key)),
            FailureScope::Judgement | FailureScope::Machine => {
                if scope == FailureScope::Judgement && judgement.failures.len() + 1 >= ATTEMPTS_MAX {
                    bodies.push(judging_error(key));
                }
                let is_suspect = match scope {
                    FailureScope::Machine => true,
                    _ => !is_same_again && entry.may_be_at_fault(self.id, submission),
                };
                if is_suspect && entry.failures + 1 >= FAILURES_MAX {
                    let mut events = self.events(bodies);
                    events.extend(self.take_out(host, key, &reason));
                    return Ok(events);
                }
            }
        }
        Ok(self.events(bodies))
    }

    /// Disables a judgehost, and gives its other work back.
    fn take_out(&self, host: &JudgehostId, except: JudgementKey, reason: &str) -> Vec<Event> {
        let context = &self.context;
        let reason = format!("it failed {FAILURES_MAX} times in a row, the last time: {reason}");
        let set = Body::JudgehostSet { id: host.clone(), state: JudgehostState::Disabled, reason };
        let mut events = vec![context.event(None, set)];
        for (contest, key) in work_of(context.state, host) {
            if contest != self.id || key != except {
                let reason = "its judgehost was disabled".to_owned();
                events.push(context.event(Some(contest), Body::JudgingReturned { judgement: key, reason }));
            }
        }
        events
    }
}

/// Returns the end of a judgement without a verdict on the program; the jury has to decide.
fn judging_error(judgement: JudgementKey) -> Body {
    let outcome = Outcome { verdict: StoredVerdict(Verdict::JudgingError), score: None };
    Body::Judged(Box::new(Judged::new(judgement, outcome)))
}
