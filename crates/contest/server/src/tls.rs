//! TLS on the server's own connections, by rustls.

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{self, ServerConfig, crypto::ring};

/// A certificate with its chain, and its key, in PEM format.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The server's certificate first.
    pub chain: Vec<u8>,
    pub key: Vec<u8>,
}

/// Without the key.
impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").field("chain_bytes", &self.chain.len()).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the certificate cannot be read as PEM")]
    Chain(#[source] rustls_pki_types::pem::Error),
    #[error("the file has no certificate")]
    NoCertificate,
    #[error("the private key cannot be read as PEM")]
    Key(#[source] rustls_pki_types::pem::Error),
    #[error("the certificate and the private key cannot be used together")]
    Unusable(#[from] rustls::Error),
}

/// The certificate with which connections are accepted. It can be replaced while the server runs.
pub struct Tls(RwLock<Arc<ServerConfig>>);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Uses a certificate.
    pub fn new(certificate: &Certificate) -> Result<Self, TlsError> {
        Ok(Self(RwLock::new(Arc::new(config(certificate)?))))
    }

    /// Uses another certificate for connections from now on.
    /// After an error the one of before stays.
    pub fn replace(&self, certificate: &Certificate) -> Result<(), TlsError> {
        let new = Arc::new(config(certificate)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone().into()
    }
}

fn config(certificate: &Certificate) -> Result<ServerConfig, TlsError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&certificate.chain).collect();
    let chain = chain.map_err(TlsError::Chain)?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    let key = PrivateKeyDer::from_pem_slice(&certificate.key).map_err(TlsError::Key)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions()?.with_no_client_auth();
    let mut config = config.with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
