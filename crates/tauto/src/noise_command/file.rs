//! Profiles in files, and files that are found to be writable before anything is measured.

use crate::arguments::TraceArguments;
use crate::failure::{because, input};
use anyhow::Context;
use model::CpuId;
use noise::format::ForeignHints;
use noise::{Profile, TickRate};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// An hour of a noisy machine packs to less.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// The kernel's limit on this architecture; a larger number is no CPU.
const CPUS_MAX: u32 = 8192;

/// Reads a profile, or a trace of another program.
///
/// # Errors
/// When there is none, or what there is is none.
pub fn read(path: &Path) -> anyhow::Result<Profile> {
    read_as(path, &TraceArguments::default())
}

/// Reads a profile, or a trace of another program of which something is known.
///
/// # Errors
/// When there is none, or what there is is none.
pub fn read_as(path: &Path, trace: &TraceArguments) -> anyhow::Result<Profile> {
    let failed = || because(format!("cannot read {}", path.display()));
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .with_context(failed)?;
    let hints = ForeignHints {
        format: trace.format.map(Into::into),
        cpu: cpu_of(path).unwrap_or(CpuId(0)),
        clock: trace.clock.unwrap_or(TickRate(1e9)),
    };
    noise::format::decode_any(&bytes, hints).map_err(|error| input(format!("{}: {error}", path.display())))
}

/// Returns the CPU that programs with a file for each have in its name: `raw.3`, `ftq_3.dat`, `fwq_3_times.dat`.
fn cpu_of(path: &Path) -> Option<CpuId> {
    let name = path.file_name()?.to_str()?;
    let number = match name.strip_suffix(".dat") {
        Some(stem) => stem.strip_suffix("_times").unwrap_or(stem).rsplit_once('_')?.1,
        None => name.rsplit_once('.')?.1,
    };
    number.parse().ok().filter(|cpu| *cpu < CPUS_MAX).map(CpuId)
}

/// A place for a file: what is written appears there whole, or not at all.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    file: Kind,
}

#[derive(Debug)]
enum Kind {
    /// It takes the path when it is whole.
    New(tempfile::NamedTempFile),
    /// A device or a pipe, which must stay what it is.
    Special(File),
}

impl AtomicFile {
    /// Finds out that the file can be written; nothing is there yet.
    ///
    /// # Errors
    /// When it cannot.
    pub fn prepare(path: &Path) -> anyhow::Result<Self> {
        let failed = || because(format!("cannot write {}", path.display()));
        let is_special = fs::metadata(path).is_ok_and(|there| !there.is_file());
        let file = if is_special {
            Kind::Special(File::options().write(true).open(path).with_context(failed)?)
        } else {
            let folder =
                path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let mut builder = tempfile::Builder::new();
            let mode: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            let file = builder.permissions(mode).tempfile_in(folder);
            // Its own words name a file that nobody has asked for.
            Kind::New(file.map_err(|error| std::io::Error::from(error.kind())).with_context(failed)?)
        };
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes it.
    ///
    /// # Errors
    /// When it cannot be written after all.
    pub fn fill(self, bytes: &[u8]) -> anyhow::Result<()> {
        let failed = || format!("cannot write {}", self.path.display());
        match self.file {
            Kind::Special(mut file) => file.write_all(bytes).with_context(failed),
            Kind::New(mut file) => {
                file.write_all(bytes).with_context(failed)?;
                file.persist(&self.path).map(drop).with_context(failed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    #[test]
    fn a_file_appears_whole_and_a_device_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.noise");
        let place = AtomicFile::prepare(&path).unwrap();
        assert!(!path.exists());
        place.fill(b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        AtomicFile::prepare(Path::new("/dev/null")).unwrap().fill(b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let error = AtomicFile::prepare(&folder.path().join("none/a.noise")).unwrap_err();
        assert!(Failure::of(&error).words().starts_with("error: cannot write "), "{error:#}");
    }

    #[test]
    fn files_of_one_cpu_have_its_number_in_their_names() {
        let check = |name, cpu: Option<u32>| assert_eq!(cpu_of(Path::new(name)), cpu.map(CpuId), "{name}");
        check("out/raw.3", Some(3));
        check("ftq_0.dat", Some(0));
        check("fwq_12_times.dat", Some(12));
        check("trace.txt", None);
        check("noise.20260101", None);
        check("trace", None);
    }

    #[test]
    fn what_is_no_profile_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.noise");
        fs::write(&path, "cpu,what\n").unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.to_string().contains("a.noise: this is not a .noise file"), "{error:#}");
        assert!(read(&folder.path().join("none")).is_err());
    }
}
