//! The languages and whether their programs are there: the document of `tauto languages`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguagesReport {
    pub languages: Vec<LanguageEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
}
