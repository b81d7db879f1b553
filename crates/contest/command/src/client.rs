//! Talks to a contest server: requests, logins, uploads.

mod address;
mod download;
mod error;
mod login;
mod upload;

pub use address::{segment, with_scheme};
pub use error::{ClientError, import_message};
pub use judging_command::authority::tls;
pub use login::{ask, base64, login, logout, secret_of};
pub use upload::{send_content, send_package};

use crate::arguments::OnServer;
use address::ServerAddress;
use documents::contest::Contest;
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

/// A media type and the bytes, if a request has a body.
pub type Body<'t> = Option<(&'t str, Vec<u8>)>;
/// What files are sent as.
pub const BYTES: &str = "application/octet-stream";

/// A server, the login there, and the contest.
pub struct Client {
    agent: Agent,
    base: String,
    authorization: Option<String>,
    contest: Option<String>,
}

impl Client {
    /// Finds the server, the login and the contest.
    pub fn open(arguments: &OnServer) -> anyhow::Result<Self> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        let from_contest = arguments.contest.as_deref().and_then(ServerAddress::of_url);
        let server = arguments.server.clone().or_else(|| variable("TAUTO_SERVER"));
        let logins = login::Logins::read()?;
        let place = match (from_contest, server) {
            (Some(place), _) => place,
            (None, Some(server)) => ServerAddress::of_server(&server)?,
            (None, None) => match logins.last() {
                Some(server) => ServerAddress::of_server(server)?,
                None => {
                    return Err(input_with_hint(
                        "no contest server is named",
                        "give --server URL or set TAUTO_SERVER, or log in: tauto login URL --user NAME",
                    ));
                }
            },
        };
        let named = arguments.contest.clone().filter(|contest| ServerAddress::of_url(contest).is_none());
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
    pub fn of_server(
        server: &str,
        authorization: Option<String>,
        ca_file: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let ServerAddress { base, contest } = ServerAddress::of_server(server)?;
        Ok(Self { agent: agent(tls(&base, ca_file)?), base, authorization, contest })
    }

    /// Returns the contest: the one that is named, else the server's only one.
    pub fn contest(&self) -> anyhow::Result<String> {
        if let Some(contest) = &self.contest {
            return Ok(contest.clone());
        }
        let all: Vec<Contest> = self.get("contests")?;
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
    pub fn in_contest(&self, path: &str) -> anyhow::Result<String> {
        let contest = segment(&self.contest()?);
        Ok(if path.is_empty() { format!("contests/{contest}") } else { format!("contests/{contest}/{path}") })
    }

    /// Gets a document.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        read(&self.call("GET", path, None)?)
    }

    /// Gets the text of a document, as the server wrote it.
    pub fn get_text(&self, path: &str) -> anyhow::Result<String> {
        let mut text = String::from_utf8_lossy(&self.call("GET", path, None)?).into_owned();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    /// Sends a document, and returns the text of the answer.
    pub fn send(&self, method: &str, path: &str, body: &impl Serialize) -> anyhow::Result<Vec<u8>> {
        self.call(method, path, Some(("application/json", serde_json::to_vec(body)?)))
    }

    /// Sends a document, and returns the one that the server answers.
    pub fn send_for<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        read(&self.send(method, path, body)?)
    }

    /// Makes a request, and returns the body of the answer.
    pub fn call(&self, method: &str, path: &str, body: Body<'_>) -> anyhow::Result<Vec<u8>> {
        self.answer(self.request(method, &self.url(path), body, Some(TIMEOUT))?)
    }

    pub fn port(&self) -> u16 {
        let usual = if self.base.starts_with("https") { 443 } else { 80 };
        // An IPv6 address has colons of its own, within brackets.
        let named = self.base.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        named.unwrap_or(usual)
    }

    /// Returns the server's address, without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the URL of something of the API.
    pub fn url(&self, path: &str) -> String {
        format!("{}/api/{path}", self.base)
    }

    fn request(
        &self,
        method: &str,
        url: &str,
        body: Body<'_>,
        timeout: Option<Duration>,
    ) -> anyhow::Result<Response<ureq::Body>> {
        let mut request = Request::builder().method(method).uri(url);
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        if let Some((content_type, _)) = body {
            request = request.header("Content-Type", content_type);
        }
        let body = body.map(|(_, bytes)| bytes).unwrap_or_default();
        let unreachable = |source| ClientError::unreachable(&self.base, source);
        let request = request.body(body).map_err(|error| input(format!("cannot request {url}: {error}")))?;
        let request = self.agent.configure_request(request).timeout_global(timeout).build();
        Ok(self.agent.run(request).map_err(unreachable)?)
    }

    /// Returns the body of an answer that takes its time.
    pub fn stream(&self, url: &str) -> anyhow::Result<impl Read + Send + use<>> {
        let response = self.request("GET", url, None, None)?;
        if response.status().as_u16() >= 400 {
            self.answer(response)?;
            return Err(input(format!("cannot read {url}")));
        }
        Ok(response.into_body().into_reader())
    }

    /// Gets a document of any server; `None` if there is none for this caller.
    pub fn get_url<T: DeserializeOwned>(&self, url: &str) -> anyhow::Result<Option<T>> {
        let response = self.request("GET", url, None, Some(TIMEOUT))?;
        match response.status().as_u16() {
            401 | 403 | 404 => Ok(None),
            _ => read(&self.answer(response)?).map(Some),
        }
    }

    /// Has the server read an archive that was uploaded, for as long as that takes, and returns its answer.
    pub fn post_archive<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        let archive = Some(("application/zip", Vec::new()));
        read(&self.answer(self.request("POST", &self.url(path), archive, None)?)?)
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
