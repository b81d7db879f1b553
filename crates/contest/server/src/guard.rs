//! What all answers have.

mod budget;
use crate::auth::{CSRF_HEADER, Peer, network};
use crate::{Problem, Shared};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
pub use budget::ResponseBudget;
use hyper::body::Body as _;
use model::message;
use std::net::IpAddr;
use std::sync::PoisonError;

/// Shorter answers fit into what a connection may have anyway.
const COUNTED_FROM: u64 = 64 << 10;

/// An answer that many share, so that it is in memory once.
#[derive(Clone, Copy)]
pub struct IsShared;

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

/// Counts an answer, unless there are too many.
fn count(app: &Shared, address: IpAddr, content: Bytes) -> Option<Bytes> {
    let limits = &app.config.limits;
    let mut budget = app.response_budget.0.lock().unwrap_or_else(PoisonError::into_inner);
    let of_address = budget.1.get(&address).copied().unwrap_or(0) + content.len();
    if budget.0 + content.len() > limits.answer_bytes || of_address > limits.answer_bytes_per_address {
        return None;
    }
    budget.0 += content.len();
    budget.1.insert(address, of_address);
    drop(budget);
    Some(Bytes::from_owner(Counted { content, address, app: app.clone() }))
}

/// Refuses long answers while clients have not taken those of before: each is in memory until then.
pub async fn limit_responses(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0);
    let response = next.run(request).await;
    let is_long = response.body().size_hint().exact().is_some_and(|bytes| bytes >= COUNTED_FROM);
    if !is_long || response.extensions().get::<IsShared>().is_some() {
        return response;
    }
    let (parts, body) = response.into_parts();
    // It is in memory already.
    let Ok(content) = to_bytes(body, usize::MAX).await else {
        return Problem::internal("an answer cannot be read").into_response();
    };
    match count(&app, network(peer), content) {
        Some(content) => Response::from_parts(parts, Body::from(content)),
        None => Problem::unavailable(message!(
            "too-many-downloads",
            "too many downloads are in progress; try again"
        ))
        .into_response(),
    }
}

/// Sets headers that keep browsers from doing more with an answer than it is for.
pub async fn headers(request: Request, next: Next) -> Response {
    let is_page = request.headers().contains_key(CSRF_HEADER);
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if is_page {
        // A browser would ask for a password by itself, in the page's place.
        headers.remove(header::WWW_AUTHENTICATE);
    }
    let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(nothing);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    response
}

/// An answer that is counted until it was taken.
struct Counted {
    content: Bytes,
    address: IpAddr,
    app: Shared,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut budget = self.app.response_budget.0.lock().unwrap_or_else(PoisonError::into_inner);
        budget.0 -= self.content.len();
        if let Some(bytes) = budget.1.get_mut(&self.address) {
            *bytes -= self.content.len();
            if *bytes == 0 {
                budget.1.remove(&self.address);
            }
        }
    }
}
