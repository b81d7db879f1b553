//! What happened elsewhere or earlier, as an import puts it into the log: with the times that it had, and without judging.

use crate::{
    AccountId, Clarification, Commentary, ContestId, Instant, JudgementKey, Outcome, Run, Score,
    SubmissionNumber, Submitted,
};
use model::Nanos;
use serde::{Deserialize, Serialize};

/// Something that is imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Imported {
    /// A submission with its judgements.
    Submission(Box<ImportedSubmission>),
    /// A question, an answer or an announcement.
    Clarification {
        /// The clarification.
        content: Box<Clarification>,
        /// When it was sent.
        time: Instant,
    },
    /// A remark about the contest.
    Commentary {
        /// The remark.
        content: Box<Commentary>,
        /// When it was made.
        time: Instant,
    },
    /// That the result was made final.
    Finalized {
        /// When.
        time: Instant,
        /// Bronze medals beside the planned ones (the ICPC's B).
        extra_bronze: u32,
        /// What the jury said about it.
        comment: String,
    },
}

/// A submission with its judgements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedSubmission {
    /// The submission.
    pub submitted: Submitted,
    /// Which account sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
    /// Its id in the other system, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_id: Option<String>,
    /// When it was sent.
    pub time: Instant,
    /// Why it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    /// Its judgements, number 1 first; `None` for one that had no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judgements: Vec<Option<ImportedJudgement>>,
    /// The number of the judgement that counts; 0 for none.
    pub current: u32,
}

/// A judgement that was done elsewhere or earlier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedJudgement {
    /// When judging began.
    pub begun: Instant,
    /// When it was done.
    pub end: Instant,
    /// What it came to.
    pub outcome: Outcome,
    /// The highest CPU time of a case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<Nanos>,
    /// The score of each subtask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subtasks: Vec<Score>,
    /// Its cases, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
}

impl Imported {
    /// Returns what is imported, for the audit.
    pub(crate) fn words(&self, contest: &ContestId) -> String {
        match self {
            Self::Submission(entry) => {
                let number: SubmissionNumber = entry.submitted.number;
                let judgement = JudgementKey { submission: number, number: entry.current };
                let done = entry.judgements.iter().flatten().count();
                let foreign = entry.foreign_id.as_ref().map(|id| format!(", there {id}"));
                format!(
                    "submission {number} of {contest} imported with its time{}, {done} judgements, none started{}",
                    foreign.unwrap_or_default(),
                    if entry.current == 0 { String::new() } else { format!("; {judgement} counts") },
                )
            }
            Self::Clarification { content, .. } => {
                format!("clarification {} of {contest} imported with its time", content.number)
            }
            Self::Commentary { content, .. } => {
                format!("commentary {} of {contest} imported with its time", content.number)
            }
            Self::Finalized { time, .. } => format!("{contest} imported as final since {time}"),
        }
    }
}
