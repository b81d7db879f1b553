//! The host's ends of a machine's port: the request and the input to it, the output and the answer from it.

use crate::trees::{empty, receive_after, send_tree};
use crate::wire::{
    Answer, CHUNK_BYTES, Collect, Feed, Frames, Kind, Request, invalid, read, receive, send, send_message,
};
use model::Nanos;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::fd::OwnedFd;
use rustix::time::ClockId;
use sandbox::{Forward, Input, Output, SandboxError};
use std::fs::File;
use std::io::{self, Error, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much of standard error is kept, as in a container.
const STDERR_KEPT_BYTES: usize = 64 << 10;

/// What a run's streams are on the host.
#[derive(Default)]
pub struct Streams {
    pub stdin: Source,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
}

#[derive(Default)]
pub enum Source {
    #[default]
    Nothing,
    Whole(File, u64),
    Live(OwnedFd),
}

/// What a machine has sent.
#[derive(Debug, Default)]
pub struct Seen {
    pub answer: Option<Answer>,
    /// When it had all that it needs, and when it answered.
    pub begun_at: Option<Nanos>,
    pub answered_at: Option<Nanos>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Whether its caller wanted it to end.
    pub is_ended: bool,
    /// Whether it said nothing for so long that it was ended.
    pub is_late: bool,
}

impl Source {
    pub fn of(input: Input) -> Result<(Self, Feed), SandboxError> {
        let failed = |error| SandboxError::Machine(format!("cannot get its input: {error}"));
        Ok(match input {
            Input::Empty => (Self::Nothing, Feed::Empty),
            Input::Memory(fd) => {
                let file = File::from(fd);
                let size = file.metadata().map_err(failed)?.size();
                (Self::Whole(file, size), Feed::Whole(size))
            }
            Input::Descriptor(fd) => (Self::Live(sandbox::checked_input(fd)?), Feed::Live),
        })
    }
}

/// Returns where an output goes, and what the guest does with it.
pub fn output(output: Output) -> (Option<OwnedFd>, Collect) {
    match output {
        Output::Capture => (None, Collect::Capture),
        Output::Cut { fails } => (None, Collect::Cut { fails }),
        Output::Forward(fd) => (Some(fd), Collect::Live { counted: true }),
        Output::Descriptor(fd) => (Some(fd), Collect::Live { counted: false }),
        Output::Discard => (None, Collect::Discard),
    }
}

/// An event that happens once.
#[derive(Clone, Debug)]
pub struct Event(Arc<OwnedFd>);

impl Event {
    pub fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    pub fn happen(&self) {
        // It fails only where it has happened so often that no more can be counted.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    pub fn descriptor(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.0)
    }

    fn wait(&self) -> io::Result<()> {
        self.poll(vec![PollFd::new(&*self.0, PollFlags::IN)]).map(drop)
    }

    /// Waits until a descriptor is ready; returns false if this happens first.
    fn wait_for(&self, fd: &OwnedFd, flags: PollFlags) -> io::Result<bool> {
        self.poll(vec![PollFd::new(&*self.0, PollFlags::IN), PollFd::new(fd, flags)])
    }

    fn poll(&self, mut polled: Vec<PollFd<'_>>) -> io::Result<bool> {
        loop {
            match rustix::event::poll(&mut polled, None) {
                Err(rustix::io::Errno::INTR) => {}
                other => {
                    other?;
                    return Ok(polled[0].revents().is_empty());
                }
            }
        }
    }
}

/// Sends all that a machine gets; returns when the run is over, since a port whose input has ended sends no more output.
pub fn feed(
    to: OwnedFd,
    (request, paths): (&Request, &[PathBuf]),
    stdin: Source,
    end: &Event,
    is_over: &Event,
) -> io::Result<()> {
    let mut to = File::from(to);
    if let Err(error) = send_all(&mut to, request, paths, stdin, is_over) {
        // Without all of it the machine would wait.
        end.happen();
        return Err(error);
    }
    is_over.wait()
}

fn send_all(
    to: &mut File,
    request: &Request,
    paths: &[PathBuf],
    stdin: Source,
    is_over: &Event,
) -> io::Result<()> {
    send_message(to, Kind::Request, request)?;
    for path in paths {
        send_tree(path, to)?;
    }
    match stdin {
        Source::Nothing => return Ok(()),
        Source::Whole(file, size) => {
            io::copy(&mut file.take(size), &mut Frames { to, kind: Kind::Stdin })?;
        }
        Source::Live(fd) => {
            let mut chunk = vec![0; CHUNK_BYTES];
            while is_over.wait_for(&fd, PollFlags::IN)? {
                match rustix::io::read(&fd, &mut chunk[..]) {
                    Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                    Ok(0) => break,
                    length => send(to, Kind::Stdin, &chunk[..length?])?,
                }
            }
        }
    }
    send(to, Kind::Stdin, &[])
}

/// Where an output goes.
enum Sink {
    Kept,
    PassedOn(Forward),
    /// It was passed on, and has ended.
    Over,
}

impl Sink {
    fn of(to: Option<OwnedFd>) -> Result<Self, SandboxError> {
        Ok(match to {
            Some(to) => Self::PassedOn(Forward::new(to)?),
            None => Self::Kept,
        })
    }
}

/// Receives what a machine sends, up to its answer.
pub struct Receiver<'a> {
    from: Watched,
    sinks: [Sink; 2],
    /// Output that is kept or passed on, at most.
    output_max: u64,
    /// The folders that come back, in order.
    writable: Vec<PathBuf>,
    is_over: &'a Event,
}

impl<'a> Receiver<'a> {
    pub fn new(
        from: Watched,
        [stdout, stderr]: [Option<OwnedFd>; 2],
        output_max: u64,
        writable: Vec<PathBuf>,
        is_over: &'a Event,
    ) -> Result<Self, SandboxError> {
        Ok(Self { from, sinks: [Sink::of(stdout)?, Sink::of(stderr)?], output_max, writable, is_over })
    }

    /// # Errors
    /// If what it sends makes no sense, or cannot be passed on.
    pub fn receive(mut self, seen: &mut Seen) -> io::Result<()> {
        let received = self.receive_all(seen);
        (seen.is_ended, seen.is_late) = (self.from.is_ended, self.from.is_late);
        received
    }

    fn receive_all(&mut self, seen: &mut Seen) -> io::Result<()> {
        let mut folders = std::mem::take(&mut self.writable).into_iter();
        let mut content = Vec::new();
        let mut received = 0_u64;
        while let Some(kind) = receive(&mut self.from, &mut content)? {
            if seen.begun_at.is_some() {
                self.from.goes_on();
            }
            match kind {
                Kind::Begun if seen.begun_at.is_none() => {
                    seen.begun_at = Some(now());
                    self.from.goes_on();
                }
                Kind::Stdout | Kind::Stderr => {
                    received = received.saturating_add(content.len() as u64);
                    if received > self.output_max {
                        return Err(invalid("more output than its limit"));
                    }
                    self.take(kind, &content, seen)?;
                }
                Kind::Entry => {
                    let folder = folders.next().ok_or_else(|| invalid("a folder out of turn"))?;
                    let first = std::mem::take(&mut content);
                    let taken = empty(&folder).and_then(|()| receive_after(first, &mut self.from, &folder));
                    if let Err(error) = taken {
                        seen.answer = Some(Answer::LeftBehind { why: error.to_string() });
                        return Ok(());
                    }
                }
                Kind::Answer => {
                    seen.answered_at = Some(now());
                    seen.answer = Some(read(&content)?);
                    return Ok(());
                }
                Kind::Begun | Kind::Ready | Kind::Request | Kind::Stdin | Kind::Tree => {
                    return Err(invalid("a frame out of turn"));
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, kind: Kind, content: &[u8], seen: &mut Seen) -> io::Result<()> {
        let sink = &mut self.sinks[usize::from(kind == Kind::Stderr)];
        let (kept, most) = match kind {
            Kind::Stdout => (&mut seen.stdout, usize::MAX),
            _ => (&mut seen.stderr, STDERR_KEPT_BYTES),
        };
        match sink {
            Sink::Kept => {
                let room = most.saturating_sub(kept.len()).min(content.len());
                kept.extend_from_slice(&content[..room]);
                Ok(())
            }
            Sink::PassedOn(_) if content.is_empty() => {
                *sink = Sink::Over;
                Ok(())
            }
            Sink::PassedOn(to) => {
                to.pass_on(content).map_err(io::Error::other)?;
                // Meanwhile the run may be ended, as at any time.
                while to.awaited().is_some() && self.from.wait_for(to.awaited(), self.is_over)? {
                    to.go_on().map_err(io::Error::other)?;
                }
                Ok(())
            }
            Sink::Over => Err(invalid("output after its end")),
        }
    }
}

/// What comes from a machine. If its caller wants the run to end meanwhile, or it says nothing for too long, the machine is ended.
pub struct Watched {
    from: File,
    end_when: Option<Arc<OwnedFd>>,
    end: Event,
    /// How long it may say nothing once its run has begun.
    silence_max: Option<Nanos>,
    late_at: Option<Instant>,
    is_ended: bool,
    is_late: bool,
}

impl Watched {
    pub fn new(
        from: OwnedFd,
        end_when: Option<Arc<OwnedFd>>,
        end: Event,
        silence_max: Option<Nanos>,
    ) -> Self {
        Self { from: from.into(), end_when, end, silence_max, late_at: None, is_ended: false, is_late: false }
    }

    /// Notes that the run has begun, or that there was a sign of it.
    fn goes_on(&mut self) {
        self.late_at =
            self.silence_max.and_then(|most| Instant::now().checked_add(Duration::from_nanos(most.0)));
    }

    /// Waits until a descriptor is ready for output; returns false if the run is over first.
    fn wait_for(&mut self, fd: Option<&OwnedFd>, is_over: &Event) -> io::Result<bool> {
        let Some(fd) = fd else { return Ok(true) };
        loop {
            let mut polled = vec![PollFd::new(&*is_over.0, PollFlags::IN), PollFd::new(fd, PollFlags::OUT)];
            polled.extend(self.end_when.iter().map(|end| PollFd::new(&**end, PollFlags::IN)));
            match rustix::event::poll(&mut polled, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let ready = [0, 1, 2].map(|at| polled.get(at).is_some_and(|fd| !fd.revents().is_empty()));
            drop(polled);
            if ready[2] {
                self.end_run();
            }
            if ready[0] || ready[1] {
                return Ok(!ready[0]);
            }
        }
    }

    fn end_run(&mut self) {
        self.end_when = None;
        self.is_ended = true;
        self.end.happen();
    }
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.late_at.map(|at| at.saturating_duration_since(Instant::now()));
            let timeout = left.map(|left| Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            });
            let mut polled = vec![PollFd::new(&self.from, PollFlags::IN)];
            polled.extend(self.end_when.iter().map(|end| PollFd::new(&**end, PollFlags::IN)));
            match rustix::event::poll(&mut polled, timeout.as_ref()) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let [is_ready, is_to_end] =
                [0, 1].map(|at| polled.get(at).is_some_and(|fd| !fd.revents().is_empty()));
            drop(polled);
            if is_to_end {
                self.end_run();
            }
            if is_ready {
                return self.from.read(into);
            }
            if left == Some(Duration::ZERO) {
                self.late_at = None;
                self.is_late = true;
                self.end.happen();
            }
        }
    }
}

/// Returns the machine's monotonic time.
pub fn now() -> Nanos {
    let now = rustix::time::clock_gettime(ClockId::Monotonic);
    Nanos((now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64))
}

/// Returns whether sending failed only because the machine has ended.
pub fn is_only_its_end(error: &Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
