//! Passes messages between a submission and an interactor, and detects when either no longer matters.

use model::{Bytes, LimitKind, Nanos, RunEnd, RunResult};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use sandbox::SandboxError;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// How much of each side's messages is recorded.
const TRANSCRIPT_BYTES_MAX: usize = 256 << 10;
/// How far one side may be ahead of the other's reading.
const BUFFER_BYTES_MAX: usize = 1 << 20;
/// An interactor that has closed its output has usually ended, too; only if it still runs after this time does the
/// submission see the end of its input. Otherwise the submission could react before the relay is notified of the
/// interactor's end, and the order of the ends decides the verdict. The interactor sees the end of the submission's
/// output only when the submission has ended: closing its output must not turn its crash or idling into a wrong answer.
const CLOSING_GRACE: Duration = Duration::from_millis(500);

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptLine {
    /// When it passed the relay, from the start of the conversation.
    pub at: Nanos,
    /// Whether the submission sent it, rather than the interactor.
    pub from_submission: bool,
    /// The content.
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

/// Passes messages in both directions.
pub(crate) struct Relay {
    submission: Direction,
    interactor: Direction,
    output_limit: u64,
    over_limit: bool,
    started: Instant,
    pub transcript: Vec<TranscriptLine>,
    written_down: [usize; 2],
}

/// One direction: reads from one side, and buffers until the other reads.
pub(crate) struct Direction {
    from: Option<OwnedFd>,
    to: Option<OwnedFd>,
    held: VecDeque<u8>,
    passed: u64,
    from_submission: bool,
    speaker_ended: bool,
    silent_since: Option<Instant>,
}

/// A side that has ended.
pub(crate) enum End {
    /// The submission's result; `None` on an internal failure.
    Submission(Option<Box<RunResult>>),
    Interactor {
        accepted: bool,
    },
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
            from_submission,
            speaker_ended: false,
            silent_since: None,
        }
    }

    /// Closes the listener's input when everything is passed on and the speaker has ended.
    fn close_when_said(&mut self) {
        if self.from.is_none() && self.held.is_empty() {
            let since = *self.silent_since.get_or_insert_with(Instant::now);
            let has_waited = !self.from_submission && since.elapsed() >= CLOSING_GRACE;
            if self.speaker_ended || has_waited {
                self.to = None;
            }
        }
    }

    fn is_done(&self) -> bool {
        self.from.is_none() && self.to.is_none()
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
                self.passed += length as u64;
                // A side that no longer reads must not block the other one's writes.
                if self.to.is_some() {
                    self.held.extend(&chunk);
                }
                Ok(Some(chunk))
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
                Err(Errno::PIPE) => {
                    self.to = None;
                    self.held.clear();
                }
                Err(error) => return Err(system("write in the conversation", error)),
            }
        }
        Ok(())
    }
}

impl Relay {
    pub fn new(submission: Direction, interactor: Direction, output_limit: u64) -> Self {
        Self {
            submission,
            interactor,
            output_limit,
            over_limit: false,
            started: Instant::now(),
            transcript: Vec::new(),
            written_down: [0; 2],
        }
    }

    /// Runs until both sides have ended. `decides` returns whether the interactor decides after a run with this result;
    /// `is_cancelled`, whether the judging was cancelled.
    pub fn run(
        &mut self,
        ends: &Receiver<End>,
        stop: &Stop,
        decides: &dyn Fn(&RunResult) -> bool,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), SandboxError> {
        loop {
            if is_cancelled() {
                stop.both();
            }
            for end in ends.try_iter() {
                match end {
                    End::Submission(run) => {
                        self.submission.speaker_ended = true;
                        if !run.is_some_and(|run| decides(&run)) {
                            // It failed first, so the interactor need not read the rest of its output.
                            signal(&stop.interactor);
                        }
                    }
                    End::Interactor { accepted } => {
                        self.interactor.speaker_ended = true;
                        if !accepted {
                            // It rejected or failed, so the submission's further actions do not matter.
                            signal(&stop.submission);
                        }
                    }
                }
            }
            self.submission.close_when_said();
            self.interactor.close_when_said();
            if self.submission.is_done() && self.interactor.is_done() {
                return Ok(());
            }
            self.wait()?;
            self.pass()?;
            if self.submission.passed > self.output_limit && !self.over_limit {
                self.over_limit = true;
                signal(&stop.submission);
            }
            if self.over_limit && self.submission.speaker_ended {
                signal(&stop.interactor);
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

    pub fn close(&mut self) {
        for direction in [&mut self.submission, &mut self.interactor] {
            direction.from = None;
            direction.to = None;
        }
    }
}

pub(crate) struct Pipe {
    pub read: OwnedFd,
    pub write: OwnedFd,
}

/// Makes a pipe.
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
mod tests {
    use super::*;
    use model::{Evidence, Reading, Usage, Verdict};
    use ruling::{Ruling, TimeRule};
    use std::sync::mpsc::channel;

    /// Makes a relay between two sides that send nothing more, and returns their ends of the pipes.
    fn relay(output_limit: u64) -> (Relay, [OwnedFd; 2]) {
        let [from_submission, to_interactor, from_interactor, to_submission] =
            [(); 4].map(|()| pipe().unwrap());
        let submission = Direction::new(from_submission.read, to_interactor.write, true);
        let interactor = Direction::new(from_interactor.read, to_submission.write, false);
        (Relay::new(submission, interactor, output_limit), [from_submission.write, from_interactor.write])
    }

    fn is_signalled(event: &OwnedFd) -> bool {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::event::poll(&mut [PollFd::new(event, PollFlags::IN)], Some(&at_once)) == Ok(1)
    }

    /// Returns whether each side is stopped when the submission ends this way after this much output.
    fn stopped(can_be_right: bool, said: usize, output_limit: u64) -> (bool, bool) {
        let (mut relay, [from_submission, from_interactor]) = relay(output_limit);
        let stop = Stop::new().unwrap();
        rustix::io::write(&from_submission, &vec![b'x'; said]).unwrap();
        let (tell, heard) = channel();
        let run =
            RunResult { end: RunEnd::Exited(0), usage: Usage::default(), evidence: Evidence::default() };
        tell.send(End::Submission(Some(Box::new(run)))).unwrap();
        tell.send(End::Interactor { accepted: true }).unwrap();
        drop((from_submission, from_interactor));
        relay.run(&heard, &stop, &|_| can_be_right, &|| false).unwrap();
        (is_signalled(&stop.submission), is_signalled(&stop.interactor))
    }

    #[test]
    fn the_interactor_is_stopped_when_what_it_says_no_longer_matters() {
        assert_eq!(stopped(true, 10, 10), (false, false));
        assert_eq!(stopped(false, 10, 10), (false, true));
        assert_eq!(stopped(true, 11, 10), (true, true), "too much was said");
    }

    #[test]
    fn too_much_output_stands_in_the_run_itself() {
        let noted = |end, said: &[u8]| {
            let (mut relay, [from_submission, _interactor]) = relay(3);
            rustix::io::write(&from_submission, said).unwrap();
            relay.pass().unwrap();
            relay.over_limit = relay.submission.passed > relay.output_limit;
            let usage = Usage { output: Reading::Known(Bytes(1)), ..Usage::default() };
            let mut run = RunResult { end, usage, evidence: Evidence::default() };
            relay.note_output(&mut run);
            run
        };
        let run = noted(RunEnd::Signaled(9), b"1234");
        assert_eq!(run.end, RunEnd::Limit(LimitKind::Output));
        assert_eq!(run.usage.output, Reading::Known(Bytes(5)));
        let rule = TimeRule::new(Nanos::from_millis(1000));
        let Ruling::Verdict { verdict, .. } = rule.rule(&[run], 0) else { panic!("it is certain") };
        assert_eq!(verdict, Verdict::OutputLimitExceeded);
        assert_eq!(noted(RunEnd::Signaled(9), b"123").end, RunEnd::Signaled(9));
        let memory = RunEnd::Limit(LimitKind::Memory);
        assert_eq!(noted(memory, b"1234").end, memory);
    }
}
