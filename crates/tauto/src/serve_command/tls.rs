//! The files of `--tls-cert` and `--tls-key`.

use super::channel::Certificate;
use crate::arguments::ServeArguments;
use crate::failure;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Where certificate and key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    chain: PathBuf,
    key: PathBuf,
}

impl TlsFiles {
    /// Returns the files that the arguments name.
    pub fn of(arguments: &ServeArguments) -> Option<Self> {
        let (chain, key) = (arguments.tls_cert.clone()?, arguments.tls_key.clone()?);
        Some(Self { chain, key })
    }

    /// Reads both, and checks that they can be used together.
    ///
    /// # Errors
    /// When they cannot be read or used.
    pub fn read(&self) -> anyhow::Result<Certificate> {
        let read = |path: &Path| {
            std::fs::read_to_string(path)
                .with_context(|| failure::because(format!("cannot read {}", path.display())))
        };
        let certificate = Certificate { chain: read(&self.chain)?, key: read(&self.key)? };
        server::Tls::new(&certificate.clone().into()).map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            let files = format!("{}, {}", self.chain.display(), self.key.display());
            failure::input(format!("{files}: {error}{}", cause.unwrap_or_default()))
        })?;
        Ok(certificate)
    }

    /// Returns the folders of both: a new certificate is often a new file.
    pub fn folders(&self) -> Vec<PathBuf> {
        let folder =
            |path: &PathBuf| path.parent().filter(|path| !path.as_os_str().is_empty()).map(Path::to_owned);
        [&self.chain, &self.key].map(|path| folder(path).unwrap_or_else(|| PathBuf::from("."))).into()
    }
}
