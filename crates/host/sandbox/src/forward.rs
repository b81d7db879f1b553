//! Output that is passed on to somebody who may not take it. Nobody waits here: while a write waits, no limit ends the run
//! and no signal is heard.

use crate::SandboxError;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

/// Where output is passed on to, and what of it is still to be taken.
#[derive(Debug)]
pub(crate) struct Forward {
    to: OwnedFd,
    is_socket: bool,
    pending: Vec<u8>,
}

impl Forward {
    /// Takes the caller's descriptor. Whether it waits is the caller's affair and that of all who share it; so what can make
    /// a writer wait is opened again.
    pub fn new(to: OwnedFd) -> Result<Self, SandboxError> {
        let data = rustix::fs::fstat(&to).map_err(SandboxError::system("look at standard output"))?;
        let kind = FileType::from_raw_mode(data.st_mode);
        let to = match kind {
            FileType::Fifo | FileType::CharacterDevice => {
                let path = format!("/proc/self/fd/{}", to.as_raw_fd());
                let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
                // Without the right to open it the program's output waits as that of any other program does.
                rustix::fs::open(path, flags, Mode::empty()).unwrap_or(to)
            }
            _ => to,
        };
        Ok(Self { to, is_socket: kind == FileType::Socket, pending: Vec::new() })
    }

    /// Passes on as much as is taken at once, and keeps the rest. There must be no rest of earlier bytes.
    pub fn pass_on(&mut self, bytes: &[u8]) -> Result<(), SandboxError> {
        debug_assert!(self.pending.is_empty());
        self.pending.extend_from_slice(bytes);
        self.go_on()
    }

    /// Passes on of the rest what is taken now.
    pub fn go_on(&mut self) -> Result<(), SandboxError> {
        let mut sent = 0;
        while sent < self.pending.len() {
            let rest = &self.pending[sent..];
            let taken = match self.is_socket {
                true => rustix::net::send(&self.to, rest, SendFlags::DONTWAIT | SendFlags::NOSIGNAL),
                false => rustix::io::write(&self.to, rest),
            };
            match taken {
                Ok(taken) => sent += taken,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                // Whoever read our output has gone; the program may go on.
                Err(Errno::PIPE) => sent = self.pending.len(),
                Err(error) => return Err(SandboxError::system("pass the program's output on")(error)),
            }
        }
        self.pending.drain(..sent);
        Ok(())
    }

    /// Returns what becomes writable when more of the rest is taken; nothing where there is no rest.
    pub fn awaited(&self) -> Option<&OwnedFd> {
        (!self.pending.is_empty()).then_some(&self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    /// More than a pipe or a socket holds.
    const MUCH: usize = 1 << 20;

    fn passes_on_what_is_taken(to: OwnedFd, mut reader: impl Read) {
        let mut forward = Forward::new(to).unwrap();
        let bytes: Vec<u8> = (0..MUCH).map(|at| at as u8).collect();
        forward.pass_on(&bytes).unwrap();
        assert!(forward.awaited().is_some(), "nobody reads, and it did not wait");
        let mut read = vec![0; MUCH];
        let mut length = 0;
        while length < MUCH {
            length += reader.read(&mut read[length..]).unwrap();
            forward.go_on().unwrap();
        }
        assert_eq!(read, bytes);
        assert!(forward.awaited().is_none());
        forward.pass_on(&bytes).unwrap();
        drop(reader);
        forward.go_on().unwrap();
        assert!(forward.awaited().is_none(), "what nobody can take is not kept");
    }

    #[test]
    fn a_pipe_that_nobody_reads_makes_nobody_wait() {
        let (reader, writer) = std::io::pipe().unwrap();
        let shared = writer.try_clone().unwrap();
        passes_on_what_is_taken(writer.into(), reader);
        let flags = rustix::fs::fcntl_getfl(&shared).unwrap();
        assert!(!flags.contains(OFlags::NONBLOCK), "the caller's own descriptor is as before");
    }

    #[test]
    fn a_socket_that_nobody_reads_makes_nobody_wait() {
        let (reader, writer) = UnixStream::pair().unwrap();
        passes_on_what_is_taken(writer.into(), reader);
    }

    #[test]
    fn a_file_gets_all_of_it_after_what_it_has() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before ").unwrap();
        Forward::new(file.try_clone().unwrap().into()).unwrap().pass_on(b"after").unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "before after");
    }
}
