//! Logging in at an OpenID provider: the authorization code flow of OpenID Connect Core 1.0, with PKCE (RFC 7636).
//!
//! While the browser is at the provider, a cookie has what its answer is compared with: nothing is kept here that others could
//! drive out. Who came back and has no account yet is kept for some minutes, under a secret in the cookie.

use crate::auth::network;
use crate::random;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contest_rules::ContestId;
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreJwsSigningAlgorithm as Algorithm, CoreProviderMetadata,
};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, HttpResponse, IssuerUrl, Nonce,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// The cookie of a login that is not complete.
pub const COOKIE: &str = "tautochrone-oidc";
/// How long a login may take.
pub const LOGIN_WITHIN: Duration = Duration::from_mins(10);
/// People who came back and have no account yet; then the oldest one goes. Each has an account at the provider.
const KNOWN_MAX: usize = 10_000;
/// As many ask the provider at once: each holds a thread.
const ASKING_MAX: usize = 8;
/// As many of one address, so that one does not keep out all others.
const ASKING_OF_ADDRESS_MAX: usize = 3;
/// The provider's settings and keys are read again after a while,
const METADATA_FOR: Duration = Duration::from_mins(60);
/// and when a signature is by none of the keys, but no more often than this.
const METADATA_AT_LEAST_FOR: Duration = Duration::from_mins(1);
/// Signatures by a key of the provider alone.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RsaSsaPkcs1V15Sha256,
    Algorithm::RsaSsaPkcs1V15Sha384,
    Algorithm::RsaSsaPkcs1V15Sha512,
    Algorithm::RsaSsaPssSha256,
    Algorithm::RsaSsaPssSha384,
    Algorithm::RsaSsaPssSha512,
    Algorithm::EcdsaP256Sha256,
    Algorithm::EcdsaP384Sha384,
    Algorithm::EdDsa,
];
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: u64 = 1 << 20;
/// A longer subject or name is none of a provider.
const CLAIM_BYTES_MAX: usize = 255;

/// The provider, as the operator names it.
#[derive(Clone, Serialize, Deserialize)]
pub struct OidcSettings {
    pub issuer: String,
    pub client: String,
    pub secret: Option<String>,
    /// How people call it.
    pub name: String,
    /// The address of this server as people type it, without a slash at the end.
    pub public_url: String,
}

/// Without the secret.
impl std::fmt::Debug for OidcSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OidcSettings").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// Why somebody is not logged in.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    #[error("the OpenID provider does not answer as it should: {0}")]
    Provider(String),
    #[error("the OpenID provider's answer is not valid: {0}")]
    Invalid(String),
    /// Its cookie is not here, it took too long, or another page began it.
    #[error("this login is not known, or took too long")]
    Unknown,
}

/// Who somebody is, as the provider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The claim `sub`: what an account is known by.
    pub subject: String,
    /// For people.
    pub name: String,
}

pub struct Oidc {
    pub settings: OidcSettings,
    agent: ureq::Agent,
    metadata: Mutex<Option<(Instant, CoreProviderMetadata)>>,
    known: Mutex<HashMap<String, (Instant, Identity)>>,
    asking: Semaphore,
    asking_of: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

/// What a browser keeps while it is at the provider. It could only harm itself by a change.
#[derive(Serialize, Deserialize)]
struct Asked {
    state: CsrfToken,
    nonce: Nonce,
    verifier: PkceCodeVerifier,
    contest: Option<ContestId>,
}

/// What a browser comes back with.
pub struct Answer {
    pub code: String,
    pub state: String,
}

impl Oidc {
    pub fn new(settings: OidcSettings) -> Self {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // The answers of a provider lead nowhere else.
            .max_redirects(0)
            .timeout_global(Some(ANSWER_WITHIN))
            .build();
        Self {
            settings,
            agent: agent.into(),
            metadata: Mutex::default(),
            known: Mutex::default(),
            asking: Semaphore::new(ASKING_MAX),
            asking_of: Mutex::default(),
        }
    }

    /// Asks the provider on a thread for what blocks.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        address: IpAddr,
        work: impl FnOnce(&Self) -> Result<T, OidcError> + Send + 'static,
    ) -> Result<T, OidcError> {
        let busy = || OidcError::Provider("too many people log in at once".to_owned());
        let own = {
            let mut all = self.asking_of.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, places| Arc::strong_count(places) > 1);
            let places = all.entry(network(address));
            places.or_insert_with(|| Arc::new(Semaphore::new(ASKING_OF_ADDRESS_MAX))).clone()
        };
        // First the one of the address: who waits for it takes no place from others.
        let places = async { (own.acquire().await, self.asking.acquire().await) };
        let Ok((Ok(_own), Ok(_place))) = tokio::time::timeout(ANSWER_WITHIN, places).await else {
            return Err(busy());
        };
        let oidc = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&oidc)).await;
        done.map_err(|error| OidcError::Provider(error.to_string()))?
    }

    /// Returns the provider's settings and keys if they need not be asked for.
    pub fn known_metadata(&self) -> Option<CoreProviderMetadata> {
        let known = self.metadata();
        let known = known.as_ref().filter(|(since, _)| since.elapsed() < METADATA_FOR);
        known.map(|(_, metadata)| metadata.clone())
    }

    /// Begins a login. Returns the provider's address and the value of the cookie.
    pub fn begin(
        &self,
        metadata: CoreProviderMetadata,
        contest: Option<ContestId>,
    ) -> Result<(String, String), OidcError> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = CoreClient::from_provider_metadata(metadata, self.client(), self.secret())
            .set_redirect_uri(self.redirect()?);
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let request = client
            .authorize_url(flow, CsrfToken::new_random, Nonce::new_random)
            .add_scope(Scope::new("profile".to_owned()));
        let (url, state, nonce) = request.set_pkce_challenge(challenge).url();
        let asked = serde_json::to_vec(&Asked { state, nonce, verifier, contest });
        let asked = asked.map_err(|error| OidcError::Provider(error.to_string()))?;
        Ok((url.into(), URL_SAFE_NO_PAD.encode(asked)))
    }

    /// Ends a login. Returns who it is, and the contest for which it was begun. Blocks.
    pub fn end(&self, cookie: &str, answer: Answer) -> Result<(Identity, Option<ContestId>), OidcError> {
        let asked = URL_SAFE_NO_PAD.decode(cookie).ok().and_then(|json| serde_json::from_slice(&json).ok());
        let Asked { state, nonce, verifier, contest } = asked.ok_or(OidcError::Unknown)?;
        if *state.secret() != answer.state {
            return Err(OidcError::Unknown);
        }
        let client = CoreClient::from_provider_metadata(self.find_metadata()?, self.client(), self.secret())
            .set_redirect_uri(self.redirect()?);
        let request = client.exchange_code(AuthorizationCode::new(answer.code));
        let request = request.map_err(|error| OidcError::Provider(error.to_string()))?;
        let http = |request: HttpRequest| self.fetch(request);
        let token = request.set_pkce_verifier(verifier).request(&http);
        let token = token.map_err(|error| OidcError::Provider(chain(&error)))?;
        let invalid = |why: &str| OidcError::Invalid(why.to_owned());
        let id = token.id_token().ok_or_else(|| invalid("there is no ID token"))?;
        let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
        let claims = id.claims(&verifier, &nonce);
        let claims = claims.map_err(|error| {
            // It may have new keys.
            self.metadata().take_if(|(since, _)| since.elapsed() >= METADATA_AT_LEAST_FOR);
            OidcError::Invalid(chain(&error))
        })?;
        let subject = claims.subject().to_string();
        let name = claims.preferred_username().map_or_else(|| subject.clone(), |name| name.to_string());
        if subject.is_empty() || subject.len() > CLAIM_BYTES_MAX || name.len() > CLAIM_BYTES_MAX {
            return Err(invalid("the subject or the user name is empty or too long"));
        }
        Ok((Identity { subject, name }, contest))
    }

    /// Keeps who somebody is until a team is registered. Returns the secret for the cookie.
    pub fn keep(&self, identity: Identity) -> String {
        let secret = random::hex_256();
        let mut known = self.lock();
        known.retain(|_, (since, _)| since.elapsed() < LOGIN_WITHIN);
        if known.len() >= KNOWN_MAX {
            let oldest = known.iter().min_by_key(|(_, (since, _))| *since).map(|(secret, _)| secret.clone());
            oldest.map(|secret| known.remove(&secret));
        }
        known.insert(secret.clone(), (Instant::now(), identity));
        secret
    }

    /// Returns who has a secret.
    pub fn identity(&self, secret: &str) -> Option<Identity> {
        let known = self.lock();
        known.get(secret).filter(|(since, _)| since.elapsed() < LOGIN_WITHIN).map(|(_, who)| who.clone())
    }

    pub fn forget(&self, secret: &str) {
        self.lock().remove(secret);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Instant, Identity)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> ClientId {
        ClientId::new(self.settings.client.clone())
    }

    fn secret(&self) -> Option<ClientSecret> {
        self.settings.secret.clone().map(ClientSecret::new)
    }

    fn redirect(&self) -> Result<RedirectUrl, OidcError> {
        let url = format!("{}/api/oidc/callback", self.settings.public_url);
        RedirectUrl::new(url).map_err(|error| OidcError::Provider(error.to_string()))
    }

    /// Returns the provider's settings and keys. Blocks while it asks for them.
    pub fn find_metadata(&self) -> Result<CoreProviderMetadata, OidcError> {
        if let Some(metadata) = self.known_metadata() {
            return Ok(metadata);
        }
        let wrong = |error: &dyn std::error::Error| OidcError::Provider(chain(error));
        let issuer = IssuerUrl::new(self.settings.issuer.clone()).map_err(|error| wrong(&error))?;
        let http = |request: HttpRequest| self.fetch(request);
        let metadata = CoreProviderMetadata::discover(&issuer, &http).map_err(|error| wrong(&error))?;
        *self.metadata() = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }

    fn metadata(&self) -> MutexGuard<'_, Option<(Instant, CoreProviderMetadata)>> {
        self.metadata.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fetch(&self, request: HttpRequest) -> Result<HttpResponse, ureq::Error> {
        let answer = self.agent.run(request)?;
        let (parts, mut body) = answer.into_parts();
        let bytes = body.with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?;
        Ok(HttpResponse::from_parts(parts, bytes))
    }
}

/// Returns an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Returns the header `Set-Cookie` of a login that is not complete, or of its end. It has to come back from the provider's
/// page, so it is not `SameSite=Strict`; it changes nothing by itself.
pub fn cookie_header(secret: Option<&str>, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    let max_age_s = secret.map_or(0, |_| LOGIN_WITHIN.as_secs());
    let secret = secret.unwrap_or_default();
    format!("{COOKIE}={secret}; Path=/api; HttpOnly; SameSite=Lax; Max-Age={max_age_s}{secure}")
}
