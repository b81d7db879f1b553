//! The jury's submissions.

mod details;
mod pattern;
mod read;
mod rules;
mod tags;

pub(crate) use details::SUBMISSIONS_JSON;
pub(crate) use pattern::Pattern;
pub(crate) use read::{TaggedScores, read};

use crate::{Expectation, PackageFile};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub struct JurySubmission {
    /// The path below `submissions/`, such as `accepted/a.cpp`.
    pub name: String,
    pub path: PathBuf,
    /// All its files; for a single file just that one.
    pub files: Vec<PackageFile>,
    /// The code of its language, if the package names one.
    pub language_hint: Option<String>,
    /// Its main file, class or module, if the package names one.
    pub entry_point_hint: Option<String>,
    pub expectation: Expectation,
}

#[cfg(test)]
mod tests;
