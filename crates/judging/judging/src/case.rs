//! One item while it is judged, and its end.

use crate::step::Checked;
use model::{Nanos, RunResult, Verdict};
use ruling::{Ruling, TimeRule};

/// Why a case was run again, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAgain {
    /// The pass whose run was not enough, from 1.
    pub pass: u32,
    /// Which of the pass's runs that was, from 1.
    pub run: u32,
    /// Why it was not.
    pub reason: String,
}

/// How an item ended.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseEnd {
    /// Which item it is.
    pub item: usize,
    /// What it came to.
    pub verdict: Verdict,
    /// Every run, of the last pass if there were several; empty where nothing ran.
    pub runs: Vec<RunResult>,
    /// The runs of each pass before it.
    pub earlier_passes: Vec<Vec<RunResult>>,
    /// How many passes there were.
    pub passes: u32,
    /// What the runs come to by the rule, as it said it.
    pub ruling: Option<Ruling>,
    /// Which of the runs decided, from 0.
    pub decisive: usize,
    /// Why it was run again, each time.
    pub repeats: Vec<RunAgain>,
    /// What the check or the interactor found, if it came to that.
    pub checked: Option<Checked>,
    /// Why we failed, if we did.
    pub judging_error: Option<String>,
}

impl CaseEnd {
    /// Makes the end of an item of which nothing ran.
    pub(crate) fn checked(item: usize, checked: Result<Checked, String>) -> Self {
        let verdict = checked.as_ref().map_or(Verdict::JudgingError, |checked| checked.verdict);
        let (checked, judging_error) = either(checked);
        Self { verdict, checked, judging_error, passes: 1, ..Self::failed(item, String::new()) }
    }

    /// Makes the end of an item on which we failed.
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

/// A case that is being judged.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub item: usize,
    /// From 1.
    pub pass: u32,
    /// The runs of each pass; a conversation that is repeated goes through all of them again.
    pub runs: Vec<Vec<RunResult>>,
    pub repeats: Vec<RunAgain>,
    pub stage: Stage,
    /// Whether it is known to be needed with all that went before.
    pub is_needed: bool,
}

/// What is next for a case.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    WarmUp {
        begun: bool,
    },
    Run {
        begun: bool,
        hold: Nanos,
    },
    /// Repeats are far apart: whatever else is known by now is worth hearing first.
    AskBeforeRest {
        until: Nanos,
    },
    Rest {
        until: Nanos,
    },
    WaitForCalm {
        begun: bool,
    },
    /// What ruled stands; whether the case is needed may still be open.
    Ruled(Ruling),
    /// Between two passes.
    Check {
        begun: bool,
        run: usize,
        ruling: Ruling,
    },
}

impl Case {
    pub fn new(item: usize, stage: Stage) -> Self {
        Self { item, pass: 1, runs: vec![Vec::new()], repeats: Vec::new(), stage, is_needed: false }
    }

    /// Returns the runs of the pass that goes on.
    pub fn runs(&self) -> &[RunResult] {
        &self.runs[self.pass as usize - 1]
    }

    /// Returns the number of the run that comes, from 1.
    pub fn attempt(&self) -> u32 {
        self.runs().len() as u32 + 1
    }

    /// Notes that the last run was not enough.
    pub fn run_again(&mut self, reason: String) {
        self.repeats.push(RunAgain { pass: self.pass, run: self.runs().len() as u32, reason });
    }

    pub fn take(&mut self, run: RunResult) {
        self.runs[self.pass as usize - 1].push(run);
    }

    /// Goes on to the next pass.
    pub fn begin_pass(&mut self) {
        self.pass += 1;
        if self.runs.len() < self.pass as usize {
            self.runs.push(Vec::new());
        }
        self.stage = Stage::Run { begun: false, hold: Nanos::ZERO };
    }

    /// Returns when the next run may begin, if the last one ended now.
    pub fn rested_at(&self, rule: &TimeRule, now: Nanos) -> Nanos {
        now + rule.rest_after(self.runs().len())
    }

    /// Ends it by what its runs come to, and what the check of that output found.
    pub fn end(mut self, ruling: Ruling, checked: Option<Result<Checked, String>>) -> CaseEnd {
        let (checked, failure) = checked.map_or((None, None), either);
        let (decisive, ruled, undecided) = match &ruling {
            Ruling::CheckOutput { run } => (*run, None, None),
            Ruling::Verdict { verdict, run, .. } => (*run, Some(*verdict), None),
            Ruling::Undecided { run, reason } => (*run, None, Some(reason.clone())),
            Ruling::RunAgain { .. } => (self.runs().len().saturating_sub(1), None, None),
        };
        let judging_error = failure.or(undecided);
        let verdict = match (&judging_error, ruled, &checked) {
            (Some(_), ..) => Verdict::JudgingError,
            (None, Some(ruled), _) => ruled,
            (None, None, Some(checked)) => checked.verdict,
            (None, None, None) => Verdict::JudgingError,
        };
        // A conversation that is repeated may end in an earlier pass than the time before.
        self.runs.truncate(self.pass as usize);
        let runs = self.runs.pop().unwrap_or_default();
        CaseEnd {
            item: self.item,
            verdict,
            runs,
            earlier_passes: self.runs,
            passes: self.pass,
            ruling: Some(ruling),
            decisive,
            repeats: self.repeats,
            checked,
            judging_error,
        }
    }
}
