//! The host's ends of a machine's port: the request and the input to it, the output and the answer from it.

use crate::trees::{empty, receive_tree, send_tree};
use crate::wire::{
    Answer, CHUNK_BYTES, Collect, Feed, Frames, Kind, Pieces, Request, invalid, read, receive, send,
    send_message,
};
use model::Nanos;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd};
use rustix::fd::OwnedFd;
use rustix::time::ClockId;
use sandbox::{Input, Output};
use std::fs::File;
use std::io::{self, Error, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

/// How much of standard error is kept, as in a container.
const STDERR_KEPT_BYTES: usize = 64 << 10;
/// A pipe that polls as writable takes at least this much at once (`PIPE_BUF`).
const PIPE_PIECE_BYTES: usize = 4096;

/// What a run's streams are on the host.
pub struct Streams {
    pub stdin: Source,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
}

pub enum Source {
    Nothing,
    Whole(File, u64),
    Live(OwnedFd),
}

/// What a machine has sent.
#[derive(Debug, Default)]
pub struct Seen {
    pub answer: Option<Answer>,
    /// When it had the request, and when it answered.
    pub begun_at: Option<Nanos>,
    pub answered_at: Option<Nanos>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Whether its caller wanted it to end.
    pub is_ended: bool,
}

impl Source {
    pub fn of(input: Input) -> io::Result<(Self, Feed)> {
        Ok(match input {
            Input::Empty => (Self::Nothing, Feed::Empty),
            Input::Memory(fd) => {
                let file = File::from(fd);
                let size = file.metadata()?.size();
                (Self::Whole(file, size), Feed::Whole(size))
            }
            Input::Descriptor(fd) => (Self::Live(fd), Feed::Live),
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
    request: &Request,
    paths: &[PathBuf],
    stdin: Source,
    is_over: &Event,
) -> io::Result<()> {
    let mut to = File::from(to);
    send_all(&mut to, request, paths, stdin, is_over)?;
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

/// Receives what a machine sends, up to its answer.
pub struct Receiver<'a> {
    pub from: Watched,
    pub streams: [Option<OwnedFd>; 2],
    /// Output that is kept or passed on, at most.
    pub output_max: u64,
    /// The folders that come back, in order.
    pub writable: Vec<PathBuf>,
    pub is_over: &'a Event,
}

impl Receiver<'_> {
    /// # Errors
    /// If what it sends makes no sense.
    pub fn receive(mut self, seen: &mut Seen) -> io::Result<()> {
        let mut folders = std::mem::take(&mut self.writable).into_iter();
        let mut content = Vec::new();
        let mut passed = 0_u64;
        while let Some(kind) = receive(&mut self.from, &mut content)? {
            match kind {
                Kind::Begun => seen.begun_at = Some(now()),
                Kind::Stdout | Kind::Stderr => {
                    passed = passed.saturating_add(content.len() as u64);
                    if passed > self.output_max {
                        return Err(invalid("more output than its limit"));
                    }
                    let stream = usize::from(kind == Kind::Stderr);
                    let (kept, most) = match kind {
                        Kind::Stdout => (&mut seen.stdout, usize::MAX),
                        _ => (&mut seen.stderr, STDERR_KEPT_BYTES),
                    };
                    match (&self.streams[stream], content.is_empty()) {
                        (Some(_), true) => self.streams[stream] = None,
                        (Some(to), false) => pass_on(to, &content, self.is_over)?,
                        (None, _) => {
                            let room = most.saturating_sub(kept.len()).min(content.len());
                            kept.extend_from_slice(&content[..room]);
                        }
                    }
                }
                Kind::Tree => {
                    let folder = folders.next().ok_or_else(|| invalid("a folder out of turn"))?;
                    empty(&folder)?;
                    let first = std::mem::take(&mut content);
                    receive_tree(Pieces::after(first, &mut self.from, Kind::Tree), &folder)?;
                }
                Kind::Answer => {
                    seen.answered_at = Some(now());
                    seen.answer = Some(read(&content)?);
                    return Ok(());
                }
                Kind::Ready | Kind::Request | Kind::Stdin => return Err(invalid("a frame out of turn")),
            }
            seen.is_ended = self.from.is_ended;
        }
        seen.is_ended = self.from.is_ended;
        Ok(())
    }
}

/// Passes output on, as far as its reader takes it before the run is over.
fn pass_on(to: &OwnedFd, mut bytes: &[u8], is_over: &Event) -> io::Result<()> {
    while !bytes.is_empty() && is_over.wait_for(to, PollFlags::OUT)? {
        match rustix::io::write(to, &bytes[..bytes.len().min(PIPE_PIECE_BYTES)]) {
            Ok(written) => bytes = &bytes[written..],
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            // Nothing reads it any more, which a program in a container learns by a signal.
            Err(rustix::io::Errno::PIPE) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// What comes from a machine. If its caller wants the run to end meanwhile, the machine is ended.
pub struct Watched {
    pub from: File,
    pub end_when: Option<Arc<OwnedFd>>,
    pub end: Event,
    pub is_ended: bool,
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut polled = vec![PollFd::new(&self.from, PollFlags::IN)];
            polled.extend(self.end_when.iter().map(|end| PollFd::new(&**end, PollFlags::IN)));
            match rustix::event::poll(&mut polled, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let [is_ready, is_to_end] =
                [0, 1].map(|at| polled.get(at).is_some_and(|fd| !fd.revents().is_empty()));
            if is_to_end {
                self.end_when = None;
                self.is_ended = true;
                self.end.happen();
            }
            if is_ready {
                return self.from.read(into);
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
