//! The judging of one item, and its result.

use crate::step::Checked;
use model::{Nanos, RunResult, Verdict};
use ruling::{Ruling, TimeRule};

/// Why a case was run again, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAgain {
    /// The pass whose run was not sufficient, from 1.
    pub pass: u32,
    /// Which of the pass's runs that was, from 1.
    pub run: u32,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaseEnd {
    pub item: usize,
    pub verdict: Verdict,
    /// Every run, of the last pass if there were several; empty where nothing ran. Of a conversation that was repeated, the run
    /// that ended it each time, in whichever pass.
    pub runs: Vec<RunResult>,
    /// The runs of each pass before it; in a conversation those of the last one.
    pub earlier_passes: Vec<Vec<RunResult>>,
    pub passes: u32,
    /// The rule's decision on the runs, and the reason.
    pub ruling: Option<Ruling>,
    /// Which of the runs decided, from 0.
    pub decisive: usize,
    /// Why the case was run again, each time.
    pub repeats: Vec<RunAgain>,
    /// What the check or the interactor found, if there was one.
    pub checked: Option<Checked>,
    /// The reason for an internal failure, if there was one.
    pub judging_error: Option<String>,
}

impl CaseEnd {
    /// Makes the result of an item for which nothing ran.
    pub(crate) fn checked(item: usize, checked: Result<Checked, String>) -> Self {
        let verdict = checked.as_ref().map_or(Verdict::JudgingError, |checked| checked.verdict);
        let (checked, judging_error) = either(checked);
        Self { verdict, checked, judging_error, passes: 1, ..Self::failed(item, String::new()) }
    }

    /// Makes the result of an item with an internal failure.
    pub(crate) fn failed(item: usize, why: String) -> Self {
        Self {
            item,
            verdict: Verdict::JudgingError,
            runs: Vec::new(),
            earlier_passes: Vec::new(),
            passes: 0,
            ruling: None,
            decisive: 0,
            repeats: Vec::new(),
            checked: None,
            judging_error: Some(why),
        }
    }
}

fn either(checked: Result<Checked, String>) -> (Option<Checked>, Option<String>) {
    match checked {
        Ok(checked) => (Some(checked), None),
        Err(why) => (None, Some(why)),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub item: usize,
    /// The present pass, from 1.
    pub pass: u32,
    /// The runs to rule on: those of the present pass. Of conversations, the runs that ended the former ones: a conversation is
    /// within the limit if all its passes are.
    pub runs: Vec<RunResult>,
    pub earlier_passes: Vec<Vec<RunResult>>,
    pub is_conversation: bool,
    pub repeats: Vec<RunAgain>,
    pub stage: Stage,
    /// Whether all earlier results are known and the case is needed.
    pub is_needed: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Stage {
    WarmUp {
        begun: bool,
    },
    Run {
        begun: bool,
        hold: Nanos,
    },
    /// Repeats are far apart, so the results that are still missing are waited for first.
    AskBeforeRest {
        until: Nanos,
    },
    Rest {
        until: Nanos,
    },
    WaitForCalm {
        begun: bool,
    },
    /// The ruling is final; whether the case is needed may still be open.
    Ruled(Ruling),
    /// Between two passes.
    Check {
        begun: bool,
        run: usize,
        ruling: Ruling,
    },
}

impl Case {
    pub fn new(item: usize, stage: Stage, is_conversation: bool) -> Self {
        Self {
            item,
            pass: 1,
            runs: Vec::new(),
            earlier_passes: Vec::new(),
            is_conversation,
            repeats: Vec::new(),
            stage,
            is_needed: false,
        }
    }

    /// Returns the number of the next run, from 1.
    pub fn attempt(&self) -> u32 {
        self.runs.len() as u32 + 1
    }

    /// Records that the last run was not sufficient. State that lasts over the passes of a conversation is gone then, so it
    /// starts again.
    pub fn run_again(&mut self, reason: String) {
        self.repeats.push(RunAgain { pass: self.pass, run: self.runs.len() as u32, reason });
        if self.is_conversation {
            self.earlier_passes.clear();
            self.pass = 1;
        }
    }

    pub fn begin_pass(&mut self) {
        self.pass += 1;
        let of_this_pass = if self.is_conversation { self.runs.len().saturating_sub(1) } else { 0 };
        self.earlier_passes.push(self.runs.split_off(of_this_pass));
        self.stage = Stage::Run { begun: false, hold: Nanos::ZERO };
    }

    /// Returns when the next run may begin, if the last one ended now.
    pub fn rested_at(&self, rule: &TimeRule, now: Nanos) -> Nanos {
        now + rule.rest_after(self.runs.len())
    }

    /// Ends the case with the ruling on its runs and the result of the check.
    pub fn end(self, ruling: Ruling, checked: Option<Result<Checked, String>>) -> CaseEnd {
        let (checked, failure) = checked.map_or((None, None), either);
        let (decisive, ruled, undecided) = match &ruling {
            Ruling::CheckOutput { run } => (*run, None, None),
            Ruling::Verdict { verdict, run, .. } => (*run, Some(*verdict), None),
            Ruling::Undecided { run, reason } => (*run, None, Some(reason.clone())),
            Ruling::RunAgain { .. } => (self.runs.len().saturating_sub(1), None, None),
        };
        let judging_error = failure.or(undecided);
        let verdict = match (&judging_error, ruled, &checked) {
            (Some(_), ..) => Verdict::JudgingError,
            (None, Some(ruled), _) => ruled,
            (None, None, Some(checked)) => checked.verdict,
            (None, None, None) => Verdict::JudgingError,
        };
        CaseEnd {
            item: self.item,
            verdict,
            runs: self.runs,
            earlier_passes: self.earlier_passes,
            passes: self.pass,
            ruling: Some(ruling),
            decisive,
            repeats: self.repeats,
            checked,
            judging_error,
        }
    }
}
