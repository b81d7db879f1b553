//! Files that are found to be writable before anything is done, and appear whole or not at all.

use crate::failure::cannot;
use anyhow::Context;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the reader of a pipe may take to open it.
const READER_TIME_MAX: Duration = Duration::from_secs(2);

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
        let failed = || cannot("write", path);
        // A link stays, and its target is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_special = is_special(path) || fs::metadata(&target).is_ok_and(|there| !there.is_file());
        let file = if is_special {
            Kind::Special(open_special(path).with_context(failed)?)
        } else {
            let folder =
                target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let mut builder = tempfile::Builder::new();
            let mode: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            let file = builder.permissions(mode).tempfile_in(folder);
            // Its own message names a temporary file.
            Kind::New(file.map_err(|error| std::io::Error::from(error.kind())).with_context(failed)?)
        };
        Ok(Self { path: target, file })
    }

    /// Writes a file that appears whole or not at all.
    pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
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

/// Returns whether a path names a device or an open file, such as `/dev/stdout`: what that is must not be replaced.
fn is_special(path: &Path) -> bool {
    let files = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    files.iter().any(|file| path.starts_with(file))
}

/// Opens a device or a pipe. Opening a pipe that no process reads would block for ever; a reader may take a moment to start.
fn open_special(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, OFlags::NONBLOCK.bits() as i32);
    let begin = Instant::now();
    let file = loop {
        match options.append(true).open(path) {
            Err(error) if error.raw_os_error() != Some(Errno::NXIO.raw_os_error()) => return Err(error),
            Err(error) if begin.elapsed() > READER_TIME_MAX => {
                return Err(std::io::Error::new(error.kind(), "no process reads this pipe"));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
            Ok(file) => break file,
        }
    };
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
    fn link_stays_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "before").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        AtomicFile::write_whole(&link, b"after").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"after");
    }

    #[test]
    fn open_file_is_written_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let open = File::create(folder.path().join("output")).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        AtomicFile::write_whole(Path::new(&format!("/proc/self/fd/{number}")), b"here").unwrap();
        assert_eq!(open.metadata().unwrap().len(), 4);
    }

    #[test]
    fn pipe_is_written_once_a_process_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).unwrap()
        });
        AtomicFile::write_whole(&path, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
    }

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
