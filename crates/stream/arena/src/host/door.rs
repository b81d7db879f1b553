//! Where clients of the feed come in. A thread of its own reads their requests, however slowly they come, so that the feed
//! never waits for anybody.

use super::limit::{ConnectionLimit, Permit};
use super::refusals::{Refusal, Refusals};
use super::sockets::{prepare, send_now};
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::net::sockopt::set_socket_send_buffer_size;
use std::collections::HashMap;
use std::io::{self, Read};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

pub(crate) const REQUEST_TIME_MAX: Duration = Duration::from_secs(10);
/// How often the thread checks whether it should end, and which clients are late.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Connections that are accepted before others have their turn.
pub(crate) const ACCEPTED_AT_ONCE: usize = 64;
const REQUEST_BYTES_MAX: usize = 4 << 10;
/// Bytes that wait for a client of the feed: about a minute of digits. A client that is further behind does not read.
const SEND_BUFFER: usize = 32 << 10;
/// What a client of the feed receives before the digits.
const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
const NOT_FOUND: &[u8] =
    b"HTTP/1.1 404 Not Found\r\nContent-Length: 34\r\nConnection: close\r\n\r\nthe digits are at GET / (HTTP/1.1)\n";
const LISTENER: u64 = u64::MAX;

pub(crate) struct Client {
    pub socket: TcpStream,
    /// Free when the client is dropped.
    permit: Permit,
}

impl Client {
    pub fn address(&self) -> IpAddr {
        self.permit.address()
    }
}

/// A client whose request has not come yet.
struct Arriving {
    client: Client,
    since: Instant,
    request: Vec<u8>,
}

pub(crate) struct Door {
    pub listener: TcpListener,
    pub limit: ConnectionLimit,
    pub refusals: Arc<Refusals>,
    pub clients: Sender<Client>,
    pub stop: Arc<AtomicBool>,
}

impl Door {
    pub fn run(self) -> io::Result<()> {
        let poll = poll_of(&self.listener, LISTENER)?;
        let mut arriving: HashMap<u64, Arriving> = HashMap::new();
        let (mut next, mut events) = (0, Vec::with_capacity(256));
        while !self.stop.load(Ordering::Relaxed) {
            events.clear();
            wait(&poll, &mut events, LOOK_EVERY)?;
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept(&poll, &mut arriving, &mut next)?,
                    id => {
                        let Some(one) = arriving.get_mut(&id) else { continue };
                        match read_request(one) {
                            FeedRequest::Nothing => continue,
                            FeedRequest::Digits => {
                                let Some(one) = arriving.remove(&id) else { continue };
                                let _ = epoll::delete(&poll, &one.client.socket);
                                if send_now(&one.client.socket, HEAD).is_ok_and(|sent| sent == HEAD.len()) {
                                    let _ = self.clients.send(one.client);
                                }
                            }
                            FeedRequest::Other => {
                                self.refusals.count(Refusal::BadRequest);
                                let _ = send_now(&one.client.socket, NOT_FOUND);
                                arriving.remove(&id);
                            }
                            FeedRequest::Gone => drop(arriving.remove(&id)),
                        }
                    }
                }
            }
            arriving.retain(|_, one| {
                let is_in_time = one.since.elapsed() < REQUEST_TIME_MAX;
                if !is_in_time {
                    self.refusals.count(Refusal::NoRequest);
                }
                is_in_time
            });
        }
        Ok(())
    }

    fn accept(
        &self,
        poll: &OwnedFd,
        arriving: &mut HashMap<u64, Arriving>,
        next: &mut u64,
    ) -> io::Result<()> {
        for (socket, permit) in accepted(&self.listener, &self.limit, &self.refusals) {
            *next += 1;
            let _ = set_socket_send_buffer_size(&socket, SEND_BUFFER);
            epoll::add(poll, &socket, EventData::new_u64(*next), EventFlags::IN)?;
            let client = Client { socket, permit };
            arriving.insert(*next, Arriving { client, since: Instant::now(), request: Vec::new() });
        }
        Ok(())
    }
}

enum FeedRequest {
    Nothing,
    Digits,
    Other,
    Gone,
}

fn read_request(one: &mut Arriving) -> FeedRequest {
    let mut piece = [0; 1024];
    match one.client.socket.read(&mut piece) {
        Ok(0) => return FeedRequest::Gone,
        Ok(count) => one.request.extend_from_slice(&piece[..count]),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return FeedRequest::Nothing,
        Err(_) => return FeedRequest::Gone,
    }
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(&one.request) {
        Ok(httparse::Status::Complete(_)) => {
            let path = request.path.unwrap_or_default();
            let is_root = path.split('?').next() == Some("/");
            if request.method == Some("GET") && is_root { FeedRequest::Digits } else { FeedRequest::Other }
        }
        Ok(httparse::Status::Partial) if one.request.len() < REQUEST_BYTES_MAX => FeedRequest::Nothing,
        Ok(httparse::Status::Partial) | Err(_) => FeedRequest::Other,
    }
}

/// Makes a set of sockets to wait for, with one that listens.
pub(crate) fn poll_of(listener: &TcpListener, id: u64) -> io::Result<OwnedFd> {
    listener.set_nonblocking(true)?;
    let poll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&poll, listener, EventData::new_u64(id), EventFlags::IN)?;
    Ok(poll)
}

/// Waits for one of the sockets, at most for this time.
pub(crate) fn wait(poll: &OwnedFd, events: &mut Vec<Event>, most: Duration) -> io::Result<()> {
    let most =
        rustix::event::Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) };
    match epoll::wait(poll, spare_capacity(events), Some(&most)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Accepts waiting connections, a limited number, and closes connections above the limit.
pub(crate) fn accepted(
    listener: &TcpListener,
    limit: &ConnectionLimit,
    refusals: &Refusals,
) -> Vec<(TcpStream, Permit)> {
    let mut all = Vec::new();
    for _ in 0..ACCEPTED_AT_ONCE {
        // Without a descriptor left, the kernel keeps the connection waiting; the limit is lower than that of descriptors.
        let Ok((socket, address)) = listener.accept() else { break };
        match limit.take(address.ip().to_canonical()) {
            Ok(permit) if prepare(&socket).is_ok() => all.push((socket, permit)),
            Ok(_) => {}
            Err(refusal) => refusals.count(refusal),
        }
    }
    all
}
