//! Whether a record holds: the document of `tauto judge --verify`.

use crate::values::VerdictId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordVerification {
    /// The record as given.
    pub file: String,
    /// Whether there are no findings.
    pub holds: bool,
    pub lines: u64,
    /// Judgings that begin in it.
    pub judgings: u64,
    pub submissions: u64,
    pub cases: u64,
    /// Runs of these.
    pub runs: u64,
    /// Cases whose verdict the runs cannot show: conversations, and cases of several passes.
    pub decided_with_interactor: u64,
    /// The versions of the rule by which they were judged and verified.
    pub rules: Vec<u32>,
    pub last_line_hash: String,
    /// Each package compared with its present content.
    pub packages: Vec<PackageCheck>,
    /// What does not hold; at most 101 and one for each package.
    pub findings: Vec<RecordFinding>,
    /// What breaks nothing, a sentence each, such as an interrupted judging that was continued, or submissions left
    /// out.
    pub notes: Vec<String>,
    /// How recorded verdicts came about; empty without `--explain`.
    #[serde(default)]
    pub explanations: Vec<RecordExplanation>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordExplanation {
    /// The line that says the verdict.
    pub line: u64,
    pub submission: String,
    pub verdict: VerdictId,
    /// How that came about, a sentence each.
    pub explanation: Vec<String>,
}

/// A recorded package compared with its present content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageCheck {
    /// The line that names it.
    pub line: u64,
    pub path: String,
    /// Its hash as recorded; `null` if it was not recorded.
    pub hash: Option<String>,
    /// Whether the content is still the same; `null` if it was not compared.
    pub same: Option<bool>,
    /// What was compared, or why nothing was.
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordFinding {
    /// The line, from 1.
    pub line: u64,
    pub message: String,
}
