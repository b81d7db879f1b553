//! Why a job went where it went.

use crate::vocabulary::Vocabulary;
use documents::{SimCandidate, SimDecision, SimScore};
use placement::policy::Score;
use placement::{Filter, HostId, Job, Scheduler};
use std::collections::BTreeMap;

/// One decision about a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub at_ms: u64,
    /// When it was made last: nothing of it had changed.
    pub last_ms: u64,
    /// How often it was made.
    pub times: u64,
    /// The policy that decided, which may be the fallback.
    pub policy: String,
    /// The host that was chosen; `None` if no host took the job.
    pub host: Option<String>,
    /// How many hosts failed each condition; a host counts for the first that it fails.
    pub failed: BTreeMap<Filter, u64>,
    /// The hosts that passed, the best first, and of the chosen one wherever it is.
    pub candidates: Vec<Candidate>,
    pub passed: u64,
    /// How many strict jobs of the host changed their cores to make room.
    pub rearranged: u64,
}

/// A host that passed.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub host: String,
    /// Its value with the job on it.
    pub total: u32,
    pub scores: BTreeMap<Score, (u32, u32)>,
}

/// More hosts are not worth showing.
const CANDIDATES_SHOWN: usize = 8;

impl Explanation {
    /// Looks at all hosts for a job that is about to be placed; those that `admits` refuses count as excluded.
    pub fn of(
        scheduler: &Scheduler,
        names: &Vocabulary,
        job: &Job,
        at_ms: u64,
        admits: impl Fn(HostId) -> bool,
    ) -> Self {
        let looks = scheduler.look_at_all(job, at_ms);
        let mut failed: BTreeMap<Filter, u64> = BTreeMap::new();
        let mut passed = Vec::new();
        for (host, look) in (0..).zip(looks) {
            match look {
                Ok(_) if !admits(host) => *failed.entry(Filter::Excluded).or_default() += 1,
                Ok(total) => passed.push((total, host)),
                Err(filter) => *failed.entry(filter).or_default() += 1,
            }
        }
        let number = passed.len() as u64;
        let best = |(total, host): &(u32, HostId)| (std::cmp::Reverse(*total), *host);
        if passed.len() > CANDIDATES_SHOWN {
            passed.select_nth_unstable_by_key(CANDIDATES_SHOWN, best);
            passed.truncate(CANDIDATES_SHOWN);
        }
        passed.sort_by_key(best);
        let passed: Vec<(HostId, u32)> = passed.into_iter().map(|(total, host)| (host, total)).collect();
        let shown = Self::of_these(scheduler, names, job, at_ms, &passed);
        Self { failed, passed: number, host: None, ..shown }
    }

    /// Explains why the first of these hosts, with their values, is the best.
    pub fn of_these(
        scheduler: &Scheduler,
        names: &Vocabulary,
        job: &Job,
        at_ms: u64,
        passed: &[(HostId, u32)],
    ) -> Self {
        let candidate = |(host, total): &(HostId, u32)| Candidate {
            host: names.hosts.name(*host).to_owned(),
            total: *total,
            scores: scheduler.scores(job, *host, at_ms),
        };
        Self {
            at_ms,
            last_ms: at_ms,
            times: 1,
            policy: scheduler.policy().name.clone(),
            host: passed.first().map(|(host, _)| names.hosts.name(*host).to_owned()),
            failed: BTreeMap::new(),
            candidates: passed.iter().map(candidate).collect(),
            passed: passed.len() as u64,
            rearranged: 0,
        }
    }

    pub fn document(&self) -> SimDecision {
        let candidate = |candidate: &Candidate| SimCandidate {
            host: candidate.host.clone(),
            total: candidate.total,
            scores: candidate
                .scores
                .iter()
                .map(|(score, (value, weight))| {
                    (score.id().to_owned(), SimScore { value: *value, weight: *weight })
                })
                .collect(),
        };
        SimDecision {
            at_ms: self.at_ms,
            times: self.times,
            last_ms: self.last_ms,
            policy: self.policy.clone(),
            host: self.host.clone(),
            failed: self.failed.iter().map(|(filter, count)| (filter.id().to_owned(), *count)).collect(),
            passed: self.passed,
            rearranged: self.rearranged,
            candidates: self.candidates.iter().map(candidate).collect(),
        }
    }

    /// Adds it to others, as one more time if the last is the same refusal.
    pub(super) fn add_to(self, others: &mut Vec<Self>) {
        if let Some(last) = others.last_mut()
            && (&last.host, &self.host) == (&None, &None)
            && (&last.policy, &last.failed) == (&self.policy, &self.failed)
        {
            last.last_ms = self.at_ms;
            last.times += 1;
        } else {
            others.push(self);
        }
    }
}
