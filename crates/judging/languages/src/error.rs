//! Errors in a language's definition or in a submission's files.

use model::SOURCE_NAMES_BYTES_MAX;
use std::path::PathBuf;

/// Why a language could not be read, chosen or applied.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    #[error("{file}: {field}: {problem}")]
    Definition {
        /// The file, or `builtin:ID` for one that is embedded.
        file: String,
        /// The field, with its index where it is a list.
        field: String,
        /// The problem, what was expected and how to fix it.
        problem: String,
    },
    #[error("{file}: {problem}")]
    Yaml {
        /// The file, or `builtin:ID` for one that is embedded.
        file: String,
        /// The parser's message, with line and column.
        problem: String,
    },
    #[error("cannot read the language definitions in '{}'; give a readable folder of YAML files", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the submission is empty; it needs at least one source file")]
    Empty,
    #[error(
        "the submission has {count} files; at most {FILES_MAX} are allowed, so leave out what is not source"
    )]
    TooManyFiles { count: usize },
    #[error("file name '{name}': {problem}")]
    FileName {
        /// The name, with invalid UTF-8 replaced.
        name: String,
        problem: &'static str,
    },
    #[error("two files are named '{name}'; rename one")]
    SameName { name: String },
    #[error("there is no language '{id}'")]
    UnknownLanguage {
        /// The requested code.
        id: String,
        /// A similar code.
        suggestion: Option<String>,
    },
    #[error("{language} is judged no longer: {why}")]
    Gone {
        language: String,
        /// Why, and what to do instead.
        why: String,
    },
    #[error("{language} cannot be judged by counted instructions: {why}")]
    NotCounted { language: String, why: String },
    /// The names together are longer than a compiler's command line allows.
    #[error(
        "the names of the files have {bytes} bytes together, at most {SOURCE_NAMES_BYTES_MAX} are possible; shorten them"
    )]
    LongNames { bytes: usize },
    #[error(
        "'{file}' is a file, of the submission or of the problem, so '{below}' cannot lie below it; rename one"
    )]
    FileAndFolder {
        file: String,
        /// A file inside that folder.
        below: String,
    },
    #[error("'{name}' is in no known language{}; known extensions: {known}", hint(.suggestion))]
    UnknownExtension {
        /// The first such file.
        name: String,
        /// A similar extension.
        suggestion: Option<String>,
        /// Every extension, in order.
        known: String,
    },
    #[error("'{name}' belongs to another source file and there is none; add one that ends in {expected}")]
    OnlyCompanions {
        /// The first such file.
        name: String,
        /// Extensions of suitable source files.
        expected: String,
    },
    #[error(
        "'{first}' is {first_language} and '{second}' is {second_language}; a submission must be in one language"
    )]
    Mixed { first: String, first_language: String, second: String, second_language: String },
    #[error("none of the files is {language} source; its files end in {expected}")]
    NoSource { language: String, expected: String },
    #[error("the entry point '{main}' is not among the files: {files}")]
    MainNotFound {
        /// The requested entry point.
        main: String,
        files: String,
    },
    #[error("the entry point '{main}' is not the name of a class, such as Main or org.example.Main")]
    NotAClassName {
        /// The requested entry point.
        main: String,
    },
    #[error("no file declares {expected}, with which a {language} program starts")]
    NoMainClass {
        language: String,
        /// What was searched for, in the language's own terms.
        expected: &'static str,
    },
}

impl LanguageError {
    /// Returns whether the submission is at fault (a compile error), and not the judge's configuration.
    pub fn is_submission_fault(&self) -> bool {
        !matches!(
            self,
            Self::Definition { .. } | Self::Yaml { .. } | Self::Read { .. } | Self::NotCounted { .. }
        )
    }

    /// Returns how to fix it, if the message does not say so itself.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownLanguage { suggestion: Some(near), .. } => Some(format!("did you mean {near}?")),
            Self::UnknownLanguage { suggestion: None, .. } => {
                Some("'tauto languages' lists all of them".to_owned())
            }
            _ => None,
        }
    }
}

fn hint(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|near| format!(" (did you mean .{near}?)")).unwrap_or_default()
}

/// Submissions are small; more files than this mean that a folder was sent by mistake.
pub const FILES_MAX: usize = 256;
