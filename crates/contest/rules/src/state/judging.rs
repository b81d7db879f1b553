//! Submissions and their judgements.

use crate::{
    AccountId, BlobHash, Instant, Judged, JudgehostId, JudgementReason, LanguageId, Millis, Outcome, PoolId,
    ProblemId, Run, Score, StoredVerdict, Submitted, SubmittedFile, TeamId,
};
use model::{Bytes, Nanos, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Submission {
    pub team: Option<TeamId>,
    pub account: Option<AccountId>,
    pub problem: ProblemId,
    pub language: LanguageId,
    pub entry_point: Option<String>,
    pub files: Vec<SubmittedFile>,
    pub time: Instant,
    /// From the contest's settings; computed again when they change.
    pub contest_time: Millis,
    /// Why it does not count.
    pub ignored: Option<String>,
    pub judgements: Vec<Judgement>,
    /// The number of the judgement that counts, or will; 0 for none.
    pub current: u32,
    pub overridden: Option<Overridden>,
    /// The number of the current judgement for others than the jury: one more with each verdict that took another's
    /// place. The real number depends on who judged it how often, and so on hidden verdicts of others.
    pub shown: u32,
    /// When judging began, for others than the jury: it stays when another judgement counts instead before a verdict.
    pub begun: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Overridden {
    pub result: StoredResult,
    pub by: Option<AccountId>,
    pub reason: String,
    pub time: Instant,
    pub verified: Option<(AccountId, String)>,
}

/// An [`Outcome`] for the checkpoint, whose format cannot leave fields out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredResult {
    pub verdict: StoredVerdict,
    pub score: Option<Score>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    pub reason: JudgementReason,
    pub pool: PoolId,
    pub opened: Instant,
    /// Who judges it, since when; `None` while it waits.
    pub attempt: Option<Attempt>,
    pub runs: Vec<StoredRun>,
    pub done: Option<Done>,
    pub cancelled: Option<String>,
    /// How often its judgehost was lost: another attempt began while one was under way.
    pub lost: u32,
    pub failures: Vec<(JudgehostId, String)>,
    pub verified: Option<(AccountId, String)>,
    /// Its place in the fair order.
    pub turn: i64,
    pub class: u8,
    /// Whether it is in the queue of jobs, waiting or being judged; what is paused is not.
    pub is_queued: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    pub host: Option<JudgehostId>,
    pub begun: Instant,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    pub time: Instant,
    pub result: StoredResult,
    pub max_run_time: Option<Nanos>,
    pub subtasks: Vec<Score>,
    pub evidence: Option<BlobHash>,
    pub compile_output: Option<BlobHash>,
    pub nondeterministic: BTreeSet<u32>,
    pub for_jury: BTreeSet<u32>,
}

/// A [`Run`] for the checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredRun {
    pub ordinal: u32,
    pub verdict: StoredVerdict,
    pub cpu_time: Nanos,
    pub memory_peak: Option<Bytes>,
    pub at_ms: u32,
    pub for_jury: bool,
}

impl From<Outcome> for StoredResult {
    fn from(outcome: Outcome) -> Self {
        Self { verdict: outcome.verdict, score: outcome.score }
    }
}

impl From<Run> for StoredRun {
    fn from(run: Run) -> Self {
        let Run { ordinal, verdict, cpu_time, memory_peak, at_ms, for_jury } = run;
        Self { ordinal, verdict, cpu_time, memory_peak, at_ms, for_jury }
    }
}

impl Done {
    pub fn new(time: Instant, judged: &Judged) -> Self {
        Self {
            time,
            result: judged.outcome.into(),
            max_run_time: judged.max_run_time,
            subtasks: judged.subtasks.clone(),
            evidence: judged.evidence.clone(),
            compile_output: judged.compile_output.clone(),
            nondeterministic: judged.nondeterministic.clone(),
            for_jury: judged.for_jury.clone(),
        }
    }
}

impl Judgement {
    /// Returns a judgement that has not begun and is in no queue.
    pub fn new(reason: JudgementReason, pool: PoolId, opened: Instant, class: u8) -> Self {
        Self {
            reason,
            pool,
            opened,
            attempt: None,
            runs: Vec::new(),
            done: None,
            cancelled: None,
            lost: 0,
            failures: Vec::new(),
            verified: None,
            turn: 0,
            class,
            is_queued: false,
        }
    }

    pub fn is_open(&self) -> bool {
        self.done.is_none() && self.cancelled.is_none()
    }

    /// Returns whether a second person has verified it, or it was final where it came from.
    pub fn is_verified(&self) -> bool {
        self.verified.is_some() || self.reason == JudgementReason::Imported
    }

    /// Returns whether its verdict counts only when the jury has decided, which it has not: a run over the limit wrote
    /// something else than the accepted one.
    pub fn waits_for_jury(&self) -> bool {
        self.verified.is_none() && self.done.as_ref().is_some_and(|done| !done.for_jury.is_empty())
    }

    pub fn verdict(&self) -> Option<Verdict> {
        Some(self.done.as_ref()?.result.verdict.0)
    }
}

impl Submission {
    pub fn new(
        submitted: &Submitted,
        account: Option<AccountId>,
        time: Instant,
        contest_time: Millis,
    ) -> Self {
        Self {
            team: submitted.team.clone(),
            account,
            problem: submitted.problem.clone(),
            language: submitted.language.clone(),
            entry_point: submitted.entry_point.clone(),
            files: submitted.files.clone(),
            time,
            contest_time,
            ignored: None,
            judgements: Vec::new(),
            current: 0,
            overridden: None,
            shown: 1,
            begun: None,
        }
    }

    pub fn judgement(&self, number: u32) -> Option<&Judgement> {
        self.judgements.get((number as usize).checked_sub(1)?)
    }

    pub fn judgement_mut(&mut self, number: u32) -> Option<&mut Judgement> {
        self.judgements.get_mut((number as usize).checked_sub(1)?)
    }

    pub fn current(&self) -> Option<&Judgement> {
        self.judgement(self.current)
    }

    /// Returns the judgements that are compared with each other: the first one of the pool that decides, and its replicas.
    pub fn replicas(&self) -> impl Iterator<Item = (u32, &Judgement)> {
        use JudgementReason::{First, OnDemand, Replica, Strict};
        let pool = self
            .judgements
            .iter()
            .rfind(|judgement| judgement.reason == Replica)
            .map(|judgement| &judgement.pool);
        let is_one = move |judgement: &Judgement| {
            judgement.cancelled.is_none()
                && pool == Some(&judgement.pool)
                && matches!(judgement.reason, First | OnDemand | Strict | Replica)
        };
        (1..).zip(&self.judgements).filter(move |(_, judgement)| is_one(judgement))
    }

    /// Returns whether its verdict waits for replicas that are not done, or that differ.
    pub fn waits_for_replicas(&self) -> bool {
        let Some(current) = self.current().filter(|current| current.verified.is_none()) else { return false };
        let result = |judgement: &Judgement| judgement.done.as_ref().map(|done| done.result);
        self.replicas().any(|(number, _)| number == self.current)
            && self.replicas().any(|(_, judgement)| result(judgement) != result(current))
    }

    pub fn waits_for_jury(&self) -> bool {
        self.overridden.is_none() && self.current().is_some_and(Judgement::waits_for_jury)
    }

    /// Returns the result that counts, once there is one; a failure of ours is none.
    pub fn result(&self, verification_required: bool) -> Option<StoredResult> {
        if let Some(overridden) = &self.overridden {
            return (!verification_required || overridden.verified.is_some()).then_some(overridden.result);
        }
        let current = self.current()?;
        let done = current.done.as_ref()?;
        let is_counted = done.result.verdict.0 != Verdict::JudgingError
            && (!verification_required || current.is_verified())
            && !current.waits_for_jury()
            && !self.waits_for_replicas();
        is_counted.then_some(done.result)
    }

    /// Returns when the result came to be, for others than the jury.
    pub fn end(&self) -> Option<Instant> {
        let overridden = self.overridden.as_ref().map(|overridden| overridden.time);
        overridden.or_else(|| Some(self.current()?.done.as_ref()?.time))
    }

    /// Returns the scores of the subtasks that count; of one without subtasks, its score as the only one.
    pub fn subtasks(&self, result: StoredResult) -> Vec<Score> {
        let judged = self.current().and_then(|judgement| judgement.done.as_ref());
        match judged {
            Some(done) if self.overridden.is_none() && !done.subtasks.is_empty() => done.subtasks.clone(),
            _ => vec![result.score.unwrap_or_default()],
        }
    }
}

impl From<StoredResult> for Outcome {
    fn from(result: StoredResult) -> Self {
        Self { verdict: result.verdict, score: result.score }
    }
}
