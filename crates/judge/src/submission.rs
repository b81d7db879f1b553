//! Judging submissions against one package.

use crate::build::{BuildLimits, BuildOutcome, Built};
use crate::check::{Checked, Checker, FeedbackFolder};
use crate::interactive::{Conversed, Interactor};
use crate::judgement::{CaseJudgement, GroupScore, Judgement};
use crate::observer::Observer;
use crate::run::{CaseRuns, Repeats, RunSettings, case_input};
use crate::time_limit::TimeLimit;
use crate::{JudgeError, LimitOrigin, Station};
use model::{Nanos, RunResult, Verdict};
use package::language::{Entry, SourceFile};
use package::scoring::{self, CaseResult, Results};
use package::{JurySubmission, Package, Protocol, TestCase};
use ruling::TimeRule;
use std::thread::{self, ScopedJoinHandle};

/// How submissions are to be judged.
#[derive(Clone, Debug, Default)]
pub struct JudgeOptions {
    /// Run every case, also after one that decides.
    pub all: bool,
    /// Run only these cases, by name; empty means all.
    pub cases: Vec<String>,
    /// Use this limit instead of the package's.
    pub time_limit: Option<Nanos>,
    /// Keep outputs for the observer and the caller.
    pub keep_outputs: bool,
}

/// A submission, as files.
#[derive(Clone, Debug)]
pub struct SubmissionSource {
    /// Its name for people.
    pub name: String,
    /// Its files.
    pub files: Vec<SourceFile>,
    /// Its language, where that is known.
    pub language: Option<String>,
    /// Its main file or class, where that is known.
    pub entry_point: Option<String>,
    /// Run every case of it, also after one that decides.
    pub all_cases: bool,
}

/// Judges submissions against one package.
#[derive(Debug)]
pub struct Judge<'a> {
    station: &'a Station,
    package: &'a Package,
    options: JudgeOptions,
    checker: Checker,
    limit: TimeLimit,
    settings: RunSettings,
}

impl<'a> Judge<'a> {
    /// Builds the package's checker and finds its time limit. Deriving a limit judges submissions;
    /// what came of them is given back, and they need not be judged again.
    ///
    /// # Errors
    /// When the checker does not compile or no limit can be found.
    pub fn open(
        station: &'a Station,
        package: &'a Package,
        options: JudgeOptions,
        observer: &mut dyn Observer,
    ) -> Result<(Self, Vec<Judgement>), JudgeError> {
        let checker = Checker::of(station, package)?;
        let asked = options.time_limit;
        let limit = TimeLimit { limit: Nanos::ZERO, origin: LimitOrigin::Asked };
        let settings = RunSettings {
            rule: TimeRule::new(Nanos::ZERO),
            limits: package.limits,
            allow_file_writing: package.allow_file_writing,
        };
        let mut judge = Self { station, package, options, checker, limit, settings };
        let (limit, judgements) = TimeLimit::find(&mut judge, asked, observer)?;
        observer.time_limit(&limit);
        judge.set_limit(limit);
        Ok((judge, judgements))
    }

    /// Gives the package.
    pub fn package(&self) -> &'a Package {
        self.package
    }

    pub(crate) fn station(&self) -> &'a Station {
        self.station
    }

    pub(crate) fn checker(&self) -> &Checker {
        &self.checker
    }

    /// Gives the time limit in force.
    pub fn time_limit(&self) -> &TimeLimit {
        &self.limit
    }

    /// Gives the rule in force.
    pub fn rule(&self) -> &TimeRule {
        &self.settings.rule
    }

    /// Changes which cases are run; gives the former choice.
    pub(crate) fn select_cases(&mut self, cases: Vec<String>) -> Vec<String> {
        std::mem::replace(&mut self.options.cases, cases)
    }

    pub(crate) fn set_limit(&mut self, limit: TimeLimit) {
        self.settings.rule = TimeRule::new(limit.limit);
        self.limit = limit;
    }

    /// Reads a submission of the package's jury.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn jury_source(&self, submission: &JurySubmission) -> Result<SubmissionSource, JudgeError> {
        let mut files = Vec::with_capacity(submission.files.len());
        for file in &submission.files {
            let bytes = std::fs::read(&file.path).map_err(JudgeError::file("read", &file.path))?;
            files.push(SourceFile { name: file.name.to_string_lossy().into_owned(), bytes });
        }
        Ok(SubmissionSource {
            name: submission.name.clone(),
            files,
            language: submission.language_hint.clone(),
            entry_point: submission.entry_point_hint.clone(),
            all_cases: submission.expectation.needs_all_cases(),
        })
    }

    /// Judges one submission.
    ///
    /// # Errors
    /// When we fail before or between cases. Where we fail on a case, the judgement says so.
    pub fn judge(
        &self,
        source: &SubmissionSource,
        observer: &mut dyn Observer,
    ) -> Result<Judgement, JudgeError> {
        let cases = self.selected_cases();
        observer.submission_begins(&source.name, cases.len());
        let judgement = if self.package.kind.submit_answer {
            self.judge_answers(source, &cases, observer)?
        } else {
            self.judge_program(source, &cases, observer)?
        };
        observer.submission_done(&judgement);
        Ok(judgement)
    }

    fn selected_cases(&self) -> Vec<&'a TestCase> {
        let wanted = &self.options.cases;
        let all = self.package.cases().into_iter();
        all.filter(|case| wanted.is_empty() || wanted.contains(&case.name)).collect()
    }

    fn judge_program(
        &self,
        source: &SubmissionSource,
        cases: &[&'a TestCase],
        observer: &mut dyn Observer,
    ) -> Result<Judgement, JudgeError> {
        let languages = self.station.languages();
        let named = source.language.as_deref().and_then(|id| languages.get(id));
        let language = match named {
            Some(language) => language,
            None => match languages.detect(&source.files) {
                Ok(language) => language,
                Err(error) => return Ok(Judgement::compile_error(source, None, error.to_string())),
            },
        };
        let id = Some(language.id.clone());
        if let Some(allowed) = &self.package.languages
            && !allowed.contains(&language.id)
        {
            let why =
                format!("{} is not allowed for this problem; use {}", language.name, allowed.join(", "));
            return Ok(Judgement::compile_error(source, id, why));
        }
        let size: usize = source.files.iter().map(|file| file.bytes.len()).sum();
        if size as u64 > self.package.limits.code.0 {
            let limit = self.package.limits.code;
            let why = format!(
                "its files have {} together, the limit on code is {limit}",
                model::Bytes(size as u64)
            );
            return Ok(Judgement::compile_error(source, id, why));
        }
        observer.compiling(&source.name);
        let limits = BuildLimits {
            time: self.package.limits.compilation_time,
            memory: self.package.limits.compilation_memory,
            program_memory: self.package.limits.memory,
        };
        let files = self.with_includes(source, &language.id)?;
        let entry = Entry { main: source.entry_point.clone() };
        let (built, compilation) = match self.station.build(language, &files, entry, &limits)? {
            BuildOutcome::Built(built, compilation) => (built, compilation),
            BuildOutcome::Failed(compilation) => {
                return Ok(Judgement {
                    compilation: Some(compilation),
                    language: id,
                    ..Judgement::new(source, Verdict::CompileError)
                });
            }
        };
        let done = self.run_cases(source, &built, cases, observer)?;
        let judgement = self.total(source, done);
        Ok(Judgement { language: id, compilation: Some(compilation), ..judgement })
    }

    /// Puts the package's own files over the submission's, as the formats ask.
    fn with_includes(
        &self,
        source: &SubmissionSource,
        language: &str,
    ) -> Result<Vec<SourceFile>, JudgeError> {
        let mut files = source.files.clone();
        for include in self.package.includes.for_language(language) {
            let name = include.name.to_string_lossy().into_owned();
            files.retain(|file| file.name != name);
            files.push(SourceFile { name, bytes: self.package.source_bytes(include)? });
        }
        Ok(files)
    }

    fn run_cases(
        &self,
        source: &SubmissionSource,
        built: &Built,
        cases: &[&'a TestCase],
        observer: &mut dyn Observer,
    ) -> Result<Vec<CaseJudgement>, JudgeError> {
        let kind = &self.package.kind;
        let simple = !kind.interactive && kind.multi_pass.is_none();
        if let (true, Some(first)) = (simple, cases.first()) {
            self.station.warm_up(&self.settings, built, first, &case_input(first)?)?;
        }
        let mut book = Book::open(self, source);
        let repeats = Repeats::new(&self.settings.rule, cases.len());
        thread::scope(|scope| {
            // The check of one case goes on while the next one runs; if it makes that superfluous,
            // the run is thrown away.
            let mut checking: Option<ScopedJoinHandle<'_, Result<CaseJudgement, JudgeError>>> = None;
            for case in cases {
                if !book.needs(case) {
                    continue;
                }
                if !simple {
                    let judgement = self.run_with_checks_between(built, case, &repeats)?;
                    book.enter(judgement, &source.name, observer);
                    continue;
                }
                let input = case_input(case)?;
                let runs = self.station.run_case(&self.settings, built, case, &input, &repeats)?;
                if let Some(handle) = checking.take() {
                    book.enter(join(handle.join())?, &source.name, observer);
                    if !book.needs(case) {
                        continue;
                    }
                }
                let case: &TestCase = case;
                let handle = scope.spawn(move || self.check_runs(case, runs));
                if self.station.can_overlap() {
                    checking = Some(handle);
                } else {
                    book.enter(join(handle.join())?, &source.name, observer);
                }
            }
            if let Some(handle) = checking.take() {
                book.enter(join(handle.join())?, &source.name, observer);
            }
            Ok(book.done)
        })
    }

    /// Checks the output of a case's runs, if that decides.
    fn check_runs(&self, case: &TestCase, runs: CaseRuns) -> Result<CaseJudgement, JudgeError> {
        if runs.verdict.is_some() {
            return Ok(self.case_judgement(case, runs, None));
        }
        let feedback = FeedbackFolder::new(self.station, &self.package.limits)?;
        let checked = self.checker.check(self.station, self.package, case, &runs.stdout, &feedback, 1);
        Ok(self.case_judgement(case, runs, Some(checked)))
    }

    fn run_with_checks_between(
        &self,
        built: &Built,
        case: &TestCase,
        repeats: &Repeats,
    ) -> Result<CaseJudgement, JudgeError> {
        let result = match (&self.checker, self.package.kind.interactive) {
            (Checker::Custom { name, built: interactor, protocol }, true) => {
                self.run_interactive(built, case, name, (interactor, *protocol), repeats)
            }
            _ => self.run_passes(built, case, repeats),
        };
        match result {
            Err(error) if !error.is_interruption() => Ok(CaseJudgement::failed(case, error.to_string())),
            other => other,
        }
    }

    /// Runs passes until the validator asks for no more.
    fn run_passes(
        &self,
        built: &Built,
        case: &TestCase,
        repeats: &Repeats,
    ) -> Result<CaseJudgement, JudgeError> {
        let feedback = FeedbackFolder::new(self.station, &self.package.limits)?;
        let mut case_of_pass = case.clone();
        let scratch = sandbox::Workspace::new(self.package.limits.validation_output, 16)?;
        let mut passes = 0;
        loop {
            passes += 1;
            feedback.begin_pass()?;
            let input = case_input(&case_of_pass)?;
            let runs = self.station.run_case(&self.settings, built, &case_of_pass, &input, repeats)?;
            if runs.verdict.is_some() {
                return Ok(CaseJudgement { passes, ..self.case_judgement(case, runs, None) });
            }
            let checked = self.checker.check(
                self.station,
                self.package,
                &case_of_pass,
                &runs.stdout,
                &feedback,
                passes,
            )?;
            match &checked.next_pass {
                Some(input) => case_of_pass.input = scratch.write("nextpass.in", input)?,
                None => {
                    return Ok(CaseJudgement {
                        passes,
                        ..self.case_judgement(case, runs, Some(Ok(checked)))
                    });
                }
            }
        }
    }

    fn run_interactive(
        &self,
        built: &Built,
        case: &TestCase,
        name: &str,
        (interactor, protocol): (&Built, Protocol),
        repeats: &Repeats,
    ) -> Result<CaseJudgement, JudgeError> {
        // The feedback folder lasts over the passes of a case, so a repeat starts with the first pass.
        let mut runs_of_pass: Vec<Vec<RunResult>> = Vec::new();
        let mut reasons = Vec::new();
        'attempts: loop {
            let feedback = FeedbackFolder::new(self.station, &self.package.limits)?;
            let scratch = sandbox::Workspace::new(self.package.limits.validation_output, 16)?;
            let mut case_of_pass = case.clone();
            let mut transcript = Vec::new();
            let mut passes = 0;
            loop {
                let index = passes as usize;
                passes += 1;
                feedback.begin_pass()?;
                let interactor = Interactor {
                    name,
                    built: interactor,
                    protocol,
                    feedback: &feedback,
                    package: self.package,
                    pass: passes,
                };
                if runs_of_pass.len() == index {
                    runs_of_pass.push(Vec::new());
                }
                let earlier = (std::mem::take(&mut runs_of_pass[index]), repeats);
                let conversed =
                    self.station.converse(&self.settings, built, &case_of_pass, &interactor, earlier)?;
                let conversation = match conversed {
                    Conversed::Done(conversation) => *conversation,
                    Conversed::Again(runs, reason) => {
                        runs_of_pass[index] = runs;
                        reasons.push(format!("run again: {reason}"));
                        self.station.rest(self.settings.rule.spacing)?;
                        continue 'attempts;
                    }
                };
                transcript.extend(conversation.transcript);
                if conversation.verdict == Verdict::Accepted
                    && let Some(input) =
                        conversation.checked.as_ref().and_then(|checked| checked.next_pass.as_ref())
                {
                    runs_of_pass[index].clone_from(&conversation.runs.runs);
                    case_of_pass.input = scratch.write("nextpass.in", input)?;
                    continue;
                }
                let mut judgement =
                    self.case_judgement(case, conversation.runs, conversation.checked.map(Ok));
                reasons.append(&mut judgement.reasons);
                return Ok(CaseJudgement {
                    verdict: conversation.verdict,
                    reasons,
                    interactor: Some(conversation.interactor),
                    transcript,
                    passes,
                    ..judgement
                });
            }
        }
    }

    fn case_judgement(
        &self,
        case: &TestCase,
        runs: CaseRuns,
        checked: Option<Result<Checked, JudgeError>>,
    ) -> CaseJudgement {
        let (checked, judging_error) = match checked {
            Some(Ok(checked)) => (Some(checked), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, runs.undecided),
        };
        let verdict = match (&judging_error, &checked) {
            (Some(_), _) => Verdict::JudgingError,
            (None, Some(checked)) => runs.verdict.unwrap_or(checked.verdict),
            (None, None) => runs.verdict.unwrap_or(Verdict::JudgingError),
        };
        CaseJudgement {
            name: case.name.clone(),
            verdict,
            runs: runs.runs,
            decisive: runs.decisive,
            reasons: runs.reasons,
            checked,
            nondeterministic: runs.nondeterministic,
            interactor: None,
            transcript: Vec::new(),
            passes: 1,
            stdout: if self.options.keep_outputs { runs.stdout } else { Vec::new() },
            stderr: runs.stderr,
            judging_error,
        }
    }

    /// Judges answers that were handed in as files: `NAME.out` or `NAME.ans` for the case `.../NAME`.
    fn judge_answers(
        &self,
        source: &SubmissionSource,
        cases: &[&'a TestCase],
        observer: &mut dyn Observer,
    ) -> Result<Judgement, JudgeError> {
        let mut book = Book::open(self, source);
        for case in cases {
            if !book.needs(case) {
                continue;
            }
            let answer = answer_for(case, cases.len(), &source.files);
            let feedback = FeedbackFolder::new(self.station, &self.package.limits)?;
            let verdict = if answer.is_none() { Some(Verdict::WrongAnswer) } else { None };
            let reason = format!("no file is named {}.out", base_name(&case.name));
            let runs = CaseRuns {
                runs: Vec::new(),
                decisive: 0,
                verdict,
                reasons: if answer.is_none() { vec![reason] } else { Vec::new() },
                stdout: answer.map(|file| file.bytes.clone()).unwrap_or_default(),
                stderr: Vec::new(),
                nondeterministic: false,
                undecided: None,
            };
            let checked = answer
                .map(|file| self.checker.check(self.station, self.package, case, &file.bytes, &feedback, 1));
            book.enter(self.case_judgement(case, runs, checked), &source.name, observer);
        }
        let done = book.done;
        Ok(self.total(source, done))
    }

    /// Makes one result of many.
    fn total(&self, source: &SubmissionSource, cases: Vec<CaseJudgement>) -> Judgement {
        let judging_error = cases.iter().find_map(|case| {
            let error = case.judging_error.as_ref()?;
            Some(format!("{}: {error}", case.name))
        });
        let results: Results = cases.iter().map(|case| (case.name.clone(), CaseResult::from(case))).collect();
        let mut judgement = Judgement { cases, ..Judgement::new(source, Verdict::JudgingError) };
        if judging_error.is_some() {
            return Judgement { judging_error, ..judgement };
        }
        if !self.options.cases.is_empty() {
            // With cases left out there is no total; the first that is not accepted tells most.
            let rejected = judgement.cases.iter().find(|case| case.verdict != Verdict::Accepted);
            judgement.verdict = rejected.map_or(Verdict::Accepted, |case| case.verdict);
            return judgement;
        }
        match scoring::total(&self.package.data, self.package.kind.scoring, &results) {
            Ok(total) => {
                judgement.verdict = total.verdict;
                judgement.score = total.score;
                judgement.best_score = total.best_score;
                judgement.groups =
                    total.group_scores.into_iter().map(|(name, score)| GroupScore { name, score }).collect();
            }
            Err(error) => judgement.judging_error = Some(error.to_string()),
        }
        judgement
    }
}

/// Results as they come in.
struct Book<'j, 'a> {
    judge: &'j Judge<'a>,
    all: bool,
    results: Results,
    done: Vec<CaseJudgement>,
}

impl<'j, 'a> Book<'j, 'a> {
    fn open(judge: &'j Judge<'a>, source: &SubmissionSource) -> Self {
        let all = judge.options.all || source.all_cases || !judge.options.cases.is_empty();
        Self { judge, all, results: Results::new(), done: Vec::new() }
    }

    fn needs(&self, case: &TestCase) -> bool {
        let Package { data, kind, .. } = self.judge.package;
        self.all || scoring::still_needed(data, kind.scoring, &self.results, &case.name)
    }

    fn enter(&mut self, case: CaseJudgement, submission: &str, observer: &mut dyn Observer) {
        observer.case_done(submission, &case);
        self.results.insert(case.name.clone(), CaseResult::from(&case));
        self.done.push(case);
    }
}

fn base_name(case: &str) -> &str {
    case.rsplit('/').next().unwrap_or(case)
}

fn answer_for<'f>(case: &TestCase, cases: usize, files: &'f [SourceFile]) -> Option<&'f SourceFile> {
    let named = |name: &str, extension: &str| {
        files.iter().find(|file| file.name.strip_suffix(extension) == Some(name))
    };
    let base = base_name(&case.name);
    [case.name.as_str(), base]
        .into_iter()
        .find_map(|name| named(name, ".out").or_else(|| named(name, ".ans")))
        .or_else(|| if cases == 1 { files.first().filter(|_| files.len() == 1) } else { None })
}

fn join<T>(result: thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
