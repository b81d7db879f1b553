//! Files that are found to be writable before anything is done, and appear whole or not at all.

use crate::failure::because;
use anyhow::Context;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

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
    pub fn prepare(path: &Path) -> anyhow::Result<Self> {
        let failed = || because(format!("cannot write {}", path.display()));
        let is_special = fs::metadata(path).is_ok_and(|there| !there.is_file());
        let file = if is_special {
            Kind::Special(open_special(path).with_context(failed)?)
        } else {
            let folder =
                path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let mut builder = tempfile::Builder::new();
            let mode: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            let file = builder.permissions(mode).tempfile_in(folder);
            // Its own message names a temporary file.
            Kind::New(file.map_err(|error| std::io::Error::from(error.kind())).with_context(failed)?)
        };
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes a whole file.
    pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        Self::prepare(path)?.fill(bytes)
    }

    /// Writes it, and puts it in its place.
    pub fn fill(mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_all(bytes).with_context(|| format!("cannot write {}", self.path.display()))?;
        self.keep()
    }

    /// Puts what was written in its place.
    pub fn keep(self) -> anyhow::Result<()> {
        let failed = || format!("cannot write {}", self.path.display());
        match self.file {
            Kind::Special(_) => Ok(()),
            Kind::New(file) => {
                file.persist(&self.path).map(drop).map_err(|error| error.error).with_context(failed)
            }
        }
    }
}

/// Opens a device or a pipe. Opening a pipe that no process reads would block for ever.
fn open_special(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, OFlags::NONBLOCK.bits() as i32);
    let file = options.write(true).open(path).map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::NXIO.raw_os_error() => {
            std::io::Error::new(error.kind(), "no process reads this pipe")
        }
        _ => error,
    })?;
    rustix::fs::fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.file {
            Kind::Special(file) => file.write(bytes),
            Kind::New(file) => file.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
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
}
