//! One submission while it is judged: all of it that is no decision.

mod outputs;
mod runs;

pub(crate) use outputs::RunOutput;
pub(crate) use runs::Terms;

use outputs::Outputs;

use crate::JudgeError;
use crate::build::Compilation;
use crate::cancel::Cancel;
use crate::check::{Checked, FeedbackFolder};
use crate::excerpt::excerpt;
use crate::judgement::{CaseJudgement, Judgement};
use crate::memory_budget::bytes_max;
use crate::observer::Notice;
use crate::prepare::{Ready, answer_for, base_name};
use crate::problem::{Problem, SubmissionSource};
use crate::readable::ReadableCase;
use crate::relay::TranscriptLine;
use crate::run::case_input;
use crate::scores::{Scores, Total};
use crate::status::Status;
use judging_steps::{CaseEnd, Item, Judging, Kind, Order, Outcome};
use model::{Bytes, Reading, RunResult, Slowdown, Verdict};
use package::{StaticValidation, Step, TestCase};
use ruling::{Ruling, TimeRule};
use sandbox::{MemoryInput, Workspace, input_in_memory};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Files in the folder of a later pass's input.
const PASS_FILES: u32 = 16;

/// Something of the package that has a result of its own.
#[derive(Debug)]
pub(crate) enum Part {
    Sources(StaticValidation),
    Case(TestCase),
}

#[derive(Debug)]
pub(crate) struct Work {
    pub number: u64,
    pub order: Order,
    pub problem: Arc<Problem>,
    pub source: Arc<SubmissionSource>,
    pub parts: Vec<Part>,
    /// The most memory that it can need.
    pub bytes_max: Bytes,
    pub cancel: Cancel,
    pub status: Status,
    pub ready: Option<Arc<Ready>>,
    /// Why it is not judged.
    pub refused: Option<(Option<String>, Compilation)>,
    /// Cases that are run or checked, by item.
    pub cases: HashMap<usize, CaseWork>,
    /// What checks found, by item.
    checks: HashMap<usize, Checked>,
    /// What the core was like when it was last waited for; it stands in the evidence of the run after that.
    pub core: Reading<Slowdown>,
    /// The memory peak of the last run.
    pub memory: Reading<Bytes>,
    pub error: Option<JudgeError>,
    notices: Sender<JudgingNotice>,
    done: Vec<CaseJudgement>,
}

/// A submission that is to be judged, and the receiver of its notices.
#[derive(Debug)]
pub(crate) struct Opening {
    pub number: u64,
    pub problem: Arc<Problem>,
    pub source: SubmissionSource,
    pub order: Order,
    pub cancel: Cancel,
    pub status: Status,
    pub notices: Sender<JudgingNotice>,
}

#[derive(Debug)]
pub struct JudgingNotice {
    pub judging: u64,
    pub notice: Notice,
}

#[derive(Debug)]
pub(crate) struct CaseWork {
    /// As it is in the present pass.
    pub case: ReadableCase,
    /// Which pass that is, from 1.
    pass: u32,
    next_input: Option<Vec<u8>>,
    /// As the package has it.
    original: ReadableCase,
    input: MemoryInput,
    /// Where the inputs of later passes lie.
    passes: Option<Workspace>,
    pub feedback: Option<Arc<FeedbackFolder>>,
    pub outputs: Outputs,
    pub interactor: Option<RunResult>,
    pub transcript: Vec<TranscriptLine>,
}

impl CaseWork {
    pub fn begin(case: &TestCase, rule: TimeRule) -> Result<Self, JudgeError> {
        let case = ReadableCase::of(case)?;
        Ok(Self {
            input: case_input(&case)?,
            original: case.clone(),
            case,
            pass: 1,
            next_input: None,
            passes: None,
            feedback: None,
            outputs: Outputs::new(rule),
            interactor: None,
            transcript: Vec::new(),
        })
    }

    /// Returns the input of the present pass.
    pub fn input(&self) -> &MemoryInput {
        &self.input
    }

    /// Keeps what a run wrote; without `keeps_all`, of earlier runs only what identifies them.
    pub fn keep(&mut self, output: RunOutput, keeps_all: bool) {
        self.outputs.keep(output, keeps_all);
    }

    /// Starts pass `pass`, with an input of at most `input_max` bytes, unless it is the present one.
    pub fn begin_pass(&mut self, pass: u32, input_max: Bytes) -> Result<(), JudgeError> {
        if pass == self.pass {
            return Ok(());
        }
        let input = self.next_input.take().unwrap_or_default();
        let passes = match self.passes.take() {
            Some(passes) => passes,
            None => Workspace::new(input_max, PASS_FILES)?,
        };
        let path: PathBuf = passes.write("nextpass.in", &input)?;
        self.passes = Some(passes);
        self.case = self.original.with_input(path);
        self.input = input_in_memory(&input)?;
        self.pass = pass;
        self.outputs.begin_pass(pass);
        Ok(())
    }

    /// Begins a conversation, with the first pass.
    pub fn begin_conversation(&mut self) -> Result<(), JudgeError> {
        (self.passes, self.feedback, self.transcript) = (None, None, Vec::new());
        self.case = self.original.clone();
        self.input = case_input(&self.case)?;
        self.pass = 1;
        self.outputs.begin_conversation();
        Ok(())
    }
}

impl Work {
    pub fn new(opening: Opening) -> Self {
        let Opening { number, problem, source, order, cancel, status, notices } = opening;
        let parts = problem.steps().into_iter().map(|step| match step {
            Step::Static(check) => Part::Sources(check.clone()),
            Step::Case(case) => Part::Case(case.clone()),
        });
        let parts: Vec<Part> = parts.collect();
        let cases = parts.iter().filter_map(|part| match part {
            Part::Case(case) => Some(case),
            Part::Sources(_) => None,
        });
        let bytes_max = bytes_max(&problem, &source, &cases.collect::<Vec<_>>());
        Self {
            number,
            order,
            parts,
            bytes_max,
            problem,
            source: Arc::new(source),
            cancel,
            status,
            ready: None,
            refused: None,
            cases: HashMap::new(),
            checks: HashMap::new(),
            core: Reading::default(),
            memory: Reading::default(),
            error: None,
            notices,
            done: Vec::new(),
        }
    }

    /// Makes the state machine that decides the next step.
    pub fn judging(&self) -> Judging<Scores> {
        let is_answered = |case| self.answer(case).is_some();
        let items = self.parts.iter().map(|part| match part {
            Part::Sources(_) => Item::Sources,
            Part::Case(case) if self.problem.kind() == Kind::Answers && !is_answered(case) => Item::NoAnswer,
            Part::Case(_) => Item::Case,
        });
        let names = (0..self.parts.len()).map(|item| self.name(item).to_owned()).collect();
        let scores = Scores::new(Arc::clone(&self.problem), names, self.source.all_cases);
        Judging::new(self.problem.plan(items.collect()), scores)
    }

    /// Returns the answer to a case that was handed in.
    pub fn answer(&self, case: &TestCase) -> Option<&[u8]> {
        Some(&answer_for(case, self.parts.len(), &self.source.files)?.bytes)
    }

    pub fn name(&self, item: usize) -> &str {
        match &self.parts[item] {
            Part::Sources(check) => &check.name,
            Part::Case(case) => &case.name,
        }
    }

    pub fn notify(&self, notice: Notice) {
        // The receiver may be gone.
        let _ = self.notices.send(JudgingNotice { judging: self.number, notice });
    }

    /// Returns a case that is run or checked; begins with it if that is new.
    pub fn case(&mut self, item: usize) -> Result<&mut CaseWork, JudgeError> {
        let Part::Case(case) = &self.parts[item] else { unreachable!("sources are no case") };
        Ok(match self.cases.entry(item) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(CaseWork::begin(case, *self.problem.rule())?)
            }
        })
    }

    /// Keeps the result of a check, and the folder that lasts over the passes of a case.
    pub fn keep_check(&mut self, item: usize, mut checked: Checked, feedback: Option<Arc<FeedbackFolder>>) {
        if let Some(case) = self.cases.get_mut(&item) {
            case.next_input = checked.next_pass.take();
            case.feedback = feedback.or(case.feedback.take());
        }
        self.checks.insert(item, checked);
    }

    /// Handles an item that is done.
    pub fn case_done(&mut self, end: CaseEnd) {
        let case = self.case_judgement(end);
        self.notify(Notice::Case(Box::new(case.clone())));
        self.done.push(case);
    }

    fn case_judgement(&mut self, end: CaseEnd) -> CaseJudgement {
        let name = self.name(end.item).to_owned();
        let mut reasons = Vec::new();
        match &end.ruling {
            Some(Ruling::Verdict { reason, .. }) if !reason.is_empty() => reasons.push(reason.clone()),
            None if end.verdict == Verdict::WrongAnswer && end.checked.is_none() => {
                reasons.push(format!("no file is named {}.out", base_name(&name)));
            }
            _ => {}
        }
        let mut case = CaseJudgement {
            name,
            verdict: end.verdict,
            clock: self.problem.rule().clock,
            runs: end.runs,
            earlier_passes: end.earlier_passes,
            ruling: end.ruling,
            decisive: end.decisive,
            run_again: end.repeats,
            reasons,
            passes: end.passes,
            judging_error: end.judging_error,
            ..CaseJudgement::new("", end.verdict)
        };
        case.checked = self.checks.remove(&end.item).filter(|_| end.checked.is_some());
        let Some(mut work) = self.cases.remove(&end.item) else {
            if let (Part::Case(part), true) = (&self.parts[end.item], self.problem.options.keep_outputs) {
                case.stdout = self.answer(part).unwrap_or_default().to_vec();
            }
            return case;
        };
        if case.passes == 0 {
            return case;
        }
        case.interactor = work.interactor.take();
        case.transcript = std::mem::take(&mut work.transcript);
        case.nondeterministic = case.interactor.is_none() && work.outputs.differ();
        if case.verdict == Verdict::Accepted && self.problem.rule().numbers.jury_decides_other_output {
            (case.other_outputs, case.accepted_output) = work.outputs.others();
        }
        let decisive = if case.interactor.is_some() { None } else { Some(end.decisive) };
        if let Some(output) = work.outputs.take(decisive) {
            if self.problem.options.keep_outputs {
                case.stdout = Arc::unwrap_or_clone(output.stdout);
            }
            if case.verdict == Verdict::RunTimeError {
                case.stderr_excerpt = excerpt(&output.stderr);
            }
            // Of every case of every submission it would stay until the last is judged.
            if self.problem.options.keep_outputs {
                case.stderr = output.stderr;
            }
        }
        case
    }

    pub fn judgement(mut self, outcome: Outcome<Total>) {
        let judgement = self.conclude(outcome);
        self.notify(Notice::Done(Box::new(judgement)));
    }

    fn conclude(&mut self, outcome: Outcome<Total>) -> Result<Judgement, JudgeError> {
        let mut judgement = Judgement::new(&self.source.name, Verdict::JudgingError);
        if self.problem.options.hash_programs {
            judgement.source_hash = Some(crate::content_hash::files_hash(&self.source.files));
        }
        if let Some((language, compilation)) = self.refused.take() {
            let compilation = Some(compilation);
            return Ok(Judgement { language, compilation, verdict: Verdict::CompileError, ..judgement });
        }
        if let Some(ready) = self.ready.take() {
            judgement.language.clone_from(&ready.language);
            judgement.count_spread = ready.count_spread;
            judgement.compilation.clone_from(&ready.compilation);
            judgement.program_hash.clone_from(&ready.program_hash);
        }
        judgement.caveats = self.problem.caveats();
        judgement.cases = std::mem::take(&mut self.done);
        match outcome {
            Outcome::Judged { total: Ok(total), .. } => Ok(Judgement {
                verdict: total.verdict,
                score: total.score,
                best_score: total.best_score,
                group_scores: total.group_scores,
                ..judgement
            }),
            Outcome::Judged { total: Err(error), .. } => {
                Ok(Judgement { judging_error: Some(error), ..judgement })
            }
            Outcome::JudgingError { item, why, .. } => {
                let judging_error = Some(format!("{}: {why}", self.name(item)));
                Ok(Judgement { judging_error, ..judgement })
            }
            Outcome::NotPrepared => Ok(Judgement { verdict: Verdict::CompileError, ..judgement }),
            Outcome::Failed(_) | Outcome::Cancelled => {
                Err(self.error.take().unwrap_or(JudgeError::Cancelled))
            }
        }
    }
}
