//! What events say about judging.

use crate::{BlobHash, JudgehostId, JudgementKey, LanguageId, RejudgingNumber, Score};
use model::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgementReason {
    First,
    /// The same on another judgehost of the pool, to compare.
    Replica,
    /// A fast pool's verdict may be another one on the strict pool.
    Strict,
    /// A suspect judgehost's compile error is confirmed elsewhere.
    Confirm,
    Rejudging(RejudgingNumber),
    /// A jury asked for it.
    OnDemand,
    /// It was judged elsewhere or earlier.
    Imported,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    #[serde(rename = "v")]
    pub verdict: StoredVerdict,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
}

/// A verdict by its CLICS id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StoredVerdict(pub model::Verdict);

impl TryFrom<String> for StoredVerdict {
    type Error = model::VerdictParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<StoredVerdict> for String {
    fn from(verdict: StoredVerdict) -> Self {
        verdict.0.to_string()
    }
}

/// One case of a judgement. Kept short: there are millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Which case, from 1.
    #[serde(rename = "n")]
    pub ordinal: u32,
    #[serde(rename = "v")]
    pub verdict: StoredVerdict,
    #[serde(rename = "t")]
    pub cpu_time: Nanos,
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    pub memory_peak: Option<Bytes>,
    /// When it ended, in milliseconds since the judging began.
    #[serde(rename = "at")]
    pub at_ms: u32,
    /// Whether the jury decides about it.
    #[serde(rename = "j", default, skip_serializing_if = "std::ops::Not::not")]
    pub for_jury: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    pub judgement: JudgementKey,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<Nanos>,
    /// The score of each subtask, in the package's order; only for points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subtasks: Vec<Score>,
    /// The record of all runs and their evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<BlobHash>,
    /// What the compiler printed, cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile_output: Option<BlobHash>,
    /// Cases whose runs differed in output or exit.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub nondeterministic: BTreeSet<u32>,
    /// Accepted cases in which a run over the limit wrote something else: while there are any, the outcome counts only when
    /// the jury has verified it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub for_jury: BTreeSet<u32>,
}

impl Judged {
    pub fn new(judgement: JudgementKey, outcome: Outcome) -> Self {
        Self {
            judgement,
            outcome,
            max_run_time: None,
            subtasks: Vec::new(),
            evidence: None,
            compile_output: None,
            nondeterministic: BTreeSet::new(),
            for_jury: BTreeSet::new(),
        }
    }
}

/// What an error of ours is about: only that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureScope {
    Judgement,
    Package(BlobHash),
    /// The language, on that judgehost.
    Language(LanguageId),
    Machine,
    /// Nothing: the rule has no verdict on the submission's times. Only the jury has it judged anew, so that no submission earns
    /// tries by times that it chooses.
    Undecided,
}

/// What is not judged for now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PauseScope {
    Package(BlobHash),
    Language(LanguageId, JudgehostId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgehostState {
    Enabled,
    /// It ends what it has and takes no more.
    Draining,
    /// It was taken out, by staff or because it failed.
    Disabled,
    /// It has joined, and is given nothing until an operator has looked at what it measured, and lets it in.
    Waiting,
}

impl JudgehostState {
    /// Returns whether it is to end: what waits to be let in is not.
    pub fn is_out(self) -> bool {
        matches!(self, Self::Draining | Self::Disabled)
    }
}
