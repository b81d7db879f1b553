//! Decisions about accounts, tokens, pools and judgehosts.

use super::contest::check_pool;
use super::texts::check_imported;
use super::{Context, check_hash, check_known, check_text, find, work_of};
use crate::{
    AccountId, AccountSettings, Body, Command, Event, JudgehostId, JudgehostState, NewJudgehost, NewToken,
    PoolId, PoolSettings, Refusal, Role, pools,
};
use documents::judgehost::IdentityDifference;
use model::message;
use std::net::IpAddr;

const LINES_MAX: usize = 1000;
const PLACES_MAX: u32 = 4096;

impl Context<'_> {
    pub(super) fn decide_for_server(&self, command: Command) -> Result<Vec<Event>, Refusal> {
        let bodies = match command {
            Command::SetAccount(settings) => self.set_account(settings),
            Command::EnableAccount(id, is_enabled) => {
                let settings = self.account(&id)?.settings.clone();
                self.set_account(AccountSettings { is_enabled, ..settings })
            }
            Command::RemoveAccount(id) => self.remove_account(id),
            Command::SetPassword { account, hash } => {
                self.account(&account)?;
                if !hash.starts_with("$argon2id$") {
                    return Err(Refusal::invalid(
                        "hash",
                        message!(
                            "wrong-password-hash",
                            "the password's hash must be Argon2id, in PHC format"
                        ),
                    ));
                }
                Ok(vec![Body::PasswordSet { account, hash }])
            }
            Command::IssueToken(token) => self.issue(token),
            Command::RevokeToken(id) if self.state.tokens.contains_key(&id) => {
                Ok(vec![Body::TokenRevoked(id)])
            }
            Command::RevokeToken(id) => Err(Refusal::not_found("token", id)),
            Command::LogIn(session) => Ok(vec![Body::LoggedIn, Body::SessionBegan(session)]),
            Command::LogOut(hash) => {
                let session = self.state.sessions.get(&hash);
                let is_own = session.is_some_and(|one| self.caller.account.as_ref() == Some(&one.account));
                // One that has ended meanwhile, as by another request, is what was asked for.
                Ok(if is_own { vec![Body::SessionEnded(hash)] } else { Vec::new() })
            }
            Command::SetPool(settings) => {
                self.check_contests(&settings)?;
                Ok(vec![Body::PoolSet(settings)])
            }
            Command::RemovePool(id) => self.remove_pool(id),
            Command::MeasurePoolRatio(ratio) => {
                self.pool(&ratio.strict)?;
                self.pool(&ratio.fast)?;
                if ratio.strict == ratio.fast || ratio.upper_permille == 0 || ratio.programs == 0 {
                    return Err(Refusal::invalid(
                        "upper_permille",
                        message!("wrong-ratio", "expected two different pools and a ratio above 0"),
                    ));
                }
                Ok(vec![Body::PoolRatioMeasured(ratio)])
            }
            Command::JoinJudgehost(host) => self.join(host),
            Command::SetJudgehost { id, state, reason } => return self.set_judgehost(id, state, reason),
            Command::RemoveJudgehost(id) => self.remove_judgehost(id),
            Command::PauseJudging(scope, reason) => {
                check_text("reason", &reason)?;
                if self.state.paused.contains_key(&scope) {
                    return Err(Refusal::conflict(
                        "unchanged",
                        message!("judging-paused-already", "it is paused already"),
                    ));
                }
                Ok(vec![Body::JudgingPaused { scope, reason }])
            }
            Command::ResumeJudging(scope) if self.state.paused.contains_key(&scope) => {
                Ok(vec![Body::JudgingResumed(scope)])
            }
            Command::ResumeJudging(_) => {
                Err(Refusal::conflict("unchanged", message!("judging-not-paused", "it is not paused")))
            }
            Command::In(..)
            | Command::SetContest(..)
            | Command::RemoveContest(_)
            | Command::Note(..)
            | Command::Tick => Ok(Vec::new()),
        }?;
        Ok(bodies.into_iter().map(|body| self.event(None, body)).collect())
    }

    fn account(&self, id: &AccountId) -> Result<&crate::state::Account, Refusal> {
        find("account", &self.state.accounts, id)
    }

    fn pool(&self, id: &PoolId) -> Result<&crate::state::Pool, Refusal> {
        find("pool", &self.state.pools, id)
    }

    fn judgehost(&self, id: &JudgehostId) -> Result<&crate::state::Judgehost, Refusal> {
        find("judgehost", &self.state.judgehosts, id)
    }

    fn set_account(&self, settings: AccountSettings) -> Result<Vec<Body>, Refusal> {
        super::check_optional("name", settings.name.as_deref())?;
        super::check_optional("oidc_subject", settings.oidc_subject.as_deref())?;
        if let Some(subject) = &settings.oidc_subject {
            self.check_subject(&settings.id, subject)?;
        }
        check_known("contests", "contest", &self.state.contests, &settings.contests)?;
        if let Some(range) = settings.ip.iter().find(|range| !is_address_range(range)) {
            let message = message!(
                "wrong-address-range",
                "'{range}' is not an address range such as '10.0.0.0/8' or '2001:db8::/32'",
                range
            );
            return Err(Refusal::invalid("ip", message));
        }
        match (settings.role, &settings.team) {
            (Role::Team, Some(team)) => {
                if settings.contests.is_empty() {
                    return Err(Refusal::invalid(
                        "contests",
                        message!("team-account-needs-contest", "a team's account needs its contest"),
                    ));
                }
                let lacks = |id: &&crate::ContestId| !self.state.contests[*id].teams.contains_key(team);
                if let Some(id) = settings.contests.iter().find(lacks) {
                    return Err(Refusal::invalid(
                        "team",
                        message!(
                            "team-not-in-contest",
                            "there is no team '{team}' in contest '{id}'",
                            team,
                            id
                        ),
                    ));
                }
            }
            (Role::Team, None) => {
                return Err(Refusal::invalid(
                    "team",
                    message!("team-account-needs-team", "an account of role 'team' needs a team"),
                ));
            }
            (_, Some(_)) => {
                return Err(Refusal::invalid(
                    "team",
                    message!("team-of-other-role", "only an account of role 'team' has a team"),
                ));
            }
            (_, None) => {}
        }
        if let Some(person) = &settings.person {
            let lacks = |id: &&crate::ContestId| !self.state.contests[*id].persons.contains_key(person);
            if settings.contests.is_empty() {
                return Err(Refusal::invalid(
                    "person",
                    message!("person-account-needs-contests", "an account of a person needs its contests"),
                ));
            }
            if let Some(id) = settings.contests.iter().find(lacks) {
                let message = message!(
                    "person-not-in-contest",
                    "there is no person '{person}' in contest '{id}'",
                    person,
                    id
                );
                return Err(Refusal::invalid("person", message));
            }
        }
        if !is_chief(&settings) {
            self.check_chief_remains(&settings.id)?;
        }
        Ok(vec![Body::AccountSet(settings)])
    }

    /// Refuses a subject of the OpenID provider that is another account's.
    pub(super) fn check_subject(&self, account: &AccountId, subject: &str) -> Result<(), Refusal> {
        match self.state.account_of_subject(subject) {
            Some(other) if other != account => {
                let message = message!(
                    "identity-taken",
                    "the account '{other}' belongs to this identity already",
                    other
                );
                Err(Refusal::conflict("identity-taken", message))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what would leave no account that may do everything.
    fn check_chief_remains(&self, without: &AccountId) -> Result<(), Refusal> {
        let chief =
            |id: &AccountId| self.state.accounts.get(id).is_some_and(|account| is_chief(&account.settings));
        if !chief(without) || self.state.accounts.keys().any(|id| id != without && chief(id)) {
            return Ok(());
        }
        Err(Refusal::conflict(
            "last-admin",
            message!("last-admin", "'{without}' is the last enabled admin of the whole server", without),
        ))
    }

    fn remove_account(&self, id: AccountId) -> Result<Vec<Body>, Refusal> {
        self.account(&id)?;
        self.check_chief_remains(&id)?;
        Ok(vec![Body::AccountRemoved(id)])
    }

    fn issue(&self, token: NewToken) -> Result<Vec<Body>, Refusal> {
        self.account(&token.account)?;
        check_hash("hash", &token.hash)?;
        super::check_line("note", &token.note)?;
        if self.state.tokens.contains_key(&token.id) || self.state.token_of_hash.contains_key(&token.hash) {
            return Err(Refusal::conflict(
                "taken",
                message!("token-taken", "there is a token '{token}' already", token = token.id),
            ));
        }
        if token.expires.is_some_and(|expires| expires <= self.now) {
            return Err(Refusal::invalid("expires", message!("expiry-in-past", "the expiry is in the past")));
        }
        Ok(vec![Body::TokenIssued(token)])
    }

    fn remove_pool(&self, id: PoolId) -> Result<Vec<Body>, Refusal> {
        self.pool(&id)?;
        if let Some((host, _)) = self.state.judgehosts.iter().find(|(_, host)| host.pool == id) {
            return Err(Refusal::conflict(
                "in-use",
                message!("pool-has-judgehost", "judgehost '{host}' is in pool '{id}'", host, id),
            ));
        }
        let names = |contest: &crate::state::Contest| contest.settings.has_pool(&id);
        if let Some((contest, _)) = self.state.contests.iter().find(|(_, contest)| names(contest)) {
            return Err(Refusal::conflict(
                "in-use",
                message!("pool-of-contest", "contest '{contest}' names pool '{id}'", contest, id),
            ));
        }
        Ok(vec![Body::PoolRemoved(id)])
    }

    /// Checks that a pool is as the contests want it that it judges for.
    fn check_contests(&self, pool: &PoolSettings) -> Result<(), Refusal> {
        let is_open = |contest: &crate::state::Contest| {
            contest.finalized.is_none() && contest.settings.has_pool(&pool.id)
        };
        let mut contests = self.state.contests.iter().filter(|(_, contest)| is_open(contest));
        contests.try_for_each(|(id, contest)| check_pool(id, &contest.settings, pool))
    }

    fn join(&self, joined: NewJudgehost) -> Result<Vec<Body>, Refusal> {
        let NewJudgehost { id, pool, identity, compilers, places, awaits_admission: _, instance } = &joined;
        if !(1..=PLACES_MAX).contains(places) {
            return Err(Refusal::invalid(
                "places",
                message!("places-1-to-max", "places must be 1 to {max}", max = PLACES_MAX),
            ));
        }
        if identity.is_empty() || identity.len() > LINES_MAX || compilers.len() > LINES_MAX {
            return Err(Refusal::invalid(
                "identity",
                message!("lines-1-to-max", "expected 1 to {max} lines", max = LINES_MAX),
            ));
        }
        let before = self.state.judgehosts.get(id);
        if before.is_some_and(|host| host.account != self.caller.account) && !self.caller.is(Role::Admin) {
            return Err(Refusal::forbidden(message!(
                "judgehost-of-another-account",
                "judgehost '{id}' belongs to another account",
                id
            )));
        }
        let known = self.state.pools.get(pool).map(|pool| &pool.settings);
        if let Some(settings) = known {
            let differences = pools::differences(settings, identity, compilers);
            if !differences.is_empty() {
                let mut message = format!("the machine is not of pool '{pool}':");
                for IdentityDifference { pool, judgehost } in differences {
                    message.extend(pool.map(|line| format!("\n- {line}")));
                    message.extend(judgehost.map(|line| format!("\n+ {line}")));
                }
                return Err(Refusal::conflict("not-of-pool", message));
            }
        }
        let mut bodies = Vec::new();
        if known.is_none_or(|settings| settings.identity.is_none() || settings.compilers.is_none()) {
            let (identity, compilers) = (Some(identity.clone()), Some(compilers.clone()));
            let settings = PoolSettings { id: pool.clone(), identity, compilers };
            self.check_contests(&settings)?;
            bodies.push(Body::PoolSet(settings));
        } else if let Some(settings) = known
            && let Some(learned) = pools::learned(settings.compilers.as_deref().unwrap_or(&[]), compilers)
        {
            bodies.push(Body::PoolSet(PoolSettings { compilers: Some(learned), ..settings.clone() }));
        }
        let (id, instance) = (id.clone(), instance.clone());
        let is_same_start =
            |host: &crate::state::Judgehost| !instance.is_empty() && host.instance == instance;
        bodies.push(Body::JudgehostJoined(joined));
        // One that is disabled or waits stays so until it is enabled, whatever it says of itself. And one that has registered again,
        // as with a server that took over, is what it was.
        let is_kept = |host: &&crate::state::Judgehost| {
            matches!(host.state, JudgehostState::Disabled | JudgehostState::Waiting) || is_same_start(host)
        };
        if let Some(host) = before.filter(is_kept) {
            bodies.push(Body::JudgehostSet { id, state: host.state, reason: host.reason.clone() });
        }
        Ok(bodies)
    }

    fn set_judgehost(
        &self,
        id: JudgehostId,
        state: JudgehostState,
        reason: String,
    ) -> Result<Vec<Event>, Refusal> {
        let host = self.judgehost(&id)?;
        if state != JudgehostState::Enabled {
            // A judgehost's reason has output of programs.
            let check = if self.caller.judgehost.is_some() { check_imported } else { check_text };
            check("reason", &reason)?;
        } else if self.caller.judgehost.is_some()
            && matches!(host.state, JudgehostState::Disabled | JudgehostState::Waiting)
        {
            return Err(Refusal::forbidden(message!(
                "judgehost-was-disabled",
                "the judgehost was disabled; staff has to enable it"
            )));
        } else if self.caller.is(Role::Operator) && host.state != JudgehostState::Waiting {
            return Err(Refusal::forbidden(message!(
                "judgehost-does-not-wait",
                "judgehost '{id}' does not wait to be let in; staff has to enable it",
                id
            )));
        }
        let mut events = vec![self.event(None, Body::JudgehostSet { id: id.clone(), state, reason })];
        if state == JudgehostState::Disabled {
            for (contest, judgement) in work_of(self.state, &id) {
                let reason = "its judgehost was disabled".to_owned();
                events.push(self.event(Some(contest), Body::JudgingReturned { judgement, reason }));
            }
        }
        Ok(events)
    }

    fn remove_judgehost(&self, id: JudgehostId) -> Result<Vec<Body>, Refusal> {
        self.judgehost(&id)?;
        if !work_of(self.state, &id).is_empty() {
            return Err(Refusal::conflict(
                "in-use",
                message!("judgehost-has-work", "judgehost '{id}' has work; disable it first", id),
            ));
        }
        Ok(vec![Body::JudgehostRemoved(id)])
    }
}

/// Returns whether an account can be used to do everything.
fn is_chief(settings: &AccountSettings) -> bool {
    settings.role == Role::Admin && settings.is_enabled && settings.contests.is_empty()
}

fn is_address_range(text: &str) -> bool {
    let (address, length) =
        text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most = if address.is_ipv4() { 32 } else { 128 };
    length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= most))
}
