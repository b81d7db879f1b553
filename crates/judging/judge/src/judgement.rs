//! The result of a submission.

use crate::build::Compilation;
use crate::check::Checked;
use crate::relay::TranscriptLine;
use crate::written::{OtherOutput, Written};
use judging_steps::RunAgain;
use model::{Caveat, Clock, Nanos, RunResult, Verdict};
use package::{CaseOutcome, Outcome};
use ruling::Ruling;

#[derive(Clone, Debug)]
pub struct CaseJudgement {
    pub name: String,
    pub verdict: Verdict,
    /// What its time is.
    pub clock: Clock,
    /// Every run, of the last pass if there were several; empty if nothing had to be run.
    pub runs: Vec<RunResult>,
    /// The runs of each pass before it.
    pub earlier_passes: Vec<Vec<RunResult>>,
    /// The rule's decision on the runs, and the reason; `None` if nothing had to be run.
    pub ruling: Option<Ruling>,
    /// Which run decided.
    pub decisive: usize,
    /// Why it was run again, each time.
    pub run_again: Vec<RunAgain>,
    /// Why the verdict is final, in words.
    pub reasons: Vec<String>,
    pub checked: Option<Checked>,
    /// Whether runs differed in output or end.
    pub nondeterministic: bool,
    /// Runs over the limit that wrote something else than the accepted one; then the jury decides.
    pub other_outputs: Vec<OtherOutput>,
    /// What the accepted run wrote, if there are such.
    pub accepted_output: Option<Written>,
    pub interactor: Option<RunResult>,
    /// The messages of submission and interactor.
    pub transcript: Vec<TranscriptLine>,
    /// How often the submission ran in a multi-pass problem.
    pub passes: u32,
    /// Standard output, if outputs are kept.
    pub stdout: Vec<u8>,
    /// The beginning of standard error, if outputs are kept.
    pub stderr: Vec<u8>,
    /// The lines that explain a crash best: the first line that names an error, and the last one.
    pub stderr_excerpt: Option<String>,
    /// The reason for an internal failure, if there was one.
    pub judging_error: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Judgement {
    pub name: String,
    pub language: Option<String>,
    /// By how many per cent counts of the same program in its language differ, where instructions are counted and do.
    pub count_spread: Option<f64>,
    pub verdict: Verdict,
    /// What makes verdicts about time weaker here.
    pub caveats: Vec<Caveat>,
    /// How it compiled, if it was compiled.
    pub compilation: Option<Compilation>,
    /// The cases that count, in judging order.
    pub cases: Vec<CaseJudgement>,
    pub score: Option<f64>,
    pub best_score: Option<f64>,
    /// Scores of groups by name, in judging order.
    pub group_scores: Vec<(String, f64)>,
    /// The hash of its files, if requested.
    pub source_hash: Option<String>,
    /// The hash of the program built from them, if requested and there is one.
    pub program_hash: Option<String>,
    /// The reason for an internal failure, if there was one.
    pub judging_error: Option<String>,
}

impl CaseJudgement {
    /// Makes the judgement of a case for which nothing ran and nothing was checked.
    pub fn new(name: &str, verdict: Verdict) -> Self {
        Self {
            name: name.to_owned(),
            verdict,
            clock: Clock::CpuTime,
            runs: Vec::new(),
            earlier_passes: Vec::new(),
            ruling: None,
            decisive: 0,
            run_again: Vec::new(),
            reasons: Vec::new(),
            checked: None,
            nondeterministic: false,
            other_outputs: Vec::new(),
            accepted_output: None,
            interactor: None,
            transcript: Vec::new(),
            passes: 0,
            stdout: Vec::new(),
            stderr: Vec::new(),
            stderr_excerpt: None,
            judging_error: None,
        }
    }

    /// Returns the run that decided, if anything ran.
    pub fn decisive_run(&self) -> Option<&RunResult> {
        self.runs.get(self.decisive)
    }

    /// Returns whether the rule has no verdict on its times.
    pub fn is_undecided(&self) -> bool {
        matches!(self.ruling, Some(Ruling::Undecided { .. }))
    }

    /// Says which run over the limit makes the acceptance one for the jury to decide, if one does.
    pub fn other_output_words(&self) -> Option<String> {
        let OtherOutput { pass, run, is_other, cpu_time, end, written } = self.other_outputs.first()?;
        let pass = if self.passes > 1 { format!(" of pass {pass}") } else { String::new() };
        let more = match self.other_outputs.len() - 1 {
            0 => String::new(),
            more => format!(", and so did {more} more"),
        };
        if !is_other {
            let accepted = self.time();
            return Some(format!(
                "run {run}{pass} took {cpu_time} ({end}), the accepted run {accepted}, and nothing that was seen explains \
                 the difference{more}"
            ));
        }
        let accepted = self.accepted_output.as_ref().map_or(0, |accepted| accepted.bytes);
        let what = if self.interactor.is_some() { "sent or was sent" } else { "wrote" };
        Some(format!(
            "run {run}{pass} was over the limit and {what} something else ({} B, {end}) than the accepted run \
             ({accepted} B){more}",
            written.bytes
        ))
    }

    /// Returns the time of the decisive run, by its clock.
    pub fn time(&self) -> Nanos {
        let time = self.decisive_run().and_then(|run| self.clock.time(&run.usage).into_known());
        time.unwrap_or(Nanos::ZERO)
    }
}

impl Judgement {
    pub(crate) fn new(name: &str, verdict: Verdict) -> Self {
        Self {
            name: name.to_owned(),
            language: None,
            count_spread: None,
            verdict,
            caveats: Vec::new(),
            compilation: None,
            cases: Vec::new(),
            score: None,
            best_score: None,
            group_scores: Vec::new(),
            source_hash: None,
            program_hash: None,
            judging_error: None,
        }
    }

    /// Makes the judgement of a submission with an internal failure.
    pub fn failed(name: &str, error: String) -> Self {
        Self { judging_error: Some(error), ..Self::new(name, Verdict::JudgingError) }
    }

    /// Returns the time of the slowest case.
    pub fn slowest_time(&self) -> Nanos {
        self.cases.iter().map(CaseJudgement::time).max().unwrap_or(Nanos::ZERO)
    }

    /// Lists what makes its verdict weaker; empty if the verdict does not depend on a time.
    pub fn caveats(&self) -> Vec<Caveat> {
        let weakened = |caveat: &Caveat| {
            // Every case contributes to a score.
            let is_by_case = self.cases.iter().any(|case| caveat.weakens(case.verdict));
            caveat.weakens(self.verdict) || self.score.is_some() && is_by_case
        };
        self.caveats.iter().copied().filter(weakened).collect()
    }

    /// Returns the cases for the jury to decide about, on which the result depends: they are accepted, but a run over the
    /// limit wrote something else. While there are any, the verdict is none yet.
    pub fn for_jury(&self) -> impl Iterator<Item = &CaseJudgement> {
        let depends = self.verdict == Verdict::Accepted || self.score.is_some();
        let depends = depends && self.verdict != Verdict::JudgingError;
        self.cases.iter().filter(move |case| depends && !case.other_outputs.is_empty())
    }

    /// Returns the values that expectations are compared with.
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
                    cpu_time: case.time(),
                    judge_message: case
                        .checked
                        .as_ref()
                        .map_or_else(String::new, |checked| checked.judge_message.clone()),
                })
                .collect(),
            group_scores: self.group_scores.clone(),
        }
    }
}
