//! Requests to the server.

use serde_json::Value;
use std::time::Duration;
use ureq::Agent;

/// What the server answered, or why there is no answer.
pub type Answer = Result<(u16, Value), String>;

/// A client with an account.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    authorization: String,
}

impl Client {
    pub fn new(port: u16, authorization: String) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(40)))
            .build();
        Self { agent: config.into(), base: format!("http://127.0.0.1:{port}"), authorization }
    }

    /// Returns the same client for another server.
    pub fn at_port(&self, port: u16) -> Self {
        Self { base: format!("http://127.0.0.1:{port}"), ..self.clone() }
    }

    pub fn get(&self, path: &str) -> Answer {
        let request = self.agent.get(format!("{}{path}", self.base));
        read(request.header("authorization", &self.authorization).call())
    }

    /// Reads something that is no JSON.
    pub fn get_text(&self, path: &str) -> String {
        let request = self.agent.get(format!("{}{path}", self.base));
        request.call().unwrap().body_mut().read_to_string().unwrap()
    }

    pub fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send_bytes(method, path, "application/json", body.to_string().as_bytes())
    }

    pub fn send_bytes(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Answer {
        let url = format!("{}{path}", self.base);
        let request = if method == "PUT" { self.agent.put(url) } else { self.agent.post(url) };
        let request = request.header("authorization", &self.authorization).header("content-type", kind);
        read(request.send(body))
    }

    /// Sends a request, and returns its status and whether the answer says when to try again.
    pub fn status(&self, method: &str, path: &str, body: &Value) -> (u16, bool) {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        let request = request.header("authorization", &self.authorization);
        let request = request.header("content-type", "application/json");
        let response = self.agent.run(request.body(body.to_string()).unwrap()).unwrap();
        (response.status().as_u16(), response.headers().contains_key("retry-after"))
    }

    /// Sends something that must succeed, and returns the answer.
    pub fn must(&self, method: &str, path: &str, body: &Value) -> Value {
        succeeded(path, self.send(method, path, body))
    }

    /// Reads something that must be there.
    pub fn must_get(&self, path: &str) -> Value {
        succeeded(path, self.get(path))
    }
}

pub fn succeeded(path: &str, answer: Answer) -> Value {
    match answer {
        Ok((200..=299, body)) => body,
        other => panic!("{path}: {other:?}"),
    }
}

fn read(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer {
    let mut response = response.map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let body = response.body_mut().read_to_vec().map_err(|error| error.to_string())?;
    // A blob is no JSON, and is not read here.
    Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}
