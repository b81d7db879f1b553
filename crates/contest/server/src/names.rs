//! The names by which the server is reached, against DNS rebinding: a page of another site lets its own name lead to this
//! server, and may then read the answers that a browser gets at an address that is logged in, or in a closed network. The
//! browser sends the page's name in `Host`, so a request with an unknown name is refused.

use crate::{Problem, Shared};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// The longest name that DNS has; no more of an unknown one is repeated.
const NAME_LENGTH_MAX: usize = 253;

/// That a request came over the server's own TLS: the browser has compared the certificate with the name.
#[derive(Clone, Copy, Debug)]
pub struct OverTls;

/// An address of the server as people type it: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    scheme: String,
    host: String,
    port: Option<u16>,
}

/// The error for a text that is no [`PublicUrl`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no address of a server: use a scheme and a name, such as https://contest.example or http://contest:8080"
)]
pub struct PublicUrlError(String);

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let wrong = || PublicUrlError(text.to_owned());
        let url: Uri = text.parse().map_err(|_| wrong())?;
        let (scheme, authority) = url.scheme_str().zip(url.authority()).ok_or_else(wrong)?;
        let default_port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return Err(wrong()),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() {
            return Err(wrong());
        }
        let host = host_of(authority).ok_or_else(wrong)?;
        let port = authority.port_u16().filter(|port| *port != default_port);
        Ok(Self { scheme: scheme.to_owned(), host, port })
    }
}

/// As browsers write it in `Origin`.
impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// The names by which the server is reached, apart from addresses and `localhost`.
#[derive(Clone, Debug, Default)]
pub struct Names {
    public: Vec<PublicUrl>,
    others: BTreeSet<String>,
}

impl Names {
    /// Returns the names of public addresses, and other ones without scheme and port.
    pub fn new(public: Vec<PublicUrl>, others: impl IntoIterator<Item = String>) -> Self {
        Self { public, others: others.into_iter().map(|name| canonical(&name)).collect() }
    }

    /// Returns whether an `Origin` is one of the public addresses.
    pub(crate) fn is_own_origin(&self, origin: &str) -> bool {
        self.public.iter().any(|url| url.to_string().eq_ignore_ascii_case(origin))
    }

    /// Returns whether the server is reached by the host of an authority, whatever the port.
    ///
    /// Addresses always are: for a page at an address, DNS is not asked. Nor is it for `localhost`.
    fn has(&self, authority: &Authority) -> bool {
        let Some(host) = host_of(authority) else { return false };
        is_address(&host)
            || host == "localhost"
            || host.ends_with(".localhost")
            || self.others.contains(&host)
            || self.public.iter().any(|url| url.host == host)
    }

    /// Refuses a request that names another server. Behind a trusted proxy, `X-Forwarded-Host` counts as well.
    fn check(&self, url: &Uri, headers: &HeaderMap, is_from_proxy: bool) -> Result<(), Problem> {
        let forwarded = is_from_proxy.then(|| headers.get_all("x-forwarded-host"));
        let texts = headers.get_all(header::HOST).into_iter().chain(forwarded.into_iter().flatten());
        let texts = texts.flat_map(|value| value.to_str().unwrap_or("?").split(',')).map(str::trim);
        for text in texts.chain(url.authority().map(Authority::as_str)) {
            if !text.parse::<Authority>().is_ok_and(|authority| self.has(&authority)) {
                return Err(unknown(text));
            }
        }
        Ok(())
    }
}

/// Returns the host of an authority that has no user.
fn host_of(authority: &Authority) -> Option<String> {
    let host = canonical(authority.host());
    (!host.is_empty() && !authority.as_str().contains('@')).then_some(host)
}

/// Returns a name as it is compared: in lower case, without the root's dot.
fn canonical(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

fn is_address(host: &str) -> bool {
    let of_version_6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match of_version_6 {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => host.parse::<IpAddr>().is_ok(),
    }
}

fn unknown(name: &str) -> Problem {
    let name: String = name.chars().take(NAME_LENGTH_MAX).collect();
    let detail = format!(
        "this server does not know the name '{name}'; if it is one of its own, start it with --public-url \
         http://{name} (or https://), or use its IP address"
    );
    Problem::new(StatusCode::MISDIRECTED_REQUEST, "unknown-name", detail)
}

/// Returns whether a request brings a token, which no browser adds by itself: there is nothing to protect.
fn has_token(headers: &HeaderMap) -> bool {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or("");
    value.split_once(' ').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
}

/// Refuses requests that name another server.
pub async fn check(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let is_proven = request.extensions().get::<OverTls>().is_some() || has_token(request.headers());
    let is_from_proxy = crate::auth::is_from_proxy(&request, &app.config.trusted_proxies);
    match app.config.names.check(request.uri(), request.headers(), is_from_proxy) {
        Err(problem) if !is_proven => problem.into_response(),
        _ => next.run(request).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn names() -> Names {
        let public = ["https://Contest.example", "http://arena:8080/"].map(|url| url.parse().unwrap());
        Names::new(public.to_vec(), ["Machine.".to_owned()])
    }

    #[test]
    fn names_of_others_are_refused() {
        let names = names();
        let check = |headers: &[(&'static str, &str)], is_from_proxy: bool| {
            let headers = headers
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_str(value).unwrap()))
                .collect();
            names.check(&Uri::from_static("/"), &headers, is_from_proxy).is_ok()
        };
        let host = |host: &str| check(&[("host", host)], false);
        for known in [
            "127.0.0.1:8080",
            "192.0.2.7",
            "[::1]:8080",
            "[2001:db8::1]",
            "localhost:5173",
            "LOCALHOST",
            "page.localhost",
            "contest.example",
            "CONTEST.example.:8443",
            "arena",
            "machine:8080",
        ] {
            assert!(host(known), "{known}");
        }
        for unknown in [
            "evil.example",
            "contest.example.evil.test",
            "127.0.0.1.evil.test",
            "notlocalhost",
            "localhost.evil.test",
            "a@arena",
            "arena@evil.test",
            "",
            ":80",
            "[::1",
            "1.2.3",
            "arena evil.test",
            "arena/x",
            "machine2",
        ] {
            assert!(!host(unknown), "{unknown}");
        }
        assert!(check(&[], false), "without Host it is no browser");
        assert!(!check(&[("host", "arena"), ("host", "evil.test")], false));
        let forwarded = [("host", "10.0.0.1"), ("x-forwarded-host", "evil.test")];
        assert!(check(&forwarded, false), "a header that no proxy has set says nothing");
        assert!(!check(&forwarded, true));
        assert!(check(&[("host", "10.0.0.1"), ("x-forwarded-host", "contest.example, arena")], true));
        assert!(names.check(&Uri::from_static("http://evil.test/"), &HeaderMap::new(), false).is_err());
    }

    #[test]
    fn public_addresses_are_origins() {
        let names = names();
        for (origin, is_own) in [
            ("https://contest.example", true),
            ("http://contest.example", false),
            ("https://contest.example:8443", false),
            ("http://arena:8080", true),
            ("http://machine", false),
            ("null", false),
        ] {
            assert_eq!(names.is_own_origin(origin), is_own, "{origin}");
        }
        let url = |text: &str| {
            text.parse::<PublicUrl>().map(|url| url.to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(url("HTTPS://Contest.example:443/"), Ok("https://contest.example".to_owned()));
        assert_eq!(url("http://[::1]:8080"), Ok("http://[::1]:8080".to_owned()));
        for wrong in
            ["contest.example", "ftp://x", "https://", "https://x/y", "https://x/?y", "https://a@x", ""]
        {
            assert!(url(wrong).unwrap_err().contains("such as https://contest.example"), "{wrong}");
        }
    }

    #[test]
    fn only_tokens_prove_themselves() {
        let is_token = |value: &'static str| {
            has_token(&HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))]))
        };
        assert!(is_token("Bearer x") && is_token("bearer x"));
        assert!(!is_token("Basic x") && !is_token("Bearer") && !has_token(&HeaderMap::new()));
    }
}
