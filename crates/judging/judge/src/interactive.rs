//! A submission and an interactor that talk to each other, each in a slot of its own.
//!
//! What they say passes through us: it is counted, written down, and neither can
//! hold the other by not reading.

use crate::check::{FeedbackFolder, ValidatorReply, check_rules, validator_plan};
use crate::problem::Problem;
use crate::relay::{Direction, End, Relay, Stop, TranscriptLine, pipe};
use crate::static_check::StaticSubject;
use crate::station::Place;
use crate::work::Cancel;
use crate::{Built, Checked, Helper, JudgeError};
use judging::RunLimits;
use model::{Nanos, RunEnd, RunResult};
use package::{Protocol, TestCase};
use sandbox::{Input, Output, RunIo};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

/// A submission on a case, and the interactor it is to talk to.
pub(crate) struct Conversation<'a> {
    pub problem: &'a Problem,
    pub built: &'a Built,
    pub subject: Option<&'a StaticSubject>,
    pub case: &'a TestCase,
    pub pass: u32,
    pub limits: RunLimits,
    pub interactor: (&'a str, &'a Built, Protocol),
    pub feedback: &'a FeedbackFolder,
    pub cancel: &'a Cancel,
}

/// What came of a conversation.
pub(crate) struct ConversationResult {
    pub run: RunResult,
    pub stderr: Vec<u8>,
    pub interactor: RunResult,
    /// What the interactor decided, or why it failed.
    pub said: Result<Checked, JudgeError>,
    /// Whether it ended first, or at the same instant.
    pub interactor_first: bool,
    pub transcript: Vec<TranscriptLine>,
}

impl Conversation<'_> {
    /// Lets them talk. `decides` says whether a run of the submission leaves the decision to the interactor.
    pub fn hold(
        &self,
        place: &Place,
        helper: &Helper,
        decides: &dyn Fn(&RunResult) -> bool,
    ) -> Result<ConversationResult, JudgeError> {
        let (name, interactor, protocol) = self.interactor;
        let package = self.problem.package();
        let settings = &self.problem.settings;
        let to_submission = pipe()?;
        let from_submission = pipe()?;
        let to_interactor = pipe()?;
        let from_interactor = pipe()?;
        let stop = Stop::new()?;

        let plan = settings.plan(self.built, self.case, self.limits);
        let submission_io = RunIo {
            stdin: Input::Descriptor(to_submission.read),
            stdout: Output::Descriptor(from_submission.write),
            stderr: Output::Capture,
            end_when: Some(Arc::clone(&stop.submission)),
        };
        let (mut interactor_plan, _, _) =
            validator_plan((interactor, protocol), package, self.case, self.feedback, (None, self.subject))?;
        // It waits for the submission, whose clock may run to its own end first.
        interactor_plan.limits.wall_time =
            interactor_plan.limits.wall_time.map(|own| own + self.limits.wall_time);
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
        let accepts = match protocol {
            Protocol::Kattis => RunEnd::Exited(42),
            Protocol::Testlib => RunEnd::Exited(0),
        };
        let (submission, interaction) = thread::scope(|scope| {
            let (tell, heard) = channel();
            let tell_of_submission = tell.clone();
            let interactor_thread = scope.spawn(move || {
                let ran = helper.run(interactor_plan, interactor_io);
                let accepted = matches!(&ran, Ok(ran) if ran.result.end == accepts);
                // The other end is gone only when the conversation is over.
                let _ = tell.send(End::Interactor { accepted });
                ran
            });
            let submission_thread = scope.spawn(move || {
                let ran = place.run_program(&plan, submission_io, Nanos::ZERO);
                let run = ran.as_ref().ok().map(|ran| Box::new(ran.result.clone()));
                let _ = tell_of_submission.send(End::Submission(run));
                ran
            });
            let relayed = relay.run(&heard, &stop, decides, &|| self.cancel.is_set());
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
        let said = ValidatorReply { protocol, end: interaction.result.end, stderr: &interaction.stderr };
        let rules = check_rules(package, &self.case.name, self.pass);
        Ok(ConversationResult {
            said: self.feedback.outcome(package, name, &self.case.name, &rules, &said),
            interactor_first: interaction.ended_at <= submission.ended_at,
            run: submission.result,
            stderr: submission.stderr,
            interactor: interaction.result,
            transcript: relay.transcript,
        })
    }
}

fn join<T>(result: thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
