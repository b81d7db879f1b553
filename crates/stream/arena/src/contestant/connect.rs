//! Connections to the two ports, and how long to wait before another attempt.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fmt;
use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(5);
/// How long to wait until the other side takes something.
const WRITE: Duration = Duration::from_secs(5);
/// The first wait is none, the second this, and each further one twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// After this many attempts without a digit there will be none: a second and a half.
const ATTEMPTS: u32 = 6;
/// A wait is cut into these, so that a stop is seen.
const STEP: Duration = Duration::from_millis(50);

/// One of the two ports of a contest.
#[derive(Clone, Debug)]
pub struct Peer {
    what: &'static str,
    address: String,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.what, self.address)
    }
}

impl Peer {
    pub(crate) fn feed(address: &str) -> Self {
        Self { what: "the feed", address: address.to_owned() }
    }

    pub(crate) fn output(address: &str) -> Self {
        Self { what: "the port for answers", address: address.to_owned() }
    }

    pub(crate) fn connect(&self) -> io::Result<TcpStream> {
        let mut failed = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in self.address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(connection) => {
                    // Otherwise an answer would wait for the acknowledgement of the one before.
                    connection.set_nodelay(true)?;
                    connection.set_write_timeout(Some(WRITE))?;
                    return Ok(connection);
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    pub(crate) fn connect_feed(&self) -> io::Result<TcpStream> {
        let mut connection = self.connect()?;
        connection.write_all(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes())?;
        Ok(connection)
    }
}

/// Waits that grow, and end.
pub(crate) struct Backoff {
    attempts: u32,
}

impl Backoff {
    pub fn new() -> Self {
        Self { attempts: 0 }
    }

    /// Waits before the next attempt. Returns whether there should be one.
    pub fn wait(&mut self, stop: &AtomicBool) -> bool {
        if self.attempts == ATTEMPTS {
            return false;
        }
        let mut left = match self.attempts {
            0 => Duration::ZERO,
            attempts => FIRST_WAIT * 2_u32.pow(attempts - 1),
        };
        self.attempts += 1;
        while !left.is_zero() && !stop.load(Ordering::Relaxed) {
            let step = left.min(STEP);
            std::thread::sleep(step);
            left -= step;
        }
        !stop.load(Ordering::Relaxed)
    }
}

/// Waits until something can be read. Returns whether it can.
pub(crate) fn wait_readable(connection: &TcpStream, patience: Duration) -> bool {
    let Ok(patience) = Timespec::try_from(patience) else { return false };
    let mut polled = [PollFd::new(connection, PollFlags::IN)];
    poll(&mut polled, Some(&patience)).is_ok_and(|ready| ready > 0)
}
