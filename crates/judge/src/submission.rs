//! Judging submissions against one package.

use crate::build::{BuildLimits, BuildOutcome};
use crate::check::Checker;
use crate::content_hash::{files_hash, folder_hash};
use crate::grader::Grader;
use crate::judgement::Judgement;
use crate::observer::Observer;
use crate::run::{OverOutput, RunSettings};
use crate::static_check::{StaticSubject, StaticValidator};
use crate::time_limit::{Found, TimeLimit};
use crate::{JudgeError, LimitOrigin, Station};
use model::{Nanos, Verdict};
use package::language::{Entry, Language, Languages, SourceFile};
use package::scoring::ErrorChoice;
use package::{JurySubmission, Package, Step};
use ruling::TimeRule;

/// How submissions are to be judged.
#[derive(Clone, Debug, Default)]
pub struct JudgeOptions {
    /// Run every case, also after one that decides.
    pub all: bool,
    /// Run only these cases, by name; empty means all.
    pub cases: Vec<String>,
    /// Use this limit instead of the package's.
    pub time_limit: Option<Nanos>,
    /// A limit that was derived earlier on this machine, for a package that names none.
    pub stored_limit: Option<TimeLimit>,
    /// Keep outputs for the observer and the caller.
    pub keep_outputs: bool,
    /// Hash each submission's files and the program built from them.
    pub hash_programs: bool,
    /// How many thousandths of the limit a run may take before it is killed, in place of
    /// [`ruling::RuleNumbers::kill_permille`].
    pub kill_permille: Option<u32>,
    /// Which of several errors is the verdict of a pass-fail problem, in place of what the package says.
    pub error: Option<ErrorChoice>,
    /// What happens to a run that writes more than it may.
    pub over_output: OverOutput,
    /// How long repeats of a submission may wait for a calm core, in place of [`ruling::RuleNumbers::patience`].
    pub patience: Option<Nanos>,
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
    static_validator: Option<StaticValidator>,
    grader: Option<Grader>,
    limit: TimeLimit,
    settings: RunSettings,
    warnings: Vec<String>,
}

impl<'a> Judge<'a> {
    /// Builds the package's programs and finds its time limit. Deriving a limit judges submissions;
    /// what came of them is given back, and they need not be judged again.
    ///
    /// # Errors
    /// When one of them does not compile or no limit can be found.
    pub fn open(
        station: &'a Station,
        package: &'a Package,
        options: JudgeOptions,
        observer: &mut dyn Observer,
    ) -> Result<(Self, Vec<Judgement>), JudgeError> {
        let checker = Checker::of(station, package)?;
        let static_validator = StaticValidator::of(station, package)?;
        let grader = Grader::of(station, package)?;
        let limit = TimeLimit { limit: Nanos::ZERO, origin: LimitOrigin::Asked };
        let settings = RunSettings {
            rule: TimeRule::new(Nanos::ZERO),
            limits: package.limits,
            allow_file_writing: package.allow_file_writing,
            over_output: options.over_output,
        };
        let mut judge = Self {
            station,
            package,
            options,
            checker,
            static_validator,
            grader,
            limit,
            settings,
            warnings: Vec::new(),
        };
        let Found { limit, judgements, warnings } = TimeLimit::find(&mut judge, observer)?;
        observer.time_limit(&limit);
        judge.set_limit(limit);
        judge.warnings = warnings;
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

    pub(crate) fn static_validator(&self) -> Option<&StaticValidator> {
        self.static_validator.as_ref()
    }

    pub(crate) fn grader(&self) -> Option<&Grader> {
        self.grader.as_ref()
    }

    pub(crate) fn settings(&self) -> &RunSettings {
        &self.settings
    }

    pub(crate) fn options(&self) -> &JudgeOptions {
        &self.options
    }

    /// Gives the time limit in force.
    pub fn time_limit(&self) -> &TimeLimit {
        &self.limit
    }

    /// Says what could not be taken into account when the limit was derived.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
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
        let rule = TimeRule::new(limit.limit);
        self.set_rule(match self.options.kill_permille {
            Some(permille) => rule.killing_at(permille),
            None => rule,
        });
        self.limit = limit;
    }

    pub(crate) fn set_rule(&mut self, rule: TimeRule) {
        let patience = self.options.patience.unwrap_or(rule.patience);
        self.settings.rule = TimeRule { patience, ..rule };
    }

    /// Reads a submission of the package's jury.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn jury_source(&self, submission: &JurySubmission) -> Result<SubmissionSource, JudgeError> {
        let mut files = Vec::with_capacity(submission.files.len());
        for file in &submission.files {
            let bytes = std::fs::read(&file.path).map_err(JudgeError::file("read", &file.path))?;
            // Handed in by somebody else, the same words would mean themselves.
            let bytes = self.package.put_constants_in(bytes);
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
        observer.submission_begins(&source.name, self.selected_steps().len());
        let mut judgement = if self.package.kind.submit_answer {
            self.judge_answers(source, observer)?
        } else {
            self.judge_program(source, observer)?
        };
        if self.options.hash_programs {
            judgement.source_hash = Some(files_hash(&source.files));
        }
        observer.submission_done(&judgement);
        Ok(judgement)
    }

    /// Lists what is to be judged, in judging order.
    pub(crate) fn selected_steps(&self) -> Vec<Step<'a>> {
        let wanted = &self.options.cases;
        let all = self.package.steps().into_iter();
        all.filter(|step| wanted.is_empty() || wanted.iter().any(|name| name == step.name())).collect()
    }

    fn judge_program(
        &self,
        source: &SubmissionSource,
        observer: &mut dyn Observer,
    ) -> Result<Judgement, JudgeError> {
        let languages = self.station.languages();
        let found = match source.language.as_deref() {
            Some(id) => languages.named(id),
            None => languages.detect(&source.files),
        };
        let language = match found {
            Ok(language) => language,
            Err(error) => return Ok(Judgement::compile_error(source, None, error.to_string())),
        };
        let id = Some(language.id.clone());
        if let Some(allowed) = &self.package.languages
            && !allows(allowed, language, languages)
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
        let included = self.included_names(language.family());
        let files = self.with_includes(source, language.family())?;
        let entry = Entry { main: source.entry_point.clone(), included };
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
        let is_seen = self.static_validator.is_some() || self.checker.sees_submission(self.package);
        let subject = if is_seen { Some(StaticSubject::new(&files, &built, &language.id)?) } else { None };
        let program_hash = match self.options.hash_programs {
            true => Some(folder_hash(built.folder(), self.station.stop())?),
            false => None,
        };
        let done = self.run_cases(source, &built, subject.as_ref(), observer)?;
        let judgement = self.total(source, done)?;
        Ok(Judgement { language: id, compilation: Some(compilation), program_hash, ..judgement })
    }

    /// Puts the package's own files over the submission's, as the formats ask.
    fn with_includes(
        &self,
        source: &SubmissionSource,
        language: &str,
    ) -> Result<Vec<SourceFile>, JudgeError> {
        let mut files = source.files.clone();
        let includes = self.package.includes.for_language(language);
        for (include, name) in includes.iter().zip(self.included_names(language)) {
            files.retain(|file| file.name != name);
            files.push(SourceFile { name, bytes: self.package.source_bytes(include)? });
        }
        Ok(files)
    }

    fn included_names(&self, language: &str) -> Vec<String> {
        let includes = self.package.includes.for_language(language);
        includes.iter().map(|file| file.name.to_string_lossy().into_owned()).collect()
    }
}

/// Says whether a package's list of codes names a language or the one of which it is a variant.
fn allows(codes: &[String], language: &Language, languages: &Languages) -> bool {
    codes.iter().any(|code| {
        let id = languages.get(code).map_or(code.as_str(), |known| known.id.as_str());
        id == language.id || id == language.family()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_allows_languages_by_any_code_and_with_their_variants() {
        let languages = Languages::builtin();
        for (codes, id, is_allowed) in [
            (&["python3"][..], "python3", true),
            (&["python3"], "pypy3", true),
            (&["pypy3"], "python3", false),
            (&["c", "py3"], "python3", true),
            (&["c", "cobol"], "python3", false),
        ] {
            let codes: Vec<String> = codes.iter().map(|code| (*code).to_owned()).collect();
            assert_eq!(allows(&codes, languages.get(id).unwrap(), &languages), is_allowed, "{codes:?} {id}");
        }
    }
}
