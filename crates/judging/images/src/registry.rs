//! Images of a registry (OCI distribution specification 1.1).

use crate::digest::Digest;
use crate::error::{ImageError, PartError, bad};
use crate::limits::Limits;
use crate::source::{Blob, Blobs, Chosen};
use docker_credential::{CredentialRetrievalError, DockerCredential};
use oci_client::client::{ClientConfig, ClientProtocol};
use oci_client::errors::{OciDistributionError, OciErrorCode};
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference, RegistryOperation};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio_stream::StreamExt;

/// A registry that sends nothing for so long is given up.
const SILENCE_MAX: Duration = Duration::from_secs(30);
const CONNECT_MAX: Duration = Duration::from_secs(10);
const NONE_SUCH: &str = "it has no such image";
/// Docker's names come last, for registries that know no others.
const MANIFESTS: [&str; 4] = [
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
];

/// An image of a registry.
pub struct Remote {
    reference: Reference,
    client: Client,
    runtime: Runtime,
    limits: Limits,
}

impl Remote {
    /// Asks for an image by its name, such as `registry.example.org/judge/cpp:2026-1`, with the credentials of Docker's configuration: `secret`, else
    /// the user's own.
    pub fn choose(name: &str, secret: Option<&Path>, limits: Limits) -> Result<(Self, Chosen), ImageError> {
        let refused = |error: PartError| error.of(name, Path::new(name));
        let reference: Reference =
            name.parse().map_err(|why| refused(bad(format!("it is no name of an image: {why}"))))?;
        let auth = credentials(reference.resolve_registry(), secret).map_err(refused)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| refused(error.into()))?;
        // Fails if there is one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let registry = reference.resolve_registry().to_owned();
        let is_here = registry.starts_with("localhost")
            || registry.starts_with("127.")
            || registry.starts_with("[::1]");
        let client = Client::new(ClientConfig {
            // As Docker has it: only a registry of this machine may speak without TLS.
            protocol: if is_here { ClientProtocol::Http } else { ClientProtocol::Https },
            read_timeout: Some(SILENCE_MAX),
            connect_timeout: Some(CONNECT_MAX),
            user_agent: concat!("tauto/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        });
        let remote = Self { reference, client, runtime, limits };
        let manifest = remote.manifest(&auth).map_err(refused)?;
        let chosen = Chosen::of(manifest, &remote, limits).map_err(refused)?;
        Ok((remote, Chosen { name: Some(name.to_owned()), ..chosen }))
    }

    /// Gets the manifest, or the index, of the name.
    fn manifest(&self, auth: &RegistryAuth) -> Result<Vec<u8>, PartError> {
        let asked = self.runtime.block_on(async {
            self.client.auth(&self.reference, auth, RegistryOperation::Pull).await?;
            self.client.pull_manifest_raw(&self.reference, auth, &MANIFESTS).await
        });
        let (manifest, _) = asked.map_err(|error| self.failure(&error))?;
        if manifest.len() as u64 > self.limits.document.0 {
            return Err(bad(format!(
                "its manifest has {} bytes; {} at most",
                manifest.len(),
                self.limits.document
            )));
        }
        match self.reference.digest() {
            Some(digest) if Digest::of(&manifest).to_string() != digest => Err(bad(format!(
                "the registry answers with another image, of the digest {}",
                Digest::of(&manifest)
            ))),
            _ => Ok(manifest.to_vec()),
        }
    }

    /// Says in a sentence why a registry did not answer as it should.
    fn failure(&self, error: &OciDistributionError) -> PartError {
        let registry = self.reference.resolve_registry();
        let mut why = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !why.contains(&text) {
                why = format!("{why}: {text}");
            }
            source = cause.source();
        }
        let why = match error {
            OciDistributionError::UnauthorizedError { .. } | OciDistributionError::AuthenticationFailure(_) => {
                "it asks for a name and a password that are right; 'docker login' or 'buildah login' stores them".to_owned()
            }
            OciDistributionError::ImageManifestNotFoundError(_) => NONE_SUCH.to_owned(),
            OciDistributionError::RegistryError { envelope, .. }
                if envelope.errors.iter().any(|error| {
                    matches!(error.code, OciErrorCode::ManifestUnknown | OciErrorCode::NameUnknown)
                }) =>
            {
                NONE_SUCH.to_owned()
            }
            _ => why.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(400).collect(),
        };
        bad(format!("the registry {registry}: {why}"))
    }
}

impl Blobs for Remote {
    fn copy(&self, blob: &Blob, into: &mut dyn Write) -> Result<(), PartError> {
        let digest = blob.digest.to_string();
        self.runtime.block_on(async {
            let asked = self.client.pull_blob_stream(&self.reference, digest.as_str()).await;
            let mut stream = asked.map_err(|error| self.failure(&error))?;
            while let Some(chunk) = stream.next().await {
                into.write_all(&chunk.map_err(|why| bad(format!("the registry stopped sending: {why}")))?)?;
            }
            Ok(())
        })
    }
}

/// Finds the credentials of a registry in a file of Docker's form; without one, none are needed.
fn credentials(registry: &str, secret: Option<&Path>) -> Result<RegistryAuth, PartError> {
    let found = match secret {
        Some(path) => {
            let file = std::fs::File::open(path)
                .map_err(|why| bad(format!("cannot read the credentials in {}: {why}", path.display())))?;
            docker_credential::get_credential_from_reader(file, registry)
        }
        None => docker_credential::get_credential(registry),
    };
    match found {
        Ok(DockerCredential::UsernamePassword(name, password)) => Ok(RegistryAuth::Basic(name, password)),
        Ok(DockerCredential::IdentityToken(token)) => Ok(RegistryAuth::Bearer(token)),
        Err(error) if secret.is_some() => {
            let path = secret.map(PathBuf::from).unwrap_or_default();
            Err(bad(format!("{} has no credentials for {registry}: {error}", path.display())))
        }
        Err(
            CredentialRetrievalError::ConfigNotFound
            | CredentialRetrievalError::ConfigReadError
            | CredentialRetrievalError::NoCredentialConfigured,
        ) => Ok(RegistryAuth::Anonymous),
        Err(error) => Err(bad(format!("the credentials for {registry} cannot be read: {error}"))),
    }
}
