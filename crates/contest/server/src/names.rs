//! The names by which the server is reached, against DNS rebinding: a page of another site lets its own name lead to this
//! server, and may then read the answers that a browser gets at an address that is logged in, or in a closed network. The
//! browser sends the page's name in `Host`, so a request with an unknown name is refused.

mod known;
use crate::Shared;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
pub use known::{Names, PublicUrl, PublicUrlError};

/// That a request came over the server's own TLS: the browser has compared the certificate with the name.
#[derive(Clone, Copy, Debug)]
pub struct OverTls;

/// Returns whether a request brings a token, which no browser adds by itself: there is nothing to protect.
fn has_token(headers: &HeaderMap) -> bool {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or("");
    value.split_once(' ').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
}

/// Refuses requests that name another server.
pub async fn check(State(app): State<Shared>, request: Request, next: Next) -> Response {
    match refusal(&app, &request) {
        Some(refused) => refused,
        None => next.run(request).await,
    }
}

/// Returns the refusal of a request that names another server.
pub fn refusal(app: &Shared, request: &Request) -> Option<Response> {
    let is_proven = request.extensions().get::<OverTls>().is_some() || has_token(request.headers());
    let is_from_proxy = crate::auth::is_from_proxy(request, &app.config.trusted_proxies);
    let checked = app.config.names.check(request.uri(), request.headers(), is_from_proxy);
    checked.err().filter(|_| !is_proven).map(IntoResponse::into_response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderValue, Uri};

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
