//! What a judgehost prints while it works.

use super::{FailureScopeId, JobSpent};
use crate::values::VerdictId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that a judgehost did or noticed: one line of its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgehostEvent {
    /// When: milliseconds since 1970-01-01T00:00:00Z.
    pub at_unix_ms: u64,
    #[serde(flatten)]
    pub what: JudgehostEventKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JudgehostEventKind {
    SelfTested {
        /// Languages that are installed, by id.
        languages: Vec<String>,
    },
    /// The server has taken it into a pool.
    Registered {
        pool: String,
        server: String,
    },
    Received {
        job: String,
        problem: String,
    },
    Ready {
        package: String,
    },
    Judged {
        job: String,
        verdict: VerdictId,
        /// The highest CPU time of a case; `null` if nothing ran.
        max_run_time_ns: Option<u64>,
        spent: JobSpent,
    },
    Delivered {
        job: String,
    },
    /// A job could not be judged, through no fault of the submission.
    Failed {
        job: String,
        scope: FailureScopeId,
        reason: String,
    },
    /// A job was given back to the server.
    Returned {
        job: String,
        reason: String,
    },
    /// A job was dropped, with what was known of its result: it is cancelled, or another judgehost has it.
    Dropped {
        job: String,
        reason: String,
    },
    /// The server does not answer; what is open is judged on, and reported later.
    Lost {
        /// What was tried, and what became of it.
        reason: String,
    },
    /// The server answers again.
    Found,
    /// It takes no more jobs, and ends when it has none.
    Draining {
        judging: usize,
    },
    Reference {
        cpu_time_ns: u64,
    },
    /// Something that a person should know.
    Warning {
        message: String,
    },
    Ended {
        judged: u64,
        /// How many reports were not delivered; the server gives their jobs to others.
        undelivered: u64,
    },
}
