//! Talks to a contest server: requests, logins, uploads.

mod authority;
mod download;
mod error;
mod login;
mod place;
mod upload;

pub use authority::tls;
pub use error::{ClientError, import_message};
pub use login::{ask, base64, login, logout, secret_of};
pub use place::segment;
pub use upload::{send_content, send_package};

use crate::arguments::OnServer;
use place::Place;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use terminal::failure::{input, input_with_hint};
use ureq::Agent;
use ureq::http::{Request, Response};
use ureq::tls::TlsConfig;

/// The longest answer that is read: a feed of the largest contest has 4 MB, a package is not read here.
const ANSWER_BYTES_MAX: u64 = 256 << 20;
/// An answer that takes longer is none. A server holds no request longer than a minute.
const TIMEOUT: Duration = Duration::from_secs(120);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A server, who asks it, and about which contest.
pub struct Client {
    agent: Agent,
    base: String,
    authorization: Option<String>,
    contest: Option<String>,
}

impl Client {
    /// Finds the server, the login and the contest.
    ///
    /// # Errors
    /// When no server is named and nobody has logged in, or a file cannot be read.
    pub fn open(arguments: &OnServer) -> anyhow::Result<Self> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        let from_contest = arguments.contest.as_deref().and_then(Place::of_url);
        let server = arguments.server.clone().or_else(|| variable("TAUTO_SERVER"));
        let logins = login::Logins::read()?;
        let place = match (from_contest, server) {
            (Some(place), _) => place,
            (None, Some(server)) => Place::of_server(&server)?,
            (None, None) => match logins.last() {
                Some(server) => Place::of_server(server)?,
                None => {
                    return Err(input_with_hint(
                        "no contest server is named",
                        "give --server URL or set TAUTO_SERVER, or log in: tauto login URL --user NAME",
                    ));
                }
            },
        };
        let named = arguments.contest.clone().filter(|contest| Place::of_url(contest).is_none());
        let contest = place.contest.clone().or(named).or_else(|| variable("TAUTO_CONTEST"));
        let token = match &arguments.token_file {
            Some(file) => Some(secret_of(file)?),
            None => logins.token(&place.base).map(str::to_owned),
        };
        let authorization = token.map(|token| format!("Bearer {token}"));
        let ca_file = arguments.ca_file.as_deref().or_else(|| logins.ca_file(&place.base));
        Ok(Self { agent: agent(tls(&place.base, ca_file)?), base: place.base, authorization, contest })
    }

    /// Returns a client for a server, without a login.
    ///
    /// # Errors
    /// When that is no URL of a server, or the file has no certificates.
    pub fn of_server(
        server: &str,
        authorization: Option<String>,
        ca_file: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let Place { base, contest } = Place::of_server(server)?;
        Ok(Self { agent: agent(tls(&base, ca_file)?), base, authorization, contest })
    }

    /// Returns the contest: the one that is named, else the server's only one.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn contest(&self) -> anyhow::Result<String> {
        if let Some(contest) = &self.contest {
            return Ok(contest.clone());
        }
        let all: Vec<documents::contest::Contest> = self.get("contests")?;
        match all.as_slice() {
            [one] => Ok(one.id.clone()),
            [] => Err(input_with_hint("the server has no contest", "tauto contest create contest.yaml")),
            several => {
                let ids: Vec<&str> = several.iter().map(|one| one.id.as_str()).collect();
                Err(input_with_hint(
                    format!("the server has {} contests", several.len()),
                    format!("name one: --contest {}", ids.join(" or --contest ")),
                ))
            }
        }
    }

    /// Returns the path of something in the contest, such as `contests/spring/teams`.
    ///
    /// # Errors
    /// As [`Self::contest`].
    pub fn in_contest(&self, path: &str) -> anyhow::Result<String> {
        let contest = segment(&self.contest()?);
        Ok(if path.is_empty() { format!("contests/{contest}") } else { format!("contests/{contest}/{path}") })
    }

    /// Gets a document.
    ///
    /// # Errors
    /// When the server refuses it, cannot be reached, or answers something else.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        read(&self.call("GET", path, None, Vec::new())?)
    }

    /// Gets the text of a document, as the server wrote it.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_text(&self, path: &str) -> anyhow::Result<String> {
        let mut text = String::from_utf8_lossy(&self.call("GET", path, None, Vec::new())?).into_owned();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    /// Sends a document, and returns the text of the answer.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn send(&self, method: &str, path: &str, body: &impl Serialize) -> anyhow::Result<Vec<u8>> {
        self.call(method, path, Some("application/json"), serde_json::to_vec(body)?)
    }

    /// Sends a document, and returns the one that the server answers.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn send_for<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        read(&self.send(method, path, body)?)
    }

    /// Makes a request, and returns the document that the server answers.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn call_for<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
    ) -> anyhow::Result<T> {
        read(&self.call(method, path, content_type, body)?)
    }

    /// Makes a request, and returns the body of the answer.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn call(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
    ) -> anyhow::Result<Vec<u8>> {
        self.answer(self.request(method, path, content_type, body, Some(TIMEOUT))?)
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
        timeout: Option<Duration>,
    ) -> anyhow::Result<Response<ureq::Body>> {
        self.request_url(method, &self.url(path), content_type, body, timeout)
    }

    /// Returns the server's port.
    pub fn port(&self) -> u16 {
        let usual = if self.base.starts_with("https") { 443 } else { 80 };
        // An IPv6 address has colons of its own, within brackets.
        let named = self.base.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        named.unwrap_or(usual)
    }

    /// Returns the URL of something of the API.
    pub fn url(&self, path: &str) -> String {
        format!("{}/api/{path}", self.base)
    }

    fn request_url(
        &self,
        method: &str,
        url: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
        timeout: Option<Duration>,
    ) -> anyhow::Result<Response<ureq::Body>> {
        let mut request = Request::builder().method(method).uri(url);
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        let unreachable =
            |source| ClientError::Unreachable { server: self.base.clone(), source: Box::new(source) };
        let request = request.body(body).map_err(|error| input(format!("cannot ask for {url}: {error}")))?;
        let request = self.agent.configure_request(request).timeout_global(timeout).build();
        Ok(self.agent.run(request).map_err(unreachable)?)
    }

    /// Returns the body of an answer that takes its time.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn stream(&self, url: &str) -> anyhow::Result<impl Read + Send + use<>> {
        let response = self.request_url("GET", url, None, Vec::new(), None)?;
        if response.status().as_u16() >= 400 {
            self.answer(response)?;
            return Err(input(format!("cannot read {url}")));
        }
        Ok(response.into_body().into_reader())
    }

    /// Gets a document of any server; `None` if there is none for this caller.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_url<T: DeserializeOwned>(&self, url: &str) -> anyhow::Result<Option<T>> {
        let response = self.request_url("GET", url, None, Vec::new(), Some(TIMEOUT))?;
        match response.status().as_u16() {
            401 | 403 | 404 => Ok(None),
            _ => read(&self.answer(response)?).map(Some),
        }
    }

    /// Makes a request that may take as long as reading gigabytes does, and returns the document that the server answers.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn call_patiently<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
    ) -> anyhow::Result<T> {
        read(&self.answer(self.request(method, path, content_type, body, None)?)?)
    }

    /// Returns the body of an answer; of one that is a problem, the error.
    fn answer(&self, response: Response<ureq::Body>) -> anyhow::Result<Vec<u8>> {
        let status = response.status().as_u16();
        let unreachable = |source| ClientError::Unreachable {
            server: self.base.clone(),
            source: Box::new(ureq::Error::Io(source)),
        };
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader().take(ANSWER_BYTES_MAX);
        body.read_to_end(&mut bytes).map_err(unreachable)?;
        if status < 400 {
            return Ok(bytes);
        }
        Err(ClientError::refused(status, &bytes, self.authorization.is_some()).into())
    }
}

fn agent(tls: TlsConfig) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(TIMEOUT))
        .tls_config(tls)
        .user_agent(concat!("tauto/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
    serde_json::from_slice(bytes).map_err(|source| ClientError::Unexpected { source }.into())
}
