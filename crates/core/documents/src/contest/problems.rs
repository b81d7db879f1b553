//! Judgement types, and packages of problems.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ImportMessage;
use crate::ScoreBasis;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgementType {
    /// Its id, such as `WA`.
    pub id: String,
    pub name: String,
    /// Whether it costs penalty time; only in contests with that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty: Option<bool>,
    /// Whether the problem is solved by it.
    pub solved: bool,
}

/// A package that the server has read: what it says about the problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackageReport {
    /// The SHA-256 hash of the zip, by which a new problem names it.
    pub package: String,
    pub size_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    pub suggested_id: String,
    pub name: String,
    /// The limit on CPU time in seconds, if the package sets one.
    pub time_limit: Option<f64>,
    /// The limit on memory in MiB.
    pub memory_limit: u64,
    /// The limit on output in MiB.
    pub output_limit: u64,
    /// The limit on source code in KiB.
    pub code_limit: u64,
    pub test_data_count: u32,
    /// The highest score, if it has points.
    pub max_score: Option<f64>,
    /// By which rules its points are computed; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreBasis>,
    pub warnings: Vec<ImportMessage>,
}

/// The texts of a case, for the jury.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseTexts {
    pub input: Option<CaseText>,
    /// The answer; `null` where the format needs none.
    pub answer: Option<CaseText>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseText {
    pub size_bytes: u64,
    pub is_cut: bool,
    /// The beginning; what is no UTF-8 is replaced.
    pub text: String,
}
