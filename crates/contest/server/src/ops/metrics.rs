//! The metrics, and where each is counted.
//!
//! **Architecture Invariant:** no label has the name of a team, an account or a submission, nor anything that a client chooses.

use super::RecentJudgements;
use contest_rules::{Body, Event, State};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

pub type Seconds = Gauge<f64, AtomicU64>;

/// From a look at memory to a claim that waits 30 s.
const REQUEST_BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0, 60.0];
/// From a commit on a fast disk to one that a hung database delays.
const COMMIT_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// From a fast pool to a queue of an hour.
const VERDICT_BUCKETS: [f64; 12] = [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Endpoint {
    /// The path with names of its parts instead of their values.
    pub route: String,
    pub method: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Answer {
    pub route: String,
    pub method: &'static str,
    pub status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct OfVerdict {
    pub verdict: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct OfPool {
    pub pool: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct JobsOf {
    pub pool: String,
    pub state: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct OfHost {
    pub judgehost: String,
    pub pool: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Build {
    pub version: &'static str,
}

type Family_<L> = Family<L, Gauge>;
type Latencies<L> = Family<L, Histogram, fn() -> Histogram>;

pub struct Metrics {
    pub(super) registry: Registry,
    pub(super) requests: Family<Answer, Counter>,
    pub(super) request_seconds: Latencies<Endpoint>,
    /// Requests that wait for the writer.
    pub writer_waiting: Gauge,
    /// From a request to the writer until it is taken.
    pub writer_wait_seconds: Histogram,
    /// Transactions, until they are on the disk.
    pub commit_seconds: Histogram,
    pub commits_failed: Counter,
    pub(super) judgements: Family<OfVerdict, Counter>,
    pub(super) verdict_seconds: Histogram,
    pub(super) judgings_failed: Counter,
    pub logins_failed: Counter,
    /// Connections of clients that took too little for too long, and streams that such a client had.
    pub clients_cut: Counter,
    /// Connections that were not taken since there were too many.
    pub connections_refused: Counter,
    pub(super) events: Gauge,
    pub(super) contests: Gauge,
    pub(super) submissions: Gauge,
    pub(super) jobs: Family_<JobsOf>,
    pub(super) oldest_job_seconds: Family<OfPool, Seconds>,
    pub(super) judgehosts: Family_<JobsOf>,
    pub(super) judgehost_seen_seconds: Family<OfHost, Seconds>,
    pub(super) streams: Gauge,
    pub(super) blob_bytes: Gauge,
    pub(super) blobs: Gauge,
    pub(super) disk_free_bytes: Gauge,
    pub(super) disk_size_bytes: Gauge,
    pub(super) memory_bytes: Gauge,
    pub(super) is_ready: Gauge,
    pub(super) is_writer: Gauge,
    /// The last judgements of each pool.
    pub recent: RecentJudgements,
}

struct Registering(Registry);

impl Registering {
    fn add<M: prometheus_client::registry::Metric + Clone>(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<Unit>,
        metric: M,
    ) -> M {
        match unit {
            Some(unit) => self.0.register_with_unit(name, help, unit, metric.clone()),
            None => self.0.register(name, help, metric.clone()),
        }
        metric
    }

    fn new_one<M: prometheus_client::registry::Metric + Clone + Default>(
        &mut self,
        name: &str,
        help: &str,
    ) -> M {
        self.add(name, help, None, M::default())
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let (seconds, bytes) = (|| Some(Unit::Seconds), || Some(Unit::Bytes));
        let latencies: fn() -> Histogram = || Histogram::new(REQUEST_BUCKETS);
        let commit = || Histogram::new(COMMIT_BUCKETS);
        let mut all = Registering(Registry::with_prefix("tautochrone"));
        let build: Family_<Build> = all.new_one("build_info", "The release");
        build.get_or_create(&Build { version: env!("CARGO_PKG_VERSION") }).set(1);
        let start =
            all.add("start_time", "When the server started, since 1970", seconds(), Seconds::default());
        start.set(crate::clock::system_now().0 as f64 / 1000.0);
        let latencies = Family::new_with_constructor(latencies);
        let requests = "Answers by route, method and status";
        let took = "Time until the head of an answer, by route and method";
        let waited = "Time that requests waited for the writer";
        let verdict = "Time from receiving a submission to the verdict of its first judgement";
        let oldest = "Age of the oldest judgement that waits, by pool";
        let seen = "Time since a judgehost was last heard of";
        let cut = "Clients that were cut since they took too little for too long";
        let refused = "Connections that were not taken since there were too many";
        Self {
            requests: all.new_one("http_requests", requests),
            request_seconds: all.add("http_request_duration", took, seconds(), latencies),
            writer_waiting: all.new_one("writer_waiting_requests", "Requests that wait for the writer"),
            writer_wait_seconds: all.add("writer_wait", waited, seconds(), commit()),
            commit_seconds: all.add("writer_commit", "Time of transactions", seconds(), commit()),
            commits_failed: all.new_one("writer_failures", "Transactions that failed"),
            judgements: all.new_one(
                "judgements",
                "Judgements that are done, by verdict; while a board is frozen, hidden",
            ),
            verdict_seconds: all.add("verdict", verdict, seconds(), Histogram::new(VERDICT_BUCKETS)),
            judgings_failed: all.new_one("judgings_failed", "Judgings that failed and are given to others"),
            logins_failed: all.new_one("logins_failed", "Wrong passwords"),
            clients_cut: all.new_one("slow_clients_cut", cut),
            connections_refused: all.new_one("connections_refused", refused),
            events: all.new_one("log_events", "Events in the log"),
            contests: all.new_one("contests", "Contests"),
            submissions: all.new_one("submissions", "Submissions in all contests"),
            jobs: all.new_one("jobs", "Jobs by pool: waiting, delayed, claimed"),
            oldest_job_seconds: all.add("oldest_job_age", oldest, seconds(), Family::default()),
            judgehosts: all.new_one("judgehosts", "Judgehosts by pool and state"),
            judgehost_seen_seconds: all.add("judgehost_last_seen", seen, seconds(), Family::default()),
            streams: all.new_one("event_streams", "Open streams of events"),
            blob_bytes: all.add("blobs", "Contents that are stored", bytes(), Gauge::default()),
            blobs: all.new_one("blobs_stored", "How many contents are stored"),
            disk_free_bytes: all.add("disk_free", "Free space for the data", bytes(), Gauge::default()),
            disk_size_bytes: all.add("disk_size", "Size of the disk of the data", bytes(), Gauge::default()),
            memory_bytes: all.add("memory_resident", "Memory of the server", bytes(), Gauge::default()),
            is_ready: all.new_one("ready", "1 if the server is ready, else 0"),
            is_writer: all.new_one("writer", "1 if this server writes, 0 if it follows another one"),
            recent: RecentJudgements::default(),
            registry: all.0,
        }
    }
}

impl Metrics {
    /// Counts an event. `state` is the one before it.
    pub fn count(&self, state: &State, event: &Event) {
        match &event.body {
            Body::Judged(judged) => {
                let is_hidden = event.contest.as_ref().is_some_and(|id| state.hides_results(id));
                let verdict = if is_hidden { "hidden" } else { judged.outcome.verdict.0.clics_id() };
                self.judgements.get_or_create(&OfVerdict { verdict }).inc();
                let times = event.contest.as_ref().and_then(|id| state.times(id, judged.judgement));
                if let Some(received) = times.and_then(|times| times.received) {
                    self.verdict_seconds.observe((event.time - received).0 as f64 / 1000.0);
                }
                times.inspect(|times| self.recent.note(times, event.time));
            }
            Body::JudgingFailed { .. } => drop(self.judgings_failed.inc()),
            _ => {}
        }
    }

    pub fn answered(&self, endpoint: Endpoint, status: u16, took: Duration) {
        self.request_seconds.get_or_create(&endpoint).observe(took.as_secs_f64());
        let Endpoint { route, method } = endpoint;
        self.requests.get_or_create(&Answer { route, method, status }).inc();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is asked of a judgehost itself.
    const OF_JUDGEHOSTS: &str = "tautochrone_judgehost_";
    const FILES: [&str; 2] = ["grafana/tautochrone.json", "prometheus/alerts.yaml"];

    fn names(text: &str) -> impl Iterator<Item = &str> {
        let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        parts.filter(|part| part.starts_with("tautochrone_"))
    }

    #[test]
    fn the_dashboard_and_the_alerts_ask_for_what_is_there() {
        let metrics = Metrics::default();
        let pool = "p".to_owned();
        let of_pool = || JobsOf { pool: pool.clone(), state: "waiting" };
        metrics.jobs.get_or_create(&of_pool()).set(1);
        metrics.judgehosts.get_or_create(&of_pool()).set(1);
        metrics.oldest_job_seconds.get_or_create(&OfPool { pool: pool.clone() }).set(1.0);
        let host = OfHost { judgehost: "h".to_owned(), pool: pool.clone() };
        metrics.judgehost_seen_seconds.get_or_create(&host).set(1.0);
        metrics.judgements.get_or_create(&OfVerdict { verdict: "AC" }).inc();
        metrics.answered(Endpoint { route: "/".to_owned(), method: "GET" }, 200, Duration::ZERO);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &metrics.registry).unwrap();
        let exported: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| names(line).next()).collect();
        for file in FILES {
            let path = format!("{}/../../../deploy/{file}", env!("CARGO_MANIFEST_DIR"));
            let asked = std::fs::read_to_string(path).unwrap();
            let mut count = 0;
            for name in names(&asked) {
                count += 1;
                let is_there = exported.contains(&name);
                assert!(is_there || name.starts_with(OF_JUDGEHOSTS), "{file} asks for {name}");
            }
            assert!(count > 5, "{file} asks for nothing");
        }
    }
}
