//! The languages and whether their programs are there: the document of `tauto languages`.

use crate::document::Document;
use serde::{Deserialize, Serialize};

/// The list of languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguagesReport {
    /// The languages in the order of their ids.
    pub languages: Vec<LanguageEntry>,
}

/// One language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageEntry {
    /// The id that packages and commands use.
    pub id: String,
    /// The name that people read.
    pub name: String,
    /// File name extensions without the dot.
    pub extensions: Vec<String>,
    /// Whether all its programs are there.
    pub installed: bool,
    /// The version that its program names; `null` if it is not installed or names none.
    pub version: Option<String>,
    /// Why there is no version; `null` if there is one.
    pub version_unavailable: Option<String>,
    /// The program that is missing.
    pub missing_program: Option<String>,
    /// The command that installs it.
    pub install: Option<String>,
    /// The compile commands in their order, as templates; empty if nothing is compiled.
    pub compile: Vec<Vec<String>>,
    /// The run command as a template.
    pub run: Vec<String>,
}

impl Document for LanguagesReport {
    const SCHEMA: &'static str = "tautochrone/languages/1";
}
