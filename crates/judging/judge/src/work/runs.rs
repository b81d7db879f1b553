//! How a submission is run on a case.

use super::Work;
use crate::JudgeError;
use crate::backend::{Conversation, RunBackend, RunOutcome, Talk, TimedRun};
use crate::check::feedback_max;
use crate::observer::Notice;
use crate::run::OverOutput;
use judging_steps::RunLimits;
use model::{Nanos, RunResult};

/// Limits and options of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub limits: RunLimits,
    pub hold: Nanos,
    /// A first run within its limit is final, whatever runs at the same time; repeats are to measure exactly.
    pub attempt: u32,
    pub over_output: OverOutput,
}

impl Terms {
    pub fn untimed(limits: RunLimits) -> Self {
        Self { limits, hold: Nanos::ZERO, attempt: 1, over_output: OverOutput::default() }
    }
}

impl Work {
    /// Runs the submission on a case.
    pub fn run(
        &mut self,
        place: &dyn RunBackend,
        item: usize,
        terms: Terms,
    ) -> Result<RunOutcome, JudgeError> {
        self.case(item)?;
        place.run(&self.timed_run(item, terms)?)
    }

    fn timed_run(&self, item: usize, terms: Terms) -> Result<TimedRun<'_>, JudgeError> {
        let Terms { limits, hold, attempt, over_output } = terms;
        let nothing = || JudgeError::Bug("nothing was prepared".to_owned());
        let (ready, case) = self.ready.as_deref().zip(self.cases.get(&item)).ok_or_else(nothing)?;
        Ok(TimedRun {
            problem: &self.problem,
            ready,
            case: &case.case,
            input: case.input(),
            limits,
            hold,
            alone: attempt > 1,
            over_output,
            root: self.source.root.as_deref(),
            cancel: &self.cancel,
        })
    }

    /// Runs a conversation of the submission on a case.
    pub fn converse(
        &mut self,
        place: &dyn RunBackend,
        (item, pass): (usize, u32),
        (limits, attempt): (RunLimits, u32),
        decides: &dyn Fn(&RunResult) -> bool,
    ) -> Result<Conversation, JudgeError> {
        let input_max = feedback_max(&self.problem.package().limits);
        let case = self.case(item)?;
        if pass == 1 {
            case.begin_conversation()?;
        }
        case.begin_pass(pass, input_max)?;
        let feedback = case.feedback.clone();
        let run = self.timed_run(item, Terms { attempt, ..Terms::untimed(limits) })?;
        let talked = place.converse(&run, Talk { pass, feedback, decides })?;
        self.case(item)?.feedback.clone_from(&talked.feedback);
        Ok(talked)
    }

    pub fn ran(&self, item: usize, attempt: u32, run: &RunResult) {
        // What a cancelled run did means nothing.
        if self.cancel.is_set() {
            return;
        }
        let (case, run) = (self.name(item).to_owned(), Box::new(run.clone()));
        self.notify(Notice::Ran { case, attempt, run });
    }
}
