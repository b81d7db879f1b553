//! Who hears what is going on.

use crate::judgement::{CaseJudgement, Judgement};
use crate::time_limit::TimeLimit;

/// Hears each step as it is done.
pub trait Observer {
    /// The time limit is known.
    fn time_limit(&mut self, _limit: &TimeLimit) {}
    /// A case's files are being checked by the package's validators.
    fn checking_data(&mut self, _case: &str) {}
    /// Work on a submission begins; there are this many cases at most.
    fn submission_begins(&mut self, _name: &str, _cases: usize) {}
    /// The submission is being compiled.
    fn compiling(&mut self, _name: &str) {}
    /// A case is done.
    fn case_done(&mut self, _name: &str, _case: &CaseJudgement) {}
    /// A submission is done.
    fn submission_done(&mut self, _judgement: &Judgement) {}
}

/// Hears nothing.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {}
