//! Callbacks for the progress of judgings.

use crate::JudgeError;
use crate::judgement::{CaseJudgement, Judgement};
use crate::status::OpenJudging;
use crate::time_limit::TimeLimit;
use model::{Nanos, RunResult};
use std::ops::ControlFlow;

#[derive(Debug)]
pub enum Notice {
    /// It is being compiled, or its answers are being examined.
    Preparing,
    Ran {
        case: String,
        /// The number of the run, from 1.
        attempt: u32,
        run: Box<RunResult>,
    },
    /// It rests before a case is run again.
    Rests {
        case: String,
        /// Why it is run again.
        reason: String,
    },
    /// It waits because its core is not calm.
    Waits {
        /// The longest that it will wait.
        patience: Nanos,
    },
    Case(Box<CaseJudgement>),
    /// It is done, or there was an internal failure. No further notice follows.
    Done(Box<Result<Judgement, JudgeError>>),
}

pub trait Observer {
    fn time_limit(&mut self, _limit: &TimeLimit) {}
    /// A case's files are being checked by the package's validators.
    fn checking_data(&mut self, _case: &str) {}
    /// A submission is judged because the time limit follows from it.
    fn deriving(&mut self, _name: &str) {}
    /// Something happened to a submission; submissions are numbered from 0 in the order in which they were handed in. A
    /// break cancels all open judgings.
    fn receive(&mut self, _number: usize, _notice: Notice) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Called each second while judging continues, with the phase of each open judging.
    fn is_alive(&mut self, _open: &[OpenJudging]) {}
}

#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {}
