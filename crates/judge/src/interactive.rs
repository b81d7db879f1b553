//! A submission and an interactor that talk to each other, each in a slot of its own.
//!
//! What they say passes through us: it is counted, written down, and neither can
//! hold the other by not reading.

use crate::build::Built;
use crate::check::{Checked, FeedbackFolder, Said, check_rules, validator_plan};
use crate::run::{CaseRuns, Repeats, RunSettings};
use crate::static_check::StaticSubject;
use crate::{JudgeError, Station};
use model::{Nanos, Reading, RunEnd, RunResult, Slowdown, Verdict};
use package::{Package, Protocol, TestCase};
use ruling::Ruling;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use sandbox::{Input, Output, Ran, RunIo, SandboxError};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What of each side's words is written down.
const TRANSCRIPT_BYTES_MAX: usize = 256 << 10;
/// What one side may say ahead of the other's reading.
const BUFFER_BYTES_MAX: usize = 1 << 20;
/// An interactor that has closed its output has mostly ended, too; only if it goes on this long does the
/// submission see the end of its input. Otherwise it could react to the end before the end itself is told,
/// and who ended first decides the verdict. The interactor sees the end of the submission's words only when
/// the submission has ended: closing its output must not turn its crash or its idling into a wrong answer.
const CLOSING_GRACE: Duration = Duration::from_millis(500);

/// One piece of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptLine {
    /// When it passed us, from the start of the conversation.
    pub at: Nanos,
    /// Whether the submission said it; else the interactor did.
    pub from_submission: bool,
    /// What was said.
    pub bytes: Vec<u8>,
}

/// What comes after a conversation.
pub(crate) enum Conversed {
    /// This came of it.
    Done(Box<Conversation>),
    /// Its time is not certain: the case is to be run again. Here are its runs so far.
    Again(Vec<RunResult>, String),
}

/// What came of a conversation.
pub(crate) struct Conversation {
    pub runs: CaseRuns,
    /// The verdict, and what the interactor said if it decided.
    pub verdict: Verdict,
    pub checked: Option<Checked>,
    pub interactor: RunResult,
    pub transcript: Vec<TranscriptLine>,
}

/// The interactor's program and what it works with.
pub(crate) struct Interactor<'a> {
    pub name: &'a str,
    pub built: &'a Built,
    pub protocol: Protocol,
    pub feedback: &'a FeedbackFolder,
    pub package: &'a Package,
    pub subject: Option<&'a StaticSubject>,
    pub pass: u32,
}

/// What went before a conversation.
pub(crate) struct Earlier<'a> {
    /// Runs of the same case.
    pub runs: Vec<RunResult>,
    /// What the core was like at the end of the wait, if there was one.
    pub core: Reading<Slowdown>,
    /// Repeats that are left.
    pub repeats: &'a Repeats,
}

impl Station {
    /// Lets a submission talk to the interactor on one case.
    pub(crate) fn converse(
        &self,
        settings: &RunSettings,
        built: &Built,
        case: &TestCase,
        interactor: &Interactor<'_>,
        earlier: Earlier<'_>,
    ) -> Result<Conversed, JudgeError> {
        let to_submission = pipe()?;
        let from_submission = pipe()?;
        let to_interactor = pipe()?;
        let from_interactor = pipe()?;
        let enough = Arc::new(eventfd()?);

        let plan = settings.plan(built, case);
        let submission_io = RunIo {
            stdin: Input::Descriptor(to_submission.read),
            stdout: Output::Descriptor(from_submission.write),
            stderr: Output::Capture,
            end_when: Some(Arc::clone(&enough)),
        };
        let (mut interactor_plan, _, _) = validator_plan(
            (interactor.built, interactor.protocol),
            interactor.package,
            case,
            interactor.feedback,
            (None, interactor.subject),
        )?;
        // It waits for the submission, whose clock may run to its own end first.
        interactor_plan.limits.wall_time =
            interactor_plan.limits.wall_time.map(|own| own + settings.rule.wall_limit());
        let interactor_io = RunIo {
            stdin: Input::Descriptor(to_interactor.read),
            stdout: Output::Descriptor(from_interactor.write),
            stderr: Output::Capture,
            end_when: None,
        };
        let mut relay = Relay::new(
            Direction::new(from_submission.read, to_interactor.write, true),
            Direction::new(from_interactor.read, to_submission.write, false),
            settings.limits.output.0,
        );
        let accepts = match interactor.protocol {
            Protocol::Kattis => RunEnd::Exited(42),
            Protocol::Testlib => RunEnd::Exited(0),
        };
        let (submission, interaction) = thread::scope(|scope| {
            let (tell, heard) = channel();
            let tell_of_submission = tell.clone();
            let interactor_thread = scope.spawn(move || {
                let ran = self.run_helper(interactor_plan, interactor_io);
                let accepted = matches!(&ran, Ok(ran) if ran.result.end == accepts);
                // The other end is gone only when the conversation is over.
                let _ = tell.send(End::Interactor { accepted });
                ran
            });
            let submission_thread = scope.spawn(move || {
                let ran = self.run_program(plan, submission_io, Nanos::ZERO);
                let _ = tell_of_submission.send(End::Submission);
                ran
            });
            let relayed = relay.run(&heard, &enough);
            if relayed.is_err() {
                // Both sides see the end of their input, and the submission is ended.
                signal(&enough);
            }
            relay.close();
            let submission = join(submission_thread.join());
            let interaction = join(interactor_thread.join());
            relayed.map(|()| (submission, interaction))
        })?;
        let (mut submission, interaction) = (submission?, interaction?);
        self.note_core(&settings.rule, &mut submission.result, earlier.core)?;
        conclude(
            settings,
            case,
            interactor,
            relay,
            (submission, interaction),
            (earlier.runs, earlier.repeats),
        )
    }
}

fn conclude(
    settings: &RunSettings,
    case: &TestCase,
    interactor: &Interactor<'_>,
    relay: Relay,
    (submission, interaction): (Ran, Ran),
    (mut runs, repeats): (Vec<RunResult>, &Repeats),
) -> Result<Conversed, JudgeError> {
    runs.push(submission.result);
    let last = runs.len() - 1;
    let ruling = settings.rule.rule(&runs, repeats.left());
    let (mut undecided, mut again) = (None, None);
    let (failure, reason, decisive) = match ruling {
        _ if relay.over_limit => (Some(Verdict::OutputLimitExceeded), "too much output".to_owned(), last),
        Ruling::Verdict { verdict, reason, run } => (Some(verdict), reason, run),
        Ruling::CheckOutput { run } => (None, String::new(), run),
        Ruling::RunAgain { reason } => {
            again = Some(reason);
            (None, String::new(), last)
        }
        Ruling::Undecided { run, reason } => {
            undecided = Some(reason);
            (Some(Verdict::JudgingError), String::new(), run)
        }
    };
    let Interactor { name, protocol, feedback, package, pass, .. } = interactor;
    let said = Said { protocol: *protocol, end: interaction.result.end, stderr: &interaction.stderr };
    let said = feedback.outcome(package, name, &case.name, &check_rules(package, &case.name, *pass), &said);
    let interactor_first = interaction.ended_at <= submission.ended_at;
    let rejected = matches!(&said, Ok(said) if interactor_first && said.verdict != Verdict::Accepted);
    match again {
        Some(reason) if !rejected => {
            repeats.use_one();
            return Ok(Conversed::Again(runs, reason));
        }
        _ => {}
    }
    let (verdict, checked) = match (failure, said) {
        // The interactor rejected while the submission still ran: what became of that is no matter.
        (_, Ok(said)) if rejected => {
            undecided = None;
            (said.verdict, Some(said))
        }
        (Some(failure), said) if !interactor_first || said.is_ok() => (failure, said.ok()),
        (None, Ok(said)) => (said.verdict, Some(said)),
        (_, Err(error)) => return Err(error),
        (Some(failure), Ok(said)) => (failure, Some(said)),
    };
    let reasons = if reason.is_empty() { Vec::new() } else { vec![reason] };
    Ok(Conversed::Done(Box::new(Conversation {
        runs: CaseRuns {
            runs,
            decisive,
            verdict: failure,
            reasons,
            stdout: Vec::new(),
            stderr: submission.stderr,
            nondeterministic: false,
            undecided,
        },
        verdict,
        checked,
        interactor: interaction.result,
        transcript: relay.transcript,
    })))
}

/// Passes words on in both directions.
struct Relay {
    submission: Direction,
    interactor: Direction,
    output_limit: u64,
    over_limit: bool,
    started: Instant,
    transcript: Vec<TranscriptLine>,
    written_down: [usize; 2],
}

/// One direction: read from one side, held until the other reads.
struct Direction {
    from: Option<OwnedFd>,
    to: Option<OwnedFd>,
    held: VecDeque<u8>,
    passed: u64,
    from_submission: bool,
    speaker_ended: bool,
    silent_since: Option<Instant>,
}

/// Who has ended.
enum End {
    Submission,
    Interactor { accepted: bool },
}

impl Direction {
    fn new(from: OwnedFd, to: OwnedFd, from_submission: bool) -> Self {
        // A pipe's two ends are files of their own: the programs' ends still block.
        for end in [&from, &to] {
            // It fails for what is no descriptor, which these are.
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

    /// Lets the listener see the end when everything is said and the speaker has ended.
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

    /// Reads what there is; gives nothing when there is nothing now.
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
                // Whoever does not read any more must not stop the other from writing.
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
    fn new(submission: Direction, interactor: Direction, output_limit: u64) -> Self {
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

    /// Runs until both sides have said their last.
    fn run(&mut self, ends: &Receiver<End>, enough: &OwnedFd) -> Result<(), SandboxError> {
        loop {
            for end in ends.try_iter() {
                match end {
                    End::Submission => self.submission.speaker_ended = true,
                    End::Interactor { accepted } => {
                        self.interactor.speaker_ended = true;
                        if !accepted {
                            // It rejected or broke: whatever the submission still does is no matter.
                            signal(enough);
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
                signal(enough);
            }
        }
    }

    fn wait(&self) -> Result<(), SandboxError> {
        /// The ends of the two are told by a channel, which cannot be polled.
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

    fn close(&mut self) {
        for direction in [&mut self.submission, &mut self.interactor] {
            direction.from = None;
            direction.to = None;
        }
    }
}

struct Pipe {
    read: OwnedFd,
    write: OwnedFd,
}

/// Makes a pipe.
fn pipe() -> Result<Pipe, SandboxError> {
    let (read, write) =
        rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(|error| system("make a pipe", error))?;
    sandbox::open_to_all(&write).map_err(|error| system("set up a pipe", error))?;
    Ok(Pipe { read, write })
}

fn eventfd() -> Result<OwnedFd, SandboxError> {
    rustix::event::eventfd(0, EventfdFlags::CLOEXEC).map_err(|error| system("make an event", error))
}

fn signal(event: impl AsFd) {
    // It fails only when it is signalled 2^64 times.
    let _ = rustix::io::write(event, &1_u64.to_ne_bytes());
}

fn system(what: &'static str, error: Errno) -> SandboxError {
    SandboxError::System { what, source: error.into() }
}

fn join<T>(result: thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
