//! What the contest server knows of pools and judgehosts, and what is set there.

use documents::contest::{Jobs, Judgehost, SetJudgehost};
use documents::judgehost::JudgehostMachine;
use model::Reading;
use pools::{HostSeen, HostState, Measured, QueueSeen, ServerSeen};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use ureq::Agent;
use ureq::tls::TlsConfig;

/// A server answers these within milliseconds.
const ANSWER_MAX: Duration = Duration::from_secs(10);
const CONNECT_MAX: Duration = Duration::from_secs(3);
/// Ten thousand judgehosts, each with its lines.
const BODY_BYTES_MAX: u64 = 64 << 20;

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("the contest server cannot be reached: {0}")]
    Unreachable(#[source] Box<ureq::Error>),
    #[error("the contest server answers {method} {path} with {status}: {detail}")]
    Refused { method: &'static str, path: String, status: u16, detail: String },
    #[error("the contest server's answer to {path} cannot be read")]
    Answer { path: String, source: serde_json::Error },
}

/// A contest server, by the account of an operator. Calls block.
pub struct ContestServer {
    agent: Agent,
    base: String,
    authorization: String,
}

impl ContestServer {
    /// Sends nothing yet. `tls` names the trusted certificates.
    pub fn new(base: &str, token: &str, tls: TlsConfig) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The token is for this server alone.
            .max_redirects(0)
            .proxy(None)
            .tls_config(tls)
            .timeout_connect(Some(CONNECT_MAX))
            .timeout_global(Some(ANSWER_MAX))
            .user_agent(concat!("tauto-operator/", env!("CARGO_PKG_VERSION")))
            .build();
        let base = format!("{}/api", base.trim_end_matches('/'));
        Self { agent: config.into(), base, authorization: format!("Bearer {token}") }
    }

    /// Returns what the server knows; of those that wait to be let in also what they measured.
    pub fn look(&self) -> Result<ServerSeen, ServerError> {
        let hosts: Vec<Judgehost> = self.get("/judgehosts")?;
        let jobs: Jobs = self.get("/jobs")?;
        let mut seen = ServerSeen::default();
        for host in hosts {
            let state = state(&host.state);
            let mut reference_ns = host.reference_ns.or(host.last_reference_ns);
            let mut described = None;
            if state == HostState::Waiting {
                let machine: JudgehostMachine = self.get(&format!("/judgehosts/{}/machine", host.id))?;
                // Disturbance only adds time.
                reference_ns = machine.references.iter().map(|time| time.cpu_time_ns).min();
                described = machine.machine.map(|machine| measured(&machine));
            }
            let of = HostSeen {
                pool: host.pool,
                state,
                reason: host.reason,
                jobs: host.jobs,
                reference_ns,
                identity: host.identity,
                measured: described,
            };
            seen.hosts.insert(host.id, of);
        }
        seen.queues = jobs.pools.into_iter().map(|jobs| (jobs.pool.clone(), queue(&jobs))).collect();
        Ok(seen)
    }

    /// Sets the state of a judgehost.
    pub fn set(&self, host: &str, state: HostState, reason: &str) -> Result<(), ServerError> {
        let state = match state {
            HostState::Enabled => "enabled",
            HostState::Draining => "draining",
            HostState::Disabled | HostState::Waiting | HostState::Away => "disabled",
        };
        let set = SetJudgehost { state: state.to_owned(), reason: reason.to_owned() };
        let path = format!("/judgehosts/{host}");
        let body =
            serde_json::to_vec(&set).map_err(|source| ServerError::Answer { path: path.clone(), source })?;
        let request = self.agent.patch(format!("{}{path}", self.base));
        let request = request.header("authorization", &self.authorization).content_type("application/json");
        let answer = request.send(body);
        self.taken("PATCH", &path, answer).map(drop)
    }

    /// Lets the server forget a judgehost; one that it does not know is forgotten already.
    pub fn remove(&self, host: &str) -> Result<(), ServerError> {
        let path = format!("/judgehosts/{host}");
        let request = self.agent.delete(format!("{}{path}", self.base));
        let answer = request.header("authorization", &self.authorization).call();
        match self.taken("DELETE", &path, answer) {
            Err(ServerError::Refused { status: 404, .. }) => Ok(()),
            other => other.map(drop),
        }
    }

    fn get<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, ServerError> {
        let request = self.agent.get(format!("{}{path}", self.base));
        let answer = request.header("authorization", &self.authorization).call();
        let body = self.taken("GET", path, answer)?;
        serde_json::from_slice(&body).map_err(|source| ServerError::Answer { path: path.to_owned(), source })
    }

    fn taken(
        &self,
        method: &'static str,
        path: &str,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Vec<u8>, ServerError> {
        let unreachable = |error| ServerError::Unreachable(Box::new(error));
        let mut answer = answer.map_err(unreachable)?;
        let body =
            answer.body_mut().with_config().limit(BODY_BYTES_MAX).read_to_vec().map_err(unreachable)?;
        if answer.status().is_success() {
            return Ok(body);
        }
        let detail = serde_json::from_slice(&body)
            .ok()
            .and_then(|problem: Value| Some(problem.get("detail")?.as_str()?.to_owned()));
        let status = answer.status();
        let detail = detail.unwrap_or_else(|| status.canonical_reason().unwrap_or("no reason").to_owned());
        Err(ServerError::Refused { method, path: path.to_owned(), status: status.as_u16(), detail })
    }
}

fn state(word: &str) -> HostState {
    match word {
        "waiting" => HostState::Waiting,
        "enabled" => HostState::Enabled,
        "draining" => HostState::Draining,
        "disabled" => HostState::Disabled,
        // A word of a later release: nothing is decided about such a judgehost.
        _ => HostState::Away,
    }
}

fn measured(machine: &documents::judgehost::MachineReport) -> Measured {
    let lost_ppm = match machine.unavailable.get("noise") {
        Some(why) => Reading::Unavailable(why.clone()),
        None if machine.noise.is_empty() => Reading::unavailable("it was not measured"),
        None => Reading::Known(machine.noise.iter().map(|one| (one.cpu, one.lost_ppm)).collect()),
    };
    let settings = machine.check.iter().flat_map(|check| &check.settings);
    let settings: BTreeMap<String, String> =
        settings.map(|setting| (setting.id.clone(), setting.found.clone())).collect();
    Measured { places: machine.places.clone(), lost_ppm, settings }
}

fn queue(jobs: &documents::contest::PoolJobs) -> QueueSeen {
    QueueSeen {
        waiting: jobs.waiting,
        judging: jobs.claimed,
        oldest_wait_ms: jobs.oldest_wait_ms,
        verdict_p99_ms: jobs.verdict_p99_ms,
        judging_mean_ms: jobs.judging_mean_ms,
    }
}
