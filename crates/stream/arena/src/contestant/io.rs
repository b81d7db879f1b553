//! Ways of reading the feed and writing answers.

use super::{af_xdp, asynchronous, blocking, busy_poll, epoll, uring};
use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::time::Duration;

/// So long a read waits before the caller looks whether it should stop.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);
/// More than any chunk has.
pub(crate) const READ_BYTES: usize = 1 << 16;

/// A way of reading and writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Io {
    /// An asynchronous runtime of one thread.
    Async,
    /// A read that waits.
    Blocking,
    /// A wait for readiness, and then a read.
    Epoll,
    /// Reads that do not wait, one after the other.
    BusyPoll,
    /// A ring of requests to the kernel.
    IoUring,
    /// Frames without the kernel's network stack.
    AfXdp,
}

/// The two connections of a contestant.
pub(crate) trait Link {
    /// Waits for the next bytes of the feed; `None` if nothing has come for [`PATIENCE`], and no bytes at its end.
    fn read(&mut self) -> io::Result<Option<&[u8]>>;

    /// Writes all parts to the output.
    fn write(&mut self, parts: &mut [IoSlice<'_>]) -> io::Result<()>;

    /// Writes to another connection from now on.
    fn set_output(&mut self, output: TcpStream) -> io::Result<()>;
}

impl Io {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Async, Self::Blocking, Self::Epoll, Self::BusyPoll, Self::IoUring, Self::AfXdp];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Async => "async",
            Self::Blocking => "blocking",
            Self::Epoll => "epoll",
            Self::BusyPoll => "busy-poll",
            Self::IoUring => "io-uring",
            Self::AfXdp => "af-xdp",
        }
    }

    /// Tries what it needs, and returns why it does not work here if so.
    pub fn unavailable(self) -> Option<String> {
        match self {
            Self::IoUring => uring::unavailable(),
            Self::AfXdp => Some(af_xdp::unavailable()),
            _ => None,
        }
    }

    pub(crate) fn link(self, feed: TcpStream, output: TcpStream) -> io::Result<Box<dyn Link>> {
        Ok(match self {
            Self::Async => Box::new(asynchronous::Asynchronous::new(feed, output)?),
            Self::Blocking => Box::new(blocking::Blocking::new(feed, output)?),
            Self::Epoll => Box::new(epoll::Epoll::new(feed, output)?),
            Self::BusyPoll => Box::new(busy_poll::BusyPoll::new(feed, output)?),
            Self::IoUring => Box::new(uring::Uring::new(feed, output)?),
            Self::AfXdp => return Err(io::Error::other(af_xdp::unavailable())),
        })
    }
}

/// Returns whether a read should just be tried again later.
pub(crate) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Writes all parts by a call that may take fewer.
pub(crate) fn write_all(
    mut parts: &mut [IoSlice<'_>],
    mut write: impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
) -> io::Result<()> {
    while !parts.is_empty() {
        match write(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut parts, count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
