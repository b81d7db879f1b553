//! Counts each request, writes a line about it, and gives it an id.

use super::metrics::Endpoint;
use crate::Shared;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use contest_rules::AccountId;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The header with a request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The label of what no route matches.
const NO_ROUTE: &str = "none";
/// Asked by machines all the time: not worth a line each unless something is wrong.
const FREQUENT: [&str; 6] = [
    "/healthz",
    "/readyz",
    "/metrics",
    "/api/judgehosts/{judgehost}/heartbeat",
    "/api/judgehosts/{judgehost}/claim",
    "/api/judgehosts/{judgehost}/reports",
];

/// The account that has sent the request, noted as soon as that is known.
#[derive(Clone, Default)]
pub struct Noted(Arc<OnceLock<AccountId>>);

impl Noted {
    /// Notes who has asked.
    pub fn note(&self, account: &AccountId) {
        let _ = self.0.set(account.clone());
    }
}

/// Counts a request, writes a line about it, and gives it an id.
///
/// The line has neither the path nor what comes after `?`: both could have secrets.
pub async fn observe(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let path = request.extensions().get::<MatchedPath>();
    let route = path.map_or(NO_ROUTE, |path| path.as_str()).to_owned();
    let method = known(request.method());
    let noted = Noted::default();
    request.extensions_mut().insert(noted.clone());
    let mut response = next.run(request).await;
    let took = begun.elapsed();
    // Random: a count would tell how much others do.
    let (id, status) = (crate::random::short_id(), response.status().as_u16());
    let ms = took.as_micros() as f64 / 1000.0;
    let account = noted.0.get().map(AccountId::as_str);
    let is_frequent = FREQUENT.contains(&route.as_str());
    if status >= 500 {
        tracing::warn!(target: "request", id, method, route, status, ms, account, "request");
    } else if is_frequent {
        tracing::debug!(target: "request", id, method, route, status, ms, account, "request");
    } else {
        tracing::info!(target: "request", id, method, route, status, ms, account, "request");
    }
    app.published.metrics.answered(Endpoint { route, method }, status, took);
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Returns a method as a label; clients can make up others.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
