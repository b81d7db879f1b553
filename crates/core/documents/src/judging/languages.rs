//! The languages and whether their programs are there: the document of `tauto languages`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LanguagesReport {
    pub languages: Vec<LanguageEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageEntry {
    /// Id in packages and on the command line.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// File name extensions without the dot.
    pub extensions: Vec<String>,
    pub installed: bool,
    /// Version as its program prints it; `null` if `version_unavailable` says why.
    pub version: Option<String>,
    /// Why there is no version; `null` if there is one.
    pub version_unavailable: Option<String>,
    /// First program that is not there; `null` if all are.
    pub missing_program: Option<String>,
    /// Command that installs it; `null` if it is installed.
    pub install: Option<String>,
    /// Compile commands in their order as argument lists, with placeholders in `{}`; empty if nothing is compiled.
    pub compile: Vec<Vec<String>>,
    /// Run command likewise.
    pub run: Vec<String>,
    /// How well instructions of its programs can be counted (`--clock instructions`); `null` where that was not measured.
    #[serde(default)]
    pub counts: Option<LanguageCounts>,
}

/// How well instructions of a language's programs can be counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LanguageCounts {
    /// The same program with the same input has the same count.
    Exact,
    Spread {
        /// By how much the highest of several counts was above the lowest.
        percent: f64,
    },
    /// They cannot be counted.
    None { reason: String },
}
