//! What answers have for caches, and for pages of other origins.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Body as _;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Longer ones are streams of a kind: hashing them costs more than it saves.
const TAGGED_BYTES_MAX: u64 = 64 << 20;

/// Gives each JSON answer to a GET a tag of its content, and answers 304 to whoever has it already.
pub async fn tags(request: Request, next: Next) -> Response {
    let asked = (request.method() == Method::GET).then(|| {
        let known = request.headers().get_all(header::IF_NONE_MATCH);
        known.iter().map(|value| (header::IF_NONE_MATCH, value.clone())).collect::<HeaderMap>()
    });
    let response = next.run(request).await;
    let Some(asked) = asked else { return response };
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let is_short = response.body().size_hint().exact().is_some_and(|bytes| bytes <= TAGGED_BYTES_MAX);
    let is_tagged = response.headers().contains_key(header::ETAG);
    if response.status() != StatusCode::OK || !is_json || !is_short || is_tagged {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // It is in memory already.
    let Ok(content) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    let tag = format!("\"{:x}-{:016x}\"", content.len(), hasher.finish());
    if let Ok(value) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, value);
    }
    if has_tag(&asked, &tag) {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(content))
}

/// Returns whether `If-None-Match` has a tag, compared weakly (RFC 9110, 13.1.2).
pub fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let strong = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|one| one == "*" || strong(one) == strong(tag))
}

/// Returns whether `Accept-Encoding` has an encoding.
pub fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let text = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    text.split(',').any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case(encoding) && weight.is_ok_and(|weight| weight > 0.0)
    })
}

/// Lets pages of any origin read and send what needs no session: with `*`, browsers neither send cookies nor keep them.
/// Logging in is for pages of this origin.
pub async fn cors(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_shared = !matches!(path, "/api/login" | "/api/logout");
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if is_preflight && is_shared {
        let mut response = StatusCode::NO_CONTENT.into_response();
        allow(response.headers_mut());
        let headers = response.headers_mut();
        let mut set =
            |name: HeaderName, text: &'static str| headers.insert(name, HeaderValue::from_static(text));
        set(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE");
        set(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, If-None-Match, Last-Event-ID, Range",
        );
        set(header::ACCESS_CONTROL_MAX_AGE, "86400");
        return response;
    }
    let mut response = next.run(request).await;
    if is_shared {
        allow(response.headers_mut());
    }
    response
}

fn allow(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let shown = HeaderValue::from_static("ETag, Location, Content-Disposition, Retry-After");
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, shown);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_weakly() {
        let check = |known: &'static str, expect: bool| {
            let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(known))]);
            assert_eq!(has_tag(&headers, "\"a\""), expect, "{known}");
        };
        check("\"a\"", true);
        check("\"b\", W/\"a\"", true);
        check("*", true);
        check("\"b\"", false);
        let several = ["\"b\"", "\"a\""].map(HeaderValue::from_static);
        let several = several.into_iter().map(|tag| (header::IF_NONE_MATCH, tag)).collect();
        assert!(!has_tag(&HeaderMap::new(), "\"a\"") && has_tag(&several, "\"a\""));
    }

    #[test]
    fn an_encoding_is_sent_to_who_takes_it() {
        for (text, expect) in [
            ("gzip, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip;q=x", false),
            ("br", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            assert_eq!(accepts(&headers, "gzip"), expect, "{text}");
        }
        assert!(!accepts(&HeaderMap::new(), "gzip"));
    }
}
