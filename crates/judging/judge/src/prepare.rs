//! Prepares a submission's files for running or checking.

use crate::build::{BuildLimits, BuildOutcome, Built, Compilation};
use crate::content_hash::folder_hash;
use crate::problem::{Problem, SubmissionSource, code_max};
use crate::subject::StaticSubject;
use crate::{Helper, JudgeError};
use languages::{Entry, Language, Languages, SourceFile, check_names};
use package::{Package, TestCase};
use rustix::fd::OwnedFd;

#[derive(Debug)]
pub(crate) enum Prepared {
    Ready(Box<Ready>),
    /// It does not compile, or may not be judged.
    Refused {
        language: Option<String>,
        compilation: Box<Compilation>,
    },
}

#[derive(Debug)]
pub(crate) struct Ready {
    /// The program; `None` if answers were handed in.
    pub built: Option<Built>,
    /// Its files as validators see them, if one needs them.
    pub subject: Option<StaticSubject>,
    pub compilation: Option<Compilation>,
    pub language: Option<String>,
    /// By how many per cent counts of the same program differ, where instructions are counted and do.
    pub count_spread: Option<f64>,
    pub program_hash: Option<String>,
}

fn refused(language: Option<String>, why: String) -> Prepared {
    let compilation = Compilation { failure: Some(why), ..Compilation::default() };
    Prepared::Refused { language, compilation: Box::new(compilation) }
}

pub(crate) fn compile(
    problem: &Problem,
    source: &SubmissionSource,
    (languages, stop): (&Languages, Option<&OwnedFd>),
    helper: &Helper,
) -> Result<Prepared, JudgeError> {
    let package = problem.package();
    let found = match source.language.as_deref() {
        Some(id) => languages.named(id),
        None => languages.detect(&source.files),
    };
    let language = match found {
        Ok(language) => language,
        Err(error) => return Ok(refused(None, error.to_string())),
    };
    let adopted;
    let source = match source.language {
        // Where the language is known, names of files do not decide.
        Some(_) => {
            let (files, entry_point) = language.adopt(source.files.clone(), source.entry_point.clone());
            adopted = SubmissionSource { files, entry_point, ..source.clone() };
            &adopted
        }
        None => source,
    };
    let id = Some(language.id.clone());
    if let Some(allowed) = &package.languages
        && !allows(allowed, language, languages)
    {
        let why = format!("{} is not allowed for this problem; use {}", language.name, allowed.join(", "));
        return Ok(refused(id, why));
    }
    if let Some(why) = too_large(package, source) {
        return Ok(refused(id, why));
    }
    let limits = BuildLimits {
        time: package.limits.compilation_time,
        memory: package.limits.compilation_memory,
        program_memory: package.limits.memory,
    };
    let count_spread = language.count_spread_percent().filter(|_| problem.options.counted.is_some());
    let as_counted;
    let language = match problem.options.counted {
        Some(_) => {
            as_counted = language.counted().map_err(JudgeError::NotCounted)?;
            &as_counted
        }
        None => language,
    };
    let included = included_names(package, language.family());
    let files = with_includes(package, source, language.family())?;
    let entry = Entry { main: source.entry_point.clone(), included };
    let (built, compilation) = match helper.build(language, &files, entry, &limits)? {
        BuildOutcome::Built(built, compilation) => (built, compilation),
        BuildOutcome::Failed(compilation) => {
            return Ok(Prepared::Refused { language: id, compilation: Box::new(compilation) });
        }
    };
    let programs = &problem.programs;
    let is_seen = programs.static_validator.is_some() || programs.checker.sees_submission(package);
    let subject = if is_seen { Some(StaticSubject::new(&files, &built, &language.id)?) } else { None };
    let program_hash = match problem.options.hash_programs {
        true => Some(folder_hash(built.folder(), stop)?),
        false => None,
    };
    let (built, compilation) = (Some(built), Some(compilation));
    let ready = Ready { built, subject, compilation, language: id, count_spread, program_hash };
    Ok(Prepared::Ready(Box::new(ready)))
}

fn too_large(package: &Package, source: &SubmissionSource) -> Option<String> {
    let size: usize = source.files.iter().map(|file| file.bytes.len()).sum();
    let limit = code_max(package, source.files.len());
    let of_what = if package.kind.submit_answer { "output" } else { "code" };
    (size as u64 > limit.0).then(|| format!("its files have more than the limit on {of_what}, {limit}"))
}

/// Checks whether answers that were handed in can be taken as files.
pub(crate) fn take_answers(problem: &Problem, source: &SubmissionSource) -> Result<Prepared, JudgeError> {
    if let Err(error) = check_names(&source.files) {
        return Ok(refused(None, error.to_string()));
    }
    if let Some(why) = too_large(problem.package(), source) {
        return Ok(refused(None, why));
    }
    let subject = match problem.programs.checker.sees_submission(problem.package()) {
        true => Some(StaticSubject::of_files(&source.files)?),
        false => None,
    };
    let (built, compilation, language, count_spread, program_hash) = Default::default();
    let ready = Ready { built, subject, compilation, language, count_spread, program_hash };
    Ok(Prepared::Ready(Box::new(ready)))
}

pub(crate) fn base_name(case: &str) -> &str {
    case.rsplit('/').next().unwrap_or(case)
}

/// Finds the answer to one of several cases: `NAME.out` or `NAME.ans` for the case `.../NAME`, or the only file for the
/// only case.
pub(crate) fn answer_for<'f>(
    case: &TestCase,
    cases: usize,
    files: &'f [SourceFile],
) -> Option<&'f SourceFile> {
    let named = |name: &str, extension: &str| {
        files.iter().find(|file| file.name.strip_suffix(extension) == Some(name))
    };
    let base = base_name(&case.name);
    [case.name.as_str(), base]
        .into_iter()
        .find_map(|name| named(name, ".out").or_else(|| named(name, ".ans")))
        .or_else(|| if cases == 1 { files.first().filter(|_| files.len() == 1) } else { None })
}

/// Copies the package's own files over the submission's, as the formats require.
fn with_includes(
    package: &Package,
    source: &SubmissionSource,
    language: &str,
) -> Result<Vec<SourceFile>, JudgeError> {
    let mut files = source.files.clone();
    let includes = package.includes.for_language(language);
    for (include, name) in includes.iter().zip(included_names(package, language)) {
        files.retain(|file| file.name != name);
        files.push(SourceFile { name, bytes: package.source_bytes(include)? });
    }
    Ok(files)
}

fn included_names(package: &Package, language: &str) -> Vec<String> {
    let includes = package.includes.for_language(language);
    includes.iter().map(|file| file.name.to_string_lossy().into_owned()).collect()
}

/// Returns whether a package's list of codes names a language, or the language of which it is a variant.
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
