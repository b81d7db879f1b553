//! Why a job went where it went.

use super::state::State;
use super::task::Task;
use placement::Filter;
use placement::policy::Score;
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
    /// Looks at all hosts for a job that is about to be placed.
    pub(super) fn of(state: &State, task: &Task) -> Self {
        let looks = state.scheduler.look_at_all(&task.job, state.now_ms);
        let mut failed: BTreeMap<Filter, u64> = BTreeMap::new();
        let mut passed = Vec::new();
        for (host, look) in (0..).zip(looks) {
            match look {
                Ok(total) => passed.push((total, host)),
                Err(filter) => *failed.entry(filter).or_default() += 1,
            }
        }
        passed.sort_by_key(|(total, host)| (std::cmp::Reverse(*total), *host));
        let shown = passed.iter().take(CANDIDATES_SHOWN).map(|(total, host)| Candidate {
            host: state.hosts.name(*host).to_owned(),
            total: *total,
            scores: state.scheduler.scores(&task.job, *host, state.now_ms),
        });
        Self {
            at_ms: state.now_ms,
            last_ms: state.now_ms,
            times: 1,
            policy: state.scheduler.policy().name.clone(),
            host: None,
            failed,
            candidates: shown.collect(),
            passed: passed.len() as u64,
            rearranged: 0,
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
