//! What an operator needs: metrics, health, and a line in the log for each request.

mod gather;
mod health;
mod metrics;
mod observe;
mod operations;
mod recent;

pub(crate) use health::Health;
pub use health::watch as watch_health;
pub use metrics::Metrics;
pub(crate) use observe::Noted;
pub use observe::observe;
pub use operations::Operations;
pub use recent::RecentJudgements;

use crate::{App, Shared};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// OpenMetrics, which Prometheus asks for.
const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns the routes of the listener for operators.
pub fn router(app: Shared) -> Router {
    health_routes().route("/metrics", get(metrics)).with_state(app)
}

/// Returns the routes for operators at the address of the API.
pub fn public_routes(app: &App) -> Router<Shared> {
    let routes = health_routes();
    if app.config.operations.are_metrics_public { routes.route("/metrics", get(metrics)) } else { routes }
}

fn health_routes() -> Router<Shared> {
    Router::new().route("/healthz", get(healthz)).route("/readyz", get(readyz))
}

async fn metrics(State(app): State<Shared>) -> Response {
    match gather::text(&app).await {
        Ok(text) => ([(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(error) => crate::Problem::internal(error).into_response(),
    }
}

/// The process answers.
async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the server can take submissions, and why not.
async fn readyz(State(app): State<Shared>) -> Response {
    let report = app.health.report();
    let status = if report.is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, axum::Json(report)).into_response()
}
