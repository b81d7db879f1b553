//! Judgement types, languages, problems and their packages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileReference, ImportMessage};
use crate::{ScoreBasis, ScoreRulesId};

/// A kind of verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgementType {
    /// Its id, such as `WA`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether it costs penalty time; only in contests with that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty: Option<bool>,
    /// Whether the problem is solved by it.
    pub solved: bool,
}

/// A language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Language {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether a submission must name its main file or class.
    pub entry_point_required: bool,
    /// What that is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_point_name: Option<String>,
    /// Extensions of its files, without the dot.
    pub extensions: Vec<String>,
    /// How it is compiled, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<LanguageCommand>,
    /// How it is run, if by a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<LanguageCommand>,
}

/// How programs of a language are compiled or run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageCommand {
    /// The program.
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
}

/// A problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Its id.
    pub id: String,
    /// The UUID of its package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// Its letter.
    pub label: String,
    /// Its name.
    pub name: String,
    /// Its place in the order.
    pub ordinal: u32,
    /// The colour of its balloon, such as `#AC00FF`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rgb: Option<String>,
    /// The colour's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The limit on CPU time in seconds; absent until it is derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// The limit on memory in MiB.
    pub memory_limit: u64,
    /// The limit on output in MiB.
    pub output_limit: u64,
    /// The limit on source code in KiB.
    pub code_limit: u64,
    /// How many test cases there are.
    pub test_data_count: u32,
    /// The highest score; only for points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_score: Option<f64>,
    /// The package, for those who may have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Vec<FileReference>>,
    /// The statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Vec<FileReference>>,
    /// The statement as the part of a page (HTML), in each language, which is its tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_pages: Option<Vec<FileReference>>,
    /// Other files for teams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<FileReference>>,
}

/// A package that the server has read: what it says about the problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackageReport {
    /// The SHA-256 hash of the zip, by which a new problem names it.
    pub package: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Its UUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// The id that its folder's name suggests.
    pub suggested_id: String,
    /// The problem's name.
    pub name: String,
    /// The limit on CPU time in seconds, if the package sets one.
    pub time_limit: Option<f64>,
    /// The limit on memory in MiB.
    pub memory_limit: u64,
    /// The limit on output in MiB.
    pub output_limit: u64,
    /// The limit on source code in KiB.
    pub code_limit: u64,
    /// How many test cases there are.
    pub test_data_count: u32,
    /// The highest score, if it has points.
    pub max_score: Option<f64>,
    /// By which rules its points are computed; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreBasis>,
    /// What is odd about it.
    pub warnings: Vec<ImportMessage>,
}

/// A new problem, from a package that the server has, or a change of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewProblem {
    /// Its id; from the package if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its letter; the next free one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its place in the order; the last if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// The SHA-256 hash of its package.
    pub package: String,
    /// Its name; from the package if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The colour of its balloon, such as `#AC00FF`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rgb: Option<String>,
    /// The colour's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The limit on CPU time in seconds; from the package if absent, derived if that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Allowed languages; empty for the contest's. Absent: as they were, of a problem that is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub languages: Option<Vec<String>>,
    /// By which rules points are computed; absent: those that the package's files show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreRulesId>,
}

/// A change of a problem. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProblemPatch {
    /// Its letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its place in the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The colour of its balloon; `null` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::contests::present")]
    pub rgb: Option<Option<String>>,
    /// The colour's name; `null` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::contests::present")]
    pub color: Option<Option<String>>,
    /// The limit on CPU time in seconds; `null` for the package's, which is derived if the package has none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::contests::present")]
    pub time_limit: Option<Option<f64>>,
    /// Allowed languages; empty for the contest's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub languages: Option<Vec<String>>,
    /// Whether judging waits. After a judging error `POST /api/pauses/resume` lets it go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_paused: Option<bool>,
    /// Why it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_reason: Option<String>,
    /// Whether the caller, who is not who added the package, has verified it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_verified: Option<bool>,
}

/// What the jury set of a problem, beside what everybody sees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemState {
    /// Its id.
    pub id: String,
    /// Allowed languages; empty for the contest's.
    pub languages: Vec<String>,
    /// Whether the jury lets judging wait.
    pub is_paused: bool,
    /// Why, if the jury said so.
    pub pause_reason: Option<String>,
    /// Why its package is not judged for now, after a judging error; `null` if it is.
    pub paused_because: Option<String>,
    /// Who added the package.
    pub added_by: Option<String>,
    /// Who has verified it.
    pub verified_by: Option<String>,
    /// The hash of the package.
    pub package: String,
    /// By which rules points are computed; `null` if it has none, or was added by an older version.
    #[serde(default)]
    pub scores: Option<ScoreRulesId>,
}

/// The texts of a case, for the jury.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseTexts {
    /// The input.
    pub input: Option<CaseText>,
    /// The answer; `null` where the format needs none.
    pub answer: Option<CaseText>,
}

/// The beginning of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseText {
    /// The size of the whole.
    pub size_bytes: u64,
    /// Whether more follows.
    pub is_cut: bool,
    /// The beginning; what is no UTF-8 is replaced.
    pub text: String,
}
