//! Placement policies: the documents of `tauto policy`.

use super::sim::PlacementVector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a file of placement policies says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyCheckReport {
    pub file: String,
    /// What is wrong with it, in the order of the file; empty if it can be used.
    pub mistakes: Vec<PolicyMistake>,
    /// What works and may surprise.
    pub warnings: Vec<PolicyMistake>,
    /// The names of all its policies, in the order of the file; empty if there are mistakes.
    pub names: Vec<String>,
    /// The one that is explained; `null` if there are mistakes.
    pub policy: Option<PolicyEntry>,
    /// Where it puts a few jobs on a few hosts; empty if there are mistakes.
    pub tried: Vec<PlacementVector>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyMistake {
    /// The line; `null` if it is about the whole file.
    pub line: Option<u64>,
    /// The field, such as `limits.peak`; empty for the whole file.
    pub field: String,
    /// What was found, what was expected, and how to fix it.
    pub message: String,
}

/// Policies, with explanations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoliciesReport {
    pub policies: Vec<PolicyEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyEntry {
    pub name: String,
    /// Which host a job gets, in a few words.
    pub summary: String,
    /// What it does, in plain sentences; they may change.
    pub explanation: Vec<PolicySection>,
    /// The policy as a file, with every value spelt out.
    pub yaml: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicySection {
    pub title: String,
    pub sentences: Vec<String>,
}
