//! A program's input in memory.

use crate::SandboxError;
use crate::streams::Input;
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;

/// Copies `bytes` to a file in memory and opens it for reading, under a name without meaning.
///
/// A program's input must not wait for a disk nor depend on what is cached.
pub fn input_in_memory(bytes: &[u8]) -> Result<MemoryInput, SandboxError> {
    use rustix::fs::{MemfdFlags, SealFlags};
    let what = "keep the input in memory";
    let fd = rustix::fs::memfd_create("input", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)
        .map_err(SandboxError::system(what))?;
    write_all(&fd, bytes)?;
    // Read-only: a program could open its own standard input again.
    rustix::fs::fchmod(&fd, rustix::fs::Mode::from_raw_mode(0o444)).map_err(SandboxError::system(what))?;
    rustix::fs::fcntl_add_seals(
        &fd,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )
    .map_err(SandboxError::system(what))?;
    Ok(MemoryInput(fd))
}

/// An input in memory, which is opened once for each run.
#[derive(Debug)]
pub struct MemoryInput(OwnedFd);

impl MemoryInput {
    /// Opens it at its beginning, for reading only.
    pub fn open(&self) -> Result<Input, SandboxError> {
        // The time of the last access would show a run when another one read the same input.
        let epoch = rustix::fs::Timespec { tv_sec: 0, tv_nsec: 0 };
        let times = rustix::fs::Timestamps { last_access: epoch, last_modification: epoch };
        rustix::fs::futimens(&self.0, &times).map_err(SandboxError::system("set the input's times"))?;
        let path = format!("/proc/self/fd/{}", rustix::fd::AsRawFd::as_raw_fd(&self.0.as_fd()));
        let file = std::fs::File::open(&path).map_err(SandboxError::file("open the input", path))?;
        Ok(Input::Memory(file.into()))
    }
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8]) -> Result<(), SandboxError> {
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(SandboxError::system("keep the input in memory")(error)),
        }
    }
    Ok(())
}
