//! Serving a contest. [`Host::open`] starts it and [`Host::close`] ends it; in between threads do everything:
//!
//! - `feed` sends digits, and `door` lets clients of it in;
//! - `answers` receives answers;
//! - `show` adds up the record, and `pages` shows what it adds up to.
//!
//! They meet in the record (`journal`): what is in it has happened, and the board follows from it alone.

mod answers;
mod clock;
mod connection;
mod contestants;
mod door;
mod error;
mod feed;
mod journal;
mod limit;
mod pages;
mod rate;
mod refusals;
mod request;
mod show;
mod sockets;

pub use contestants::{CONTESTANTS_MAX, Contestant};
pub use error::HostError;
pub use journal::read_record;
pub use show::{BoardBytes, LatestBoard};

use answers::Answers;
use axum::Router;
use clock::{Clock, unix_ns};
use contestants::Contestants;
use door::Door;
use feed::Feed;
use journal::Journal;
use limit::ConnectionLimit;
use pages::Pages;
use refusals::Refusals;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use stream_rules::record::{Line, VERSION};
use stream_rules::{Contest, Dice, Generator, Rules};

/// How often the record is brought to the disk: what a power cut can take.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// Descriptors in addition to those of clients.
const OWN_DESCRIPTORS: u64 = 64;

pub struct HostOptions {
    /// The rules of a new contest. One that goes on has its own.
    pub rules: Rules,
    /// What the stream of a new contest follows from.
    pub seed: u64,
    /// When a new contest begins, in nanoseconds since 1970; now if it is 0.
    pub begins_unix_ns: u64,
    /// How long digits are sent; for ever if it is `None`.
    pub duration: Option<Duration>,
    /// The record; made if it is not there.
    pub record: PathBuf,
    pub contestants: Vec<Contestant>,
    /// Where the digits are. Ports are opened before, because a process without rights cannot.
    pub input: TcpListener,
    /// Where answers go.
    pub output: TcpListener,
    pub board: TcpListener,
    /// What is at the board's port in addition to the board.
    pub page: Router,
    pub limits: Limits,
    /// 48 bytes that cannot be guessed, for the order of clients and the hashes of passwords.
    pub secret: [u8; 48],
}

/// What clients may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub feed_clients: usize,
    pub answer_connections: usize,
    pub board_connections: usize,
    /// Of these, those of one address, for each port.
    pub of_address: usize,
    pub answers_per_second: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            feed_clients: 2_000,
            answer_connections: 4_000,
            board_connections: 1_000,
            of_address: 256,
            answers_per_second: 200,
        }
    }
}

pub struct Host {
    /// Where the digits are.
    pub input: SocketAddr,
    /// Where answers go.
    pub output: SocketAddr,
    pub board: SocketAddr,
    pub rules: Rules,
    /// Whether the contest went on after an interruption, rather than began.
    pub goes_on: bool,
    pub show: LatestBoard,
    contestants: Contestants,
    journal: Arc<Journal>,
    stop: Arc<AtomicBool>,
    stop_pages: Option<tokio::sync::oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
    showing: Option<JoinHandle<()>>,
}

impl Host {
    /// Begins a contest, or goes on with the one of the record.
    pub fn open(options: HostOptions) -> Result<Self, HostError> {
        check(&options)?;
        let limits = options.limits;
        raise_descriptors(&limits);
        let (input, output, board) = (options.input, options.output, options.board);
        let (journal, begun, lines) = Journal::open(&options.record)?;
        let journal = Arc::new(journal);
        let goes_on = begun.is_some();
        let (rules, seed, next, clock, contest) = match begun {
            Some(begun) => {
                let clock = Clock::new(begun.began_unix_ns, begun.latest_ns);
                (begun.rules, begun.seed, begun.next_chunk, clock, begun.contest)
            }
            None => {
                let began_unix_ns =
                    if options.begins_unix_ns == 0 { unix_ns() } else { options.begins_unix_ns };
                let contest = Contest::new(&options.rules);
                let (rules, seed) = (options.rules, options.seed);
                let first =
                    Line::Contest { version: VERSION, rules: Box::new(rules.clone()), seed, began_unix_ns };
                journal
                    .write(vec![first])
                    .map_err(|error| HostError::Record(options.record.clone(), error))?;
                (rules, seed, 0, Clock::new(began_unix_ns, 0), contest)
            }
        };
        let mut generator = Generator::new(&rules, seed);
        let mut skipped = stream_rules::Chunk::default();
        (0..next).for_each(|_| generator.chunk_into(&mut skipped));
        let ends_ns = options.duration.map(|duration| duration.as_nanos() as u64);
        let window_ns = rules.after_ms * 1_000_000;
        let closes_ns = ends_ns.map(|ends_ns| ends_ns + window_ns);

        let mut key = [0; 32];
        key.copy_from_slice(&options.secret[..32]);
        let order =
            options.secret[32..].iter().fold(0_u64, |seed, byte| seed.rotate_left(5) ^ u64::from(*byte));
        let (show, stop) = (LatestBoard::default(), Arc::new(AtomicBool::new(false)));
        let (stop_pages, pages_end) = tokio::sync::oneshot::channel::<()>();
        let mut host = Self {
            input: address(&input)?,
            output: address(&output)?,
            board: address(&board)?,
            goes_on,
            show: show.clone(),
            contestants: Contestants::new(key),
            journal: Arc::clone(&journal),
            stop: Arc::clone(&stop),
            stop_pages: Some(stop_pages),
            threads: Vec::new(),
            showing: None,
            rules,
        };
        let following = show.clone();
        host.showing = Some(thread("board", move || following.follow(&lines, contest, clock, ends_ns))?);
        if goes_on {
            let line = Line::Continued { at_ns: clock.now_ns() };
            host.journal
                .write(vec![line])
                .map_err(|error| HostError::Record(options.record.clone(), error))?;
        }
        host.admit(&options.contestants)?;

        let refusals = Arc::new(Refusals::default());
        let (clients, arriving) = channel();
        let limit = |most| ConnectionLimit::new(most, limits.of_address);
        let door = Door {
            listener: input,
            limit: limit(limits.feed_clients),
            refusals: Arc::clone(&refusals),
            clients,
            stop: Arc::clone(&stop),
        };
        let feed = Feed {
            clock,
            journal: Arc::clone(&journal),
            refusals: Arc::clone(&refusals),
            arriving,
            generator,
            next,
            ends_ns,
            window_ns,
            dice: Dice::new(order),
            stop: Arc::clone(&stop),
        };
        let answers = Answers {
            listener: output,
            limit: limit(limits.answer_connections),
            clock,
            journal: Arc::clone(&journal),
            refusals: Arc::clone(&refusals),
            contestants: host.contestants.clone(),
            per_second: limits.answers_per_second,
            digits_max: host.rules.digits_max,
            ends_ns: closes_ns,
            stop: Arc::clone(&stop),
        };
        let pages = Pages {
            show,
            rules: Arc::new(serde_json::to_vec(&host.rules.published()).unwrap_or_default()),
            record: options.record,
            is_over: Arc::new(move || closes_ns.is_some_and(|closes_ns| clock.now_ns() > closes_ns)),
        };
        let (page, board_limit) = (options.page, limit(limits.board_connections));
        host.threads.push(thread("feed", move || feed.run())?);
        host.threads.push(thread("door", move || log_error("clients cannot be let in", door.run()))?);
        host.threads.push(thread("answers", move || log_error("answers cannot be received", answers.run()))?);
        host.threads.push(thread("pages", move || {
            let ended = async { drop(pages_end.await) };
            log_error("the board cannot be sent", pages.run(board, page, &board_limit, &refusals, ended));
        })?);
        host.threads.push(thread("sync", move || {
            while !stop.load(Ordering::Relaxed) {
                std::thread::park_timeout(SYNC_EVERY);
                log_error("the record cannot be brought to the disk", journal.sync());
            }
        })?);
        Ok(host)
    }

    /// Takes contestants in, or their new passwords.
    ///
    /// On an error none of them is added.
    pub fn admit(&self, contestants: &[Contestant]) -> Result<(), HostError> {
        check_contestants(contestants)?;
        let new = self.contestants.admit(contestants);
        let lines = new.into_iter().map(|name| Line::Contestant { name }).collect();
        self.journal.write(lines).map_err(|error| HostError::Record(PathBuf::from("record"), error))
    }

    /// Ends everything. The contest goes on when it is opened again.
    pub fn close(mut self) {
        self.end();
    }

    /// Ends everything, as `close`, and leaves what is left to look at.
    pub fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.stop_pages.take());
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            let _ = thread.join();
        }
        self.journal.end();
        if let Some(showing) = self.showing.take() {
            let _ = showing.join();
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.end();
    }
}

fn check(options: &HostOptions) -> Result<(), HostError> {
    options.rules.check().map_err(HostError::Rules)?;
    check_contestants(&options.contestants)
}

fn check_contestants(contestants: &[Contestant]) -> Result<(), HostError> {
    if contestants.len() > CONTESTANTS_MAX {
        return Err(HostError::Contestants(contestants.len()));
    }
    match contestants.iter().find_map(|one| Some((one.name.clone(), one.problem()?))) {
        Some((name, problem)) => Err(HostError::Contestant(name, problem)),
        None => Ok(()),
    }
}

fn address(listener: &TcpListener) -> Result<SocketAddr, HostError> {
    listener.local_addr().map_err(HostError::Listen)
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, HostError> {
    Builder::new().name(name.to_owned()).spawn(work).map_err(HostError::Thread)
}

fn log_error(what: &str, result: io::Result<()>) {
    if let Err(error) = result {
        tracing::error!("{what}: {error}");
    }
}

/// Asks for as many descriptors as all clients together need; with fewer, the last ones wait to be accepted.
fn raise_descriptors(limits: &Limits) {
    let wanted = (limits.feed_clients + limits.answer_connections + limits.board_connections) as u64;
    let now = getrlimit(Resource::Nofile);
    let most = now.maximum.unwrap_or(u64::MAX);
    let wanted = (wanted + OWN_DESCRIPTORS).min(most);
    if now.current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: now.maximum });
    }
}
