//! Which submissions are judged on which cases.

use super::left_out;
use crate::arguments::JudgeArguments;
use anyhow::Context;
use documents::NotJudged;
use judge::{JudgeError, Problem, SubmissionSource};
use languages::{FILES_MAX, Languages, SourceFile};
use model::Bytes;
use package::{Expectation, JurySubmission, Package, PackageError, Step};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use terminal::failure::{because, cannot, input, input_with_hint, near};
use walkdir::WalkDir;

/// Submissions have fewer levels of folders than this.
const DEPTH_MAX: usize = 32;

#[derive(Debug)]
pub struct Item<'p> {
    name: String,
    jury: Option<&'p JurySubmission>,
    source: Option<SubmissionSource>,
    expectation: Option<&'p Expectation>,
}

impl<'p> Item<'p> {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its expectation for the selected cases.
    pub fn expectation(&self) -> Option<&'p Expectation> {
        self.expectation
    }

    pub fn jury(&self) -> Option<&'p JurySubmission> {
        self.jury.filter(|_| self.source.is_none())
    }

    /// Reads its files, if that was not done before.
    pub fn source(&self, problem: &Problem) -> Result<SubmissionSource, JudgeError> {
        match (&self.source, self.jury) {
            (Some(source), _) => Ok(source.clone()),
            (None, Some(jury)) => problem.jury_source(jury),
            (None, None) => unreachable!("an item is the jury's or was read"),
        }
    }
}

/// Describes an argument in the package's position that cannot be a package; if the arguments are swapped, states the
/// right order.
pub fn not_a_package(
    arguments: &JudgeArguments,
    problem: &Path,
    error: &PackageError,
) -> Option<anyhow::Error> {
    let is_package =
        |path: &Path| path.join("problem.yaml").is_file() || path.is_file() && has_ending(path, &["zip"]);
    let swapped =
        arguments.submissions.iter().find(|path| is_package(path)).filter(|_| is_other_file(problem));
    match swapped {
        Some(package) => Some(input_with_hint(
            format!("{}; the arguments seem swapped", OtherFile(problem)),
            format!("tauto judge {} {}", package.display(), problem.display()),
        )),
        None => no_package(problem, error),
    }
}

struct OtherFile<'p>(&'p Path);

impl std::fmt::Display for OtherFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is no problem package, which is a folder or a ZIP archive", self.0.display())
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|end| endings.iter().any(|known| end.eq_ignore_ascii_case(known)))
}

fn is_other_file(path: &Path) -> bool {
    path.is_file() && !has_ending(path, &["zip"])
}

/// Describes a path that is no package, with what is meant by it: `None` if it may be one, and the error is of its content.
pub fn no_package(path: &Path, error: &PackageError) -> Option<anyhow::Error> {
    let shown = path.display();
    let name = path.file_name().unwrap_or_default();
    if is_other_file(path) {
        let hint = match path.parent() {
            Some(folder) if name == "problem.yaml" => {
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                format!("name the folder that it is in: {}", folder.display())
            }
            _ if has_ending(path, &["tar", "gz", "tgz", "xz", "bz2", "zst"]) => {
                format!("unpack it, and name its folder: tar xf {shown}")
            }
            _ => "the package comes first, then the submissions: tauto judge PROBLEM FILE".to_owned(),
        };
        return Some(input_with_hint(OtherFile(path).to_string(), hint));
    }
    let has_none = matches!(error, PackageError::Invalid(wrong) if wrong.place.file == "problem.yaml" && wrong.problem.starts_with("is missing"));
    if !has_none {
        return None;
    }
    let message = format!("{shown} is no problem package: it has no problem.yaml");
    let hint = match inner_package(path) {
        _ if !path.is_dir() => "pack the folder that has problem.yaml, with nothing around it".to_owned(),
        Some(inner) => format!("did you mean {}?", inner.display()),
        None if path.join("contest.yaml").exists() => {
            format!("it is a contest: tauto contest import {shown}")
        }
        None => {
            "add a problem.yaml with at least 'name:', or make a package: tauto problem new NAME".to_owned()
        }
    };
    Some(input_with_hint(message, hint))
}

/// Returns the first package in a folder, by name.
fn inner_package(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.filter(|path| path.join("problem.yaml").is_file()).min()
}

/// Lists the submissions to judge: the given ones, otherwise the package's; and the given ones that cannot be judged
/// because they cannot be read, are empty, too large, or in no known language.
pub fn items<'p>(
    arguments: &JudgeArguments,
    package: &'p Package,
    languages: &Languages,
) -> anyhow::Result<(Vec<Item<'p>>, Vec<NotJudged>)> {
    if let Some(id) = &arguments.language {
        languages.named(id)?;
    }
    // If cases are skipped, an expectation about all of them cannot be checked.
    let all_cases = arguments.tests.is_empty();
    let expectation = |jury: &'p JurySubmission| all_cases.then_some(&jury.expectation);
    if arguments.submissions.is_empty() {
        if package.submissions.is_empty() {
            return Err(input_with_hint(
                "the package has no submissions",
                "name files or folders to judge after it",
            ));
        }
        let all = package.submissions.iter();
        let item = |jury: &'p JurySubmission| Item {
            name: jury.name.clone(),
            jury: Some(jury),
            source: None,
            expectation: expectation(jury),
        };
        return Ok((all.map(item).collect(), Vec::new()));
    }
    let mut items = Vec::with_capacity(arguments.submissions.len());
    let mut left_out = Vec::new();
    for path in &arguments.submissions {
        match given(path, arguments.language.as_deref(), package, languages) {
            Ok(item) => items.push(Item { expectation: item.jury.and_then(expectation), ..item }),
            // If there is only one, there is nothing to continue with.
            Err(error) if arguments.submissions.len() == 1 => return Err(error),
            Err(error) => left_out.push(left_out::unusable(path.display().to_string(), &error)),
        }
    }
    if items.is_empty() { Err(left_out::none_usable(&left_out)) } else { Ok((items, left_out)) }
}

/// Finds out what a path on the command line means; it has no expectation yet.
fn given<'p>(
    path: &Path,
    language: Option<&str>,
    package: &'p Package,
    languages: &Languages,
) -> anyhow::Result<Item<'p>> {
    let real = path.canonicalize().with_context(|| cannot("open the submission", path))?;
    let jury = package.submissions.iter().find(|jury| jury.path == real);
    let source = match jury {
        Some(_) if language.is_none() => None,
        _ => Some(read(path, &real, language, package, languages)?),
    };
    let name = jury.map_or_else(|| path.display().to_string(), |jury| jury.name.clone());
    Ok(Item { name, jury, source, expectation: None })
}

/// Reads a file, or all files of a folder, as one submission.
fn read(
    path: &Path,
    real: &Path,
    language: Option<&str>,
    package: &Package,
    languages: &Languages,
) -> anyhow::Result<SubmissionSource> {
    let found = if real.is_dir() { list(path, real)? } else { vec![single(path, real)?] };
    if found.is_empty() {
        return Err(input(format!("the submission {} is empty", path.display())));
    }
    if found.len() > FILES_MAX {
        return Err(input(format!(
            "the submission {} has {} files, at most {FILES_MAX} are allowed",
            path.display(),
            found.len()
        )));
    }
    let size = Bytes(found.iter().map(|(_, _, data)| data.len()).sum());
    // Answers are not code; each of them counts as an output.
    let (limit, of_what) = if package.kind.submit_answer {
        (Bytes(package.limits.output.0.saturating_mul(found.len() as u64)), "output")
    } else {
        (package.limits.code, "code")
    };
    if size > limit {
        return Err(input(format!(
            "the submission {} has {size}, but the problem's limit on {of_what} is {limit}",
            path.display()
        )));
    }
    let mut files = Vec::with_capacity(found.len());
    for (name, at, _) in found {
        let bytes = fs::read(&at).with_context(|| cannot("read", &at))?;
        files.push(SourceFile::from_os(name.as_os_str(), bytes)?);
    }
    if files.iter().all(|file| file.bytes.is_empty()) {
        return Err(input(format!("the submission {} is empty", path.display())));
    }
    if language.is_none() && !package.kind.submit_answer {
        languages.detect(&files).with_context(|| format!("cannot judge {}", path.display()))?;
    }
    Ok(SubmissionSource {
        name: path.display().to_string(),
        files,
        language: language.map(str::to_owned),
        entry_point: None,
        all_cases: false,
        root: None,
    })
}

/// A file's name in the submission, its real path, and what is known about it before it is read.
type Found = (PathBuf, PathBuf, Metadata);

fn single(path: &Path, real: &Path) -> anyhow::Result<Found> {
    let data = look(real)?;
    if !data.is_file() {
        return Err(input(format!("the submission {} is neither a file nor a folder", path.display())));
    }
    // The given name: a link's own name has the intended extension.
    let name = path.file_name().or(real.file_name()).unwrap_or_default();
    Ok((name.into(), real.to_owned(), data))
}

fn list(path: &Path, real: &Path) -> anyhow::Result<Vec<Found>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(real).max_depth(DEPTH_MAX).sort_by_file_name() {
        let entry =
            entry.with_context(|| because(format!("cannot list the submission {}", path.display())))?;
        if entry.file_type().is_dir() {
            continue;
        }
        let shown = entry.path().display();
        let at = entry.path().canonicalize().with_context(|| because(format!("cannot open {shown}")))?;
        if !at.starts_with(real) {
            return Err(input(format!(
                "{shown} is a link that leads out of the submission; put the file inside"
            )));
        }
        let data = look(&at)?;
        if !data.is_file() {
            return Err(input(format!("{shown} is not a regular file; remove it from the submission")));
        }
        let name = entry.path().strip_prefix(real).unwrap_or(entry.path()).to_owned();
        found.push((name, at, data));
    }
    Ok(found)
}

fn look(path: &Path) -> anyhow::Result<Metadata> {
    fs::metadata(path).with_context(|| because(format!("cannot look at {}", path.display())))
}

/// Lists the cases requested by name or by the name of their group; an empty list means all.
pub fn cases(wanted: &[String], package: &Package) -> anyhow::Result<Vec<String>> {
    let all: Vec<&str> = package.steps().into_iter().map(Step::name).collect();
    choose(wanted, &all)
}

fn choose(wanted: &[String], all: &[&str]) -> anyhow::Result<Vec<String>> {
    let mut chosen = Vec::new();
    for name in wanted {
        let name = name.trim_end_matches('/');
        let inside = |case: &&&str| {
            **case == name || case.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
        };
        let found: Vec<&str> = all.iter().filter(inside).copied().collect();
        if found.is_empty() {
            let near = near(name, all.iter().copied());
            let hint = if near.is_empty() {
                format!(
                    "the package has {} test cases, such as {}",
                    all.len(),
                    all.first().unwrap_or(&"none")
                )
            } else {
                format!("did you mean {}?", near.join(", "))
            };
            return Err(input_with_hint(format!("there is no test case or group '{name}'"), hint));
        }
        chosen.extend(
            found
                .into_iter()
                .filter(|case| !chosen.iter().any(|known| known == case))
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        );
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::failure::Failure;

    const ALL: [&str; 4] = ["sample/1", "secret/a/1", "secret/a/2", "secret/ab"];

    fn chosen(names: &[&str]) -> anyhow::Result<Vec<String>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        choose(&names, &ALL)
    }

    #[test]
    fn cases_are_named_alone_or_by_their_group() {
        assert_eq!(chosen(&[]).unwrap(), [""; 0]);
        assert_eq!(chosen(&["secret/a", "secret/a/2"]).unwrap(), ["secret/a/1", "secret/a/2"]);
        assert_eq!(chosen(&["sample/"]).unwrap(), ["sample/1"]);
    }

    #[test]
    fn an_unknown_case_names_those_that_are_near() {
        let words = Failure::of(&chosen(&["smaple/1"]).unwrap_err()).words();
        assert_eq!(words, "error: there is no test case or group 'smaple/1'\nhint: did you mean sample/1?\n");
    }

    #[test]
    fn links_out_of_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join("a.c"), "int main;").unwrap();
        std::os::unix::fs::symlink("a.c", inside.join("b.c")).unwrap();
        let real = inside.canonicalize().unwrap();
        let names = |found: Vec<Found>| found.into_iter().map(|(name, ..)| name).collect::<Vec<_>>();
        assert_eq!(names(list(&inside, &real).unwrap()), [Path::new("a.c"), Path::new("b.c")]);
        std::os::unix::fs::symlink("/etc/passwd", inside.join("c.c")).unwrap();
        let error = list(&inside, &real).unwrap_err().to_string();
        assert!(
            error.ends_with("c.c is a link that leads out of the submission; put the file inside"),
            "{error}"
        );
    }
}
