//! A submission and an interactor that communicate, each in a slot of its own.
//!
//! Their messages pass through the judge: they are counted and recorded, and neither side can block the other by not
//! reading.

use crate::backend::{Conversation, TimedRun};
use crate::check::{FeedbackFolder, ValidatorReply, check_rules, validator_plan};
use crate::relay::{Direction, End, Relay, Reply, Sides, Stop, pipe};
use crate::{Built, Helper, JudgeError, Place};
use model::{Nanos, RunEnd, RunResult};
use package::Protocol;
use sandbox::{Input, Output, PipeId, RunIo, RunPlan};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// A submission on a case, and its interactor.
pub(crate) struct Dialogue<'a> {
    pub run: &'a TimedRun<'a>,
    /// The submission's plan.
    pub plan: RunPlan,
    pub pass: u32,
    pub interactor: (&'a str, &'a Built, Protocol),
    pub feedback: &'a FeedbackFolder,
}

impl Dialogue<'_> {
    /// Runs the conversation. `decides` returns whether the interactor decides after a run with this result.
    pub fn hold(
        &self,
        (place, helper): (&Place, &Helper),
        decides: &dyn Fn(&RunResult) -> bool,
    ) -> Result<Conversation, JudgeError> {
        let (name, interactor, protocol) = self.interactor;
        let TimedRun { problem, case, cancel, limits, .. } = *self.run;
        let (package, subject) = (problem.package(), self.run.ready.subject.as_ref());
        let to_submission = pipe()?;
        let from_submission = pipe()?;
        let to_interactor = pipe()?;
        let from_interactor = pipe()?;
        let stop = Stop::new()?;

        let submission_io = RunIo {
            stdin: Input::Descriptor(to_submission.read),
            stdout: Output::Descriptor(from_submission.write),
            stderr: Output::Capture,
            end_when: Some(Arc::clone(&stop.submission)),
        };
        let (mut interactor_plan, _, _) =
            validator_plan((interactor, protocol), package, case, self.feedback, (None, subject))?;
        // It waits for the submission, which may use its own wall-time limit first.
        let own_time = interactor_plan.limits.wall_time.unwrap_or_default();
        interactor_plan.limits.wall_time = Some(own_time + limits.wall_time);
        let interactor_io = RunIo {
            stdin: Input::Descriptor(to_interactor.read),
            stdout: Output::Descriptor(from_interactor.write),
            stderr: Output::Capture,
            end_when: Some(Arc::clone(&stop.interactor)),
        };
        let mut relay = Relay::new(
            Direction::new(from_submission.read, to_interactor.write, true),
            Direction::new(from_interactor.read, to_submission.write, false),
            package.limits.output.0,
        );
        let accepts = match protocol {
            Protocol::Kattis => RunEnd::Exited(42),
            Protocol::Testlib => RunEnd::Exited(0),
        };
        let (submission, interaction) = thread::scope(|scope| {
            let (notify, ends) = channel();
            let tell_of_submission = notify.clone();
            let interactor_thread = thread::Builder::new().spawn_scoped(scope, move || {
                let ran = helper.run(interactor_plan, interactor_io);
                let reply = match ran.as_ref().map(|ran| ran.result.end) {
                    Ok(end) if end == accepts => Reply::Accepted,
                    Ok(RunEnd::Limit(_)) => Reply::OverLimit,
                    _ => Reply::Other,
                };
                // Sending fails only when the conversation is over.
                let _ = notify.send(End::Interactor(reply));
                ran
            });
            let interactor_thread = interactor_thread.map_err(JudgeError::no_thread)?;
            let submission_thread = thread::Builder::new().spawn_scoped(scope, move || {
                let ran = place.run_in(self.run.root, &self.plan, submission_io, Nanos::ZERO);
                let run = ran.as_ref().ok().map(|ran| Box::new(ran.result.clone()));
                let _ = tell_of_submission.send(End::Submission(run));
                ran
            });
            // The interactor would wait for its partner, and this scope for the interactor.
            let submission_thread = submission_thread.map_err(|error| {
                stop.both();
                JudgeError::no_thread(error)
            })?;
            let sides = Sides {
                decides,
                // Where the kernel does not show it, the patience ends.
                waits: &|pipe| PipeId::of(pipe).is_ok_and(|pipe| helper.waits_for(pipe)),
                patience: Duration::from_nanos(own_time.0),
                is_cancelled: &|| cancel.is_set(),
            };
            let relayed = relay.run(&ends, &stop, &sides);
            if relayed.is_err() {
                stop.both();
            }
            relay.close();
            let submission = join(submission_thread.join());
            let interaction = join(interactor_thread.join());
            relayed?;
            Ok::<_, JudgeError>((submission, interaction))
        })?;
        let (mut submission, interaction) = (submission?, interaction?);
        relay.note_output(&mut submission.result);
        let reply = ValidatorReply { protocol, end: interaction.result.end, stderr: &interaction.stderr };
        let rules = check_rules(package, &case.name, self.pass);
        Ok(Conversation {
            checked: self.feedback.outcome(package, name, &case.name, &rules, &reply),
            before_end: !relay.saw_end,
            run: submission.result,
            stderr: submission.stderr,
            sent: relay.take_sent(),
            interactor: interaction.result,
            transcript: relay.transcript,
            feedback: None,
        })
    }
}

fn join<T>(result: thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
