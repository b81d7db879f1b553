//! The output port: one thread reads the answers of all contestants. What counts is when the kernel received an answer, so it
//! does not matter in which order connections are read; a reply is sent when the answer is in the record.

use super::clock::Clock;
use super::connection::{Connection, Read};
use super::contestants::Contestants;
use super::door::{LOOK_EVERY, accepted, poll_of, wait};
use super::journal::Journal;
use super::limit::ConnectionLimit;
use super::rate::Rates;
use super::refusals::{Refusal, Refusals};
use super::request::{Parsed, Reply, credentials, parse_request};
use super::sockets::{control_space, stamp_received};
use crate::tcp_info;
use rustix::event::epoll::{self, EventData, EventFlags};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stream_rules::record::Line;

/// Requests of one connection that are handled before others have their turn.
const REQUESTS_AT_ONCE: usize = 32;
/// How often round trips are recorded.
const PING_EVERY: Duration = Duration::from_secs(10);
const LISTENER: u64 = u64::MAX;

pub(crate) struct Answers {
    pub listener: TcpListener,
    pub limit: ConnectionLimit,
    pub clock: Clock,
    pub journal: Arc<Journal>,
    pub refusals: Arc<Refusals>,
    pub contestants: Contestants,
    /// How many answers a contestant may send in a second.
    pub per_second: u32,
    /// Longest answer that is recorded whole.
    pub digits_max: u16,
    /// When the last answer counts.
    pub ends_ns: Option<u64>,
    pub stop: Arc<AtomicBool>,
}

struct State {
    poll: OwnedFd,
    connections: HashMap<u64, Connection>,
    /// Connections with whole requests that were read.
    again: VecDeque<u64>,
    rates: Rates,
}

impl Answers {
    pub fn run(self) -> io::Result<()> {
        stamp_received(&self.listener);
        let poll = poll_of(&self.listener, LISTENER)?;
        let rates = Rates::new(self.per_second);
        let mut state = State { poll, connections: HashMap::new(), again: VecDeque::new(), rates };
        let (mut next, mut events) = (0, Vec::with_capacity(256));
        let (mut control, mut looked, mut pinged) = (control_space(), Instant::now(), Instant::now());
        while !self.stop.load(Ordering::Relaxed) {
            events.clear();
            let most = if state.again.is_empty() { LOOK_EVERY } else { Duration::ZERO };
            wait(&state.poll, &mut events, most)?;
            for id in std::mem::take(&mut state.again) {
                self.handle(id, &mut state);
            }
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept(&mut state, &mut next)?,
                    id => {
                        let flags = event.flags;
                        self.on_event(id, flags, &mut state, &mut control);
                    }
                }
            }
            if looked.elapsed() >= LOOK_EVERY {
                looked = Instant::now();
                state.connections.retain(|_, connection| match connection.is_late() {
                    Some(refusal) => {
                        self.refusals.count(refusal);
                        false
                    }
                    None => true,
                });
            }
            if pinged.elapsed() >= PING_EVERY {
                pinged = Instant::now();
                self.ping(&state);
            }
        }
        Ok(())
    }

    fn accept(&self, state: &mut State, next: &mut u64) -> io::Result<()> {
        for (socket, permit) in accepted(&self.listener, &self.limit, &self.refusals) {
            stamp_received(&socket);
            *next += 1;
            epoll::add(&state.poll, &socket, EventData::new_u64(*next), EventFlags::IN)?;
            state.connections.insert(*next, Connection::new(socket, permit));
        }
        Ok(())
    }

    fn on_event(&self, id: u64, flags: EventFlags, state: &mut State, control: &mut [u8]) {
        let Some(connection) = state.connections.get_mut(&id) else { return };
        if flags.contains(EventFlags::OUT) {
            self.flush(id, state);
            return;
        }
        match connection.read(control) {
            Read::Nothing => {}
            // Requests that were read before the end still count; this comes again.
            Read::Ended if state.again.contains(&id) => {}
            Read::Ended | Read::Gone => drop(state.connections.remove(&id)),
            Read::More(stamp) => {
                let at_ns = match stamp {
                    None => self.clock.now_ns(),
                    Some(stamp) => self.clock.of_stamp(stamp).unwrap_or_else(|| {
                        self.refusals.count(Refusal::ClockStep);
                        self.clock.now_ns()
                    }),
                };
                connection.received_ns = at_ns;
                self.handle(id, state);
            }
        }
    }

    /// Handles requests that were read.
    fn handle(&self, id: u64, state: &mut State) {
        let Some(connection) = state.connections.get_mut(&id) else { return };
        let mut lines = Vec::new();
        let mut replies = Vec::with_capacity(4);
        let mut done = 0;
        while replies.len() < REQUESTS_AT_ONCE {
            let bytes = &connection.bytes[done..];
            if bytes.is_empty() {
                break;
            }
            match parse_request(bytes) {
                Parsed::Part => break,
                Parsed::Bad(reply) => {
                    let refusal =
                        if reply == Reply::TooLarge { Refusal::TooLarge } else { Refusal::BadRequest };
                    self.refusals.count(refusal);
                    replies.push(reply);
                    connection.ends = true;
                    break;
                }
                Parsed::Whole(request) => {
                    done += request.length;
                    connection.ends = !request.stays;
                    let (reply, by) = self.admit(request.target, &mut connection.known, &mut state.rates);
                    if let Some(by) = by {
                        let text = self.recorded(request.body);
                        lines.push(Line::Answer { at_ns: connection.received_ns, by, text });
                    }
                    connection.ends |= reply == Reply::WrongPassword;
                    replies.push(reply);
                    if connection.ends {
                        break;
                    }
                }
            }
        }
        if !lines.is_empty()
            && let Err(error) = self.journal.write(lines)
        {
            tracing::error!("answers were not recorded, and their senders get an error: {error}");
            for reply in replies.iter_mut().filter(|reply| **reply == Reply::Received) {
                self.refusals.count(Refusal::NotRecorded);
                *reply = Reply::NotRecorded;
            }
        }
        let is_full = replies.len() == REQUESTS_AT_ONCE;
        connection.took(done, &replies);
        if is_full && !connection.ends {
            state.again.push_back(id);
        }
        self.flush(id, state);
    }

    /// Returns the reply, and the name if the answer counts.
    fn admit(
        &self,
        target: &str,
        known: &mut Option<(String, String, u64)>,
        rates: &mut Rates,
    ) -> (Reply, Option<String>) {
        let generation = self.contestants.generation();
        let name = match known {
            Some((before, name, since)) if before == target && *since == generation => name.clone(),
            _ => {
                let login =
                    credentials(target).filter(|(name, password)| self.contestants.knows(name, password));
                let Some((name, _)) = login else {
                    self.refusals.count(Refusal::WrongPassword);
                    return (Reply::WrongPassword, None);
                };
                *known = Some((target.to_owned(), name.clone(), generation));
                name
            }
        };
        let refused = if !self.clock.has_begun() {
            Some((Refusal::BeforeTheStart, Reply::NotBegun))
        } else if self.ends_ns.is_some_and(|ends_ns| self.clock.now_ns() > ends_ns) {
            Some((Refusal::AfterTheEnd, Reply::Over))
        } else if !rates.allow(&name, Instant::now()) {
            Some((Refusal::TooManyAnswers, Reply::TooMany))
        } else {
            None
        };
        match refused {
            Some((refusal, reply)) => {
                self.refusals.count(refusal);
                (reply, None)
            }
            None => (Reply::Received, Some(name)),
        }
    }

    /// Returns the text of an answer for the record: of one that is too long to be an answer, the beginning. What is not
    /// printed is a question mark, which is no digit either: JSON would take six times the room for it.
    fn recorded(&self, body: &[u8]) -> String {
        let most = usize::from(self.digits_max) + 1;
        let plain = |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '?' };
        body.iter().take(most).map(plain).collect()
    }

    fn flush(&self, id: u64, state: &mut State) {
        let Some(connection) = state.connections.get_mut(&id) else { return };
        let was_waiting = connection.waits_to_write;
        if !connection.write() || (connection.ends && !connection.waits_to_write) {
            state.connections.remove(&id);
        } else if connection.waits_to_write != was_waiting {
            // A client that does not read replies is not read either.
            let flags = if connection.waits_to_write { EventFlags::OUT } else { EventFlags::IN };
            let socket = &connection.socket;
            if epoll::modify(&state.poll, socket, EventData::new_u64(id), flags).is_err() {
                state.connections.remove(&id);
            }
        }
    }

    fn ping(&self, state: &State) {
        let mut shortest: BTreeMap<&str, u64> = BTreeMap::new();
        for connection in state.connections.values() {
            let Some((_, name, _)) = &connection.known else { continue };
            let Ok(round_trip) = tcp_info::shortest_round_trip(&connection.socket) else { continue };
            let round_trip_ns = round_trip.as_nanos() as u64;
            let before = shortest.entry(name).or_insert(round_trip_ns);
            *before = round_trip_ns.min(*before);
        }
        let line = |(name, round_trip_ns): (&str, u64)| Line::Ping { by: name.to_owned(), round_trip_ns };
        let lines: Vec<Line> = shortest.into_iter().map(line).collect();
        if !lines.is_empty() {
            // The next ones come soon.
            let _ = self.journal.write(lines);
        }
    }
}
