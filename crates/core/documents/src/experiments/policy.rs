//! Placement policies: the documents of `tauto policy`.

use super::sim::PlacementVector;
use crate::document::Document;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a file of placement policies says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyCheckReport {
    /// The file.
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

/// A mistake or a warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyMistake {
    /// The line; `null` if it is about the whole file.
    pub line: Option<u64>,
    /// The field, such as `limits.peak`; empty for the whole file.
    pub field: String,
    /// What was found, what was expected, and how to mend it.
    pub message: String,
}

/// Policies, with explanations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoliciesReport {
    /// Each of them.
    pub policies: Vec<PolicyEntry>,
}

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyEntry {
    /// Its name.
    pub name: String,
    /// Which host a job gets, in a few words.
    pub summary: String,
    /// What it does, in plain sentences; they may change.
    pub explanation: Vec<PolicySection>,
    /// The policy as a file, with every value spelt out.
    pub yaml: String,
}

/// A part of an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicySection {
    /// What it is about.
    pub title: String,
    /// Its sentences.
    pub sentences: Vec<String>,
}

impl Document for PolicyCheckReport {
    const SCHEMA: &'static str = "tautochrone/policy-check/1";
}

impl Document for PoliciesReport {
    const SCHEMA: &'static str = "tautochrone/policies/1";
}
