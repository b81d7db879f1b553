//! What came of a submission.

use crate::build::Compilation;
use crate::check::Checked;
use crate::relay::TranscriptLine;
use judging::RunAgain;
use model::{Caveat, Nanos, RunResult, Verdict};
use package::{CaseOutcome, Outcome};
use ruling::Ruling;

/// What came of one case.
#[derive(Clone, Debug)]
pub struct CaseJudgement {
    /// The case's name.
    pub name: String,
    /// What it came to.
    pub verdict: Verdict,
    /// Every run, of the last pass if there were several; empty when nothing had to be run.
    pub runs: Vec<RunResult>,
    /// The runs of each pass before it.
    pub earlier_passes: Vec<Vec<RunResult>>,
    /// What they came to by the rule, as it said it; none when nothing had to be run.
    pub ruling: Option<Ruling>,
    /// Which of them decided.
    pub decisive: usize,
    /// Why it was run again, each time.
    pub run_again: Vec<RunAgain>,
    /// Why the verdict stands, in words.
    pub reasons: Vec<String>,
    /// What the check found, if it came to one.
    pub checked: Option<Checked>,
    /// Whether runs differed in output or end.
    pub nondeterministic: bool,
    /// How the interactor ran.
    pub interactor: Option<RunResult>,
    /// What submission and interactor said.
    pub transcript: Vec<TranscriptLine>,
    /// How often the submission ran in a multi-pass problem.
    pub passes: u32,
    /// Standard output, if outputs are kept.
    pub stdout: Vec<u8>,
    /// The beginning of standard error.
    pub stderr: Vec<u8>,
    /// Why we failed, if we did.
    pub judging_error: Option<String>,
}

/// The score of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupScore {
    /// The group's name.
    pub name: String,
    /// Its score.
    pub score: f64,
}

/// What came of a submission.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The submission's name.
    pub name: String,
    /// Its language's id.
    pub language: Option<String>,
    /// What it came to.
    pub verdict: Verdict,
    /// What makes a verdict about time weaker than others here.
    pub caveats: Vec<Caveat>,
    /// How it compiled, if it came to that.
    pub compilation: Option<Compilation>,
    /// The cases that count, in judging order.
    pub cases: Vec<CaseJudgement>,
    /// The score, for scoring problems.
    pub score: Option<f64>,
    /// The best score that is possible.
    pub best_score: Option<f64>,
    /// Scores of groups.
    pub groups: Vec<GroupScore>,
    /// What tells its files from others, if that was asked for.
    pub source_hash: Option<String>,
    /// What tells the program built from them from others, if that was asked for and there is one.
    pub program_hash: Option<String>,
    /// Why we failed, if we did.
    pub judging_error: Option<String>,
}

impl CaseJudgement {
    /// Makes the judgement of a case for which nothing ran and nothing was checked.
    pub fn new(name: &str, verdict: Verdict) -> Self {
        Self {
            name: name.to_owned(),
            verdict,
            runs: Vec::new(),
            earlier_passes: Vec::new(),
            ruling: None,
            decisive: 0,
            run_again: Vec::new(),
            reasons: Vec::new(),
            checked: None,
            nondeterministic: false,
            interactor: None,
            transcript: Vec::new(),
            passes: 0,
            stdout: Vec::new(),
            stderr: Vec::new(),
            judging_error: None,
        }
    }

    /// Returns the run that decided, if anything ran.
    pub fn decisive_run(&self) -> Option<&RunResult> {
        self.runs.get(self.decisive)
    }

    /// Returns the CPU time by which it was decided.
    pub fn cpu_time(&self) -> Nanos {
        self.decisive_run().map_or(Nanos::ZERO, |run| run.usage.cpu_time)
    }
}

impl Judgement {
    pub(crate) fn new(name: &str, verdict: Verdict) -> Self {
        Self {
            name: name.to_owned(),
            language: None,
            verdict,
            caveats: Vec::new(),
            compilation: None,
            cases: Vec::new(),
            score: None,
            best_score: None,
            groups: Vec::new(),
            source_hash: None,
            program_hash: None,
            judging_error: None,
        }
    }

    /// Makes the judgement of a submission on which we failed.
    pub fn failed(name: &str, error: String) -> Self {
        Self { judging_error: Some(error), ..Self::new(name, Verdict::JudgingError) }
    }

    /// Returns the CPU time of the slowest case.
    pub fn slowest_time(&self) -> Nanos {
        self.cases.iter().map(CaseJudgement::cpu_time).max().unwrap_or(Nanos::ZERO)
    }

    /// Lists what makes its verdict weaker than others; nothing if the verdict does not rest on a time.
    pub fn caveats(&self) -> Vec<Caveat> {
        let weakened = |caveat: &Caveat| {
            // Every case has its part in a score.
            let is_by_case = self.cases.iter().any(|case| caveat.weakens(case.verdict));
            caveat.weakens(self.verdict) || self.score.is_some() && is_by_case
        };
        self.caveats.iter().copied().filter(weakened).collect()
    }

    /// Returns what expectations are compared with.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            verdict: self.verdict,
            score: self.score,
            best_score: self.best_score,
            cases: self
                .cases
                .iter()
                .map(|case| CaseOutcome {
                    name: case.name.clone(),
                    verdict: case.verdict,
                    cpu_time: case.cpu_time(),
                    judge_message: case
                        .checked
                        .as_ref()
                        .map_or_else(String::new, |checked| checked.judge_message.clone()),
                })
                .collect(),
            group_scores: self.groups.iter().map(|group| (group.name.clone(), group.score)).collect(),
        }
    }
}
