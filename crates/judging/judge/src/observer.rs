//! Who hears what is going on.

use crate::JudgeError;
use crate::judgement::{CaseJudgement, Judgement};
use crate::status::OpenJudging;
use crate::time_limit::TimeLimit;
use model::{Nanos, RunResult};
use std::ops::ControlFlow;

/// What goes on with one submission.
#[derive(Debug)]
pub enum Notice {
    /// It is being compiled, or its answers are looked at.
    Preparing,
    /// A run of a case is over.
    Ran {
        /// The case's name.
        case: String,
        /// The how manieth run of it that was, from 1.
        attempt: u32,
        /// What it did.
        run: Box<RunResult>,
    },
    /// It leaves the CPUs alone before a case is run again.
    Rests {
        /// The case's name.
        case: String,
        /// Why it is run again.
        reason: String,
    },
    /// Its core is not calm, so it waits.
    Waits {
        /// The most that it will wait.
        patience: Nanos,
    },
    /// A case is done.
    Case(Box<CaseJudgement>),
    /// It is done, or we failed. Nothing comes after it.
    Done(Box<Result<Judgement, JudgeError>>),
}

/// Hears each step as it is done.
pub trait Observer {
    /// The time limit is known.
    fn time_limit(&mut self, _limit: &TimeLimit) {}
    /// A case's files are being checked by the package's validators.
    fn checking_data(&mut self, _case: &str) {}
    /// A submission is judged because the time limit follows from it.
    fn deriving(&mut self, _name: &str) {}
    /// Something happened to a submission; their numbers are in the order in which they were handed in, from 0. On a break
    /// all that are open are cancelled.
    fn hear(&mut self, _number: usize, _notice: Notice) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Judging goes on; told each second, with what each open judging is at.
    fn is_alive(&mut self, _open: &[OpenJudging]) {}
}

/// Hears nothing.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {}
