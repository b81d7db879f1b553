//! Live stream contests that are shown in contests. They have servers of their own, which report twice a second; so nothing of it
//! is stored here.

use contest_rules::{ContestId, TeamId};
use documents::StreamBoard;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

#[derive(Clone)]
pub struct LiveContest {
    /// Where the digits are.
    pub input: String,
    /// Where answers go.
    pub output: String,
    pub passwords: Arc<BTreeMap<TeamId, String>>,
    pub board: Arc<StreamBoard>,
    pub reported: Instant,
}

#[derive(Default)]
pub struct LiveContests(Mutex<HashMap<ContestId, LiveContest>>);

impl LiveContests {
    pub fn get(&self, contest: &ContestId) -> Option<LiveContest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(contest).cloned()
    }

    /// Takes a report. Passwords that it does not have stay.
    pub fn set(&self, contest: ContestId, report: LiveContest) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(contest, report);
    }
}
