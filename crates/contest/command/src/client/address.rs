//! Addresses of servers and contests.

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
        let mut parts = path.split(['/', '?', '#']).filter(|part| !part.is_empty());
        let contest = parts.find(|part| *part == "contests").and_then(|_| parts.next());
        (is_known && !host.is_empty() && !host.contains('@'))
            .then(|| Self { base: format!("{scheme}://{host}"), contest: contest.map(str::to_owned) })
    }

    pub fn of_server(text: &str) -> anyhow::Result<Self> {
        Self::of_url(text).ok_or_else(|| {
            input_with_hint(
                format!("'{text}' is not the address of a server"),
                "such as http://127.0.0.1:8080",
            )
        })
    }
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
        for text in ["spring", "ftp://a", "http://", "http://user:secret@a/"] {
            assert_eq!(ServerAddress::of_url(text), None, "{text}");
        }
        assert_eq!(segment("a b/ä"), "a%20b%2F%C3%A4");
    }
}
