//! What stands at the top of a package.

use super::statements;
use crate::ini::DOMJUDGE_INI;
use crate::submission;
use std::ffi::OsStr;

/// The names at the top of a package that any format uses.
pub(crate) const TOP_NAMES: [&str; 22] = [
    "problem.yaml",
    statements::TOP_STATEMENT,
    "problem_statement",
    "statement",
    "attachments",
    "solution",
    "data",
    "generators",
    "include",
    "submissions",
    submission::SUBMISSIONS_JSON,
    "input_validators",
    "input_format_validators",
    "static_validator",
    "output_validator",
    "output_validators",
    "input_visualizer",
    "output_visualizer",
    "graders",
    "checker",
    DOMJUDGE_INI,
    "README.md",
];

/// Returns whether any format uses this name at the top of a package. Anything else there is not part of the package.
pub fn is_part_of_package(name: &OsStr) -> bool {
    name == TIMELIMIT_FILE || TOP_NAMES.iter().any(|known| name == *known)
}

/// A file that contains only the time limit in seconds.
pub(crate) const TIMELIMIT_FILE: &str = ".timelimit";
