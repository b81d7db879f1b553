//! Passes output on to a reader that may not accept it. Writes never block: while one did, no limit would end the run
//! and no signal would be handled.

use crate::SandboxError;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

/// The destination of output, and the bytes that it has not accepted yet.
#[derive(Debug)]
pub struct Forward {
    to: OwnedFd,
    is_socket: bool,
    pending: Vec<u8>,
}

impl Forward {
    /// Takes the caller's descriptor. Its blocking mode is shared with other processes and must not change, so a pipe
    /// or terminal is opened again.
    pub fn new(to: OwnedFd) -> Result<Self, SandboxError> {
        let data = rustix::fs::fstat(&to).map_err(SandboxError::system("inspect standard output"))?;
        let kind = FileType::from_raw_mode(data.st_mode);
        let to = match kind {
            FileType::Fifo | FileType::CharacterDevice => {
                let path = format!("/proc/self/fd/{}", to.as_raw_fd());
                let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
                // Without permission to open it, writes block as those of any other program.
                rustix::fs::open(path, flags, Mode::empty()).unwrap_or(to)
            }
            _ => to,
        };
        Ok(Self { to, is_socket: kind == FileType::Socket, pending: Vec::new() })
    }

    /// Passes on as many bytes as are accepted at once, and keeps the rest. No earlier bytes may be pending.
    pub fn pass_on(&mut self, bytes: &[u8]) -> Result<(), SandboxError> {
        debug_assert!(self.pending.is_empty());
        self.pending.extend_from_slice(bytes);
        self.go_on()
    }

    /// Passes on as many pending bytes as are accepted now.
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
                // The reader closed the pipe: this is no error, and the program may go on.
                Err(Errno::PIPE) => sent = self.pending.len(),
                Err(error) => return Err(SandboxError::system("pass the program's output on")(error)),
            }
        }
        self.pending.drain(..sent);
        Ok(())
    }

    /// Returns the descriptor that becomes writable when more is accepted; `None` if nothing is pending.
    pub fn awaited(&self) -> Option<&OwnedFd> {
        (!self.pending.is_empty()).then_some(&self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    /// More than the buffer of a pipe or a socket.
    const MUCH: usize = 1 << 20;

    fn passes_on_what_is_taken(to: OwnedFd, mut reader: impl Read) {
        let mut forward = Forward::new(to).unwrap();
        let bytes: Vec<u8> = (0..MUCH).map(|at| at as u8).collect();
        forward.pass_on(&bytes).unwrap();
        assert!(forward.awaited().is_some(), "no process reads, and it did not wait");
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
        assert!(forward.awaited().is_none(), "output without a reader is not kept");
    }

    #[test]
    fn unread_pipe_does_not_block() {
        let (reader, writer) = std::io::pipe().unwrap();
        let shared = writer.try_clone().unwrap();
        passes_on_what_is_taken(writer.into(), reader);
        let flags = rustix::fs::fcntl_getfl(&shared).unwrap();
        assert!(!flags.contains(OFlags::NONBLOCK), "the caller's own descriptor is as before");
    }

    #[test]
    fn unread_socket_does_not_block() {
        let (reader, writer) = UnixStream::pair().unwrap();
        passes_on_what_is_taken(writer.into(), reader);
    }

    #[test]
    fn output_is_appended_to_a_file() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before ").unwrap();
        Forward::new(file.try_clone().unwrap().into()).unwrap().pass_on(b"after").unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "before after");
    }
}
