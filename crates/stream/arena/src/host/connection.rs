//! One connection to the output port.

use super::door::REQUEST_TIME_MAX;
use super::limit::Permit;
use super::refusals::Refusal;
use super::request::Reply;
use super::sockets::{receive, send_now};
use crate::tcp_info;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes that are read before others have their turn.
const READ_AT_ONCE: usize = 16 << 10;
/// Requests are not read further while this many bytes of them wait.
const BYTES_MAX: usize = 32 << 10;

pub(crate) struct Connection {
    pub socket: TcpStream,
    /// What was read and is not handled.
    pub bytes: Vec<u8>,
    /// When the last of it was received, by the contest's clock.
    pub received_ns: u64,
    /// The target that named the contestant, its name, and since which change of contestants.
    pub known: Option<(String, String, u64)>,
    /// Whether it is closed after the last reply.
    pub ends: bool,
    /// Whether replies wait for the client to read.
    pub waits_to_write: bool,
    out: Vec<u8>,
    /// Whether parts of it came in another order than they were sent.
    was_disordered: bool,
    /// Since when it waits for the rest of a request, or for the client to read.
    since: Option<Instant>,
    _permit: Permit,
}

pub(crate) enum Read {
    Nothing,
    Ended,
    Gone,
    /// More bytes, and when the last of them was received by the system's clock, if the kernel says so for sure.
    More(Option<Duration>),
}

impl Connection {
    /// Begins with a connection that has sent nothing.
    pub fn new(socket: TcpStream, permit: Permit) -> Self {
        Self {
            socket,
            bytes: Vec::new(),
            received_ns: 0,
            known: None,
            ends: false,
            waits_to_write: false,
            out: Vec::new(),
            was_disordered: false,
            since: Some(Instant::now()),
            _permit: permit,
        }
    }

    pub fn read(&mut self, control: &mut [u8]) -> Read {
        if self.bytes.len() >= BYTES_MAX {
            return Read::Nothing;
        }
        let length = self.bytes.len();
        self.bytes.resize(length + READ_AT_ONCE, 0);
        let result = receive(&self.socket, &mut self.bytes[length..], control);
        self.bytes.truncate(length + result.as_ref().map_or(0, |(count, _)| *count));
        match result {
            Ok((0, _)) => Read::Ended,
            Ok((_, stamp)) => {
                // The end of a request may have come before its beginning, and the stamp is that of the end. Once is
                // enough: when the gap is filled cannot be seen.
                self.was_disordered =
                    self.was_disordered || (stamp.is_some() && tcp_info::was_disordered(&self.socket));
                Read::More(stamp.filter(|_| !self.was_disordered))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Read::Nothing,
            Err(_) => Read::Gone,
        }
    }

    /// Forgets requests that were handled, and takes the replies.
    pub fn took(&mut self, length: usize, replies: &[Reply]) {
        self.bytes.drain(..length);
        replies.iter().for_each(|reply| reply.write_to(&mut self.out));
        match (self.bytes.is_empty(), length) {
            (true, _) => self.since = None,
            (false, 0) => drop(self.since.get_or_insert_with(Instant::now)),
            (false, _) => self.since = Some(Instant::now()),
        }
    }

    /// Sends replies. Returns whether the client is there.
    pub fn write(&mut self) -> bool {
        if self.out.is_empty() {
            return true;
        }
        let sent = match send_now(&self.socket, &self.out) {
            Ok(sent) => sent,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(_) => return false,
        };
        self.out.drain(..sent);
        let waited = self.waits_to_write;
        self.waits_to_write = !self.out.is_empty();
        if self.waits_to_write {
            if sent > 0 || !waited {
                self.since = Some(Instant::now());
            }
        } else if waited {
            self.since = (!self.bytes.is_empty()).then(Instant::now);
        }
        true
    }

    /// Returns why the connection is dropped, if the client is late.
    pub fn is_late(&self) -> Option<Refusal> {
        let late = self.since.is_some_and(|since| since.elapsed() >= REQUEST_TIME_MAX);
        late.then_some(if self.waits_to_write { Refusal::UnreadReplies } else { Refusal::NoRequest })
    }
}
