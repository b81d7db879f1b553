//! A submission and an interactor that talk to each other, each in a slot of its own.
//!
//! What they say passes through us: it is counted, written down, and neither can
//! hold the other by not reading.

use crate::build::Built;
use crate::check::{Checked, FeedbackFolder, Said, check_rules, validator_plan};
use crate::relay::{Direction, End, Relay, Stop, TranscriptLine, pipe};
use crate::run::{CaseRuns, Repeats, RunSettings};
use crate::static_check::StaticSubject;
use crate::{JudgeError, Station};
use model::{Nanos, Reading, RunEnd, RunResult, Slowdown, Verdict};
use package::{Package, Protocol, TestCase};
use ruling::Ruling;
use sandbox::{Input, Output, Ran, RunIo};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

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
        let stop = Stop::new()?;

        let plan = settings.plan(built, case);
        let submission_io = RunIo {
            stdin: Input::Descriptor(to_submission.read),
            stdout: Output::Descriptor(from_submission.write),
            stderr: Output::Capture,
            end_when: Some(Arc::clone(&stop.submission)),
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
            end_when: Some(Arc::clone(&stop.interactor)),
        };
        let mut relay = Relay::new(
            Direction::new(from_submission.read, to_interactor.write, true),
            Direction::new(from_interactor.read, to_submission.write, false),
            settings.limits.output.0,
        );
        let repeats_left = earlier.repeats.left();
        let earlier_runs = &earlier.runs;
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
                let can_be_right = ran.as_ref().is_ok_and(|ran| {
                    let runs: Vec<_> = earlier_runs.iter().chain([&ran.result]).cloned().collect();
                    matches!(settings.rule.rule(&runs, repeats_left), Ruling::CheckOutput { .. })
                });
                let _ = tell_of_submission.send(End::Submission { can_be_right });
                ran
            });
            let relayed = relay.run(&heard, &stop);
            if relayed.is_err() {
                stop.both();
            }
            relay.close();
            let submission = join(submission_thread.join());
            let interaction = join(interactor_thread.join());
            relayed.map(|()| (submission, interaction))
        })?;
        let (mut submission, interaction) = (submission?, interaction?);
        relay.note_output(&mut submission.result);
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

fn join<T>(result: thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
