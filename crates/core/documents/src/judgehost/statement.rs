//! A statement that a judgehost makes while it has nothing to judge.

use super::BlobRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementFormat {
    /// The part of a page.
    Html,
    Pdf,
}

/// One form of a problem's statement, to be made of its package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementTask {
    /// Names this offer; the result has it.
    pub task: u64,
    pub contest: String,
    /// The problem's id in the contest.
    pub problem: String,
    pub package: BlobRef,
    pub language: String,
    pub format: StatementFormat,
}

/// `POST /api/judgehosts/{id}/statement`: what became of a [`StatementTask`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementResult {
    pub task: u64,
    pub outcome: StatementOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementOutcome {
    /// It was made.
    Made {
        /// SHA-256 of the file, which was sent to `/api/blobs/HASH` before.
        hash: String,
        /// Warnings, a line each.
        text: String,
        /// The programs without which it was made more plainly than it is meant.
        lacking: Vec<String>,
    },
    /// It cannot be made of this package, or not here.
    Impossible {
        /// What is wrong, with its file and line if they are known.
        text: String,
        /// The programs that are missing here, if that is why.
        lacking: Vec<String>,
    },
    /// The judgehost failed.
    Failed { reason: String },
    /// It was stopped, since there is something to judge or the judgehost ends.
    Returned,
}
