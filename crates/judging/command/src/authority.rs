//! The trusted certificate authorities: public ones, or those of a file.

use anyhow::Context;
use images::Access;
use std::path::{Path, PathBuf};
use terminal::failure::{cannot, input};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// Names the file if no option does, as for OpenSSL.
const VARIABLE: &str = "SSL_CERT_FILE";

/// Returns how registries of images are reached: with these credentials, and the authorities that `SSL_CERT_FILE` names.
pub fn registries(secret: Option<&Path>) -> anyhow::Result<Access<'_>> {
    Ok(Access { secret, tls: tls("https://", None)? })
}

/// Returns the settings of HTTPS to a server: with the authorities of a file alone if one is named, by the caller or by
/// `SSL_CERT_FILE`.
pub fn tls(server: &str, file: Option<&Path>) -> anyhow::Result<TlsConfig> {
    if !server.starts_with("https://") {
        return Ok(TlsConfig::default());
    }
    let of_variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let Some(path) = file.map(Path::to_owned).or_else(of_variable) else { return Ok(TlsConfig::default()) };
    let bytes = std::fs::read(&path).with_context(|| cannot("read", &path))?;
    let certificates: Vec<_> = parse_pem(&bytes)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        return Err(input(format!("{} has no certificate in PEM format", path.display())));
    }
    Ok(TlsConfig::builder().root_certs(RootCerts::new_with_certs(&certificates)).build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_certificate_is_refused() {
        let tls = |file| tls("https://a", file);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert!(tls(Some(&file)).unwrap_err().to_string().contains("cannot read"));
        std::fs::write(&file, "secret").unwrap();
        let error = tls(Some(&file)).unwrap_err().to_string();
        assert!(error.ends_with("ca.pem has no certificate in PEM format"), "{error}");
        let body = "AAAA";
        std::fs::write(&file, format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"))
            .unwrap();
        assert!(matches!(tls(Some(&file)).unwrap().root_certs(), RootCerts::Specific(all) if all.len() == 1));
    }
}
