//! The files of `--tls-cert` and `--tls-key`.

use super::channel::Certificate;
use crate::arguments::ServeArguments;
use anyhow::Context;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use terminal::failure;

/// A chain of certificates has some KiB.
const FILE_BYTES_MAX: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    chain: PathBuf,
    key: PathBuf,
}

impl TlsFiles {
    pub fn of(arguments: &ServeArguments) -> Option<Self> {
        let (chain, key) = (arguments.tls_cert.clone()?, arguments.tls_key.clone()?);
        Some(Self { chain, key })
    }

    /// Reads both, and checks that they can be used together.
    pub fn read(&self) -> anyhow::Result<Certificate> {
        let certificate = Certificate { chain: read(&self.chain)?, key: read(&self.key)? };
        server::Tls::new(&certificate.clone().into()).map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            let files = format!("{}, {}", self.chain.display(), self.key.display());
            failure::input_with_hint(
                format!("{files}: {error}{}", cause.unwrap_or_default()),
                "--tls-cert is the chain, with '-----BEGIN CERTIFICATE-----'; --tls-key has '-----BEGIN PRIVATE KEY-----'",
            )
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

fn read(path: &Path) -> anyhow::Result<String> {
    let failed = || failure::cannot("read", path);
    // A pipe would keep the server waiting for its writer.
    let metadata = std::fs::metadata(path).with_context(failed)?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        let limit = FILE_BYTES_MAX >> 20;
        return Err(failure::input(format!("{} is not a file of at most {limit} MiB", path.display())));
    }
    let mut text = String::new();
    let file = File::open(path).with_context(failed)?;
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).with_context(failed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_some_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let long = folder.path().join("long.pem");
        File::create(&long).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        for path in [&long, folder.path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert!(read(path).unwrap_err().to_string().contains("is not a file"), "{}", path.display());
        }
        std::fs::write(&long, "text").unwrap();
        assert_eq!(read(&long).unwrap(), "text");
    }
}
