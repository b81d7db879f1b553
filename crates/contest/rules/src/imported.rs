//! What happened elsewhere or earlier, as an import puts it into the log: with the times that it had, and without judging.

use crate::{
    AccountId, Clarification, Commentary, ContestId, Instant, JudgementKey, Outcome, Run, Score,
    SubmissionNumber, Submitted,
};
use model::{Counted, Joined, Message, Nanos, message};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Imported {
    Submission(Box<ImportedSubmission>),
    Clarification {
        content: Box<Clarification>,
        time: Instant,
    },
    Commentary {
        content: Box<Commentary>,
        time: Instant,
    },
    Finalized {
        time: Instant,
        /// Bronze medals in addition to the planned ones (the ICPC's B).
        extra_bronze: u32,
        comment: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedSubmission {
    pub submitted: Submitted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
    /// Its id in the other system, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_id: Option<String>,
    pub time: Instant,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    /// Its judgements, number 1 first; `None` for one that had no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judgements: Vec<Option<ImportedJudgement>>,
    /// The number of the judgement that counts; 0 for none.
    pub current: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedJudgement {
    pub begun: Instant,
    pub end: Instant,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<Nanos>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subtasks: Vec<Score>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
}

impl Imported {
    /// Returns what is imported, for the audit.
    pub(crate) fn words(&self, contest: &ContestId) -> Message {
        match self {
            Self::Submission(entry) => {
                let number: SubmissionNumber = entry.submitted.number;
                let judgement = JudgementKey { submission: number, number: entry.current };
                let done = entry.judgements.iter().flatten().count();
                let mut parts = vec![message!(
                    "submission-imported",
                    "submission {number} of {contest} imported with its time, {count}, none started",
                    number,
                    contest,
                    count = Counted(done, "judgement")
                )];
                parts.extend(entry.foreign_id.as_ref().map(|id| message!("id-there", "there {id}", id)));
                if entry.current != 0 {
                    parts.push(message!("judgement-counts", "{judgement} counts", judgement));
                }
                message!("imported", "{parts}", parts = Joined(&parts, "; "))
            }
            Self::Clarification { content, .. } => message!(
                "clarification-imported",
                "clarification {number} of {contest} imported with its time",
                number = content.number,
                contest
            ),
            Self::Commentary { content, .. } => message!(
                "commentary-imported",
                "commentary {number} of {contest} imported with its time",
                number = content.number,
                contest
            ),
            Self::Finalized { time, .. } => {
                message!("imported-as-final", "{contest} imported as final since {time}", contest, time)
            }
        }
    }
}
