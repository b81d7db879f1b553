//! What a viewer sees of submissions and judgements.

use super::View;
use crate::roles::Sight;
use crate::state::{Disclosed, Judgehost, Judgement, Submission, is_paused};
use crate::{
    AccountId, BlobHash, Instant, JudgehostId, JudgehostState, JudgementKey, JudgementReason, LanguageId,
    Millis, Outcome, PauseScope, PoolId, ProblemId, Refusal, Score, StoredVerdict, SubmissionNumber,
    SubmittedFile, TeamId,
};
use documents::contest::Obstacle;
use model::{Bytes, Nanos, message};
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SubmissionView<'a> {
    pub number: SubmissionNumber,
    /// Whose, if a team's.
    pub team: Option<&'a TeamId>,
    /// Which account sent it, if that is still one of the contest; for the jury.
    pub account: Option<&'a AccountId>,
    pub problem: &'a ProblemId,
    pub language: &'a LanguageId,
    pub time: Instant,
    pub contest_time: Millis,
    pub is_practice: bool,
    /// Its main file or class; for the jury and its team.
    pub entry_point: Option<&'a str>,
    /// Its files; for the jury and its team.
    pub files: Option<&'a [SubmittedFile]>,
    /// Why it does not count; for the jury.
    pub ignored: Option<&'a str>,
    /// Its verdict, set by hand; for the jury.
    pub overridden: Option<OverrideView<'a>>,
    /// How its replicas compare, if there are; for the jury.
    pub replicas: Option<ReplicaView>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OverrideView<'a> {
    pub outcome: Outcome,
    pub by: Option<&'a AccountId>,
    pub reason: &'a str,
    pub time: Instant,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgementView<'a> {
    /// Which. For others than the jury it is numbered by the verdicts that they could see, not by how often it was judged.
    pub key: JudgementKey,
    pub is_current: bool,
    /// When judging began; when it was queued, while it waits.
    pub start: Instant,
    pub start_contest_time: Millis,
    pub has_begun: bool,
    /// What it came to; `None` while it is pending for the viewer.
    pub outcome: Option<Outcome>,
    /// When it was done; with the outcome.
    pub end: Option<Instant>,
    pub end_contest_time: Option<Millis>,
    /// The highest CPU time of a case; for others than the jury only where the contest shows it.
    pub max_run_time: Option<Nanos>,
    /// The score of each subtask; for the jury and its team.
    pub subtasks: Option<&'a [Score]>,
    /// Where its record is; for the jury, and for its team, who gets it without the test data.
    pub evidence: Option<&'a BlobHash>,
    /// What the compiler printed; for the jury and its team.
    pub compile_output: Option<&'a BlobHash>,
    pub jury: Option<JuryJudgementView<'a>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JuryJudgementView<'a> {
    pub reason: JudgementReason,
    pub pool: &'a PoolId,
    pub judgehost: Option<&'a JudgehostId>,
    pub opened: Instant,
    /// Whether it was judged: with a verdict set by hand it may still wait.
    pub is_done: bool,
    pub cancelled: Option<&'a str>,
    /// Failures of ours: on which judgehost, why.
    pub failures: &'a [(JudgehostId, String)],
    /// Who verified it, and what was noticed.
    pub verified: Option<&'a (AccountId, String)>,
    pub nondeterministic: Option<&'a BTreeSet<u32>>,
    pub for_jury: Option<&'a BTreeSet<u32>>,
    /// Whether its verdict counts only when the jury has decided, which it has not.
    pub waits_for_jury: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunView {
    pub judgement: JudgementKey,
    pub ordinal: u32,
    pub verdict: StoredVerdict,
    pub cpu_time: Nanos,
    /// The memory peak; for the jury and its team.
    pub memory_peak: Option<Bytes>,
    pub time: Instant,
    pub contest_time: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReplicaView {
    pub opened: u32,
    pub done: u32,
    /// Whether their verdicts differ: the jury has to decide.
    pub differ: bool,
    /// The lowest time of the slowest case.
    pub lowest: Option<Nanos>,
    pub highest: Option<Nanos>,
}

impl<'a> View<'a> {
    pub fn submissions(&self) -> impl Iterator<Item = SubmissionView<'a>> {
        let shown = self.contest.numbered().filter(|(_, submission)| self.sees_submission(submission));
        shown.map(|(number, submission)| self.submission_view(number, submission))
    }

    pub fn submission(&self, number: SubmissionNumber) -> Result<SubmissionView<'a>, Refusal> {
        Ok(self.submission_view(number, self.submission_entry(number)?))
    }

    pub fn source(&self, number: SubmissionNumber) -> Result<&'a [SubmittedFile], Refusal> {
        let submission = self.submission(number)?;
        submission.files.ok_or_else(|| {
            Refusal::forbidden(message!(
                "files-for-team-and-jury",
                "a submission's files are for its team and the jury"
            ))
        })
    }

    fn sees_source(&self, submission: &Submission) -> bool {
        self.is_jury() || self.is_own(submission)
    }

    fn submission_view(&self, number: SubmissionNumber, submission: &'a Submission) -> SubmissionView<'a> {
        let (sees_source, is_jury) = (self.sees_source(submission), self.is_jury());
        SubmissionView {
            number,
            team: submission.team.as_ref(),
            account: submission.account.as_ref().filter(|id| is_jury && self.has_account(id)),
            problem: &submission.problem,
            language: &submission.language,
            time: submission.time,
            contest_time: submission.contest_time,
            is_practice: self.contest.is_practice(submission),
            entry_point: submission.entry_point.as_deref().filter(|_| sees_source),
            files: sees_source.then_some(&submission.files),
            ignored: submission.ignored.as_deref().filter(|_| is_jury),
            overridden: submission.overridden.as_ref().filter(|_| is_jury).map(|overridden| OverrideView {
                outcome: overridden.result.into(),
                by: overridden.by.as_ref(),
                reason: &overridden.reason,
                time: overridden.time,
            }),
            replicas: if is_jury { crate::pools::compare(submission) } else { None },
        }
    }

    /// Returns the judgements that the viewer may know of: for others than the jury, the one of each submission that
    /// counts.
    pub fn judgements(&self) -> impl Iterator<Item = JudgementView<'a>> {
        self.contest.numbered().flat_map(|(number, submission)| self.judgements_of(number, submission))
    }

    pub fn judgements_of_submission(
        &self,
        number: SubmissionNumber,
    ) -> Result<Vec<JudgementView<'a>>, Refusal> {
        Ok(self.judgements_of(number, self.submission_entry(number)?).collect())
    }

    pub fn judgement(&self, key: JudgementKey) -> Result<JudgementView<'a>, Refusal> {
        self.contest
            .submission(key.submission)
            .and_then(|submission| {
                self.judgements_of(key.submission, submission).find(|entry| entry.key == key)
            })
            .ok_or_else(|| Refusal::not_found("judgement", key))
    }

    fn judgements_of(
        &self,
        number: SubmissionNumber,
        submission: &'a Submission,
    ) -> impl Iterator<Item = JudgementView<'a>> {
        let (is_jury, is_seen) = (self.is_jury(), self.sees_result(submission));
        let view = self.clone();
        (1..).zip(&submission.judgements).filter_map(move |(judgement, entry)| {
            let is_current = judgement == submission.current;
            let shown = if is_jury { judgement } else { submission.shown };
            let key = JudgementKey { submission: number, number: shown };
            (is_jury || (is_seen && is_current))
                .then(|| view.judgement_view(key, is_current, submission, entry))
        })
    }

    pub(super) fn judgement_view(
        &self,
        key: JudgementKey,
        is_current: bool,
        submission: &'a Submission,
        entry: &'a Judgement,
    ) -> JudgementView<'a> {
        let (is_jury, is_own) = (self.is_jury(), self.is_own(submission));
        let overridden = submission.overridden.as_ref().filter(|_| is_current);
        let verified = overridden.map_or(&entry.verified, |overridden| &overridden.verified);
        let done = entry.done.as_ref();
        // The verdict that counts is the same for all who may see it, and that of the board.
        let outcome = match overridden {
            Some(overridden) if is_jury => Some(overridden.result.into()),
            _ if is_jury => done.map(|done| done.result.into()),
            _ => self.contest.result(submission).map(Into::into),
        };
        // Of a verdict set by hand, others see no trace of the old one.
        let done = done.filter(|_| outcome.is_some());
        let plain = done.filter(|_| is_jury || submission.overridden.is_none());
        let disclosed = if is_jury { Disclosed::ALL } else { self.contest.disclosed(submission) };
        let is_involved = is_jury || is_own;
        let end = if is_jury && overridden.is_none() { done.map(|done| done.time) } else { submission.end() };
        let end = end.filter(|_| outcome.is_some());
        let begun =
            if is_jury { entry.attempt.as_ref().map(|attempt| attempt.begun) } else { submission.begun };
        let start = begun.unwrap_or(entry.opened);
        JudgementView {
            key,
            is_current,
            start,
            start_contest_time: self.contest.contest_time(start),
            has_begun: begun.is_some(),
            outcome,
            end,
            end_contest_time: end.map(|end| self.contest.contest_time(end)),
            max_run_time: plain.filter(|_| disclosed.run_time).and_then(|done| done.max_run_time),
            subtasks: plain.filter(|_| is_involved).map(|done| done.subtasks.as_slice()),
            evidence: plain.filter(|_| is_involved && disclosed.runs).and_then(|done| done.evidence.as_ref()),
            compile_output: plain
                .filter(|_| is_involved && disclosed.compiler_output)
                .and_then(|done| done.compile_output.as_ref()),
            jury: is_jury.then(|| JuryJudgementView {
                reason: entry.reason,
                pool: &entry.pool,
                judgehost: entry.attempt.as_ref().and_then(|attempt| attempt.host.as_ref()),
                opened: entry.opened,
                is_done: entry.done.is_some(),
                cancelled: entry.cancelled.as_deref(),
                failures: &entry.failures,
                verified: verified.as_ref(),
                nondeterministic: entry.done.as_ref().map(|done| &done.nondeterministic),
                for_jury: entry.done.as_ref().map(|done| &done.for_jury),
                waits_for_jury: entry.waits_for_jury() && overridden.is_none(),
            }),
        }
    }

    /// Returns the runs of a judgement. They come as they are judged, where they will not be replaced.
    pub fn runs(&self, key: JudgementKey) -> Result<Vec<RunView>, Refusal> {
        self.judgement(key)?;
        let submission = self.submission_entry(key.submission)?;
        let number = if self.is_jury() { key.number } else { submission.current };
        let Some(entry) = submission.judgement(number) else { return Ok(Vec::new()) };
        let Some(attempt) = &entry.attempt else { return Ok(Vec::new()) };
        let shown = if self.is_jury() { entry.runs.len() } else { self.contest.shown_runs(submission) };
        let sees_memory = self.sees_source(submission);
        let run = |run: &crate::state::StoredRun| {
            let time = attempt.begun + Millis(run.at_ms.into());
            RunView {
                judgement: key,
                ordinal: run.ordinal,
                verdict: run.verdict,
                cpu_time: run.cpu_time,
                memory_peak: run.memory_peak.filter(|_| sees_memory),
                time,
                contest_time: self.contest.contest_time(time),
            }
        };
        Ok(entry.runs.iter().take(shown).map(run).collect())
    }

    /// Returns why no judgehost begins a judgement that waits, other than those before it. `takes` returns whether a judgehost
    /// is there and takes jobs in a language. Only for who may see the source: whether another team's is judged yet may be hidden.
    pub fn obstacle(
        &self,
        key: JudgementKey,
        takes: &dyn Fn(&JudgehostId, Option<&LanguageId>) -> bool,
    ) -> Option<Obstacle> {
        let submission = self.submission_entry(key.submission).ok().filter(|one| self.sees_source(one))?;
        let number = if self.is_jury() { key.number } else { submission.current };
        let waits =
            |entry: &&Judgement| entry.attempt.is_none() && entry.done.is_none() && entry.cancelled.is_none();
        let judgement = submission.judgement(number).filter(waits)?;
        let problem = self.contest.problems.get(&submission.problem);
        if is_paused(problem, &self.state.paused) {
            return Some(Obstacle::Paused);
        }
        let enabled = |(id, host): &(&JudgehostId, &Judgehost)| {
            host.pool == judgement.pool && host.state == JudgehostState::Enabled && takes(id, None)
        };
        let hosts = || self.state.judgehosts.iter().filter(enabled);
        let language = &submission.language;
        let can_judge = |(id, host): (&JudgehostId, &Judgehost)| {
            let scope = PauseScope::Language(language.clone(), id.clone());
            host.has_compiler(language)
                && takes(id, Some(language))
                && !self.state.paused.contains_key(&scope)
        };
        match hosts().next() {
            None => Some(Obstacle::NoJudgehost),
            Some(_) if !hosts().any(can_judge) => Some(Obstacle::NoCompiler),
            Some(_) => None,
        }
    }

    pub fn own_team(&self) -> Option<&TeamId> {
        match &self.sight {
            Sight::Team(team) => Some(team),
            _ => None,
        }
    }
}
