//! The queue of jobs: its changes, its order, and which judgehost may take which job.

use crate::state::{Contest, Submission, Turns};
use crate::{
    AccountId, BlobHash, ContestId, Instant, JudgementKey, LanguageId, Millis, PoolId, ProblemSettings,
    SubmittedFile,
};
use model::ScoreRules;
use std::collections::BTreeSet;

pub const CLASS_CONTEST: u8 = 0;
pub const CLASS_REJUDGING: u8 = 1;
/// The class of a submission after the end.
pub const CLASS_PRACTICE: u8 = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work<'a> {
    pub contest: &'a ContestId,
    pub judgement: JudgementKey,
    pub pool: &'a PoolId,
    /// Whether one run a case is enough, since a strict pool follows where it matters.
    pub is_fast: bool,
    /// Its limit on CPU time is to be derived if it has none.
    pub problem: &'a ProblemSettings,
    /// By which rules points are computed; `None` for those that the package's files show.
    pub scores: Option<ScoreRules>,
    pub language: &'a LanguageId,
    pub entry_point: Option<&'a str>,
    pub files: &'a [SubmittedFile],
    /// Whether every case runs, also after the verdict is known.
    pub is_full: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobChange {
    Add(JobSpec),
    /// A judgement waits no more, done or not. The job may be gone already.
    Remove(String),
    /// A judgement that a judgehost had waits again.
    GiveBack {
        id: String,
        /// No judgehost gets it earlier.
        not_before: Instant,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    /// Its id: `<contest>/<submission>-<n>`.
    pub id: String,
    pub pool: PoolId,
    /// Lower ones go first.
    pub class: u8,
    /// Within a class, lower ones go first.
    pub turn: i64,
    /// For whom it is: `<contest>/<team>`, or `<contest>/` for the jury.
    pub owner: String,
}

pub fn job_id(contest: &ContestId, judgement: JudgementKey) -> String {
    format!("{contest}/{judgement}")
}

pub fn of_job(id: &str) -> Option<(ContestId, JudgementKey)> {
    let (contest, judgement) = id.split_once('/')?;
    let (submission, number) = judgement.split_once('-')?;
    let submission = crate::SubmissionNumber(submission.parse().ok()?);
    Some((contest.parse().ok()?, JudgementKey { submission, number: number.parse().ok()? }))
}

/// Returns how long a judgement waits after a failure of ours, having failed so often before.
pub(crate) fn retry_delay(failures: u32) -> Millis {
    Millis(1000 << failures.min(5))
}

impl Turns {
    /// Returns the turn of an owner's next job: after its own last one, and not before what is being judged now. So one
    /// with many jobs waits for its own, and one with few does not wait for them.
    pub fn next(&mut self, pool: &PoolId, class: u8, owner: &str) -> i64 {
        let begun = self.begun.get(&(pool.clone(), class)).copied().unwrap_or(0);
        let last = self.last.entry((pool.clone(), class, owner.to_owned())).or_default();
        *last = begun.max(*last) + 1;
        *last
    }

    pub fn begin(&mut self, pool: &PoolId, class: u8, turn: i64) {
        let begun = self.begun.entry((pool.clone(), class)).or_default();
        *begun = turn.max(*begun);
    }
}

impl crate::State {
    /// Returns whether a content is a package or a file of something that waits or is judged in a pool of this account's judgehosts.
    pub fn is_for_judging(&self, account: &AccountId, content: &BlobHash) -> bool {
        let own = self.judgehosts.values().filter(|host| host.account.as_ref() == Some(account));
        let pools: BTreeSet<&PoolId> = own.map(|host| &host.pool).collect();
        let is_of = |contest: &Contest, submission: &Submission| {
            let problem = contest.problems.get(&submission.problem);
            problem.is_some_and(|problem| problem.settings.package == *content)
                || submission.files.iter().any(|file| file.blob == *content)
        };
        let is_open = |submission: &Submission| {
            submission.judgements.iter().any(|entry| entry.is_open() && pools.contains(&entry.pool))
        };
        self.contests.values().any(|contest| {
            contest.submissions.iter().rev().any(|entry| is_open(entry) && is_of(contest, entry))
        })
    }

    /// Returns what a judgehost needs for a job; `None` if there is no such judgement, or it is not open.
    pub fn work(&self, job: &str) -> Option<Work<'_>> {
        let (contest_id, judgement) = of_job(job)?;
        let (contest_id, contest) = self.contests.get_key_value(&contest_id)?;
        let submission = contest.submission(judgement.submission)?;
        let entry = submission.judgement(judgement.number).filter(|judgement| judgement.is_open())?;
        let problem = &contest.problems.get(&submission.problem)?.settings;
        Some(Work {
            contest: contest_id,
            judgement,
            pool: &entry.pool,
            is_fast: contest.settings.fast_pool.as_ref() == Some(&entry.pool),
            problem,
            // Problems of before there were several rules have those of the format.
            scores: Some(problem.scores.unwrap_or(ScoreRules::Format)),
            language: &submission.language,
            entry_point: submission.entry_point.as_deref(),
            files: &submission.files,
            is_full: contest.settings.judging == crate::JudgingMode::Full,
        })
    }
}
