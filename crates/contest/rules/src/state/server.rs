//! Accounts, pools and judgehosts.

use super::Submission;
use crate::{
    AccountId, AccountSettings, ContestId, Instant, JudgehostState, LanguageId, Millis, PoolId, PoolSettings,
    ProblemId, Proof, TeamId, TokenId,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Account {
    pub settings: AccountSettings,
    /// The hash, and the number of the event that set it.
    pub password: Option<(String, u64)>,
    pub last_login: Option<(Instant, Option<String>)>,
    pub tokens: BTreeSet<TokenId>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Token {
    pub account: AccountId,
    pub hash: String,
    pub note: String,
    pub issued: Instant,
    pub expires: Option<Instant>,
}

/// A session of a browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub account: AccountId,
    pub proof: Proof,
    pub began: Instant,
    pub expires: Instant,
}

impl Session {
    /// Returns how long ago it began.
    pub fn age(&self, now: Instant) -> Millis {
        now - self.began
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pool {
    pub settings: PoolSettings,
    /// For the pool as the fast one: (strict pool, language) to (upper bound in thousandths, programs).
    pub ratios: BTreeMap<(PoolId, LanguageId), (u32, u32)>,
    /// Programs that passed on it and on the strict pool: how many, and the highest ratio in thousandths.
    pub pairs: BTreeMap<(PoolId, LanguageId), (u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgehost {
    pub pool: PoolId,
    pub account: Option<AccountId>,
    pub identity: Vec<String>,
    pub compilers: Vec<String>,
    /// How many programs it times at once.
    pub places: u32,
    /// What differs from start to start of it.
    pub instance: String,
    pub state: JudgehostState,
    /// Why it takes no jobs.
    pub reason: String,
    pub joined: Instant,
    /// Failures of ours since the last judgement that it finished.
    pub failures: u32,
    /// With which problems of which teams: a submission may make a checker fail on any machine.
    pub failed_with: BTreeSet<(ContestId, ProblemId, Option<TeamId>)>,
    /// Judgements that it finished.
    pub judged: u64,
}

impl Judgehost {
    pub(crate) fn has_compiler(&self, language: &LanguageId) -> bool {
        let name = |line: &String| line.split_once(':').is_some_and(|(name, _)| name == language.as_str());
        self.compilers.iter().any(name)
    }

    /// Returns whether its failures with single judgements, together with one more, are of several teams and problems.
    pub(crate) fn may_be_at_fault(&self, contest: &ContestId, failed: &Submission) -> bool {
        let is_other =
            |one: &(ContestId, ProblemId, Option<TeamId>)| (&one.0, &one.1) != (contest, &failed.problem);
        self.failed_with.iter().any(is_other) && self.failed_with.iter().any(|one| one.2 != failed.team)
    }

    pub(crate) fn clear_failures(&mut self) {
        self.failures = 0;
        self.failed_with.clear();
    }
}

/// Where the queue's owners stand; see [`crate::jobs`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turns {
    /// The highest turn that has begun, by pool and class.
    pub begun: BTreeMap<(PoolId, u8), i64>,
    pub last: BTreeMap<(PoolId, u8, String), i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// The event's number.
    pub seq: u64,
    pub time: Instant,
    pub account: AccountId,
    pub address: Option<String>,
    pub contest: Option<ContestId>,
    pub kind: String,
    pub message: model::Message,
}
