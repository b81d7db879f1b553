//! Turns a submission's files into the commands that build and run it.

use super::jvm::simple_name;
use super::language::{EntryRule, MainClass, MainFile};
use super::source::{SourceFile, check_files};
use super::template::{self, Values};
use super::{Language, LanguageError};
use crate::SeccompClass;
use model::{Bytes, Limits};
use std::path::PathBuf;

/// Names of main files, in any language; the second is Python's.
const MAIN_STEMS: [&str; 2] = ["main", "__main__"];
/// Python's name for the file that makes a folder a package; it is started only if nothing else can be.
const MODULE_STEM: &str = "__init__";

/// What is known about the entry point beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// A file or a class, depending on the language; `None` if it has to be found.
    pub main: Option<String>,
    /// Names of the files that the problem adds to every submission. One of them is started only if it is a driver,
    /// which has the name of a main file or main class, or if nothing of the submission can be started.
    pub included: Vec<String>,
}

/// How one submission is built and run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildPlan {
    /// Commands to run in order in the program's folder; empty when nothing is to be compiled.
    pub compile: Vec<Vec<String>>,
    pub run: Vec<String>,
    /// The file or class that is started, where the language has one.
    pub entry_point: Option<String>,
    /// Variables to set while compiling and running, sorted by name.
    pub environment: Vec<(String, String)>,
    /// Paths of the machine to mount read-only, in addition to the default ones, where they exist.
    pub mounts: Vec<PathBuf>,
    /// Which system calls a run may make; compile commands always have [`SeccompClass::Compiler`].
    pub seccomp: SeccompClass,
    /// Processes and threads that the language itself needs in a run.
    pub processes: u32,
    pub compile_limits: Limits,
}

impl Language {
    /// Plans how files in this language are built and run. The same arguments lead to the same plan.
    ///
    /// # Errors
    ///
    /// When a name is unusable, no file is in this language, or the entry point does not exist; all of them are the
    /// submission's fault.
    pub fn prepare(
        &self,
        files: &[SourceFile],
        entry: Entry,
        memory_limit: Bytes,
    ) -> Result<BuildPlan, LanguageError> {
        check_files(files)?;
        let sources = self.sources(files)?;
        let names: Vec<&str> = sources.iter().map(|file| file.name.as_str()).collect();
        let main = match &self.entry {
            EntryRule::AllFiles => None,
            EntryRule::MainFile(rule) => Some(main_file(self, rule, &sources, entry)?.name.clone()),
            EntryRule::MainClass(rule) => Some(match entry.main {
                Some(class) => checked_class(class)?,
                None => main_class(self, rule, &sources, &entry.included)?,
            }),
        };
        let by_class = matches!(self.entry, EntryRule::MainClass(_));
        let memory_mib = memory_limit.0 >> 20;
        let values = Values {
            files: &names,
            main_file: main.as_deref().filter(|_| !by_class),
            main_class: main.as_deref().filter(|_| by_class),
            memory_mib,
            heap_mib: self.heap.map_or(memory_mib, |heap| heap.size_mib(memory_mib)),
        };
        let run = run_template(self, &sources, values.main_file);
        Ok(BuildPlan {
            compile: self.compile.iter().flat_map(|step| template::commands(step, &values)).collect(),
            run: template::command(run, &values, None),
            environment: self
                .environment
                .iter()
                .map(|(name, value)| (name.clone(), template::expand(value, &values, None)))
                .collect(),
            mounts: self.mounts.clone(),
            seccomp: self.seccomp,
            processes: self.processes,
            compile_limits: self.compile_limits.to_limits(),
            entry_point: main,
        })
    }

    /// Lists the source files in name order, so that the order of sending does not matter.
    fn sources<'f>(&self, files: &'f [SourceFile]) -> Result<Vec<&'f SourceFile>, LanguageError> {
        let mut sources: Vec<&SourceFile> = files
            .iter()
            .filter(|file| self.all_extensions().any(|extension| extension == file.extension()))
            .collect();
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        if sources.is_empty() {
            let extensions: Vec<_> = self.all_extensions().map(String::as_str).collect();
            return Err(LanguageError::NoSource {
                language: self.name.clone(),
                expected: dotted(extensions.into_iter()),
            });
        }
        Ok(sources)
    }
}

/// Prints extensions as `.c, .h`.
pub(super) fn dotted<'e>(extensions: impl Iterator<Item = &'e str>) -> String {
    extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
}

fn run_template<'d>(language: &'d Language, sources: &[&SourceFile], main: Option<&str>) -> &'d [String] {
    let is_read = |file: &&&SourceFile| main.is_none_or(|main| file.name == main);
    for variant in &language.variants {
        let marked = sources
            .iter()
            .filter(is_read)
            .any(|file| language.syntax.contains(&language.syntax.words(&file.text()), &variant.mark));
        if marked {
            return &variant.run;
        }
    }
    &language.run
}

/// Chooses the main file: the requested one; the problem's driver; among the submission's own files, or else among all,
/// the only candidate, the one named `main`, the first that contains a mark of main files, the first by name.
fn main_file<'f>(
    language: &Language,
    rule: &MainFile,
    sources: &[&'f SourceFile],
    entry: Entry,
) -> Result<&'f SourceFile, LanguageError> {
    if let Some(main) = entry.main {
        return asked_file(sources, main);
    }
    let possible = |file: &&&SourceFile| {
        let right_extension = rule.extensions.is_empty()
            || rule.extensions.iter().any(|extension| extension == file.extension());
        right_extension && !rule.not_beside.as_ref().is_some_and(|other| has_sibling(sources, file, other))
    };
    let mut candidates: Vec<&SourceFile> = sources.iter().filter(possible).copied().collect();
    if candidates.is_empty() {
        candidates = sources.to_vec();
    }
    // A file in a higher folder is more likely the program; `sources` is already in name order.
    candidates.sort_by_key(|file| (file.name.matches('/').count(), file.stem() == MODULE_STEM));
    let (included, own): (Vec<&SourceFile>, Vec<&SourceFile>) =
        candidates.into_iter().partition(|file| entry.included.contains(&file.name));
    let named = |files: &[&'f SourceFile]| {
        let of_name = |stem: &&str| files.iter().find(|file| file.stem().eq_ignore_ascii_case(stem)).copied();
        MAIN_STEMS.iter().find_map(of_name)
    };
    let marked = |files: &[&'f SourceFile]| {
        let holds_mark = |file: &&&SourceFile| {
            let words = language.syntax.words(&file.text());
            rule.marks.iter().any(|mark| language.syntax.contains(&words, mark))
        };
        files.iter().find(holds_mark).copied()
    };
    let top: Vec<&SourceFile> = included.iter().filter(|file| !file.name.contains('/')).copied().collect();
    named(&top)
        .or_else(|| named(&own))
        .or_else(|| marked(&own))
        .or_else(|| marked(&included))
        .or(own.first().or(included.first()).copied())
        .ok_or(LanguageError::Empty)
}

/// Chooses the main class: the problem's driver, which has the default name; one in the submission's own files; any
/// other.
fn main_class(
    language: &Language,
    rule: &MainClass,
    sources: &[&SourceFile],
    included: &[String],
) -> Result<String, LanguageError> {
    let find =
        |files: &[&SourceFile]| rule.rules.main_class(&language.name, &language.syntax, files, &rule.default);
    let (added, own): (Vec<&SourceFile>, Vec<&SourceFile>) =
        sources.iter().copied().partition(|file| included.contains(&file.name));
    let driver = find(&added).ok().filter(|class| simple_name(class) == rule.default);
    driver.or_else(|| find(&own).ok()).map_or_else(|| find(sources), Ok)
}

fn asked_file<'f>(sources: &[&'f SourceFile], main: String) -> Result<&'f SourceFile, LanguageError> {
    let by_name = sources.iter().find(|file| file.name == main);
    // Packages name entry points by base name even if the file is in a folder.
    let by_base = || {
        let mut fitting = sources.iter().filter(|file| file.name.rsplit('/').next() == Some(main.as_str()));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    by_name.or_else(by_base).copied().ok_or_else(|| LanguageError::MainNotFound {
        files: sources.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(", "),
        main,
    })
}

fn has_sibling(sources: &[&SourceFile], file: &SourceFile, extension: &str) -> bool {
    file.name.rsplit_once('.').is_some_and(|(path, _)| {
        sources.iter().any(|other| other.name.rsplit_once('.') == Some((path, extension)))
    })
}

/// Accepts only possible class names: anything else could be an option of the runtime.
fn checked_class(main: String) -> Result<String, LanguageError> {
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    if main.split('.').all(is_part) { Ok(main) } else { Err(LanguageError::NotAClassName { main }) }
}

#[cfg(test)]
mod tests;
