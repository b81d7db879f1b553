//! Either program: one thread that sends or receives, and counts by intervals.

use crate::child::wait_for_begin;
use crate::load::worker::die_with;
use cpus::stay_on;
use model::{CpuSet, Nanos};
use std::io::{self, ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::{Duration, Instant};

/// An address for use within one organisation (RFC 2365); with a time to live of 0 nothing leaves the machine.
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 84, 65);
/// A cache line.
const MESSAGE_BYTES: usize = 64;
/// How long a receiver waits for a message before it reads the clock again.
const PATIENCE: Duration = Duration::from_millis(20);

/// The parameters of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The port to send to; without one it receives, on any port.
    pub port: Option<u16>,
    /// The CPU to be pinned to.
    pub cpus: Option<CpuSet>,
    /// How long an interval is.
    pub interval: Nanos,
    pub intervals: usize,
}

/// Runs a peer: prints `ready PORT`, waits for the signal to begin, counts, and prints when it began, by the clock that
/// all processes share, and the messages of each interval, one line each.
pub fn run(peer: &Peer, parent: u32) -> io::Result<()> {
    die_with(parent)?;
    // The table of threads and tools such as pidstat show this name.
    rustix::thread::set_name(if peer.port.is_some() { c"lab-sender" } else { c"lab-receiver" })?;
    if let Some(cpus) = &peer.cpus {
        stay_on(cpus)?;
    }
    let (begin, counts) = match peer.port {
        Some(port) => send(peer, port)?,
        None => receive(peer)?,
    };
    let mut words = io::BufWriter::new(io::stdout().lock());
    writeln!(words, "{}", begin.0)?;
    for count in counts {
        writeln!(words, "{count}")?;
    }
    words.flush()
}

fn send(peer: &Peer, port: u16) -> io::Result<(Nanos, Vec<u64>)> {
    let socket = UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?;
    rustix::net::sockopt::set_ip_multicast_if(&socket, &Ipv4Addr::LOCALHOST)?;
    socket.set_multicast_ttl_v4(0)?;
    socket.connect(SocketAddrV4::new(GROUP, port))?;
    wait_for_begin(&format!("ready {port}"))?;
    let mut message = [0; MESSAGE_BYTES];
    let mut number = 0_u64;
    count(peer, || {
        number += 1;
        message[..8].copy_from_slice(&number.to_ne_bytes());
        socket.send(&message).map(|_| true)
    })
}

fn receive(peer: &Peer) -> io::Result<(Nanos, Vec<u64>)> {
    let socket = UdpSocket::bind(SocketAddrV4::new(GROUP, 0))?;
    socket.join_multicast_v4(&GROUP, &Ipv4Addr::LOCALHOST)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    wait_for_begin(&format!("ready {}", socket.local_addr()?.port()))?;
    let mut message = [0; MESSAGE_BYTES];
    count(peer, || match socket.recv(&mut message) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(false),
        Err(error) => Err(error),
    })
}

/// Counts what `step` does in each interval.
fn count(peer: &Peer, mut step: impl FnMut() -> io::Result<bool>) -> io::Result<(Nanos, Vec<u64>)> {
    let mut counts = vec![0; peer.intervals];
    let shared = shared_clock();
    let begin = Instant::now();
    loop {
        let done = match step() {
            Err(error) if error.kind() == ErrorKind::Interrupted => false,
            result => result?,
        };
        let interval = (begin.elapsed().as_nanos() as u64 / peer.interval.0.max(1)) as usize;
        match counts.get_mut(interval) {
            Some(count) => *count += u64::from(done),
            None => return Ok((shared, counts)),
        }
    }
}

/// Reads the clock that all processes share.
pub(super) fn shared_clock() -> Nanos {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Nanos(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_counts_in_its_interval() {
        let peer = Peer { port: None, cpus: None, interval: Nanos::from_millis(1), intervals: 3 };
        let mut steps = 0;
        let (_, counts) = count(&peer, || {
            steps += 1;
            Ok(steps % 2 == 0)
        })
        .unwrap();
        assert_eq!(counts.len(), 3);
        assert!(counts.iter().sum::<u64>() <= steps / 2);
        assert!(count(&peer, || Err(io::Error::other("gone"))).is_err());
        let mut interrupted = false;
        count(&peer, || {
            interrupted = !interrupted;
            if interrupted { Err(ErrorKind::Interrupted.into()) } else { Ok(true) }
        })
        .unwrap();
    }

    #[test]
    fn a_message_arrives_on_loopback() {
        let receiver = UdpSocket::bind(SocketAddrV4::new(GROUP, 0)).unwrap();
        receiver.join_multicast_v4(&GROUP, &Ipv4Addr::LOCALHOST).unwrap();
        receiver.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let sender = UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
        rustix::net::sockopt::set_ip_multicast_if(&sender, &Ipv4Addr::LOCALHOST).unwrap();
        sender.set_multicast_ttl_v4(0).unwrap();
        let port = receiver.local_addr().unwrap().port();
        sender.send_to(b"hello", SocketAddrV4::new(GROUP, port)).unwrap();
        let mut message = [0; 64];
        assert_eq!(receiver.recv(&mut message).unwrap(), 5);
    }
}
