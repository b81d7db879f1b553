//! The state after all events. Every part is private to the crate: data leaves through [`crate::view`] only.

mod apply;
mod checkpoint;
mod contest;
mod disclosed;
mod judging;
mod server;

use crate::{
    AccountId, BlobHash, Caller, ContestId, Instant, JobChange, JudgehostId, JudgehostState, Notice,
    PauseScope, PoolId, PoolSettings, Refusal, Registration, Standing, TokenId,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub use contest::{AwardEdit, RejudgingStatus};
pub(crate) use contest::{Balloon, Contest, Finalized, Problem, Question, Rejudging, Remark, is_paused};
pub(crate) use disclosed::Disclosed;
pub(crate) use judging::{Attempt, Done, Judgement, Overridden, StoredResult, StoredRun, Submission};
pub(crate) use server::{Account, Pool, Token};
pub use server::{AuditEntry, Judgehost, Session, Turns};

pub use checkpoint::CHECKPOINT_VERSION;

/// The fold of all events up to one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(crate) seq: u64,
    pub(crate) time: Instant,
    pub(crate) contests: BTreeMap<ContestId, Contest>,
    pub(crate) accounts: BTreeMap<AccountId, Account>,
    pub(crate) tokens: BTreeMap<TokenId, Token>,
    pub(crate) token_of_hash: BTreeMap<String, TokenId>,
    /// Sessions by the hashes of their secrets.
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) pools: BTreeMap<PoolId, Pool>,
    pub(crate) judgehosts: BTreeMap<JudgehostId, Judgehost>,
    pub(crate) paused: BTreeMap<PauseScope, String>,
    /// Which judgehosts failed with a package since it was last judged there.
    pub(crate) package_failures: BTreeMap<BlobHash, BTreeSet<JudgehostId>>,
    pub(crate) turns: Turns,
    pub(crate) audit: Vec<AuditEntry>,
    pub(crate) staff_notices: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub notices: Vec<Notice>,
    /// What enters the queue of jobs, and what leaves it undone.
    pub jobs: Vec<JobChange>,
}

impl State {
    /// Returns a copy with one contest, its accounts and what is paused.
    pub fn only(&self, id: &ContestId) -> Self {
        Self {
            seq: self.seq,
            time: self.time,
            contests: self
                .contests
                .get(id)
                .map(|contest| (id.clone(), contest.clone()))
                .into_iter()
                .collect(),
            accounts: self.accounts.clone(),
            paused: self.paused.clone(),
            ..Self::default()
        }
    }

    pub fn seq(&self) -> u64 {
        self.seq
    }

    pub fn time(&self) -> Instant {
        self.time
    }

    /// Returns when [`crate::Command::Tick`] is due: something starts, freezes, ends or thaws.
    pub fn next_tick(&self) -> Option<Instant> {
        self.contests.values().filter_map(|contest| contest.settings.next_change(contest.time)).min()
    }

    /// Returns the caller with an account that has proven who it is; `None` if there is no such account, or it is not
    /// enabled.
    pub fn caller(&self, account: &AccountId, address: Option<String>) -> Option<Caller> {
        let settings = &self.accounts.get(account).filter(|account| account.settings.is_enabled)?.settings;
        Some(Caller {
            account: Some(account.clone()),
            standing: Standing::Account(settings.role),
            contests: settings.contests.clone(),
            team: settings.team.clone(),
            judgehost: None,
            address,
        })
    }

    /// Returns the name of a contest and how teams register in it, if they can: also of a contest that is not public.
    pub fn registration(&self, id: &ContestId) -> Option<(&str, &Registration)> {
        let contest = self.contests.get(id).filter(|contest| contest.registration_is_open())?;
        Some((&contest.settings.name, &contest.settings.registration))
    }

    /// Returns the account that the OpenID provider knows by a subject.
    pub fn account_of_subject(&self, subject: &str) -> Option<&AccountId> {
        let is_it = |account: &&Account| account.settings.oidc_subject.as_deref() == Some(subject);
        self.accounts.values().find(is_it).map(|account| &account.settings.id)
    }

    /// Returns the hash of an account's password, and the number of the event that set it: sessions from before it have
    /// ended.
    pub fn password(&self, account: &AccountId) -> Option<(&str, u64)> {
        let password = self.accounts.get(account)?.password.as_ref()?;
        Some((&password.0, password.1))
    }

    /// Returns the token with a hash and its account, unless it has ended or been revoked.
    pub fn token(&self, hash: &str, now: Instant) -> Option<(&TokenId, &AccountId)> {
        let id = self.token_of_hash.get(hash)?;
        let token = self.tokens.get(id)?;
        token.expires.is_none_or(|expires| now < expires).then_some((id, &token.account))
    }

    /// Returns the session with a hash, unless it has ended.
    pub fn session(&self, hash: &str, now: Instant) -> Option<&Session> {
        self.sessions.get(hash).filter(|session| now < session.expires)
    }

    /// Returns the pool of a judgehost, and whether it takes jobs.
    pub fn joined(&self, caller: &Caller, id: &JudgehostId) -> Result<(PoolId, JudgehostState), Refusal> {
        let host = self.judgehosts.get(id).ok_or_else(|| Refusal::not_found("judgehost", id))?;
        let is_own = caller.standing == Standing::System || host.account == caller.account;
        if !is_own {
            return Err(Refusal::forbidden(format!("judgehost '{id}' belongs to another account")));
        }
        Ok((host.pool.clone(), host.state))
    }

    pub fn judgehosts_of(&self, account: &AccountId) -> impl Iterator<Item = &JudgehostId> {
        let own = self.judgehosts.iter().filter(move |(_, host)| host.account.as_ref() == Some(account));
        own.map(|(id, _)| id)
    }

    /// Returns the pools' names.
    pub fn pools(&self) -> impl Iterator<Item = &PoolId> {
        self.pools.keys()
    }

    pub fn pool_settings(&self, id: &PoolId) -> Option<&PoolSettings> {
        self.pools.get(id).map(|pool| &pool.settings)
    }

    /// Returns the accounts that are logged in by address, with those addresses.
    pub fn addresses(&self) -> impl Iterator<Item = (&AccountId, &[String])> {
        let accounts = self.accounts.values().filter(|account| account.settings.is_enabled);
        accounts
            .map(|account| (&account.settings.id, account.settings.ip.as_slice()))
            .filter(|(_, ip)| !ip.is_empty())
    }

    pub fn is_new(&self) -> bool {
        self.accounts.is_empty()
    }

    pub fn blobs(&self) -> impl Iterator<Item = &crate::BlobHash> {
        self.contests.values().flat_map(Contest::blobs)
    }

    pub fn blobs_of<'a>(
        &'a self,
        contests: &'a BTreeSet<ContestId>,
    ) -> impl Iterator<Item = &'a crate::BlobHash> {
        contests.iter().filter_map(|id| self.contests.get(id)).flat_map(Contest::blobs)
    }
}
