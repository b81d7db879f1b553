//! Ways of reading the feed and writing answers.

mod link;
use super::{af_xdp, asynchronous, blocking, busy_poll, epoll, uring};
pub(crate) use link::{Link, PATIENCE, READ_BYTES, is_nothing, write_all};
use std::io::{self};
use std::net::TcpStream;

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

impl Io {
    pub const ALL: [Self; 6] =
        [Self::Async, Self::Blocking, Self::Epoll, Self::BusyPoll, Self::IoUring, Self::AfXdp];

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
