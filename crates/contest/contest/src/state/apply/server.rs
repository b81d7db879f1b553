//! Events of the whole server: accounts, pools, judgehosts.

use super::Change;
use crate::notices::{Audience, Object};
use crate::state::{Account, Changes, Contest, Judgehost, Pool, State, Token};
use crate::{AccountSettings, Actor, Body, Event, JudgehostState, PauseScope, TokenId};
use std::collections::{BTreeMap, BTreeSet};

impl State {
    pub(super) fn apply_to_server(&mut self, seq: u64, body: &Body, event: &Event, changes: &mut Changes) {
        match body {
            Body::AccountSet(settings) => {
                let is_new = !self.accounts.contains_key(&settings.id);
                let entry = self.accounts.entry(settings.id.clone());
                let new = || Account {
                    settings: settings.clone(),
                    password: None,
                    last_login: None,
                    tokens: BTreeSet::new(),
                };
                let old = entry.or_insert_with(new);
                let old = std::mem::replace(&mut old.settings, settings.clone());
                self.note(Object::Account(settings.id.clone()), false, changes);
                self.note_in_contests(&old, is_new, Some(settings), changes);
            }
            Body::AccountRemoved(id) => {
                if let Some(account) = self.accounts.remove(id) {
                    for token in account.tokens {
                        self.remove_token(&token);
                    }
                    self.note_in_contests(&account.settings, false, None, changes);
                }
                self.note(Object::Account(id.clone()), true, changes);
            }
            Body::PasswordSet { account, hash } => {
                if let Some(account) = self.accounts.get_mut(account) {
                    account.password = Some((hash.clone(), seq));
                }
            }
            Body::TokenIssued { id, account, hash, note, expires } => {
                let Some(owner) = self.accounts.get_mut(account) else { return };
                owner.tokens.insert(id.clone());
                let token = Token {
                    account: account.clone(),
                    hash: hash.clone(),
                    note: note.clone(),
                    issued: event.time,
                    expires: *expires,
                };
                self.tokens.insert(id.clone(), token);
                self.token_of_hash.insert(hash.clone(), id.clone());
            }
            Body::TokenRevoked(id) => self.remove_token(id),
            Body::LoggedIn => {
                let Actor::Account(id, address) = &event.actor else { return };
                if let Some(account) = self.accounts.get_mut(id) {
                    account.last_login = Some((event.time, address.clone()));
                }
            }
            _ => self.apply_to_judgehosts(body, event, changes),
        }
    }

    /// Notes an account in the contests that it is valid for, or was.
    fn note_in_contests(
        &mut self,
        old: &AccountSettings,
        is_new: bool,
        new: Option<&AccountSettings>,
        changes: &mut Changes,
    ) {
        // Accounts go on changing; clients of a contest that is over were told that nothing comes any more.
        let is_open = |contest: &Contest| contest.happened().end_of_updates.is_none();
        for (id, contest) in self.contests.iter_mut().filter(|(_, contest)| is_open(contest)) {
            let (was, is_now) = (!is_new && old.is_in(id), new.is_some_and(|new| new.is_in(id)));
            let mut change = Change { id, contest, changes };
            if is_now != was {
                // Submissions do not name an account that is not there.
                let sent =
                    change.contest.numbered().filter(|(_, entry)| entry.account.as_ref() == Some(&old.id));
                for number in sent.map(|(number, _)| number).collect::<Vec<_>>() {
                    change.note_jury(Object::Submission(number));
                }
            }
            if is_now || was {
                change.note(Audience::Jury, Object::Account(old.id.clone()), !is_now);
            }
        }
    }

    fn remove_token(&mut self, id: &TokenId) {
        let Some(token) = self.tokens.remove(id) else { return };
        self.token_of_hash.remove(&token.hash);
        if let Some(account) = self.accounts.get_mut(&token.account) {
            account.tokens.remove(id);
        }
    }

    fn apply_to_judgehosts(&mut self, body: &Body, event: &Event, changes: &mut Changes) {
        match body {
            Body::PoolSet(settings) => {
                let new =
                    || Pool { settings: settings.clone(), ratios: BTreeMap::new(), pairs: BTreeMap::new() };
                self.pools.entry(settings.id.clone()).or_insert_with(new).settings = settings.clone();
            }
            Body::PoolRemoved(id) => {
                self.pools.remove(id);
            }
            Body::PoolRatioMeasured { strict, fast, language, upper_permille, programs } => {
                if let Some(pool) = self.pools.get_mut(fast) {
                    pool.ratios.insert((strict.clone(), language.clone()), (*upper_permille, *programs));
                }
            }
            Body::JudgehostJoined { id, pool, identity, compilers, places } => {
                let account = match &event.actor {
                    Actor::Account(account, _) => Some(account.clone()),
                    _ => None,
                };
                let before = self.judgehosts.remove(id);
                let host = Judgehost {
                    pool: pool.clone(),
                    account,
                    identity: identity.clone(),
                    compilers: compilers.clone(),
                    places: *places,
                    state: JudgehostState::Enabled,
                    reason: String::new(),
                    joined: event.time,
                    failures: 0,
                    failed_with: BTreeSet::new(),
                    judged: before.map_or(0, |host| host.judged),
                };
                self.judgehosts.insert(id.clone(), host);
                self.paused.retain(|scope, _| !matches!(scope, PauseScope::Language(_, host) if host == id));
            }
            Body::JudgehostSet { id, state, reason } => {
                let Some(host) = self.judgehosts.get_mut(id) else { return };
                host.state = *state;
                host.reason.clone_from(reason);
                if *state == JudgehostState::Enabled {
                    host.clear_failures();
                }
            }
            Body::JudgehostRemoved(id) => {
                self.judgehosts.remove(id);
            }
            Body::JudgingPaused { scope, reason } => {
                self.paused.insert(scope.clone(), reason.clone());
                self.requeue(changes);
            }
            Body::JudgingResumed(scope) => {
                self.paused.remove(scope);
                if let PauseScope::Package(package) = scope {
                    self.package_failures.remove(package);
                }
                self.requeue(changes);
            }
            _ => return,
        }
        self.note(Object::Judging, false, changes);
    }

    /// Puts into the queue what waits and is not paused, and takes out what waits and is.
    fn requeue(&mut self, changes: &mut Changes) {
        let paused = &self.paused;
        for (id, contest) in &mut self.contests {
            contest.requeue(id, paused, changes);
        }
    }
}
