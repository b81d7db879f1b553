//! A judgement to be made, with all that is needed for it.

use model::ScoreRules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// Its id, `CONTEST/SUBMISSION-N`.
    pub job: String,
    /// The fence of its lease: every report has it.
    pub fence: u64,
    pub contest: String,
    /// The judgement, `SUBMISSION-N`.
    pub judgement: String,
    /// The problem's id in the contest.
    pub problem: String,
    /// The problem's package: a zip.
    pub package: BlobRef,
    /// Limits that replace those of the package.
    pub limits: JobLimits,
    /// The language's id; `null` if the judgehost finds it out.
    pub language: Option<String>,
    /// The main file or class; `null` if it is found out.
    pub entry_point: Option<String>,
    pub files: Vec<JobFile>,
    /// By which rule times become verdicts.
    pub mode: JobMode,
    /// Which cases run.
    pub cases: JobCases,
    /// By which rules points are computed; `null` for those that the package's files show.
    pub scores: Option<ScoreRules>,
}

/// A blob: its content is what its hash says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct BlobRef {
    /// SHA-256 of the content, in 64 lower-case hexadecimal digits.
    pub hash: String,
    pub size_bytes: u64,
}

/// Limits that replace those of a package; `null` leaves the package's.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct JobLimits {
    /// CPU time of a run. If the package has none either, the judgehost derives it, and reports it before it judges.
    pub time_ns: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub output_bytes: Option<u64>,
    /// All files of a submission.
    pub code_bytes: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobFile {
    /// Its name, without folders.
    pub name: String,
    /// SHA-256 of the content.
    pub hash: String,
    pub size_bytes: u64,
}

/// By which rule times become verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobMode {
    /// The full rule, on leased CPUs.
    Strict,
    /// One run decides each case; CPUs may be shared.
    Fast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobCases {
    /// Those up to the one that decides.
    Lazy,
    Full,
}
