//! A place of the station as the backend of a judging.

use crate::activity::{Doing, Watch};
use crate::backend::{Conversation, RunBackend, RunOutcome, Talk, TimedRun};
use crate::check::{Checker, FeedbackFolder};
use crate::interactive::Dialogue;
use crate::untimed::{Answer, Job};
use crate::{JudgeError, Place};
use model::{Bytes, Neighbours, Reading, Slowdown};
use sandbox::{Paused, RunIo, RunPlan};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl RunBackend for Place {
    fn run(&self, run: &TimedRun<'_>) -> Result<RunOutcome, JudgeError> {
        let plan = plan(run)?;
        let (mut ran, neighbours) = again_if_lost(|| {
            let io = RunIo { end_when: Some(run.cancel.event()), ..run.over_output.io(run.input.open()?) };
            let (ran, neighbours) =
                self.with_neighbours(run.alone, || self.run_in(run.root, &plan, io, run.hold));
            Ok((ran?, neighbours))
        })?;
        ran.result.evidence.neighbours = Reading::Known(neighbours);
        Ok(RunOutcome { run: ran.result, stdout: ran.stdout, stderr: ran.stderr })
    }

    fn converse(&self, run: &TimedRun<'_>, talk: Talk<'_>) -> Result<Conversation, JudgeError> {
        // The interactor's time goes on while its partner's machine is made.
        self.make_ready(run.root, &plan(run)?)?;
        let helper = self.interactor()?.until(run.cancel.event());
        let Checker::Custom { name, built, protocol } = &run.problem.programs.checker else {
            return Err(JudgeError::Bug("the problem has no interactor".to_owned()));
        };
        let hold = |feedback: Arc<FeedbackFolder>| {
            feedback.begin_pass()?;
            let dialogue = Dialogue {
                run,
                plan: plan(run)?,
                pass: talk.pass,
                interactor: (name, built, *protocol),
                feedback: &feedback,
            };
            let (talked, neighbours) =
                self.with_neighbours(run.alone, || dialogue.hold((self, &helper), talk.decides));
            let mut talked = talked?;
            talked.run.evidence.neighbours = Reading::Known(neighbours);
            Ok(Conversation { feedback: Some(feedback), ..talked })
        };
        match talk.feedback {
            // An interrupted interactor may have changed what it keeps from pass to pass.
            Some(feedback) => hold(feedback),
            None => {
                again_if_lost(|| hold(Arc::new(FeedbackFolder::new(&helper, &run.problem.package().limits)?)))
            }
        }
    }

    fn help(&self, job: Job) -> Answer {
        let _going_on = self.activity().begin(Doing::Helper(job.kind()));
        let is_compiler = job.is_compilation();
        let helper = |root: Option<&Path>| match is_compiler {
            true => self.compiler_in(root),
            false => Ok(self.helper().clone()),
        };
        let mut losses = Losses::default();
        loop {
            let answer = job.run((self.languages(), self.stop()), helper);
            if !(answer.is_lost_place() && job.is_repeatable() && losses.allow_another()) {
                return answer;
            }
        }
    }

    fn can_overlap(&self) -> bool {
        self.helpers_are_elsewhere()
    }

    fn slowdown(&self) -> Result<Reading<Slowdown>, JudgeError> {
        Ok(self.timed().slot().core_slowdown()?)
    }

    fn post_guard(&self) {
        self.timed().slot().post_guard();
    }

    fn warm_memory(&self, used: &Reading<Bytes>) -> Result<(), JudgeError> {
        Ok(self.timed().slot().warm_memory(used)?)
    }

    fn is_stopped(&self) -> bool {
        self.is_to_stop()
    }
}

impl Place {
    /// Executes a timed action, and returns which work of tauto's ran at the same time; with `alone`, nearby helpers
    /// are paused.
    fn with_neighbours<T>(&self, alone: bool, timed: impl FnOnce() -> T) -> (T, Neighbours) {
        let stopped: Vec<Option<Paused>> =
            if alone { self.near().iter().map(crate::Helper::stop).collect() } else { Vec::new() };
        let are_stopped =
            alone && stopped.iter().all(|stopped| stopped.as_ref().is_some_and(|stopped| stopped.is_still));
        let own = self.activity().begin(Doing::Timed(self.cpus().clone()));
        let watch: Watch = self.activity().watch(&own);
        let done = timed();
        (done, watch.neighbours(are_stopped))
    }
}

/// Does something again if its place was lost.
fn again_if_lost<T>(mut act: impl FnMut() -> Result<T, JudgeError>) -> Result<T, JudgeError> {
    let mut losses = Losses::default();
    loop {
        match act() {
            Err(error) if error.is_lost_place() && losses.allow_another() => {}
            done => return done,
        }
    }
}

/// Runs that were lost because others have removed their control groups or killed the slot's launcher: this says nothing
/// about the submission, and the slot makes them again.
#[derive(Default)]
struct Losses {
    first: Option<Instant>,
}

impl Losses {
    /// From the first loss to the last: what removes groups that it did not make, such as a clean-up, ends much sooner.
    const TIME_MAX: Duration = Duration::from_secs(10);

    /// Notes a loss, and returns whether it may be done again.
    fn allow_another(&mut self) -> bool {
        self.first.get_or_insert_with(Instant::now).elapsed() < Self::TIME_MAX
    }
}

fn plan(run: &TimedRun<'_>) -> Result<RunPlan, JudgeError> {
    match &run.ready.built {
        Some(built) => run.problem.settings.plan(built, run.case, run.limits),
        None => Err(JudgeError::Bug("nothing was built".to_owned())),
    }
}
