//! A package that is ready: its programs are built, and its limit is known.

use crate::JudgeError;
use crate::check::Checker;
use crate::grader::Grader;
use crate::run::{OverOutput, RunSettings};
use crate::static_check::StaticValidator;
use crate::time_limit::TimeLimit;
use judging_steps::{Item, Kind, Plan};
use languages::SourceFile;
use model::{Bytes, Caveat, Clock, Nanos};
use package::scoring::ErrorChoice;
use package::{JurySubmission, Package, Step};
use ruling::TimeRule;
use sandbox::Counter;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct JudgeOptions {
    /// Run every case, even after one that decides.
    pub all: bool,
    /// Run only these cases, by name; empty means all.
    pub cases: Vec<String>,
    /// Use this limit instead of the package's.
    pub time_limit: Option<Nanos>,
    /// A limit that was derived earlier on this machine, for a package that specifies none.
    pub stored_limit: Option<TimeLimit>,
    /// Keep outputs for the observer and the caller.
    pub keep_outputs: bool,
    /// Hash each submission's files and the program built from them.
    pub hash_programs: bool,
    /// K, in thousandths of the limit; replaces [`ruling::RuleNumbers::kill_permille`].
    pub kill_permille: Option<u32>,
    /// Which of several errors is the verdict of a pass-fail problem; replaces the package's choice.
    pub error: Option<ErrorChoice>,
    /// What happens to a run that exceeds its output limit.
    pub over_output: OverOutput,
    /// How long repeats of a submission may wait for a calm core; replaces [`ruling::RuleNumbers::patience`].
    pub patience: Option<Nanos>,
    /// Let one run decide each case.
    pub quick: bool,
    /// Derive the limit also from submissions that should be accepted and are not, so that a package can be tried whose output validator
    /// is wrong. Contestants must not be judged by such a limit.
    pub tolerates_rejected: bool,
    /// The wall-time limit, in place of the one derived from the limit.
    pub wall_limit: Option<Nanos>,
    /// How instructions are counted, where these are the clock; `None` for CPU time.
    pub counted: Option<CountedBy>,
}

/// How instructions are counted and told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBy {
    pub counter: Counter,
    /// How many instructions are a nanosecond of nominal time.
    pub per_nanosecond: u32,
}

impl CountedBy {
    pub fn clock(&self) -> Clock {
        Clock::Instructions { per_nanosecond: self.per_nanosecond }
    }
}

impl JudgeOptions {
    pub fn clock(&self) -> Clock {
        self.counted.as_ref().map_or(Clock::CpuTime, CountedBy::clock)
    }
}

#[derive(Clone, Debug, Default)]
pub struct SubmissionSource {
    pub name: String,
    pub files: Vec<SourceFile>,
    pub language: Option<String>,
    /// Its main file or class, if known.
    pub entry_point: Option<String>,
    /// Run every case of it, even after one that decides.
    pub all_cases: bool,
    /// A root file system tree in which it is compiled and runs, instead of the station's.
    pub root: Option<PathBuf>,
}

/// A package and its built programs. It is shared by judgings, places and threads, and holds nothing of a single
/// judgement.
#[derive(Debug)]
pub(crate) struct Programs {
    pub package: Arc<Package>,
    pub checker: Checker,
    pub static_validator: Option<StaticValidator>,
    pub grader: Option<Grader>,
    /// Whether timed runs share their CPUs with others'.
    pub is_on_shared_cpus: bool,
}

/// A package that is ready for judging submissions: its programs are built, its limit is known. It is shared by
/// judgings, places and threads, and holds nothing of a single judgement.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) programs: Arc<Programs>,
    pub(crate) options: JudgeOptions,
    pub(crate) settings: RunSettings,
    pub(crate) limit: TimeLimit,
    pub(crate) warnings: Vec<String>,
    pub(crate) is_from_rejected: bool,
}

impl Problem {
    pub(crate) fn with_limit(programs: Arc<Programs>, options: JudgeOptions, limit: TimeLimit) -> Self {
        let rule = TimeRule { quick: options.quick, wall: options.wall_limit, ..TimeRule::new(limit.limit) };
        let rule = match (options.kill_permille, options.clock()) {
            (_, Clock::Instructions { per_nanosecond }) => rule.by_instructions(per_nanosecond),
            (Some(permille), Clock::CpuTime) => rule.with_kill_factor(permille),
            (None, Clock::CpuTime) => rule,
        };
        Self::with_rule(programs, options, limit, rule)
    }

    pub(crate) fn with_rule(
        programs: Arc<Programs>,
        options: JudgeOptions,
        limit: TimeLimit,
        rule: TimeRule,
    ) -> Self {
        let patience = options.patience.unwrap_or(rule.patience);
        let counter = options.counted.as_ref().map(|counted| counted.counter.clone());
        let settings = RunSettings {
            rule: TimeRule { patience, ..rule },
            limits: programs.package.limits,
            allow_file_writing: programs.package.allow_file_writing,
            over_output: options.over_output,
            counter,
        };
        Self { programs, options, settings, limit, warnings: Vec::new(), is_from_rejected: false }
    }

    pub fn with_time_limit(&self, limit: TimeLimit) -> Self {
        let made = Self::with_limit(Arc::clone(&self.programs), self.options.clone(), limit);
        Self { warnings: self.warnings.clone(), ..made }
    }

    pub fn package(&self) -> &Package {
        &self.programs.package
    }

    /// Returns what counts instructions, as records name it, if these are the clock.
    pub fn counter(&self) -> Option<String> {
        self.options.counted.as_ref().map(|counted| counted.counter.to_string())
    }

    pub fn time_limit(&self) -> &TimeLimit {
        &self.limit
    }

    /// Returns the warnings about submissions that could not be considered when the limit was derived.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns whether the limit was derived although a submission that should be accepted was not.
    pub fn is_from_rejected(&self) -> bool {
        self.is_from_rejected
    }

    /// Lists what makes verdicts about time weaker.
    pub fn caveats(&self) -> Vec<Caveat> {
        let shared = self.programs.is_on_shared_cpus.then_some(Caveat::SharedCpu);
        shared.into_iter().chain(self.rule().quick.then_some(Caveat::OneRun)).collect()
    }

    pub fn rule(&self) -> &TimeRule {
        &self.settings.rule
    }

    /// Reads a submission of the package's jury.
    pub fn jury_source(&self, submission: &JurySubmission) -> Result<SubmissionSource, JudgeError> {
        self.programs.jury_source(submission)
    }

    fn selected(&self) -> impl Iterator<Item = Step<'_>> {
        let wanted = &self.options.cases;
        let steps = self.package().steps().into_iter();
        steps.filter(|step| wanted.is_empty() || wanted.iter().any(|name| name == step.name()))
    }

    /// Lists the items to judge, in judging order; sources are included only if there is a validator for them.
    pub(crate) fn steps(&self) -> Vec<Step<'_>> {
        let has_validator = self.programs.static_validator.is_some() && !self.package().kind.submit_answer;
        self.selected().filter(|step| has_validator || matches!(step, Step::Case(_))).collect()
    }

    pub(crate) fn kind(&self) -> Kind {
        let kind = &self.package().kind;
        match (&self.programs.checker, kind.submit_answer, kind.interactive) {
            (_, true, _) => Kind::Answers,
            (Checker::Custom { .. }, _, true) => Kind::Conversation,
            _ if kind.interactive || kind.multi_pass.is_some() => Kind::Passes,
            _ => Kind::Simple,
        }
    }

    pub(crate) fn plan(&self, items: Vec<Item>) -> Plan {
        let rule = self.settings.rule;
        let repeats = rule.repeats_allowed(self.selected().count());
        Plan { kind: self.kind(), items, rule, repeats, overlaps: self.programs.grader.is_none() }
    }
}

impl Programs {
    pub fn jury_source(&self, submission: &JurySubmission) -> Result<SubmissionSource, JudgeError> {
        let mut files = Vec::with_capacity(submission.files.len());
        let mut room = code_max(&self.package, submission.files.len()).0;
        for file in &submission.files {
            // One byte over the limit is enough to reject it.
            let mut bytes = Vec::new();
            let read = File::open(&file.path).and_then(|file| file.take(room + 1).read_to_end(&mut bytes));
            let length = read.map_err(JudgeError::file("read", &file.path))?;
            room = room.saturating_sub(length as u64);
            // Only jury submissions: elsewhere the same words have no special meaning.
            let name = file.name.to_string_lossy().into_owned();
            let bytes = self.package.put_constants_in(&name, bytes)?;
            files.push(SourceFile { name, bytes });
        }
        Ok(SubmissionSource {
            name: submission.name.clone(),
            files,
            language: submission.language_hint.clone(),
            entry_point: submission.entry_point_hint.clone(),
            all_cases: submission.expectation.needs_all_cases(),
            root: None,
        })
    }
}

/// Returns the total size limit for this many files of a submission. Answers are not code; each of them counts as an
/// output.
pub(crate) fn code_max(package: &Package, files: usize) -> Bytes {
    match package.kind.submit_answer {
        true => Bytes(package.limits.output.0.saturating_mul(files as u64)),
        false => package.limits.code,
    }
}
