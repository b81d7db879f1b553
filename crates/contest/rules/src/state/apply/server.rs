//! Events of the whole server: accounts, pools, judgehosts.

use super::Change;
use crate::notices::{Audience, Object};
use crate::state::{Account, Changes, Judgehost, Pool, Session, State, Token};
use crate::{
    AccountId, AccountSettings, Actor, Body, ContestId, Event, Instant, JudgehostState, NewJudgehost,
    NewSession, NewToken, PauseScope, PoolId, TokenId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Several for each account of a large contest; then the oldest ends.
const SESSIONS_MAX: usize = 50_000;
/// Logging in again and again ends one's own oldest session, and no one else's.
const SESSIONS_OF_ACCOUNT_MAX: usize = 20;

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
                    self.sessions.retain(|_, session| session.account != *id);
                    self.note_in_contests(&account.settings, false, None, changes);
                }
                self.note(Object::Account(id.clone()), true, changes);
            }
            Body::PasswordSet { account, hash } => {
                if let Some(account) = self.accounts.get_mut(account) {
                    account.password = Some((hash.clone(), seq));
                }
            }
            Body::TokenIssued(NewToken { id, account, hash, note, expires }) => {
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
            Body::SessionBegan(session) => {
                let Actor::Account(account, _) = &event.actor else { return };
                self.begin_session(account, session, event.time);
            }
            Body::SessionEnded(hash) => drop(self.sessions.remove(hash)),
            _ => self.apply_to_judgehosts(body, event, changes),
        }
    }

    fn begin_session(&mut self, account: &AccountId, new: &NewSession, now: Instant) {
        let is_own = |session: &Session| session.account == *account;
        if self.sessions.values().filter(|session| is_own(session)).count() >= SESSIONS_OF_ACCOUNT_MAX {
            self.end_oldest_session(is_own);
        }
        if self.sessions.len() >= SESSIONS_MAX {
            self.sessions.retain(|_, session| session.expires > now);
        }
        if self.sessions.len() >= SESSIONS_MAX {
            self.end_oldest_session(|_| true);
        }
        let NewSession { hash, proof, expires } = new.clone();
        self.sessions.insert(hash, Session { account: account.clone(), proof, began: now, expires });
    }

    fn end_oldest_session(&mut self, is_candidate: impl Fn(&Session) -> bool) {
        let candidates = self.sessions.iter().filter(|(_, session)| is_candidate(session));
        let oldest = candidates.min_by_key(|(_, session)| session.expires).map(|(hash, _)| hash.clone());
        oldest.map(|hash| self.sessions.remove(&hash));
    }

    /// Notes an account in the contests that it is valid for, or was.
    fn note_in_contests(
        &mut self,
        old: &AccountSettings,
        is_new: bool,
        new: Option<&AccountSettings>,
        changes: &mut Changes,
    ) {
        for (id, contest) in &mut self.contests {
            let (was, is_now) = (!is_new && old.is_in(id), new.is_some_and(|new| new.is_in(id)));
            if !is_now && !was {
                continue;
            }
            // Accounts go on changing; clients of a contest that is over expect no more events.
            if contest.happened().end_of_updates.is_some() {
                contest.accounts_since_end.insert(old.id.clone());
                continue;
            }
            Change { id, contest, changes }.note_account(&old.id, is_now, is_now != was);
        }
    }

    /// Notes the contests whose languages are those of a pool.
    fn note_languages_of(&mut self, pool: &PoolId, changes: &mut Changes) {
        for (id, contest) in &mut self.contests {
            let follows = contest.settings.languages.is_empty() && contest.settings.strict_pool == *pool;
            // Clients of a contest that is over expect no more events.
            if follows && contest.happened().end_of_updates.is_none() {
                Change { id, contest, changes }.note_all(Object::Contest, false);
            }
        }
    }

    /// Notes what accounts became after the end of updates, once it is taken back.
    pub(super) fn note_accounts_since_end(&mut self, id: &ContestId, changes: &mut Changes) {
        let Some(contest) = self.contests.get_mut(id) else { return };
        if contest.accounts_since_end.is_empty() || contest.happened().end_of_updates.is_some() {
            return;
        }
        for account in std::mem::take(&mut contest.accounts_since_end) {
            let is_in = self.accounts.get(&account).is_some_and(|entry| entry.settings.is_in(id));
            Change { id, contest, changes }.note_account(&account, is_in, true);
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
                let languages = |state: &Self| {
                    let ids = state.languages_of_pool(&settings.id)?;
                    Some(ids.into_iter().map(str::to_owned).collect::<BTreeSet<_>>())
                };
                let before = languages(self);
                self.pools.entry(settings.id.clone()).or_insert_with(new).settings = settings.clone();
                if languages(self) != before {
                    self.note_languages_of(&settings.id, changes);
                }
            }
            Body::PoolRemoved(id) => {
                // No contest names it, so no contest's languages change.
                self.pools.remove(id);
            }
            Body::PoolRatioMeasured(ratio) => {
                if let Some(pool) = self.pools.get_mut(&ratio.fast) {
                    let pair = (ratio.strict.clone(), ratio.language.clone());
                    pool.ratios.insert(pair, (ratio.upper_permille, ratio.programs));
                }
            }
            Body::JudgehostJoined(NewJudgehost {
                id,
                pool,
                identity,
                compilers,
                places,
                awaits_admission,
                instance,
            }) => {
                let before = self.judgehosts.remove(id);
                let host = Judgehost {
                    pool: pool.clone(),
                    account: event.actor.account(),
                    identity: identity.clone(),
                    compilers: compilers.clone(),
                    places: *places,
                    instance: instance.clone(),
                    state: match awaits_admission {
                        true => JudgehostState::Waiting,
                        false => JudgehostState::Enabled,
                    },
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

impl Change<'_> {
    fn note_account(&mut self, account: &AccountId, is_in: bool, has_moved: bool) {
        if has_moved {
            // Submissions do not name an account that is not there.
            let sent = self.contest.numbered().filter(|(_, entry)| entry.account.as_ref() == Some(account));
            for number in sent.map(|(number, _)| number).collect::<Vec<_>>() {
                self.note_jury(Object::Submission(number));
            }
        }
        self.note(Audience::Jury, Object::Account(account.clone()), !is_in);
    }
}
