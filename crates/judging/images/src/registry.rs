//! Images of a registry (OCI distribution specification 1.1, and Docker's token authentication).
//!
//! By hand, since the library for it (oci-client 0.18) reads answers of any size into memory, and panics at a token that is none.

mod push;

use crate::digest::Digest;
use crate::error::{ImageError, PartError, bad};
use crate::limits::Limits;
use crate::source::{Blob, Blobs, Chosen};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use docker_credential::{CredentialRetrievalError, DockerCredential};
use oci_spec::distribution::Reference;
use serde::Deserialize;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::http::Response;
use ureq::tls::TlsConfig;
use ureq::{Agent, RequestBuilder, ResponseExt};

const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long the beginning of an answer may take.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// A registry that sends nothing for so long is given up.
const SILENCE_MAX: Duration = Duration::from_secs(20);
/// How long a blob may take.
const BLOB_MAX: Duration = Duration::from_secs(3600);
/// How long a token or a manifest may take.
const DOCUMENT_MAX: Duration = Duration::from_secs(60);
const REDIRECTS_MAX: u32 = 5;
const TOKEN_BYTES_MAX: u64 = 64 << 10;
const NOT_ALLOWED: &str =
    "it asks for a name and a password that are right; 'docker login' or 'buildah login' stores them";
/// Docker's own names are for registries that know no others.
const MANIFESTS: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
                         application/vnd.docker.distribution.manifest.v2+json, \
                         application/vnd.docker.distribution.manifest.list.v2+json";

/// How registries are reached.
#[derive(Clone, Debug, Default)]
pub struct Access<'a> {
    /// Credentials, as Docker's `config.json` has them; by default those of the user.
    pub secret: Option<&'a Path>,
    /// The authorities that may certify a registry.
    pub tls: TlsConfig,
}

/// An image of a registry.
pub struct Remote {
    reference: Reference,
    agent: Agent,
    credentials: Option<Credentials>,
    /// What the registry wants to see with each request, once that is known.
    authorization: RefCell<Option<String>>,
    /// What it is asked to allow, as its server of tokens has it.
    actions: &'static str,
    limits: Limits,
}

struct Credentials {
    name: String,
    password: String,
}

impl Remote {
    /// Asks for an image by its name, such as `registry.example.org/judge/cpp:2026-1`, with the credentials of Docker's configuration:
    /// those of the access, else the user's own.
    pub fn choose(name: &str, access: &Access<'_>, limits: Limits) -> Result<(Self, Chosen), ImageError> {
        let refused = |error: PartError| error.of(name, Path::new(name));
        let remote = Self::named(name, access, limits)?;
        let manifest = remote.manifest().map_err(refused)?;
        let chosen = Chosen::of(manifest, &remote, limits).map_err(refused)?;
        Ok((remote, Chosen { name: Some(name.to_owned()), ..chosen }))
    }

    /// Finds the credentials for a name; the registry is not asked yet.
    pub fn named(name: &str, access: &Access<'_>, limits: Limits) -> Result<Self, ImageError> {
        let refused = |error: PartError| error.of(name, Path::new(name));
        let reference: Reference =
            name.parse().map_err(|why| refused(bad(format!("it is no name of an image: {why}"))))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(REDIRECTS_MAX)
            .tls_config(access.tls.clone())
            // Another server gets no password, also one on another port.
            .redirect_auth_headers(ureq::config::RedirectAuthHeaders::Never)
            .user_agent(concat!("tauto/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT_MAX))
            .timeout_recv_response(Some(ANSWER_MAX))
            .timeout_per_read(Some(SILENCE_MAX))
            .timeout_recv_body(Some(BLOB_MAX))
            .timeout_send_body(Some(BLOB_MAX))
            .build();
        Ok(Self {
            credentials: credentials(reference.resolve_registry(), access.secret).map_err(refused)?,
            reference,
            agent: Agent::new_with_config(config),
            authorization: RefCell::new(None),
            actions: "pull",
            limits,
        })
    }

    /// Gets the manifest, or the index, of the name.
    fn manifest(&self) -> Result<Vec<u8>, PartError> {
        let what = self.reference.digest().or(self.reference.tag()).unwrap_or("latest").to_owned();
        let manifest = self.read(&format!("manifests/{what}"), self.limits.document.0)?;
        match Digest::parse(&what) {
            Some(digest) if Digest::of(&manifest) != digest => Err(self
                .wrong(&format!("it answers with another image, of the digest {}", Digest::of(&manifest)))),
            _ => Ok(manifest),
        }
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, PartError> {
        let mut content = Vec::new();
        let body =
            self.get(path, Some(DOCUMENT_MAX))?.into_body().into_with_config().limit(u64::MAX).reader();
        body.take(bytes_max + 1)
            .read_to_end(&mut content)
            .map_err(|why| self.wrong(&format!("it stopped: {why}")))?;
        if content.len() as u64 > bytes_max {
            return Err(self.wrong(&format!("its answer has more than {bytes_max} bytes")));
        }
        Ok(content)
    }

    /// Returns the registry's own address.
    fn origin(&self) -> String {
        let registry = self.reference.resolve_registry();
        // As Docker has it: only a registry of this machine may speak without TLS.
        let scheme = if is_here(registry) { "http" } else { "https" };
        format!("{scheme}://{registry}")
    }

    fn is_own(&self, url: &str) -> bool {
        url.strip_prefix(&self.origin()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the address of something of the image.
    fn url(&self, path: &str) -> String {
        format!("{}/v2/{}/{path}", self.origin(), self.reference.repository())
    }

    /// Asks for something of the image.
    fn get(&self, path: &str, most: Option<Duration>) -> Result<Response<ureq::Body>, PartError> {
        let answer = self.asked(|authorization| {
            let request = self.agent.get(self.url(path)).config().timeout_global(most).build();
            let request = request.header("accept", MANIFESTS);
            with(authorization, request).call()
        })?;
        match answer.status().as_u16() {
            200 => Ok(answer),
            404 => Err(self.wrong("it has no such image")),
            status => Err(self.wrong(&format!("it answers {status} to {path}"))),
        }
    }

    /// Asks for something; where the registry asks who does, once more.
    fn asked(
        &self,
        ask: impl Fn(Option<&str>) -> Result<Response<ureq::Body>, ureq::Error>,
    ) -> Result<Response<ureq::Body>, PartError> {
        let ask = || ask(self.authorization.borrow().as_deref()).map_err(|why| self.wrong(&why.to_string()));
        let mut answer = ask()?;
        if answer.status() == 401 {
            if !self.is_own(&answer.get_uri().to_string()) {
                return Err(self.wrong("it sends to another server, which asks for a password"));
            }
            let challenge = answer.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
            let authorization = self.authorize(challenge.unwrap_or_default())?;
            *self.authorization.borrow_mut() = Some(authorization);
            answer = ask()?;
        }
        match answer.status().as_u16() {
            401 | 403 => Err(self.wrong(NOT_ALLOWED)),
            _ => Ok(answer),
        }
    }

    /// Makes what a registry asks for: the name and the password themselves, or a token that another server gives for them.
    fn authorize(&self, challenge: &str) -> Result<String, PartError> {
        let basic = self.credentials.as_ref().map(|Credentials { name, password }| {
            format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
        });
        let (scheme, parameters) = challenge.split_once(' ').unwrap_or((challenge, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            let missing = "it asks for a name and a password; 'docker login' or 'buildah login' stores them";
            return basic.ok_or_else(|| self.wrong(missing));
        }
        let parameter = |name: &str| {
            parameters.split(',').find_map(|one| {
                let (key, value) = one.split_once('=')?;
                (key.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
            })
        };
        let realm = parameter("realm").unwrap_or_default();
        let host = realm
            .strip_prefix("https://")
            .or_else(|| realm.strip_prefix("http://").filter(|rest| is_here(rest)));
        if host.is_none() {
            return Err(self.wrong("it names no server that gives tokens by TLS"));
        }
        let scope = format!("repository:{}:{}", self.reference.repository(), self.actions);
        let request = self.agent.get(&realm).config().timeout_global(Some(DOCUMENT_MAX)).build();
        let mut request = request.query("scope", &scope);
        if let Some(service) = parameter("service") {
            request = request.query("service", &service);
        }
        if let Some(basic) = basic {
            request = request.header("authorization", basic);
        }
        let answer = request.call().map_err(|why| self.wrong(&why.to_string()))?;
        if answer.status() != 200 {
            return Err(self.wrong(NOT_ALLOWED));
        }
        let mut text = Vec::new();
        let read = answer.into_body().into_reader().take(TOKEN_BYTES_MAX).read_to_end(&mut text);
        read.map_err(|why| self.wrong(&format!("it stopped: {why}")))?;
        let token: Token =
            serde_json::from_slice(&text).map_err(|_| self.wrong("its token is not what it should be"))?;
        let token = token.token.or(token.access_token).unwrap_or_default();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(self.wrong("its token is not what it should be"));
        }
        Ok(format!("Bearer {token}"))
    }

    fn wrong(&self, what: &str) -> PartError {
        bad(format!(
            "the registry {}: {}",
            self.reference.resolve_registry(),
            what.chars().take(300).collect::<String>()
        ))
    }
}

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

impl Blobs for Remote {
    fn copy(&self, blob: &Blob, into: &mut dyn Write) -> Result<(), PartError> {
        let body = self
            .get(&format!("blobs/{}", blob.digest), None)?
            .into_body()
            .into_with_config()
            .limit(u64::MAX)
            .reader();
        let mut body = body.take(blob.size.saturating_add(1));
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length =
                body.read(&mut buffer).map_err(|why| self.wrong(&format!("it stopped sending: {why}")))?;
            if length == 0 {
                return Ok(());
            }
            into.write_all(&buffer[..length])?;
        }
    }
}

/// Adds what a registry wants to see.
fn with<B>(authorization: Option<&str>, request: RequestBuilder<B>) -> RequestBuilder<B> {
    match authorization {
        Some(value) => request.header("authorization", value),
        None => request,
    }
}

/// Returns whether a host, which may have a port and a path, is this machine.
fn is_here(host: &str) -> bool {
    let host = host.split('/').next().unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name);
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Finds the credentials of a registry in a file of Docker's form; without one, none are needed.
fn credentials(registry: &str, secret: Option<&Path>) -> Result<Option<Credentials>, PartError> {
    let found = match secret {
        Some(path) => {
            let file = std::fs::File::open(path)
                .map_err(|why| bad(format!("cannot read the credentials in {}: {why}", path.display())))?;
            docker_credential::get_credential_from_reader(file, registry)
        }
        None => docker_credential::get_credential(registry),
    };
    match found {
        Ok(DockerCredential::UsernamePassword(name, password)) => Ok(Some(Credentials { name, password })),
        Ok(DockerCredential::IdentityToken(_)) => Err(bad(format!(
            "the credentials for {registry} are an identity token; a name and a password are needed"
        ))),
        Err(error) if secret.is_some() => {
            let path = secret.map(PathBuf::from).unwrap_or_default();
            Err(bad(format!("{} has no credentials for {registry}: {error}", path.display())))
        }
        Err(
            CredentialRetrievalError::ConfigNotFound
            | CredentialRetrievalError::ConfigReadError
            | CredentialRetrievalError::NoCredentialConfigured,
        ) => Ok(None),
        Err(error) => Err(bad(format!("the credentials for {registry} cannot be read: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_asked_without_tls() {
        for here in ["localhost", "localhost:5000", "127.0.0.1:5000", "127.9.9.9", "localhost:5000/v2/x"] {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in [
            "localhost.evil.example:5000",
            "localhostevil",
            "127.evil.example",
            "10.0.0.1",
            "",
            "x@localhost",
        ] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
    }
}
