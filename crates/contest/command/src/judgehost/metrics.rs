//! Metrics of a judgehost: they are counted from its events.

use anyhow::Context;
use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;
use judgehost::OperatorEvent;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::net::TcpListener;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// From a small program to a long one with all its cases.
const JUDGING_BUCKETS: [f64; 10] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 300.0];

type Seconds = Gauge<f64, AtomicU64>;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfVerdict {
    verdict: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfScope {
    scope: String,
}

pub struct Metrics {
    registry: Registry,
    received: Counter,
    judged: Family<OfVerdict, Counter>,
    failed: Family<OfScope, Counter>,
    returned: Counter,
    dropped: Counter,
    judging: Histogram,
    reference: Seconds,
    reference_lowest: Seconds,
    lowest: Mutex<Option<f64>>,
    is_connected: Gauge,
    is_tested: Gauge,
    is_draining: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("tautochrone_judgehost");
        let new = Self {
            received: Counter::default(),
            judged: Family::default(),
            failed: Family::default(),
            returned: Counter::default(),
            dropped: Counter::default(),
            judging: Histogram::new(JUDGING_BUCKETS),
            reference: Seconds::default(),
            reference_lowest: Seconds::default(),
            lowest: Mutex::new(None),
            is_connected: Gauge::default(),
            is_tested: Gauge::default(),
            is_draining: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("jobs_received", "Jobs that were received", new.received.clone());
        registry.register("jobs_judged", "Jobs that were judged, by verdict", new.judged.clone());
        registry.register("jobs_failed", "Jobs that could not be judged, by what failed", new.failed.clone());
        registry.register("jobs_returned", "Jobs that were given back", new.returned.clone());
        registry.register("jobs_dropped", "Jobs that are others' now", new.dropped.clone());
        let (judging, seconds) = ("Time from receiving a job to its verdict", || Unit::Seconds);
        registry.register_with_unit("judging", judging, seconds(), new.judging.clone());
        let (last, lowest) = ("Last time of the reference program", "Its lowest time since the start");
        registry.register_with_unit("reference", last, seconds(), new.reference.clone());
        registry.register_with_unit("reference_lowest", lowest, seconds(), new.reference_lowest.clone());
        registry.register("connected", "1 if the server answers, else 0", new.is_connected.clone());
        registry.register("self_test_passed", "1 if the self-test passed", new.is_tested.clone());
        registry.register("draining", "1 if it takes no more jobs", new.is_draining.clone());
        Self { registry, ..new }
    }
}

impl Metrics {
    pub fn count(&self, event: &OperatorEvent) {
        match event {
            OperatorEvent::SelfTested { .. } => drop(self.is_tested.set(1)),
            OperatorEvent::Registered { .. } | OperatorEvent::Found => drop(self.is_connected.set(1)),
            OperatorEvent::Lost { .. } => drop(self.is_connected.set(0)),
            OperatorEvent::Received { .. } => drop(self.received.inc()),
            OperatorEvent::Judged { verdict, spent, .. } => {
                let verdict = verdict.0.clics_id().to_owned();
                self.judged.get_or_create(&OfVerdict { verdict }).inc();
                self.judging.observe(spent.total_us as f64 / 1e6);
            }
            OperatorEvent::Failed { scope, .. } => {
                let scope = format!("{scope:?}").to_lowercase();
                self.failed.get_or_create(&OfScope { scope }).inc();
            }
            OperatorEvent::Returned { .. } => drop(self.returned.inc()),
            OperatorEvent::Dropped { .. } => drop(self.dropped.inc()),
            OperatorEvent::Draining { .. } => drop(self.is_draining.set(1)),
            OperatorEvent::Reference { cpu_time_ns } => {
                let time = *cpu_time_ns as f64 / 1e9;
                let mut lowest = self.lowest.lock().unwrap_or_else(PoisonError::into_inner);
                *lowest = Some(lowest.map_or(time, |lowest| lowest.min(time)));
                self.reference.set(time);
                self.reference_lowest.set(lowest.unwrap_or(time));
            }
            OperatorEvent::Ready { .. }
            | OperatorEvent::Delivered { .. }
            | OperatorEvent::Warning { .. }
            | OperatorEvent::Ended { .. } => {}
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a text cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }

    fn readiness(&self) -> (StatusCode, &'static str) {
        let not = StatusCode::SERVICE_UNAVAILABLE;
        match (self.is_connected.get(), self.is_draining.get()) {
            (_, 1) => (not, r#"{"is_ready":false,"reason":"it ends"}"#),
            (1, _) => (StatusCode::OK, r#"{"is_ready":true}"#),
            _ => (not, r#"{"is_ready":false,"reason":"it is not connected to the server"}"#),
        }
    }
}

/// Answers `/metrics`, `/healthz` and `/readyz` on a thread of its own until the process ends.
pub fn serve(listener: TcpListener, metrics: Arc<Metrics>) -> anyhow::Result<()> {
    listener.set_nonblocking(true).context("cannot use the socket for metrics")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ready = Arc::clone(&metrics);
    let json = [(header::CONTENT_TYPE, "application/json")];
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(move || async move { (ready.readiness().0, json, ready.readiness().1) }))
        .route(
            "/metrics",
            get(move || async move { ([(header::CONTENT_TYPE, MEDIA_TYPE)], metrics.text()) }),
        );
    let work = move || {
        let served = async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, router).await
        };
        drop(runtime.block_on(served));
    };
    let thread = std::thread::Builder::new().name("metrics".to_owned()).spawn(work);
    thread.map(drop).context("cannot start a thread for metrics")
}

#[cfg(test)]
mod tests {
    use super::*;
    use documents::judgehost::FailureScopeId;

    #[test]
    fn events_are_counted() {
        let metrics = Metrics::default();
        assert_eq!(metrics.readiness().0, StatusCode::SERVICE_UNAVAILABLE);
        let (job, reason) = ("demo/1-1".to_owned(), "no data".to_owned());
        metrics.count(&OperatorEvent::Found);
        metrics.count(&OperatorEvent::Failed { job, scope: FailureScopeId::Package, reason });
        for cpu_time_ns in [12_000_000, 10_000_000, 11_000_000] {
            metrics.count(&OperatorEvent::Reference { cpu_time_ns });
        }
        let text = metrics.text();
        for line in [
            "tautochrone_judgehost_jobs_failed_total{scope=\"package\"} 1",
            "tautochrone_judgehost_reference_seconds 0.011",
            "tautochrone_judgehost_reference_lowest_seconds 0.01",
            "tautochrone_judgehost_connected 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("demo"));
        assert_eq!(metrics.readiness().0, StatusCode::OK);
        metrics.count(&OperatorEvent::Draining { judging: 1 });
        assert_eq!(metrics.readiness().0, StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn the_dashboard_and_the_alerts_ask_for_what_is_there() {
        let metrics = Metrics::default();
        metrics.judged.get_or_create(&OfVerdict { verdict: "AC".to_owned() }).inc();
        metrics.failed.get_or_create(&OfScope { scope: "machine".to_owned() }).inc();
        let exported = metrics.text();
        let exported: Vec<&str> = exported.lines().filter_map(|line| line.split(['{', ' ']).next()).collect();
        for file in ["grafana/tautochrone.json", "prometheus/alerts.yaml"] {
            let path = format!("{}/../../../deploy/{file}", env!("CARGO_MANIFEST_DIR"));
            let asked = std::fs::read_to_string(path).unwrap();
            let names = asked.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            // What the server knows about a judgehost is among the server's metrics.
            let names = names.filter(|name| {
                name.starts_with("tautochrone_judgehost_")
                    && *name != "tautochrone_judgehost_last_seen_seconds"
            });
            for name in names {
                assert!(exported.contains(&name), "{file} asks for {name}");
            }
        }
    }
}
