//! Requests to the server.

use crate::error::{JudgehostError, cut, reason};
use crate::token::Token;
use documents::judgehost::{
    ClaimRequest, ClaimResponse, Heartbeat, HeartbeatAnswer, REASON_BYTES_MAX, Register, RegisterRefused,
    Registered, ReportsAnswer, ReportsRequest, StatementResult,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Read;
use std::time::Duration;
use ureq::Agent;
use ureq::http::Response;
use ureq::tls::TlsConfig;

const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long an answer may take in all; a claim waits longer.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// How long a transfer of a blob may stand still.
const STALL_MAX: Duration = Duration::from_secs(30);
/// About the size of a claim of 256 jobs with a hundred files each.
const JSON_BYTES_MAX: u64 = 16 << 20;
/// A problem document with all differences of a refused judgehost.
const PROBLEM_BYTES_MAX: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No answer, or a temporary failure: the same request may work later.
    #[error("{0}")]
    Unreachable(String),
    #[error("the server answered {status}: {detail}")]
    Refused { status: u16, detail: String },
}

impl CallError {
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_))
    }

    /// Returns whether the server does not know this judgehost, as after its data were restored.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Refused { status: 404 | 409, .. })
    }
}

/// The server, as this judgehost sees it.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
    server: String,
    id: String,
    token: Token,
}

pub enum BlobPart {
    /// From the byte that was asked for.
    Rest(Box<dyn Read>),
    /// From the first byte.
    Whole(Box<dyn Read>),
    /// There is nothing after that byte.
    Nothing,
}

impl Client {
    /// Sends nothing yet. `tls` names the trusted certificates.
    pub fn new(server: &str, id: String, token: Token, tls: TlsConfig) -> Result<Self, JudgehostError> {
        let wrong = |why| JudgehostError::BadServer { url: server.to_owned(), why };
        let rest = server.strip_prefix("http://").or_else(|| server.strip_prefix("https://"));
        let rest = rest.ok_or_else(|| wrong("it must begin with http:// or https://"))?;
        if rest.is_empty() || rest.contains(['?', '#', '@', ' ']) {
            return Err(wrong("it must be a host, with a port and a path if needed"));
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The token is for this server alone.
            .max_redirects(0)
            .proxy(None)
            .tls_config(tls)
            .timeout_connect(Some(CONNECT_MAX))
            .max_idle_connections_per_host(8)
            .user_agent(concat!("tauto-judgehost/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self { agent: config.into(), server: server.trim_end_matches('/').to_owned(), id, token })
    }

    pub fn server(&self) -> &str {
        &self.server
    }

    /// Registers; a refusal has the differences from the pool.
    pub fn register(&self, request: &Register) -> Result<Registered, (CallError, RegisterRefused)> {
        let none = RegisterRefused::default;
        let url = self.path("");
        let sent = self.agent.put(url).header("authorization", self.token.header());
        let sent = sent.config().timeout_global(Some(ANSWER_MAX)).build();
        let mut response = sent.send_json(request).map_err(|error| (unreachable(&error), none()))?;
        if response.status().as_u16() == 409 {
            let read = response.body_mut().with_config().limit(PROBLEM_BYTES_MAX).read_to_vec();
            let refused: RegisterRefused =
                read.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
            let detail = cut(refused.detail.clone(), REASON_BYTES_MAX);
            return Err((CallError::Refused { status: 409, detail }, refused));
        }
        answer(response).map_err(|error| (error, none()))
    }

    pub fn claim(&self, request: &ClaimRequest) -> Result<ClaimResponse, CallError> {
        let wait = ANSWER_MAX + Duration::from_secs(request.wait_s.into());
        self.post("/claim", request, wait)
    }

    pub fn report(&self, request: &ReportsRequest) -> Result<ReportsAnswer, CallError> {
        self.post("/reports", request, ANSWER_MAX)
    }

    pub fn heartbeat(&self, request: &Heartbeat) -> Result<HeartbeatAnswer, CallError> {
        self.post("/heartbeat", request, ANSWER_MAX)
    }

    /// Sends what became of a statement.
    pub fn statement(&self, result: &StatementResult) -> Result<(), CallError> {
        let url = self.path("/statement");
        let sent = self.agent.post(url).header("authorization", self.token.header());
        let sent = sent.config().timeout_global(Some(ANSWER_MAX)).build();
        let response = sent.send_json(result).map_err(|error| unreachable(&error))?;
        if response.status().is_success() { Ok(()) } else { Err(refusal(response)) }
    }

    pub fn blob(&self, hash: &str, from: u64) -> Result<BlobPart, CallError> {
        let url = format!("{}/api/blobs/{hash}", self.server);
        let mut sent = self.agent.get(url).header("authorization", self.token.header());
        if from > 0 {
            sent = sent.header("range", format!("bytes={from}-"));
        }
        let sent = sent.config().timeout_recv_response(Some(ANSWER_MAX)).timeout_per_read(Some(STALL_MAX));
        let response = sent.build().call().map_err(|error| unreachable(&error))?;
        let whole = |response: Response<ureq::Body>| {
            // The reader of a part takes no more than it expects.
            Box::new(response.into_body().into_with_config().limit(u64::MAX).reader())
        };
        match response.status().as_u16() {
            200 => Ok(BlobPart::Whole(whole(response))),
            206 => Ok(BlobPart::Rest(whole(response))),
            416 => Ok(BlobPart::Nothing),
            _ => Err(refusal(response)),
        }
    }

    pub fn put_blob(&self, hash: &str, bytes: &[u8]) -> Result<(), CallError> {
        let url = format!("{}/api/blobs/{hash}", self.server);
        let sent = self.agent.put(url).header("authorization", self.token.header());
        let sent = sent.content_type("application/octet-stream").config().timeout_per_write(Some(STALL_MAX));
        let sent = sent.timeout_recv_response(Some(ANSWER_MAX)).build();
        let response = sent.send(bytes).map_err(|error| unreachable(&error))?;
        if response.status().is_success() { Ok(()) } else { Err(refusal(response)) }
    }

    fn path(&self, what: &str) -> String {
        format!("{}/api/judgehosts/{}{what}", self.server, self.id)
    }

    fn post<T: DeserializeOwned>(
        &self,
        what: &str,
        body: &impl Serialize,
        wait: Duration,
    ) -> Result<T, CallError> {
        let sent = self.agent.post(self.path(what)).header("authorization", self.token.header());
        let sent = sent.config().timeout_global(Some(wait)).build();
        answer(sent.send_json(body).map_err(|error| unreachable(&error))?)
    }
}

fn unreachable(error: &ureq::Error) -> CallError {
    CallError::Unreachable(reason(error))
}

fn answer<T: DeserializeOwned>(mut response: Response<ureq::Body>) -> Result<T, CallError> {
    if !response.status().is_success() {
        return Err(refusal(response));
    }
    let read = response.body_mut().with_config().limit(JSON_BYTES_MAX).read_to_vec();
    let bytes = read.map_err(|error| unreachable(&error))?;
    serde_json::from_slice(&bytes).map_err(|error| CallError::Refused {
        status: 200,
        detail: format!("not an answer of this protocol: {error}"),
    })
}

/// Reads a refusal; a temporary one counts as no answer.
fn refusal(mut response: Response<ureq::Body>) -> CallError {
    #[derive(serde::Deserialize)]
    struct Problem {
        detail: Option<String>,
        title: Option<String>,
    }
    let status = response.status().as_u16();
    let read = response.body_mut().with_config().limit(PROBLEM_BYTES_MAX).read_to_vec();
    let problem = read.ok().and_then(|bytes| serde_json::from_slice::<Problem>(&bytes).ok());
    let detail = problem.and_then(|problem| problem.detail.or(problem.title));
    let detail = cut(detail.unwrap_or_else(|| "no reason given".to_owned()), REASON_BYTES_MAX);
    match status {
        408 | 425 | 429 | 500.. => CallError::Unreachable(format!("the server answered {status}: {detail}")),
        _ => CallError::Refused { status, detail },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_http() {
        let new = |url| {
            let client = Client::new(url, "a".to_owned(), Token::for_tests(), TlsConfig::default());
            client.map(|client| client.server)
        };
        assert_eq!(new("http://localhost:8080/").unwrap(), "http://localhost:8080");
        assert_eq!(new("https://judge.example/x").unwrap(), "https://judge.example/x");
        for wrong in ["localhost", "ftp://a", "http://", "http://user@a", "http://a?b"] {
            assert!(new(wrong).is_err(), "{wrong}");
        }
    }
}
