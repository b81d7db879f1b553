//! Where the emulator is.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An emulator with which instructions can be counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emulator {
    pub path: PathBuf,
    /// Such as `7.2.22`. Counts of different versions are not compared.
    pub version: String,
}

/// Why instructions cannot be counted under an emulator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEmulator {
    #[error("this tauto was built without a C compiler, so it has no plugin for the emulator")]
    NoPlugin,
    #[error("{0} is missing; it is in qemu-user")]
    Missing(String),
    #[error("{path} does not tell its version: {why}", path = path.display())]
    Silent { path: PathBuf, why: String },
    #[error("{path} is version {version}, and counting needs QEMU 6.0 to 8.2, linked dynamically, as in Debian 12", path = path.display())]
    Version { path: PathBuf, version: String },
}

/// The folders that every run sees, so that the emulator can run there.
const FOLDERS: [&str; 2] = ["/usr/local/bin", "/usr/bin"];
/// The first and the last version, major and minor, with the interface that the plugin uses.
const VERSIONS: [(u32, u32); 2] = [(6, 0), (8, 2)];

impl Emulator {
    /// Finds the emulator of this machine's own architecture.
    pub fn find() -> Result<Self, NoEmulator> {
        if !crate::plugin::is_built() || crate::canary().is_empty() {
            return Err(NoEmulator::NoPlugin);
        }
        let name = format!("qemu-{}", std::env::consts::ARCH);
        let path = FOLDERS.iter().map(|folder| Path::new(folder).join(&name)).find(|path| path.is_file());
        let path = path.ok_or(NoEmulator::Missing(name))?;
        let silent = |why| NoEmulator::Silent { path: path.clone(), why };
        let told =
            Command::new(&path).arg("--version").output().map_err(|error| silent(error.to_string()))?;
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let version = version(&told).ok_or_else(|| silent(format!("it wrote '{}'", told.trim())))?;
        if !number(version).is_some_and(|number| (VERSIONS[0]..=VERSIONS[1]).contains(&number)) {
            return Err(NoEmulator::Version { version: version.to_owned(), path });
        }
        Ok(Self { version: version.to_owned(), path })
    }
}

/// Returns the version in `qemu-x86_64 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)`.
fn version(told: &str) -> Option<&str> {
    told.split_once(" version ")?.1.split_whitespace().next()
}

fn number(version: &str) -> Option<(u32, u32)> {
    let (major, rest) = version.split_once('.')?;
    let minor = rest.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared() {
        let told = "qemu-x86_64 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)\nCopyright (c) ...";
        assert_eq!(version(told), Some("7.2.22"));
        assert_eq!(version("usage: qemu"), None);
        let is_known = |text| number(text).is_some_and(|n| (VERSIONS[0]..=VERSIONS[1]).contains(&n));
        assert!(is_known("7.2.22") && is_known("8.2.0") && is_known("6.0.0"));
        assert!(!is_known("5.2.0") && !is_known("9.0.1") && !is_known("10.0.0") && !is_known("x"));
    }
}
