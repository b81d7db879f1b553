//! The names by which a server is reached.

use crate::Problem;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// The longest name that DNS has; no more of an unknown one is repeated.
pub(super) const NAME_LENGTH_MAX: usize = 253;

/// An address of the server as people type it: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    pub(super) scheme: String,
    pub(super) host: String,
    pub(super) port: Option<u16>,
}

/// The error for a text that is no [`PublicUrl`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no address of a server: use a scheme and a name, such as https://contest.example or http://contest:8080"
)]
pub struct PublicUrlError(pub(super) String);

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
    pub(super) public: Vec<PublicUrl>,
    pub(super) others: BTreeSet<String>,
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
    pub(super) fn has(&self, authority: &Authority) -> bool {
        let Some(host) = host_of(authority) else { return false };
        is_address(&host)
            || host == "localhost"
            || host.ends_with(".localhost")
            || self.others.contains(&host)
            || self.public.iter().any(|url| url.host == host)
    }

    /// Refuses a request that names another server. Behind a trusted proxy, `X-Forwarded-Host` counts as well.
    pub(super) fn check(&self, url: &Uri, headers: &HeaderMap, is_from_proxy: bool) -> Result<(), Problem> {
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
pub(super) fn host_of(authority: &Authority) -> Option<String> {
    let host = canonical(authority.host());
    (!host.is_empty() && !authority.as_str().contains('@')).then_some(host)
}

/// Returns a name as it is compared: in lower case, without the root's dot.
pub(super) fn canonical(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

pub(super) fn is_address(host: &str) -> bool {
    let of_version_6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match of_version_6 {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => host.parse::<IpAddr>().is_ok(),
    }
}

pub(super) fn unknown(name: &str) -> Problem {
    let name: String = name.chars().take(NAME_LENGTH_MAX).collect();
    let detail = format!(
        "this server does not know the name '{name}'; if it is one of its own, start it with --public-url \
         http://{name} (or https://), or use its IP address"
    );
    Problem::new(StatusCode::MISDIRECTED_REQUEST, "unknown-name", detail)
}
