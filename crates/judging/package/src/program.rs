//! Programs of a package: validators, included files and the jury's submissions.

mod protocol;
pub(crate) mod read;

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A file of the package and where it goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageFile {
    /// The path below the working directory to which it is copied.
    pub name: PathBuf,
    /// Its path; no symbolic link on the way leaves the package.
    pub path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The base name of its file or folder.
    pub name: String,
    pub path: PathBuf,
    /// All its files; for a single file just that one.
    pub files: Vec<PackageFile>,
    /// Whether there is a `build` script, to be run in a copy of the folder.
    pub has_build_script: bool,
    /// Whether there is a `run` file, which is the program.
    pub has_run_script: bool,
}

/// How a validator reports its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `validator input answer feedback/ [args] < output`, exit code 42 or 43.
    Kattis,
    /// `checker input output answer`, exit code 0 to 8, the message on standard error.
    Testlib,
}

/// The checker of a submission's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputValidator {
    /// The comparison in [`crate::compare`].
    Default,
    Custom(Program, Protocol),
}

/// Files that are added to every submission before it is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Includes {
    /// For languages without files of their own.
    pub default: Vec<PackageFile>,
    /// By the language's code, such as `cpp`.
    pub by_language: BTreeMap<String, Vec<PackageFile>>,
}

impl Program {
    /// Returns its name without the extension of a single file.
    pub fn stem(&self) -> &str {
        match self.name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() && !self.path.is_dir() => stem,
            _ => &self.name,
        }
    }
}

impl Includes {
    /// Returns the files for a language: its own, or else the default ones.
    pub fn for_language(&self, code: &str) -> &[PackageFile] {
        self.by_language.get(code).unwrap_or(&self.default)
    }
}
