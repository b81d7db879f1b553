//! Metrics of the operator, and its probes.

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;
use pools::{NodeState, Seen};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// From a small fleet to one of thousands.
const PLANNING_BUCKETS: [f64; 7] = [0.000_1, 0.001, 0.005, 0.01, 0.05, 0.1, 1.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfAction {
    action: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfPool {
    pool: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfState {
    pool: String,
    state: String,
}

pub struct Metrics {
    registry: Registry,
    done: Family<OfAction, Counter>,
    failed: Family<OfAction, Counter>,
    nodes: Family<OfState, Gauge>,
    wanted: Family<OfPool, Gauge>,
    planning: Histogram,
    is_server_up: Gauge,
    is_listed: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut new = Self {
            registry: Registry::with_prefix("tautochrone_operator"),
            done: Family::default(),
            failed: Family::default(),
            nodes: Family::default(),
            wanted: Family::default(),
            planning: Histogram::new(PLANNING_BUCKETS),
            is_server_up: Gauge::default(),
            is_listed: Gauge::default(),
        };
        let registry = &mut new.registry;
        registry.register("actions", "What was done", new.done.clone());
        registry.register("actions_failed", "What did not work, and is tried again", new.failed.clone());
        registry.register("nodes", "JudgeNodes by pool and state", new.nodes.clone());
        registry.register("wanted", "Judgehosts that a pool is to have", new.wanted.clone());
        registry.register_with_unit(
            "planning",
            "Time for deciding what to do",
            Unit::Seconds,
            new.planning.clone(),
        );
        registry.register("server_up", "1 if the contest server answers, else 0", new.is_server_up.clone());
        registry.register("listed", "1 once everything was listed", new.is_listed.clone());
        new
    }
}

impl Metrics {
    pub fn listed(&self) {
        self.is_listed.set(1);
    }

    pub fn acted(&self, action: &str) {
        self.done.get_or_create(&OfAction { action: action.to_owned() }).inc();
    }

    pub fn failed(&self, action: &str) {
        self.failed.get_or_create(&OfAction { action: action.to_owned() }).inc();
    }

    pub fn planned(&self, took: Duration, seen: &Seen) {
        self.planning.observe(took.as_secs_f64());
        self.is_server_up.set(i64::from(seen.server.is_some()));
        // A pool or state that is gone must not keep its last value.
        self.nodes.clear();
        self.wanted.clear();
        for node in &seen.nodes {
            let state = node.status.as_ref().map_or(NodeState::Pending, |status| status.state);
            let labels = OfState { pool: node.spec.pool.clone(), state: state.word().to_owned() };
            self.nodes.get_or_create(&labels).inc();
        }
        for pool in &seen.pools {
            let name = pool.metadata.name.clone().unwrap_or_default();
            let wanted = pool.status.as_ref().map_or(0, |status| status.wanted);
            self.wanted.get_or_create(&OfPool { pool: name }).set(wanted.into());
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a text cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }

    fn readiness(&self) -> (StatusCode, &'static str) {
        match self.is_listed.get() {
            1 => (StatusCode::OK, "{\"is_ready\":true}\n"),
            _ => (
                StatusCode::SERVICE_UNAVAILABLE,
                "{\"is_ready\":false,\"reason\":\"the cluster is being listed\"}\n",
            ),
        }
    }
}

/// Answers `/metrics`, `/healthz` and `/readyz`.
pub fn serve(listener: TcpListener, metrics: Arc<Metrics>) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let ready = Arc::clone(&metrics);
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(move || async move { ready.readiness() }))
        .route(
            "/metrics",
            get(move || async move { ([(header::CONTENT_TYPE, MEDIA_TYPE)], metrics.text()) }),
        );
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(())
}
