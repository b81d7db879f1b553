//! The page: the files of `web/dist` that are in the binary.

use crate::etag::has_tag;
use crate::extract::accepts;
use crate::guard::IsShared;
use crate::handlers::domjudge;
use crate::{Problem, random};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use rust_embed::{Embed, EmbeddedFile};

const INDEX: &str = "index.html";
const STREAM: &str = "stream.html";
/// `web/index.html` has it where the nonce goes.
const NONCE: &str = "nonce-of-this-answer";
const NOT_BUILT: &str =
    "The page is not in this binary: `make build` makes one that has it. The API is below /api.\n";
const NOT_BUILT_STREAM: &str = "The page is not in this binary: `make build` makes one that has it. The board is at /board.txt and /board.json.\n";

#[derive(Embed)]
#[folder = "../../../web/dist"]
#[allow_missing = true]
struct Files;

/// Answers all that is not below `/api`: a file of the page, or the page itself, which then shows the view of that path.
pub async fn answer(request: Request) -> Response {
    if let Some(missing) = domjudge::answer_missing(&request) {
        return missing;
    }
    let path = request.uri().path().trim_start_matches('/');
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_reading || path == "api" || path.starts_with("api/") {
        return Problem::not_found("resource", request.uri().path()).into_response();
    }
    if path != INDEX
        && let Some(file) = Files::get(path)
    {
        return send(path, file, request.headers());
    }
    // Paths of files have no views: a page in their place would be kept by caches, or read as metrics.
    if path.starts_with("assets/") || path == "metrics" {
        return Problem::not_found("file", request.uri().path()).into_response();
    }
    match Files::get(INDEX) {
        Some(index) => page(&String::from_utf8_lossy(&index.data)),
        None => (StatusCode::NOT_FOUND, NOT_BUILT).into_response(),
    }
}

/// Returns the page of a live stream contest's board, which needs `board.json` beside it and no API.
pub fn stream_page() -> Router {
    Router::new().fallback(async |request: Request| {
        let path = request.uri().path().trim_start_matches('/');
        match (Files::get(path), Files::get(STREAM)) {
            (Some(file), _) if path.starts_with("assets/") || path == "favicon.svg" => {
                send(path, file, request.headers())
            }
            (_, Some(index)) if path.is_empty() => page(&String::from_utf8_lossy(&index.data)),
            (_, None) if path.is_empty() => (StatusCode::NOT_FOUND, NOT_BUILT_STREAM).into_response(),
            _ => (StatusCode::NOT_FOUND, "there is nothing at this path\n").into_response(),
        }
    })
}

/// Returns the page. Only files of this server, and styles that know the nonce, have an effect in it.
fn page(index: &str) -> Response {
    let nonce = random::short_id();
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    let content = index.replace(NONCE, &nonce);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, &policy),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, content).into_response()
}

fn send(path: &str, plain: EmbeddedFile, request: &HeaderMap) -> Response {
    // Names below `assets/` have a hash of what the files hold.
    let caching =
        if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "public, no-cache" };
    let kind = plain.metadata.mimetype().to_owned();
    let tag = format!("\"{}\"", &random::hex(&plain.metadata.sha256_hash())[..32]);
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, caching.to_owned()),
        (header::ETAG, tag.clone()),
        (header::VARY, "accept-encoding".to_owned()),
    ];
    if has_tag(request, &tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let (encoding, file) = encoded(path, request).map_or((None, plain), |(name, file)| (Some(name), file));
    let mut response = (headers, Extension(IsShared), Body::from(file.data)).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Returns the shortest form that the build made and the client takes.
fn encoded(path: &str, request: &HeaderMap) -> Option<(&'static str, EmbeddedFile)> {
    [("br", "br"), ("gzip", "gz")].into_iter().filter(|(encoding, _)| accepts(request, encoding)).find_map(
        |(encoding, extension)| Files::get(&format!("{path}.{extension}")).map(|file| (encoding, file)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    async fn ask(method: Method, path: &str) -> Response {
        answer(Request::builder().method(method).uri(path).body(Body::empty()).expect("a request")).await
    }

    #[tokio::test]
    async fn the_api_and_files_have_no_page_in_their_place() {
        for path in ["/api", "/api/nothing", "/assets/none.js", "/metrics"] {
            assert_eq!(ask(Method::GET, path).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
        assert_eq!(ask(Method::POST, "/").await.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn each_page_has_a_nonce_of_its_own() {
        let mut nonces = Vec::new();
        for _ in 0..2 {
            let response = page("<meta nonce=\"nonce-of-this-answer\">");
            let policy =
                response.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text").to_owned();
            let text = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
            let text = String::from_utf8_lossy(&text).into_owned();
            let nonce = text
                .split("nonce=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next())
                .expect("a nonce")
                .to_owned();
            assert!(policy.contains(&format!("'nonce-{nonce}'")), "{policy} {text}");
            nonces.push(nonce);
        }
        assert_ne!(nonces[0], nonces[1]);
    }
}
