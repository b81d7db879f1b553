//! Addresses of servers and contests.

use std::net::IpAddr;
use terminal::failure::input_with_hint;

/// A server, and a contest if the address names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// Scheme, host and port, without a slash at the end.
    pub base: String,
    pub contest: Option<String>,
}

impl ServerAddress {
    /// Reads the address of a server or of a contest on it; `None` if it is no URL.
    pub fn of_url(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_known = matches!(scheme, "http" | "https");
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'));
        let is_known = is_known && port.is_none_or(|port| port.parse::<u16>().is_ok());
        let mut parts = path.split(['/', '?', '#']).filter(|part| !part.is_empty());
        let contest = parts.find(|part| *part == "contests").and_then(|_| parts.next());
        (is_known && !host.is_empty() && !host.contains('@'))
            .then(|| Self { base: format!("{scheme}://{host}"), contest: contest.map(str::to_owned) })
    }

    /// Reads the address of a server. Without a scheme it is of HTTP on this machine, and of HTTPS elsewhere.
    pub fn of_server(text: &str) -> anyhow::Result<Self> {
        Self::of_url(&with_scheme(text)).ok_or_else(|| {
            input_with_hint(
                format!("'{text}' is not the address of a server"),
                "write it as http://127.0.0.1:8080 or https://contest.example, with a port of at most 65535",
            )
        })
    }
}

/// Adds the scheme that an address lacks. A port alone is one of this machine, as for `tauto serve --listen`.
pub fn with_scheme(text: &str) -> String {
    if text.parse::<u16>().is_ok() {
        return format!("http://127.0.0.1:{text}");
    }
    let scheme = if is_of_this_machine(text) { "http" } else { "https" };
    // A scheme with one slash only is a typing error.
    if text.contains(":/") { text.to_owned() } else { format!("{scheme}://{text}") }
}

/// Returns whether an address without a scheme names the loopback interface.
fn is_of_this_machine(text: &str) -> bool {
    let host = text.split('/').next().unwrap_or_default();
    let is_loopback = |address: &str| address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let name = if host.ends_with(']') { host } else { name }.trim_matches(['[', ']']);
    name == "localhost" || is_loopback(name)
}

/// Returns a text as one segment of a path (RFC 3986).
pub fn segment(text: &str) -> String {
    let mut segment = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                segment.push(char::from(byte))
            }
            other => segment.push_str(&format!("%{other:02X}")),
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contest_may_be_in_the_address() {
        let place = |base: &str, contest: Option<&str>| {
            Some(ServerAddress { base: base.to_owned(), contest: contest.map(str::to_owned) })
        };
        assert_eq!(ServerAddress::of_url("http://a:8080"), place("http://a:8080", None));
        assert_eq!(
            ServerAddress::of_url("https://a/api/contests/spring/"),
            place("https://a", Some("spring"))
        );
        assert_eq!(
            ServerAddress::of_url("https://a/contests/spring?x=1"),
            place("https://a", Some("spring"))
        );
        for text in ["spring", "ftp://a", "http://", "http://user:secret@a/", "http://a:99999", "http://a:"] {
            assert_eq!(ServerAddress::of_url(text), None, "{text}");
        }
        assert_eq!(segment("a b/ä"), "a%20b%2F%C3%A4");
    }

    #[test]
    fn without_a_scheme_this_machine_has_http_and_others_https() {
        for (text, base) in [
            ("localhost:8080", "http://localhost:8080"),
            ("127.0.0.1:8080/contests/spring", "http://127.0.0.1:8080"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("[::1]", "http://[::1]"),
            ("localhost", "http://localhost"),
            ("8080", "http://127.0.0.1:8080"),
            ("contest.example", "https://contest.example"),
            ("10.0.0.1:8080", "https://10.0.0.1:8080"),
            ("http://contest.example", "http://contest.example"),
        ] {
            assert_eq!(ServerAddress::of_server(text).unwrap().base, base, "{text}");
        }
        for text in
            ["", "http:/127.0.0.1:8080", "ftp://a", "localhost:http", "localhost:99999", "ada@localhost"]
        {
            assert!(ServerAddress::of_server(text).is_err(), "{text}");
        }
    }
}
