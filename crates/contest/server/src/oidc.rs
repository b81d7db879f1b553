//! Logging in at an OpenID provider: the authorization code flow of OpenID Connect Core 1.0, with PKCE (RFC 7636).
//!
//! The browser keeps a secret in a cookie while it is at the provider, and until a team has registered. What is known of it is
//! here, for some minutes and for a bounded number.

use crate::auth::network;
use crate::random;
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
/// Logins that are not complete; then the oldest one goes.
const PENDING_MAX: usize = 10_000;
/// Those of one address, which can be a whole site's: so that one address does not end those of others.
const PENDING_OF_ADDRESS_MAX: usize = 500;
/// As many ask the provider at once: each holds a thread.
const ASKING_MAX: usize = 8;
/// The provider's settings and keys are read again after a while.
const METADATA_FOR: Duration = Duration::from_mins(60);
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
    pending: Mutex<HashMap<String, Kept>>,
    asking: Semaphore,
}

struct Kept {
    since: Instant,
    address: IpAddr,
    pending: Pending,
}

enum Pending {
    /// The browser is at the provider.
    Asked {
        state: CsrfToken,
        nonce: Nonce,
        verifier: PkceCodeVerifier,
        contest: Option<String>,
    },
    Known(Identity),
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
            pending: Mutex::default(),
            asking: Semaphore::new(ASKING_MAX),
        }
    }

    /// Asks the provider on a thread for what blocks.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, OidcError> + Send + 'static,
    ) -> Result<T, OidcError> {
        let busy = || OidcError::Provider("too many people log in at once".to_owned());
        let place = tokio::time::timeout(ANSWER_WITHIN, self.asking.acquire()).await;
        let _place = place.ok().and_then(Result::ok).ok_or_else(busy)?;
        let oidc = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&oidc)).await;
        done.map_err(|error| OidcError::Provider(error.to_string()))?
    }

    /// Begins a login. Returns the provider's address and the secret for the cookie. Blocks.
    pub fn begin(&self, address: IpAddr, contest: Option<String>) -> Result<(String, String), OidcError> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = CoreClient::from_provider_metadata(self.metadata()?, self.client(), self.secret())
            .set_redirect_uri(self.redirect()?);
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let request = client
            .authorize_url(flow, CsrfToken::new_random, Nonce::new_random)
            .add_scope(Scope::new("profile".to_owned()));
        let (url, state, nonce) = request.set_pkce_challenge(challenge).url();
        let secret = self.keep(address, Pending::Asked { state, nonce, verifier, contest });
        Ok((url.into(), secret))
    }

    /// Ends a login. Returns who it is, and the contest for which it was begun. Blocks.
    pub fn end(&self, secret: &str, answer: Answer) -> Result<(Identity, Option<String>), OidcError> {
        let Some(Pending::Asked { state, nonce, verifier, contest }) = self.take(secret) else {
            return Err(OidcError::Unknown);
        };
        if *state.secret() != answer.state {
            return Err(OidcError::Unknown);
        }
        let client = CoreClient::from_provider_metadata(self.metadata()?, self.client(), self.secret())
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
        let claims = claims.map_err(|error| OidcError::Invalid(chain(&error)))?;
        let subject = claims.subject().to_string();
        let name = claims.preferred_username().map_or_else(|| subject.clone(), |name| name.to_string());
        if subject.is_empty() || subject.len() > CLAIM_BYTES_MAX || name.len() > CLAIM_BYTES_MAX {
            return Err(invalid("the subject or the user name is empty or too long"));
        }
        Ok((Identity { subject, name }, contest))
    }

    /// Keeps who somebody is until a team is registered. Returns the secret for the cookie.
    pub fn keep_identity(&self, address: IpAddr, identity: Identity) -> String {
        self.keep(address, Pending::Known(identity))
    }

    /// Returns who has a secret.
    pub fn identity(&self, secret: &str) -> Option<Identity> {
        match self.lock().get(secret) {
            Some(Kept { since, pending: Pending::Known(identity), .. }) if since.elapsed() < LOGIN_WITHIN => {
                Some(identity.clone())
            }
            _ => None,
        }
    }

    pub fn forget(&self, secret: &str) {
        self.lock().remove(secret);
    }

    fn keep(&self, address: IpAddr, pending: Pending) -> String {
        let (secret, address) = (random::hex_256(), network(address));
        let mut all = self.lock();
        all.retain(|_, kept| kept.since.elapsed() < LOGIN_WITHIN);
        let is_full = all.len() >= PENDING_MAX;
        let of_address = all.values().filter(|kept| kept.address == address).count();
        if is_full || of_address >= PENDING_OF_ADDRESS_MAX {
            let goes = all.iter().filter(|(_, kept)| is_full || kept.address == address);
            let oldest = goes.min_by_key(|(_, kept)| kept.since).map(|(secret, _)| secret.clone());
            oldest.map(|secret| all.remove(&secret));
        }
        all.insert(secret.clone(), Kept { since: Instant::now(), address, pending });
        secret
    }

    fn take(&self, secret: &str) -> Option<Pending> {
        let kept = self.lock().remove(secret)?;
        (kept.since.elapsed() < LOGIN_WITHIN).then_some(kept.pending)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn metadata(&self) -> Result<CoreProviderMetadata, OidcError> {
        let known = self.metadata.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, metadata)) = known.filter(|(since, _)| since.elapsed() < METADATA_FOR) {
            return Ok(metadata);
        }
        let wrong = |error: &dyn std::error::Error| OidcError::Provider(chain(error));
        let issuer = IssuerUrl::new(self.settings.issuer.clone()).map_err(|error| wrong(&error))?;
        let http = |request: HttpRequest| self.fetch(request);
        let metadata = CoreProviderMetadata::discover(&issuer, &http).map_err(|error| wrong(&error))?;
        let mut known = self.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
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
