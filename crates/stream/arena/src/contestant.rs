//! Taking part in a contest: reads the feed, solves, and posts each answer as soon as it is found.
//!
//! What counts is the time from the last digit to the answer, so all else is done in the gaps between chunks: tables are
//! prepared, replies are read, what was sent is noted. One connection takes all answers and is kept; the requests
//! are prepared but for the length and the digits; answers that are found together are one write.

mod af_xdp;
mod asynchronous;
mod blocking;
mod busy_poll;
mod connect;
mod epoll;
mod head;
mod io;
mod own;
mod posts;
mod replies;
mod session;
mod uring;

pub use af_xdp::unavailable as af_xdp_unavailable;
pub use connect::Peer;
pub use io::Io;
pub use own::OwnTimes;

use connect::Backoff;
use io::Link;
use session::Session;
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stream_rules::solve::{Method, Problem};

/// How long replies are waited for at the end.
const LAST_REPLIES: Duration = Duration::from_secs(1);

const STOPPED: &str = "it was stopped";

#[derive(Clone)]
pub struct Options {
    /// Where the digits are, as HOST:PORT.
    pub input: String,
    /// Where answers go, as HOST:PORT.
    pub output: String,
    pub user: String,
    pub password: String,
    pub problem: Problem,
    pub method: Method,
    pub io: Io,
    /// Whether answers are sent before they have appeared, if the method knows any.
    pub predicts: bool,
    /// For how long equal digits are not sent again.
    pub window: Duration,
    pub chunks: Option<u64>,
    pub duration: Option<Duration>,
    /// Whether this thread has a CPU of its own, as busy polling demands.
    pub owns_cpu: bool,
    /// Ends it when it becomes true.
    pub stop: Arc<AtomicBool>,
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Reads of the feed that brought digits.
    pub chunks: u64,
    pub digits: u64,
    /// Answers sent when they had appeared.
    pub answers: u64,
    /// Answers sent before.
    pub predictions: u64,
    pub replies: BTreeMap<u16, u64>,
    pub feed_again: u64,
    pub output_again: u64,
    /// From the return of the read to the return of the write, of chunks with answers.
    pub own: OwnTimes,
    pub ended: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ContestantError {
    #[error("cannot connect to {0}")]
    Connect(Peer, #[source] std::io::Error),
    #[error("{0} was interrupted")]
    Broken(Peer, #[source] std::io::Error),
    #[error("{feed} is not a feed of digits: {problem}")]
    Feed { feed: Peer, problem: String },
    #[error("{output} refuses the answers of '{user}' with status {status}: {text}")]
    Refused { output: Peer, user: String, status: u16, text: String },
    /// Busy polling without a CPU for it.
    #[error(
        "busy polling takes a whole CPU, and this process owns none: lease one, or choose another way of reading"
    )]
    NoCpu,
    #[error("{} is unavailable: {why}", io.name())]
    Unavailable { io: Io, why: String },
}

/// Takes part until it should stop or the feed ends for good.
pub fn take_part(options: &Options) -> Result<Report, ContestantError> {
    if options.io == Io::BusyPoll && !options.owns_cpu {
        return Err(ContestantError::NoCpu);
    }
    Contestant::begin(options)?.run()
}

struct Contestant<'o> {
    options: &'o Options,
    feed: Peer,
    output: Peer,
    link: Box<dyn Link>,
    /// The same connection as the link's: for replies.
    replies: TcpStream,
    session: Session,
    report: Report,
    until: Option<Instant>,
    backoff: Backoff,
}

impl<'o> Contestant<'o> {
    fn begin(options: &'o Options) -> Result<Self, ContestantError> {
        let feed = Peer::feed(&options.input);
        let output = Peer::output(&options.output);
        // The output first: digits that come before it is there could not be answered.
        let replies = output.connect().map_err(|error| ContestantError::Connect(output.clone(), error))?;
        let stream = feed.connect_feed().map_err(|error| ContestantError::Connect(feed.clone(), error))?;
        let link = link(options.io, stream, &replies)?;
        let until = options.duration.map(|duration| Instant::now() + duration);
        let session = Session::new(options);
        let report = Report::default();
        Ok(Self { options, feed, output, link, replies, session, report, until, backoff: Backoff::new() })
    }

    fn run(mut self) -> Result<Report, ContestantError> {
        loop {
            if let Some(reason) = self.is_over() {
                self.report.ended = reason;
                break;
            }
            let ended = match self.link.read() {
                Ok(None) => {
                    self.drain()?;
                    continue;
                }
                Ok(Some(bytes)) if !bytes.is_empty() => {
                    let read_at = Instant::now();
                    let digits = self
                        .session
                        .take(bytes)
                        .map_err(|problem| ContestantError::Feed { feed: self.feed.clone(), problem })?;
                    self.answer(digits, read_at)?;
                    continue;
                }
                Ok(Some(_)) => std::io::ErrorKind::UnexpectedEof.into(),
                Err(error) => error,
            };
            if let Some(reason) = self.connect_feed_again(&ended)? {
                self.report.ended = reason;
                break;
            }
        }
        self.last_replies()?;
        self.report.replies = self.session.replies.counts.clone();
        self.report.own = self.session.own.clone();
        Ok(self.report)
    }

    fn is_over(&self) -> Option<String> {
        if self.options.stop.load(Ordering::Relaxed) {
            return Some(STOPPED.to_owned());
        }
        if self.options.chunks.is_some_and(|chunks| self.report.chunks >= chunks) {
            return Some(format!("{} chunks were read", self.report.chunks));
        }
        self.until.is_some_and(|until| Instant::now() >= until).then(|| "the time is over".to_owned())
    }

    /// Sends what was found, and does in the gap behind it what can wait.
    fn answer(&mut self, digits: usize, read_at: Instant) -> Result<(), ContestantError> {
        if digits == 0 {
            return Ok(());
        }
        let answers = self.session.posts.count();
        if answers > 0 {
            self.send()?;
            self.session.own.record(read_at.elapsed());
            self.report.answers += answers;
        }
        self.report.chunks += 1;
        self.report.digits += digits as u64;
        self.backoff = Backoff::new();
        self.session.settle(read_at);
        self.session.prepare();
        let predictions = self.session.posts.count();
        if predictions > 0 {
            self.send()?;
            self.report.predictions += predictions;
            self.session.settle(Instant::now());
        }
        self.drain()
    }

    /// Writes all answers. If the connection has broken, they are written again to a new one: an answer that comes twice
    /// costs less than one that is lost.
    fn send(&mut self) -> Result<(), ContestantError> {
        let Err(error) = self.session.posts.write(self.link.as_mut()) else { return Ok(()) };
        self.connect_output_again(error)?;
        let again = self.session.posts.write(self.link.as_mut());
        again.map_err(|error| ContestantError::Broken(self.output.clone(), error))
    }

    fn drain(&mut self) -> Result<(), ContestantError> {
        let is_open = self.session.replies.drain(&self.replies);
        self.check_replies()?;
        match is_open {
            Ok(()) => Ok(()),
            Err(error) => self.connect_output_again(error),
        }
    }

    fn check_replies(&mut self) -> Result<(), ContestantError> {
        let Some((status, text)) = self.session.replies.refused.take() else { return Ok(()) };
        let (output, user) = (self.output.clone(), self.options.user.clone());
        Err(ContestantError::Refused { output, user, status, text })
    }

    fn last_replies(&mut self) -> Result<(), ContestantError> {
        let until = Instant::now() + LAST_REPLIES;
        let sent = self.report.answers + self.report.predictions;
        while self.session.replies.count() < sent {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !connect::wait_readable(&self.replies, left) {
                break;
            }
            let is_open = self.session.replies.drain(&self.replies).is_ok();
            self.check_replies()?;
            if !is_open {
                break;
            }
        }
        Ok(())
    }

    fn connect_output_again(&mut self, mut error: std::io::Error) -> Result<(), ContestantError> {
        let mut backoff = Backoff::new();
        while backoff.wait(&self.options.stop) {
            match self.output.connect() {
                Ok(output) => {
                    let output = output.try_clone().map(|clone| (output, clone));
                    let (mine, links) =
                        output.map_err(|error| ContestantError::Connect(self.output.clone(), error))?;
                    self.replies = mine;
                    self.session.replies.begin_anew();
                    self.report.output_again += 1;
                    let set = self.link.set_output(links);
                    return set.map_err(|error| ContestantError::Connect(self.output.clone(), error));
                }
                Err(again) => error = again,
            }
        }
        Err(ContestantError::Broken(self.output.clone(), error))
    }

    /// Connects to a feed that has ended, or returns why that is the end.
    fn connect_feed_again(&mut self, ended: &std::io::Error) -> Result<Option<String>, ContestantError> {
        let mut error = None;
        while self.backoff.wait(&self.options.stop) {
            match self.feed.connect_feed() {
                Ok(stream) => {
                    self.link = link(self.options.io, stream, &self.replies)?;
                    // Digits are missing in between.
                    self.session.begin_anew(self.options);
                    self.report.feed_again += 1;
                    return Ok(None);
                }
                Err(again) => error = Some(again),
            }
        }
        if self.options.stop.load(Ordering::Relaxed) {
            return Ok(Some(STOPPED.to_owned()));
        }
        let how = if ended.kind() == std::io::ErrorKind::UnexpectedEof {
            "ended".to_owned()
        } else {
            format!("was interrupted ({ended})")
        };
        let then = error.map_or_else(
            || "new connections brought no digits".to_owned(),
            |error| format!("no new connection was possible ({error})"),
        );
        Ok(Some(format!("{} {how} after {} digits, and {then}", self.feed, self.report.digits)))
    }
}

fn link(io: Io, feed: TcpStream, output: &TcpStream) -> Result<Box<dyn Link>, ContestantError> {
    let made = output.try_clone().and_then(|output| io.link(feed, output));
    made.map_err(|error| ContestantError::Unavailable { io, why: error.to_string() })
}
