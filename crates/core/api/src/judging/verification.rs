//! Whether a record holds: the document of `tauto judge --verify`.

use crate::document::Document;
use crate::values::VerdictId;
use serde::{Deserialize, Serialize};

/// What became of checking a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordVerification {
    /// The file as given.
    pub file: String,
    /// Whether everything in it holds.
    pub holds: bool,
    /// Lines read.
    pub lines: u64,
    /// Judgings that begin in it.
    pub judgings: u64,
    /// Submissions with a verdict.
    pub submissions: u64,
    /// Cases of them.
    pub cases: u64,
    /// Runs of these.
    pub runs: u64,
    /// Cases whose verdict the interactor gave, which runs cannot show.
    pub decided_with_interactor: u64,
    /// The versions of the rule by which they were judged, and verified.
    pub rules: Vec<u32>,
    /// SHA-256 of the last line; who keeps it elsewhere can tell this record from one that was rebuilt.
    pub last_line_hash: String,
    /// The packages, each compared with its content now.
    pub packages: Vec<PackageCheck>,
    /// What does not hold, line by line; shortened where it is very much.
    pub findings: Vec<RecordFinding>,
    /// What a person should know and breaks nothing, a sentence each.
    pub notes: Vec<String>,
    /// How recorded verdicts came about; empty unless asked for.
    #[serde(default)]
    pub explanations: Vec<RecordExplanation>,
}

/// How a recorded verdict came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordExplanation {
    /// The line that says the verdict.
    pub line: u64,
    /// The submission's name.
    pub submission: String,
    /// What it came to.
    pub verdict: VerdictId,
    /// How that came about, a sentence each.
    pub explanation: Vec<String>,
}

/// A recorded package beside its content now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageCheck {
    /// The line that names it.
    pub line: u64,
    /// Its path as recorded.
    pub path: String,
    /// What told its content from another.
    pub hash: Option<String>,
    /// Whether the content is still the same; `null` if it was not compared.
    pub same: Option<bool>,
    /// What was compared, or why nothing was.
    pub detail: String,
}

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordFinding {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong, one sentence.
    pub message: String,
}

impl Document for RecordVerification {
    const SCHEMA: &'static str = "tautochrone/judge-verification/1";
}
