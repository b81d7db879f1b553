//! Passes messages between a submission and an interactor, and detects when either no longer matters.
//!
//! Which side is faster must not decide a verdict. A submission that fails may have written something wrong before, so the
//! interactor gets all of it, but not its end: only when it waits for more has it no objection, and the failure decides.

use crate::written::{Writing, Written};
use model::{Bytes, LimitKind, Nanos, RunEnd, RunResult};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use sandbox::SandboxError;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

/// How much of each side's messages is recorded.
const TRANSCRIPT_BYTES_MAX: usize = 256 << 10;
/// How far one side may be ahead of the other's reading.
const BUFFER_BYTES_MAX: usize = 1 << 20;
/// An interactor that has closed its output has usually ended, too; only if it still runs after this time does the
/// submission see the end of its input. The interactor sees the end of the submission's output only when the submission
/// has ended: closing its output must not turn its crash or idling into a wrong answer.
const CLOSING_GRACE: Duration = Duration::from_millis(500);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptLine {
    /// When it passed the relay, from the start of the conversation.
    pub at: Nanos,
    /// Whether the submission sent it, rather than the interactor.
    pub from_submission: bool,
    pub bytes: Vec<u8>,
}

/// The descriptors that end each side, as if by a signal, when its further actions do not matter.
pub(crate) struct Stop {
    pub submission: Arc<OwnedFd>,
    pub interactor: Arc<OwnedFd>,
}

impl Stop {
    pub fn new() -> Result<Self, SandboxError> {
        let event = || {
            let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC);
            event.map(Arc::new).map_err(|error| system("make an event", error))
        };
        Ok(Self { submission: event()?, interactor: event()? })
    }

    pub fn both(&self) {
        signal(&self.submission);
        signal(&self.interactor);
    }
}

/// What the relay asks while messages pass.
pub(crate) struct Sides<'a> {
    /// Whether the interactor decides after a run with this result; otherwise the submission failed.
    pub decides: &'a dyn Fn(&RunResult) -> bool,
    /// Whether the interactor does nothing until this pipe, which is empty, has content or ends.
    pub waits: &'a dyn Fn(&OwnedFd) -> bool,
    /// For how long the interactor may neither wait nor end after the submission has failed.
    pub patience: Duration,
    pub is_cancelled: &'a dyn Fn() -> bool,
}

pub(crate) struct Relay {
    submission: Direction,
    interactor: Direction,
    output_limit: u64,
    over_limit: bool,
    /// Whether the submission ended in a way that decides, unless the interactor objects to what it wrote before.
    failed: bool,
    failed_since: Option<Instant>,
    /// Whether the interactor was still there for the end of the submission's output, having taken all of it.
    pub saw_end: bool,
    started: Instant,
    pub transcript: Vec<TranscriptLine>,
    written_down: [usize; 2],
    /// All that the interactor and the submission sent, by [`Direction::from_submission`].
    sent: [Writing; 2],
}

/// One direction: reads from one side, and buffers until the other reads.
pub(crate) struct Direction {
    from: Option<OwnedFd>,
    to: Option<OwnedFd>,
    held: VecDeque<u8>,
    passed: u64,
    /// How many bytes are passed on. Which ones come after a limit on output is chance.
    passed_max: u64,
    from_submission: bool,
    speaker_ended: bool,
    silent_since: Option<Instant>,
}

pub(crate) enum End {
    /// The submission's result; `None` on an internal failure.
    Submission(Option<Box<RunResult>>),
    Interactor(Reply),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Accepted,
    /// It rejected, or failed by itself.
    Other,
    OverLimit,
}

impl Direction {
    pub fn new(from: OwnedFd, to: OwnedFd, from_submission: bool) -> Self {
        // The two ends of a pipe have separate flags: the programs' ends still block.
        for end in [&from, &to] {
            // This fails only for invalid descriptors.
            let _ = rustix::io::ioctl_fionbio(end, true);
        }
        Self {
            from: Some(from),
            to: Some(to),
            held: VecDeque::new(),
            passed: 0,
            passed_max: u64::MAX,
            from_submission,
            speaker_ended: false,
            silent_since: None,
        }
    }

    /// Returns whether everything that its speaker wrote is passed on, and nothing can follow.
    fn is_reported(&self) -> bool {
        self.speaker_ended && self.from.is_none() && self.held.is_empty()
    }

    /// Passes on nothing more, since the listener has ended.
    fn drop_listener(&mut self) {
        self.to = None;
        self.held.clear();
    }

    /// Reads what is available; `None` if there is nothing now.
    fn read(&mut self) -> Result<Option<Vec<u8>>, SandboxError> {
        let Some(from) = &self.from else { return Ok(None) };
        let mut chunk = vec![0; 64 << 10];
        match rustix::io::read(from, &mut chunk) {
            Ok(0) => {
                self.from = None;
                Ok(None)
            }
            Ok(length) => {
                chunk.truncate(length);
                let room = self.passed_max.saturating_sub(self.passed);
                self.passed += length as u64;
                // A side that no longer reads must not block the other one's writes.
                if self.to.is_some() {
                    self.held.extend(chunk.iter().take(usize::try_from(room).unwrap_or(usize::MAX)));
                }
                Ok(Some(chunk))
            }
            // All its processes have ended. What else holds the pipe is a socket that nothing reaches.
            Err(Errno::AGAIN) if self.speaker_ended => {
                self.from = None;
                Ok(None)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(system("read in the conversation", error)),
        }
    }

    fn write(&mut self) -> Result<(), SandboxError> {
        while let (Some(to), false) = (&self.to, self.held.is_empty()) {
            match rustix::io::write(to, self.held.as_slices().0) {
                Ok(length) => drop(self.held.drain(..length)),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => self.drop_listener(),
                Err(error) => return Err(system("write in the conversation", error)),
            }
        }
        Ok(())
    }
}

impl Relay {
    pub fn new(submission: Direction, interactor: Direction, output_limit: u64) -> Self {
        Self {
            submission: Direction { passed_max: output_limit, ..submission },
            interactor,
            output_limit,
            over_limit: false,
            failed: false,
            failed_since: None,
            saw_end: false,
            started: Instant::now(),
            transcript: Vec::new(),
            written_down: [0; 2],
            sent: [(); 2].map(|()| Writing::keeping(TRANSCRIPT_BYTES_MAX)),
        }
    }

    /// Runs until both sides have ended.
    pub fn run(&mut self, ends: &Receiver<End>, stop: &Stop, sides: &Sides<'_>) -> Result<(), SandboxError> {
        loop {
            if (sides.is_cancelled)() {
                stop.both();
            }
            loop {
                match ends.try_recv() {
                    Ok(end) => self.note(end, stop, sides.decides),
                    Err(TryRecvError::Empty) => break,
                    // Both threads are over, one by a panic.
                    Err(TryRecvError::Disconnected) if self.are_over() => break,
                    Err(TryRecvError::Disconnected) => return Ok(()),
                }
            }
            self.end_submission(stop, sides);
            self.end_interactor();
            if self.are_over() && self.submission.from.is_none() && self.interactor.from.is_none() {
                return Ok(());
            }
            self.wait()?;
            self.pass()?;
            if self.submission.passed > self.output_limit && !self.over_limit {
                self.over_limit = true;
                signal(&stop.submission);
            }
        }
    }

    fn are_over(&self) -> bool {
        self.submission.speaker_ended && self.interactor.speaker_ended
    }

    fn note(&mut self, end: End, stop: &Stop, decides: &dyn Fn(&RunResult) -> bool) {
        match end {
            End::Submission(Some(run)) => {
                self.submission.speaker_ended = true;
                self.failed = !decides(&run);
            }
            End::Submission(None) => {
                (self.submission.speaker_ended, self.saw_end) = (true, true);
                signal(&stop.interactor);
            }
            End::Interactor(reply) => {
                self.interactor.speaker_ended = true;
                match reply {
                    Reply::Accepted => {}
                    // It has objected to nothing, in all the time it has.
                    Reply::OverLimit if self.has_failed() => self.saw_end = true,
                    // It rejected or failed, so the submission's further actions do not matter.
                    Reply::Other | Reply::OverLimit => signal(&stop.submission),
                }
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.submission.speaker_ended && (self.failed || self.over_limit)
    }

    /// Decides whether the interactor sees the end of the submission's output.
    fn end_submission(&mut self, stop: &Stop, sides: &Sides<'_>) {
        if self.interactor.speaker_ended {
            self.submission.drop_listener();
        } else if self.has_failed() && !self.saw_end {
            let since = *self.failed_since.get_or_insert_with(Instant::now);
            let asks_for_more = self.submission.is_reported()
                && self.submission.to.as_ref().is_some_and(|pipe| is_empty(pipe) && (sides.waits)(pipe));
            if asks_for_more || since.elapsed() >= sides.patience {
                // The submission's failure decides, so the interactor need not react.
                self.saw_end = true;
                signal(&stop.interactor);
            }
        } else if self.submission.is_reported() && !self.saw_end {
            self.saw_end = true;
            self.submission.to = None;
        }
    }

    /// Closes the submission's input when everything is passed on and the interactor has closed its output.
    fn end_interactor(&mut self) {
        if self.submission.speaker_ended {
            self.interactor.drop_listener();
        } else if self.interactor.from.is_none() && self.interactor.held.is_empty() {
            let since = *self.interactor.silent_since.get_or_insert_with(Instant::now);
            if self.interactor.speaker_ended || since.elapsed() >= CLOSING_GRACE {
                self.interactor.to = None;
            }
        }
    }

    fn wait(&self) -> Result<(), SandboxError> {
        /// The ends of both sides arrive on a channel, which cannot be polled.
        const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
        let mut polled = Vec::with_capacity(4);
        for direction in [&self.submission, &self.interactor] {
            if let Some(from) = &direction.from
                && direction.held.len() < BUFFER_BYTES_MAX
            {
                polled.push(PollFd::new(from, PollFlags::IN));
            }
            if let Some(to) = &direction.to
                && !direction.held.is_empty()
            {
                polled.push(PollFd::new(to, PollFlags::OUT));
            }
        }
        match rustix::event::poll(&mut polled, Some(&LOOK)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(system("wait in the conversation", error)),
        }
    }

    fn pass(&mut self) -> Result<(), SandboxError> {
        let at = Nanos::from(self.started.elapsed());
        for direction in [&mut self.submission, &mut self.interactor] {
            if direction.held.len() < BUFFER_BYTES_MAX
                && let Some(mut bytes) = direction.read()?
            {
                let from_submission = direction.from_submission;
                self.sent[usize::from(from_submission)].add(&bytes);
                let written = &mut self.written_down[usize::from(from_submission)];
                bytes.truncate(TRANSCRIPT_BYTES_MAX.saturating_sub(*written));
                *written += bytes.len();
                if !bytes.is_empty() {
                    self.transcript.push(TranscriptLine { at, from_submission, bytes });
                }
            }
            direction.write()?;
        }
        Ok(())
    }

    /// Adds the bytes that passed the relay to the submission's run, as if its own slot had counted them: the verdict
    /// must follow from what is reported and recorded of the run alone.
    pub fn note_output(&self, run: &mut RunResult) {
        let passed = self.submission.passed;
        run.usage.output = run.usage.output.clone().map(|other| Bytes(other.0.saturating_add(passed)));
        // Exceeding the memory limit takes precedence.
        if self.over_limit && run.end != RunEnd::Limit(LimitKind::Memory) {
            run.end = RunEnd::Limit(LimitKind::Output);
        }
    }

    /// Takes what the interactor and the submission sent.
    pub fn take_sent(&mut self) -> [Written; 2] {
        std::mem::replace(&mut self.sent, [(); 2].map(|()| Writing::keeping(0))).map(Writing::end)
    }

    pub fn close(&mut self) {
        for direction in [&mut self.submission, &mut self.interactor] {
            direction.from = None;
            direction.to = None;
        }
    }
}

/// Returns whether everything in a pipe was taken.
fn is_empty(pipe: &OwnedFd) -> bool {
    rustix::io::ioctl_fionread(pipe) == Ok(0)
}

pub(crate) struct Pipe {
    pub read: OwnedFd,
    pub write: OwnedFd,
}

pub(crate) fn pipe() -> Result<Pipe, SandboxError> {
    let (read, write) =
        rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(|error| system("make a pipe", error))?;
    sandbox::open_to_all(&write).map_err(|error| system("set up a pipe", error))?;
    Ok(Pipe { read, write })
}

fn signal(event: impl AsFd) {
    // This fails only after 2^64 signals.
    let _ = rustix::io::write(event, &1_u64.to_ne_bytes());
}

fn system(what: &'static str, error: Errno) -> SandboxError {
    SandboxError::System { what, source: error.into() }
}

#[cfg(test)]
mod tests;
