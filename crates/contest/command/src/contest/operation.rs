//! Commands that are one request to the server, and one sentence about its result.

use crate::arguments::OnServer;
use crate::client::Client;
use crate::output::done;
use serde::Serialize;
use serde_json::json;
use std::process::ExitCode;

/// A request that changes something, and what is printed when the server has done it: for `--json` the server's answer.
pub struct Operation {
    method: &'static str,
    /// Below the contest, such as `freeze`; below the API if it begins with a slash, such as `/accounts/ada`.
    path: String,
    body: Option<serde_json::Result<Vec<u8>>>,
    sentence: String,
}

impl Operation {
    pub fn post(path: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { method: "POST", ..Self::delete(path, sentence) }.with(&json!({}))
    }

    pub fn patch(path: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { method: "PATCH", ..Self::delete(path, sentence) }
    }

    pub fn delete(path: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { method: "DELETE", path: path.into(), body: None, sentence: sentence.into() }
    }

    /// Sets the body. Without it, a POST has an empty object, and others have none.
    pub fn with(self, body: &impl Serialize) -> Self {
        Self { body: Some(serde_json::to_vec(body)), ..self }
    }

    pub fn run(self, server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
        self.send(&Client::open(server)?, json)
    }

    pub fn send(self, client: &Client, json: bool) -> anyhow::Result<ExitCode> {
        let path = match self.path.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => client.in_contest(&self.path)?,
        };
        let body = self.body.transpose()?.map(|bytes| ("application/json", bytes));
        let answer = client.call(self.method, &path, body)?;
        done(&self.sentence, &answer, json)
    }
}
