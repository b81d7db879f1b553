//! Standard output and standard error. Everything is printed through these types, so that no command reports success if
//! its result could not be written.

use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use std::io;

/// An output could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The caller has closed the descriptor.
    #[error("{0} is closed, so nothing could be written to it")]
    Closed(&'static str),
    /// It could not be written.
    #[error("cannot write to {name}")]
    Write {
        /// Which of the two outputs.
        name: &'static str,
        /// Why.
        source: io::Error,
    },
}

/// One of the two outputs.
#[derive(Clone, Copy, Debug)]
pub struct Standard {
    descriptor: BorrowedFd<'static>,
    name: &'static str,
}

impl Standard {
    pub fn output() -> Self {
        Self { descriptor: rustix::stdio::stdout(), name: "standard output" }
    }

    pub fn error() -> Self {
        Self { descriptor: rustix::stdio::stderr(), name: "standard error" }
    }

    /// Checks that the caller has not closed it.
    pub fn check(self) -> Result<(), OutputError> {
        if sandbox::was_closed_at_start(self.descriptor) {
            Err(OutputError::Closed(self.name))
        } else {
            Ok(())
        }
    }

    /// Writes a whole text. The standard library's own streams would keep its end until the process ends, and would
    /// accept a descriptor that cannot be written.
    pub fn write(self, text: &str) -> Result<(), OutputError> {
        self.check()?;
        write_all(self.descriptor, text.as_bytes())
            .map_err(|errno| OutputError::Write { name: self.name, source: errno.into() })
    }
}

pub fn print(text: &str) -> Result<(), OutputError> {
    Standard::output().write(text)
}

fn write_all(descriptor: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::write(descriptor, bytes) {
            Ok(0) => return Err(Errno::NOSPC),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    #[test]
    fn what_is_not_written_is_an_error() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(write_all(full.as_fd(), b"x"), Err(Errno::NOSPC));
        let read_only = File::open("/dev/null").unwrap();
        assert_eq!(write_all(read_only.as_fd(), b"x"), Err(Errno::BADF));
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        assert_eq!(write_all(writer.as_fd(), b"x"), Ok(()));
        drop(reader);
        assert_eq!(write_all(writer.as_fd(), b"x"), Err(Errno::PIPE));
    }
}
