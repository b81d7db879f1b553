//! Tags of answers, for caches.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Body as _;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Longer ones are streams of a kind: hashing them costs more than it saves.
const TAGGED_BYTES_MAX: u64 = 64 << 20;

/// Gives each JSON answer to a GET a tag of its content, and answers 304 to clients that have it already.
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
}
