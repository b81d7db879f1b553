//! Identifies the caller of a request.

use crate::extract::LoggedIn;
use crate::names::Names;
use crate::ops::Noted;
use crate::{App, Problem, Shared, clock, random};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contest_rules::{AccountId, Caller, Proof, Registration, RegistrationMode, Session, State};
use ipnet::IpNet;
use model::message;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The cookie of a session.
pub const COOKIE: &str = "tautochrone";
/// The header that the page sends with each request, and a page of another origin cannot send without being asked.
pub const CSRF_HEADER: &str = "x-tautochrone";
/// The longest credentials: a user name and a password.
const CREDENTIALS_BYTES_MAX: usize = 1024;

/// The address that a request came from.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// The caller, and how it has proven who it is.
#[derive(Clone)]
pub struct Auth {
    pub caller: Caller,
    /// How it has proven that.
    pub means: Means,
    pub address: IpAddr,
}

/// How a caller has proven who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Means {
    None,
    /// By a session, with its secret.
    /// The hash of the session's secret, and the session.
    Session(String, Session),
    /// By a password with the request, with its hash.
    Password(String),
    /// By a token, with its hash.
    Token(String),
}

impl Auth {
    /// Returns the account, which a caller must have.
    pub fn account(&self) -> Result<&AccountId, Problem> {
        self.caller
            .account
            .as_ref()
            .ok_or_else(|| Problem::unauthorized(message!("log-in-first", "log in first")))
    }
}

impl Auth {
    /// Returns the caller as it is now, for answers that last; `None` if its proof is no longer valid.
    pub fn again(&self, app: &App) -> Option<Caller> {
        let Some(account) = &self.caller.account else { return Some(self.caller.clone()) };
        if !app.is_up_to_date() {
            return None;
        }
        let state = app.published.state();
        let password = state.password(account).map(|(hash, _)| hash);
        let is_proven = match &self.means {
            Means::None => false,
            Means::Session(hash, session) => {
                is_proven(&state, session, self.address) && state.session(hash, clock::system_now()).is_some()
            }
            Means::Password(hash) => password == Some(hash),
            Means::Token(hash) => state.token(hash, clock::system_now()).is_some_and(|(_, of)| of == account),
        };
        state.caller(account, Some(self.address.to_string())).filter(|_| is_proven)
    }
}

impl FromRequestParts<Shared> for Auth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let address = address(parts, app);
        let means = match parts.headers.get(header::AUTHORIZATION) {
            Some(value) => {
                let bad = || {
                    Problem::unauthorized(message!(
                        "authorization-unreadable",
                        "the header Authorization cannot be read"
                    ))
                };
                let value = value.to_str().map_err(|_| bad())?;
                let (scheme, credentials) = value.split_once(' ').ok_or_else(bad)?;
                if scheme.eq_ignore_ascii_case("bearer") {
                    by_token(app, credentials.trim())?
                } else if scheme.eq_ignore_ascii_case("basic") {
                    if is_write(&parts.method) {
                        check_origin(&parts.headers, &app.config.names)?;
                    }
                    by_password(app, credentials.trim(), address).await?
                } else {
                    return Err(bad());
                }
            }
            None => by_session(parts, app, address)?,
        };
        let caller = match means.0 {
            Some(account) => {
                let caller = app.published.state().caller(&account, Some(address.to_string()));
                caller.ok_or_else(|| {
                    Problem::unauthorized(message!("account-unusable", "this account cannot be used"))
                })?
            }
            None => Caller::public(Some(address.to_string())),
        };
        if caller.account.is_some() {
            if !app.is_up_to_date() {
                return Err(out_of_date());
            }
            parts.extensions.insert(LoggedIn);
        }
        if let (Some(account), Some(noted)) = (&caller.account, parts.extensions.get::<Noted>()) {
            noted.note(account);
        }
        Ok(Self { caller, means: means.1, address })
    }
}

/// To those who have proved who they are, as far as this server knows.
pub fn out_of_date() -> Problem {
    Problem::unavailable(message!(
        "server-out-of-date",
        "this server cannot reach the database; try again in a moment"
    ))
}

type Identified = (Option<AccountId>, Means);

/// Returns the address of a request: of the connection, or what a trusted proxy says.
fn address(parts: &Parts, app: &Shared) -> IpAddr {
    forwarded(peer(&parts.extensions), &parts.headers, |address| {
        app.config.trusted_proxies.iter().any(|net| net.contains(&address))
    })
    .to_canonical()
}

/// Returns the address of the connection.
fn peer(extensions: &Extensions) -> IpAddr {
    extensions.get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0)
}

/// Returns whether a request comes from one of these proxies.
pub fn is_from_proxy(request: &Request, trusted: &[IpNet]) -> bool {
    let peer = peer(request.extensions()).to_canonical();
    trusted.iter().any(|net| net.contains(&peer))
}

/// Returns the last address of `X-Forwarded-For` that is not of a trusted proxy.
fn forwarded(peer: IpAddr, headers: &HeaderMap, is_trusted: impl Fn(IpAddr) -> bool) -> IpAddr {
    let mut address = peer;
    let values = headers.get_all("x-forwarded-for");
    let hops: Vec<&str> =
        values.iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(',')).collect();
    for hop in hops.iter().rev() {
        let Ok(next) = hop.trim().parse::<IpAddr>() else { break };
        if !is_trusted(address.to_canonical()) {
            break;
        }
        address = next;
    }
    address
}

fn by_token(app: &Shared, secret: &str) -> Result<Identified, Problem> {
    let hash = random::sha256_hex(secret.as_bytes());
    let state = app.published.state();
    let unknown = || {
        Problem::unauthorized(message!("token-invalid", "this token is not known, has ended or was revoked"))
    };
    let (_, account) = state
        .token(&hash, clock::system_now())
        .ok_or_else(|| app.unstored.why_not(&hash).unwrap_or_else(unknown))?;
    let account = account.clone();
    drop(state);
    Ok((Some(account), Means::Token(hash)))
}

async fn by_password(app: &Shared, credentials: &str, address: IpAddr) -> Result<Identified, Problem> {
    let bad = || {
        Problem::unauthorized(message!("authorization-unreadable", "the header Authorization cannot be read"))
    };
    if credentials.len() > CREDENTIALS_BYTES_MAX {
        return Err(bad());
    }
    let text = STANDARD.decode(credentials).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(bad)?;
    let (name, password) = text.split_once(':').ok_or_else(bad)?;
    let (account, hash) = check_password(app, name, password.to_owned(), address).await?;
    Ok((Some(account), Means::Password(hash)))
}

/// Returns the account of a name and the hash of its password, if the password is right. It may have another password by
/// then: the hash says which one was right.
pub async fn check_password(
    app: &App,
    name: &str,
    password: String,
    address: IpAddr,
) -> Result<(AccountId, String), Problem> {
    let account: Option<AccountId> = name.parse().ok();
    let known = account.and_then(|account| {
        let state = app.published.state();
        let hash = state.password(&account).map(|(hash, _)| hash.to_owned())?;
        Some((account, hash))
    });
    let was_right = || {
        let is_right = |(_, hash): &&(AccountId, String)| app.verified.has(&password, hash, Instant::now());
        known.as_ref().filter(is_right).cloned()
    };
    if let Some(known) = was_right() {
        return Ok(known);
    }
    if let Some(wait) = app.attempts.blocked(name, address, Instant::now()) {
        return Err(blocked(wait));
    }
    let watch = app.attempts.watch(address);
    let checked = async {
        let slot = app.passwords.slot().await?;
        // Meanwhile others may have failed, or have been right: asking many times at once gives no more guesses.
        let guess = app.attempts.guess(name, address).await.map_err(blocked)?;
        if let Some(known) = was_right() {
            return Ok(known);
        }
        let hash = known.as_ref().map(|(_, hash)| hash.clone());
        let (is_right, _slot) = app.passwords.verify(slot, password.clone(), hash).await?;
        if let Some((account, hash)) = known.clone().filter(|_| is_right) {
            app.verified.add(&password, &hash, Instant::now());
            app.attempts.succeeded(&account, address, Instant::now());
            return Ok((account, hash));
        }
        guess.failed(Instant::now());
        app.published.metrics.logins_failed.inc();
        tracing::info!(account = name.chars().take(40).collect::<String>(), %address, "a wrong password");
        Err(Problem::unauthorized(message!("wrong-password", "the user name or the password is wrong")))
    };
    let checked = checked.await;
    watch.answered();
    checked
}

/// Checks the code for a registration, if one is needed. Wrong ones count as wrong passwords do.
pub async fn check_code(
    app: &App,
    registration: &Registration,
    (name, code): (&str, Option<&str>),
    address: IpAddr,
) -> Result<(), Problem> {
    if registration.mode == RegistrationMode::Code {
        let guess = app.attempts.guess(name, address).await.map_err(blocked)?;
        // How long it takes to compare hashes says nothing about the code.
        let hash = |code: Option<&str>| Some(Sha256::digest(code?.trim().as_bytes()));
        if hash(code).is_none() || hash(code) != hash(registration.code.as_deref()) {
            guess.failed(Instant::now());
            let detail = message!("wrong-code", "this is not the code of the contest; ask its organiser");
            return Err(Problem::invalid_field("code", detail));
        }
    }
    Ok(())
}

/// Counts a team that registers from an address, and refuses it where there are too many.
pub fn count_registration(app: &App, address: IpAddr) -> Result<(), Problem> {
    let Some(wait) = app.attempts.registered(address, Instant::now()) else { return Ok(()) };
    let seconds = seconds(wait);
    let detail = message!(
        "too-many-registrations",
        "too many teams were registered from this address: try again in {seconds} s",
        seconds
    );
    Err(Problem::too_many(detail, seconds))
}

/// Returns the problem of an account that failed too often.
fn blocked(wait: Duration) -> Problem {
    let seconds = seconds(wait);
    Problem::too_many(
        message!("too-many-wrong-passwords", "too many wrong passwords: try again in {seconds} s", seconds),
        seconds,
    )
}

fn seconds(wait: Duration) -> u32 {
    u32::try_from(wait.as_secs() + 1).unwrap_or(u32::MAX)
}

/// Refuses what an account does to itself too often: logins, tokens, passwords.
pub fn count_change(app: &App, account: &AccountId) -> Result<(), Problem> {
    let Some(wait) = app.attempts.changed(account, Instant::now()) else { return Ok(()) };
    let seconds = seconds(wait);
    let detail = message!(
        "too-many-logins",
        "too many logins, tokens and passwords of this account: try again in {seconds} s",
        seconds
    );
    Err(Problem::too_many(detail, seconds))
}

fn by_session(parts: &Parts, app: &Shared, address: IpAddr) -> Result<Identified, Problem> {
    let Some(secret) = cookie(&parts.headers, COOKIE) else { return Ok((None, Means::None)) };
    let hash = random::sha256_hex(secret.as_bytes());
    let state = app.published.state();
    let session = state.session(&hash, clock::system_now()).filter(|one| is_proven(&state, one, address));
    let Some(session) = session.cloned() else { return Ok((None, Means::None)) };
    drop(state);
    if is_write(&parts.method) {
        check_session_write(&parts.headers, &app.config.names)?;
    }
    Ok((Some(session.account.clone()), Means::Session(hash, session)))
}

/// Returns whether a session's account still has the password of its login, or names the address that stood for one.
fn is_proven(state: &State, session: &Session, address: IpAddr) -> bool {
    let password = state.password(&session.account).map(|(_, event)| event);
    match &session.proof {
        Proof::Password(event) => password == Some(*event),
        Proof::Address => state
            .addresses()
            .any(|(account, networks)| *account == session.account && crate::wire::is_in(networks, address)),
        Proof::Oidc(subject, then) => {
            state.account_of_subject(subject) == Some(&session.account) && password == *then
        }
    }
}

fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Refuses what another page made a browser send with the cookie.
fn check_session_write(headers: &HeaderMap, names: &Names) -> Result<(), Problem> {
    if !headers.contains_key(CSRF_HEADER) {
        let detail = message!(
            "header-missing",
            "with a session, a request that changes something needs the header X-Tautochrone: 1"
        );
        return Err(Problem::forbidden(detail));
    }
    check_origin(headers, names)
}

/// Refuses what a browser sends for a page of another origin. It adds a cookie by itself, and a password that it once
/// asked for. A proxy may have changed `Host`, so the public addresses count as well.
pub fn check_origin(headers: &HeaderMap, names: &Names) -> Result<(), Problem> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text("host").unwrap_or("?");
    let is_same =
        |origin: &str| origin.split_once("://").is_some_and(|(_, of)| of.eq_ignore_ascii_case(host));
    let is_cross = text("origin").is_some_and(|origin| !is_same(origin) && !names.is_own_origin(origin))
        || text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if is_cross {
        return Err(Problem::forbidden(message!(
            "request-of-another-origin",
            "this request comes from a page of another origin"
        )));
    }
    Ok(())
}

pub fn cookie<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value).next()
}

/// Returns the header `Set-Cookie` of a session, or of its end.
pub fn session_cookie(secret: Option<&str>, max_age_s: i64, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    let value = secret.unwrap_or("");
    let max_age_s = if secret.is_some() { max_age_s } else { 0 };
    format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={max_age_s}{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_trusted_proxies_name_another_address() {
        let proxy = IpAddr::from([10, 0, 0, 1]);
        let check = |peer: [u8; 4], header: &'static str, expect: [u8; 4]| {
            let headers = headers(&[("x-forwarded-for", header)]);
            assert_eq!(
                forwarded(peer.into(), &headers, |address| address == proxy),
                IpAddr::from(expect),
                "{header}"
            );
        };
        check([10, 0, 0, 1], "192.0.2.7", [192, 0, 2, 7]);
        check([10, 0, 0, 1], "6.6.6.6, 192.0.2.7", [192, 0, 2, 7]);
        check([10, 0, 0, 1], "192.0.2.7, 10.0.0.1", [192, 0, 2, 7]);
        check([10, 0, 0, 1], "nonsense", [10, 0, 0, 1]);
        check([192, 0, 2, 9], "192.0.2.7", [192, 0, 2, 9]);
    }

    #[test]
    fn writes_by_cookie_come_from_the_same_page() {
        let is_ok = |pairs| check_session_write(&headers(pairs), &Names::default()).is_ok();
        assert!(!is_ok(&[("host", "a:1")]));
        assert!(is_ok(&[("host", "a:1"), ("x-tautochrone", "1")]));
        assert!(is_ok(&[("host", "a:1"), ("x-tautochrone", "1"), ("origin", "http://a:1")]));
        assert!(!is_ok(&[("host", "a:1"), ("x-tautochrone", "1"), ("origin", "http://a:2")]));
        assert!(!is_ok(&[("host", "a:1"), ("x-tautochrone", "1"), ("origin", "null")]));
        assert!(!is_ok(&[("host", "a:1"), ("x-tautochrone", "1"), ("sec-fetch-site", "same-site")]));
    }

    #[test]
    fn a_password_that_a_browser_adds_needs_no_header_but_the_same_origin() {
        let names = Names::new(vec!["https://b".parse().unwrap()], []);
        let is_ok = |pairs| check_origin(&headers(pairs), &names).is_ok();
        assert!(is_ok(&[("host", "a:1")]));
        assert!(is_ok(&[("host", "a:1"), ("origin", "http://a:1")]));
        assert!(!is_ok(&[("host", "a:1"), ("origin", "http://b")]));
        assert!(is_ok(&[("host", "a:1"), ("origin", "https://b")]), "a proxy has changed the name");
        assert!(!is_ok(&[("host", "a:1"), ("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        assert_eq!(cookie(&headers(&[("cookie", "a=b; tautochrone=x; c=d")]), COOKIE), Some("x"));
        assert_eq!(cookie(&headers(&[("cookie", "xtautochrone=x")]), COOKIE), None);
    }
}
