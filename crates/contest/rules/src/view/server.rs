//! What a viewer sees of the server: accounts, tokens, pools, judgehosts, audit.

use crate::roles::{self, Resource};
use crate::state::{AuditEntry, Judgehost, State};
use crate::{
    AccountId, AccountSettings, Caller, ContestId, Instant, JudgehostId, LanguageId, PauseScope, PoolId,
    PoolSettings, Refusal, TokenId,
};
use serde::Serialize;

#[derive(Clone, Debug)]
pub struct ServerView<'a> {
    state: &'a State,
    caller: Caller,
}

/// A token; never with its secret.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TokenView<'a> {
    pub id: &'a TokenId,
    pub account: &'a AccountId,
    pub note: &'a str,
    pub issued: Instant,
    pub expires: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoolView<'a> {
    pub settings: &'a PoolSettings,
    pub judgehosts: Vec<&'a JudgehostId>,
    /// What was measured with it as the fast one.
    pub ratios: Vec<RatioView<'a>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioView<'a> {
    pub strict: &'a PoolId,
    pub language: &'a LanguageId,
    /// The upper bound, in thousandths.
    pub upper_permille: u32,
    pub programs: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgehostView<'a> {
    pub id: &'a JudgehostId,
    pub host: &'a Judgehost,
    /// What it judges now, as ids of jobs.
    pub jobs: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub contest: Option<ContestId>,
    pub account: Option<AccountId>,
    pub kind: Option<String>,
    pub from: Option<Instant>,
    pub until: Option<Instant>,
    /// With this in the text or the address, in any case.
    pub text: Option<String>,
    /// Before this number: for the next page.
    pub before: Option<u64>,
    pub max: usize,
}

impl State {
    pub fn server(&self, caller: &Caller) -> ServerView<'_> {
        ServerView { state: self, caller: caller.clone() }
    }
}

impl<'a> ServerView<'a> {
    pub fn accounts(&self) -> Result<Vec<&'a AccountSettings>, Refusal> {
        roles::may_read(&self.caller, Resource::Accounts)?;
        let shown = self.state.accounts.values().filter(|account| self.is_near(account));
        Ok(shown.map(|account| &account.settings).collect())
    }

    /// Returns whether an account is one that an admin has to do with: one bound to contests only with accounts of these.
    fn is_near(&self, account: &crate::state::Account) -> bool {
        let (own, theirs) = (&self.caller.contests, &account.settings.contests);
        own.is_empty()
            || !own.is_disjoint(theirs)
            || self.caller.account.as_ref() == Some(&account.settings.id)
    }

    /// Returns an account: one of [`Self::accounts`] for those who see others', else the caller's own.
    pub fn account(&self, id: &AccountId) -> Result<&'a AccountSettings, Refusal> {
        let is_shown = self.caller.account.as_ref() == Some(id)
            || roles::may_read(&self.caller, Resource::Accounts).is_ok();
        let account = self.state.accounts.get(id).filter(|account| is_shown && self.is_near(account));
        account.map(|account| &account.settings).ok_or_else(|| Refusal::not_found("account", id))
    }

    /// Returns the tokens: for admins those of the accounts that they see, else the caller's own.
    pub fn tokens(&self) -> Vec<TokenView<'a>> {
        let sees_all = roles::may_read(&self.caller, Resource::AllTokens).is_ok();
        let account = self.caller.account.clone();
        let shown = self.state.tokens.iter().filter(|(_, token)| {
            let is_near = || self.state.accounts.get(&token.account).is_none_or(|of| self.is_near(of));
            account.as_ref() == Some(&token.account) || (sees_all && is_near())
        });
        let view = |(id, token): (&'a TokenId, &'a crate::state::Token)| TokenView {
            id,
            account: &token.account,
            note: &token.note,
            issued: token.issued,
            expires: token.expires,
        };
        shown.map(view).collect()
    }

    pub fn pools(&self) -> Result<Vec<PoolView<'a>>, Refusal> {
        roles::may_read(&self.caller, Resource::Judging)?;
        let hosts = |pool: &PoolId| {
            let of_pool = self.state.judgehosts.iter().filter(|(_, host)| host.pool == *pool);
            of_pool.map(|(id, _)| id).collect()
        };
        let ratio = |((strict, language), (upper, programs)): (&'a (PoolId, LanguageId), &'a (u32, u32))| {
            RatioView { strict, language, upper_permille: *upper, programs: *programs }
        };
        let view = |(id, pool): (&'a PoolId, &'a crate::state::Pool)| PoolView {
            settings: &pool.settings,
            judgehosts: hosts(id),
            ratios: pool.ratios.iter().map(ratio).collect(),
        };
        Ok(self.state.pools.iter().map(view).collect())
    }

    pub fn judgehosts(&self) -> Result<Vec<JudgehostView<'a>>, Refusal> {
        roles::may_read(&self.caller, Resource::Judging)?;
        let hosts = self.state.judgehosts.iter();
        Ok(hosts.map(|(id, host)| JudgehostView { id, host, jobs: self.state.jobs_of(id) }).collect())
    }

    /// Returns what is not judged for now, and why.
    pub fn paused(&self) -> Result<Vec<(&'a PauseScope, &'a str)>, Refusal> {
        roles::may_read(&self.caller, Resource::Judging)?;
        Ok(self.state.paused.iter().map(|(scope, reason)| (scope, reason.as_str())).collect())
    }

    /// Returns the lines of the audit that a filter lets through, the newest first. Those who are bound to contests get lines of
    /// these, and what they did themselves.
    pub fn audit(&self, filter: &AuditFilter) -> Result<Vec<&'a AuditEntry>, Refusal> {
        roles::may_read(&self.caller, Resource::Audit)?;
        let text = filter.text.as_ref().map(|text| text.to_lowercase());
        let own = &self.caller.contests;
        let is_near = |entry: &AuditEntry| {
            own.is_empty()
                || entry.contest.as_ref().is_some_and(|contest| own.contains(contest))
                || self.caller.account.as_ref() == Some(&entry.account)
        };
        let lines = self.state.audit.iter().rev().filter(|entry| is_near(entry)).filter(|entry| {
            let contains = |text: &String| {
                entry.message.text.to_lowercase().contains(text)
                    || entry.address.as_ref().is_some_and(|address| address.to_lowercase().contains(text))
            };
            filter.contest.as_ref().is_none_or(|contest| entry.contest.as_ref() == Some(contest))
                && filter.account.as_ref().is_none_or(|account| entry.account == *account)
                && filter.kind.as_ref().is_none_or(|kind| entry.kind == *kind)
                && filter.from.is_none_or(|from| entry.time >= from)
                && filter.until.is_none_or(|until| entry.time < until)
                && filter.before.is_none_or(|before| entry.seq < before)
                && text.as_ref().is_none_or(contains)
        });
        Ok(lines.take(filter.max).collect())
    }
}
