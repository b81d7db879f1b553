//! One language, parsed from its YAML file and checked.

use super::LanguageError;
use super::counts::{Counted, Counts};
use super::template::{self, PROGRAM_FOLDER};
use super::words::Syntax;
use model::{Bytes, Limits, Nanos};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A language, as its YAML file defines it; docs/languages.md explains each field.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The file in which it is defined, or `builtin:ID`; for messages.
    #[serde(skip)]
    pub file: String,
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub(super) variant_of: Option<String>,
    #[serde(default)]
    pub(super) gone: Option<String>,
    #[serde(default)]
    pub extensions: Vec<String>,
    #[serde(default)]
    pub(super) companions: Vec<String>,
    #[serde(default)]
    pub(super) shared: Option<Shared>,
    #[serde(default)]
    pub(super) syntax: Syntax,
    #[serde(default)]
    pub(super) entry: EntryRule,
    #[serde(default)]
    pub compile: Vec<Vec<String>>,
    pub run: Vec<String>,
    #[serde(default)]
    pub(super) variants: Vec<Variant>,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    pub(super) version: Probe,
    #[serde(default)]
    pub(super) hello: Option<Hello>,
    pub debian: Vec<String>,
    #[serde(default)]
    pub(super) needs: Vec<Vec<PathBuf>>,
    #[serde(default)]
    pub mounts: Vec<PathBuf>,
    #[serde(default)]
    pub tools: Vec<Vec<String>>,
    #[serde(default)]
    pub tools_except: Vec<String>,
    pub(super) seccomp: SeccompClass,
    #[serde(default = "one")]
    pub(super) processes: u32,
    #[serde(default)]
    pub(super) heap: Option<Heap>,
    #[serde(default)]
    pub(super) compile_limits: CompileLimits,
    /// `None` where nothing is known.
    #[serde(default)]
    pub counts: Option<Counts>,
    #[serde(default)]
    pub(super) counted: Counted,
}

/// Extensions that several languages share, and what identifies a file as this language.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Shared {
    pub(super) extensions: Vec<String>,
    /// Interpreters in a `#!` line that identify this language.
    pub(super) interpreters: Vec<String>,
    /// Beginnings of lines that occur only in this language.
    pub(super) line_starts: Vec<String>,
    /// Code that occurs only in this language.
    pub(super) marks: Vec<String>,
    /// Characters of which one ends a program.
    pub(super) ends: Vec<String>,
}

impl Shared {
    /// Returns whether nothing could identify a file as this language.
    fn tells_nothing(&self) -> bool {
        [&self.interpreters, &self.line_starts, &self.marks, &self.ends].into_iter().all(Vec::is_empty)
    }
}

/// How the file or class to start is found.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum EntryRule {
    /// The compiler finds it among all files.
    #[default]
    AllFiles,
    /// One file is passed, which names the others.
    MainFile(MainFile),
    MainClass(MainClass),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct MainFile {
    /// Only files with these extensions qualify; empty means all of the language's.
    pub(super) extensions: Vec<String>,
    /// Code that occurs only in main files.
    pub(super) marks: Vec<String>,
    /// A file does not qualify if one of the same name with this extension exists: then it is a module's body.
    pub(super) not_beside: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MainClass {
    pub(super) rules: JvmLanguage,
    pub(super) default: String,
}

/// Another run command, for main files that contain a mark.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variant {
    pub(super) mark: String,
    pub(super) run: Vec<String>,
}

/// How the installed version is determined.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Probe {
    pub(super) command: Vec<String>,
    #[serde(default)]
    pub(super) after: String,
}

/// A program that prints `Hello` on a line of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hello {
    pub(super) file: String,
    pub(super) source: String,
}

/// How much of the memory limit a runtime's heap may use.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Heap {
    reserve_mib: u64,
    minimum_mib: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CompileLimits {
    cpu_time_s: u32,
    wall_time_s: u32,
    memory_mib: u32,
    processes: u32,
    output_kib: u32,
    file_size_mib: u32,
    box_mib: u32,
    box_files: u32,
}

/// The problem package format calls 60 s and 2048 MiB typical; on a busy machine a compiler may wait for a CPU for as
/// long again.
impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            cpu_time_s: 60,
            wall_time_s: 120,
            memory_mib: 2048,
            processes: 64,
            output_kib: 1024,
            file_size_mib: 256,
            box_mib: 1024,
            box_files: 65_536,
        }
    }
}

impl CompileLimits {
    pub(super) fn to_limits(&self) -> Limits {
        Limits {
            cpu_time: Some(Nanos::from_millis(u64::from(self.cpu_time_s) * 1000)),
            wall_time: Some(Nanos::from_millis(u64::from(self.wall_time_s) * 1000)),
            memory: Some(Bytes::from_mib(self.memory_mib.into())),
            processes: Some(self.processes),
            output: Some(Bytes::from_kib(self.output_kib.into())),
            file_size: Some(Bytes::from_mib(self.file_size_mib.into())),
            box_size: Bytes::from_mib(self.box_mib.into()),
            box_files: self.box_files,
            ..Limits::unlimited()
        }
    }
}

impl Heap {
    /// Returns the heap size with which heap and runtime together stay within the limit.
    pub(super) fn size_mib(self, memory_mib: u64) -> u64 {
        memory_mib.saturating_sub(self.reserve_mib).max(self.minimum_mib)
    }
}

fn one() -> u32 {
    1
}

impl Language {
    /// Reads one definition; `file` is only for messages.
    pub fn parse(file: &str, yaml: &str) -> Result<Self, LanguageError> {
        let language: Self = serde_saphyr::from_str(yaml)
            .map_err(|error| LanguageError::Yaml { file: file.to_owned(), problem: error.to_string() })?;
        match language.first_problem() {
            None => Ok(Self { file: file.to_owned(), ..language }),
            Some((field, problem)) => {
                Err(LanguageError::Definition { file: file.to_owned(), field, problem })
            }
        }
    }

    fn first_problem(&self) -> Option<(String, String)> {
        let found = |field: &str, problem: &str| Some((field.to_owned(), problem.to_owned()));
        let is_id = |id: &str| {
            !id.is_empty()
                && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        if !is_id(&self.id) {
            return found("id", "must be lower-case letters, digits and '_', such as python3");
        }
        if !self.aliases.iter().all(|alias| is_id(alias)) {
            return found("aliases", "must be lower-case letters, digits and '_', such as py3");
        }
        if self.gone.as_ref().is_some_and(|why| why.trim().is_empty()) {
            return found("gone", "is empty; say why, and what to do instead");
        }
        if self.name.trim().is_empty() {
            return found("name", "is empty; give the name that people read");
        }
        if self.all_extensions().next().is_none() {
            return found("extensions", "is empty and so is 'shared'; no file could be in this language");
        }
        let extensions = self.all_extensions().chain(&self.companions);
        if extensions.into_iter().any(|extension| extension.is_empty() || extension.starts_with('.')) {
            return found("extensions", "are written without a dot, such as cpp");
        }
        // A variant is never detected by its files.
        if self.variant_of.is_none() && self.shared.as_ref().is_some_and(Shared::tells_nothing) {
            return found(
                "shared",
                "needs 'interpreters', 'line_starts', 'marks' or 'ends' to tell its files from the other language's",
            );
        }
        if self.variant_of.is_some() && !self.extensions.is_empty() {
            return found(
                "extensions",
                "belong to the language of which this is a variant; give them under 'shared'",
            );
        }
        if self.debian.is_empty() {
            return found("debian", "is empty; name the packages that install it");
        }
        if self.processes == 0 {
            return found("processes", "is 0; a program is one process at least");
        }
        let limits = &self.compile_limits;
        for (field, value) in [
            ("compile_limits.cpu_time_s", limits.cpu_time_s),
            ("compile_limits.wall_time_s", limits.wall_time_s),
            ("compile_limits.memory_mib", limits.memory_mib),
            ("compile_limits.processes", limits.processes),
            ("compile_limits.output_kib", limits.output_kib),
            ("compile_limits.file_size_mib", limits.file_size_mib),
            ("compile_limits.box_mib", limits.box_mib),
            ("compile_limits.box_files", limits.box_files),
        ] {
            if value == 0 {
                return found(field, "is 0, with which nothing compiles; give a larger number");
            }
        }
        if let Some(path) =
            self.mounts.iter().chain(self.needs.iter().flatten()).find(|path| !path.is_absolute())
        {
            return found(
                "mounts and needs",
                &format!("'{}' is not absolute; give it from '/' on", path.display()),
            );
        }
        if self.needs.iter().any(Vec::is_empty) {
            return found("needs", "holds an empty list; each list names files of which one must be there");
        }
        self.tools_problem().or_else(|| self.command_problem()).or_else(|| self.counts_problem())
    }

    fn tools_problem(&self) -> Option<(String, String)> {
        let lists = self.tools.iter().enumerate().map(|(at, one_of)| (format!("tools[{at}]"), one_of));
        for (field, one_of) in lists.chain([("tools_except".to_owned(), &self.tools_except)]) {
            if field.starts_with("tools[") && one_of.is_empty() {
                let problem = "is an empty list; each list names paths of which one must be there".to_owned();
                return Some((field, problem));
            }
            for path in one_of {
                // What is left out may be anywhere below what is named.
                let is_absolute = path.starts_with('/') || (field == "tools_except" && path.starts_with('*'));
                if !is_absolute {
                    return Some((field, format!("'{path}' is not absolute; give it from '/' on")));
                }
                if let Err(error) = glob::Pattern::new(path) {
                    return Some((field, format!("'{path}' is not a pattern: {}", error.msg)));
                }
            }
        }
        let is_vain = self.tools.is_empty() && !self.tools_except.is_empty();
        is_vain.then(|| {
            ("tools_except".to_owned(), "needs 'tools', of which it leaves something out".to_owned())
        })
    }

    fn command_problem(&self) -> Option<(String, String)> {
        let compile = self.compile.iter().enumerate().map(|(at, step)| (format!("compile[{at}]"), step));
        let variants = self
            .variants
            .iter()
            .enumerate()
            .map(|(at, variant)| (format!("variants[{at}].run"), &variant.run));
        let counted = self.counted.run().map(|run| ("counted.run".to_owned(), run));
        for (field, command) in compile.chain([("run".to_owned(), &self.run)]).chain(variants).chain(counted)
        {
            let Some(program) = command.first() else {
                return Some((field, "is empty; give a program and its arguments".to_owned()));
            };
            let own = program == "{binary}" || program.starts_with("{path}/");
            if !own && !program.starts_with('/') {
                return Some((
                    field,
                    format!("'{program}' is not absolute; write /usr/bin/{program} or {{binary}}"),
                ));
            }
            if own && field.starts_with("compile") {
                return Some((
                    field,
                    "runs the submission while compiling; compile with a compiler".to_owned(),
                ));
            }
            for argument in command {
                if let Err(problem) = template::check(argument, self.heap.is_some()) {
                    return Some((field, problem));
                }
            }
            if let Some(problem) = self.entry_problem(command) {
                return Some((field, problem.to_owned()));
            }
        }
        let environment = self.environment.iter().map(|(name, value)| ("environment", name, value));
        let counted = &self.counted.environment;
        let counted = counted.iter().map(|(name, value)| ("counted.environment", name, value));
        for (field, name, value) in environment.chain(counted) {
            let field = format!("{field}.{name}");
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Some((field, "is not a name of an environment variable".to_owned()));
            }
            if let Err(problem) = template::check(value, self.heap.is_some()) {
                return Some((field, problem));
            }
        }
        match self.version.command.first() {
            Some(program) if program.starts_with('/') => None,
            _ => Some(("version.command".to_owned(), "must start with an absolute path".to_owned())),
        }
    }

    fn entry_problem(&self, command: &[String]) -> Option<&'static str> {
        let uses = |name| template::uses(command, name);
        let by_file = uses("mainfile") || uses("mainstem") || uses("mainfolder");
        match self.entry {
            EntryRule::MainFile(_) if uses("mainclass") => {
                Some("uses {mainclass}, for which 'entry' must be main_class")
            }
            EntryRule::MainFile(_) => None,
            _ if by_file => Some("uses {mainfile}, for which 'entry' must be main_file"),
            EntryRule::AllFiles if uses("mainclass") => {
                Some("uses {mainclass}, for which 'entry' must be main_class")
            }
            _ => None,
        }
    }

    /// Iterates over the extensions of source files, the shared ones last.
    pub(super) fn all_extensions(&self) -> impl Iterator<Item = &String> {
        let shared = self.shared.iter().flat_map(|shared| &shared.extensions);
        self.extensions.iter().chain(shared.filter(|extension| !self.extensions.contains(extension)))
    }

    /// Iterates over the files that must be installed, each with its alternatives: the programs that the commands
    /// start, then `needs`.
    pub(super) fn requirements(&self) -> impl Iterator<Item = Vec<PathBuf>> {
        let commands = self.compile.iter().chain([&self.run]).filter_map(|command| command.first());
        let named =
            commands.filter(|program| program.starts_with('/') && !program.starts_with(PROGRAM_FOLDER));
        named.map(|program| vec![PathBuf::from(program)]).chain(self.needs.iter().cloned())
    }
}

/// Which system calls a run may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeccompClass {
    /// A compiled program or a plain interpreter.
    Native,
    /// A runtime that generates code and creates threads.
    Runtime,
    /// A compiler: it also starts programs and modifies files.
    Compiler,
}

/// The language whose rules decide what may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JvmLanguage {
    /// `public static void main(String[])`.
    Java,
    /// A top-level `fun main`, or one in an object.
    Kotlin,
    /// `def main` in an object, an object that extends `App`, or `@main`.
    Scala,
}
