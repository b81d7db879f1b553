//! What a judgehost prints while it works.

use super::{FailureScopeId, JobSpent};
use crate::document::Document;
use crate::values::VerdictId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that a judgehost did or noticed: one line of its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgehostEvent {
    /// When: milliseconds since 1970-01-01T00:00:00Z.
    pub at_unix_ms: u64,
    /// What.
    #[serde(flatten)]
    pub what: JudgehostEventKind,
}

/// What happened; `kind` tells which of these it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JudgehostEventKind {
    /// Programs with known verdicts got them.
    SelfTested {
        /// Languages that are installed, by id.
        languages: Vec<String>,
    },
    /// The server has taken it into a pool.
    Registered {
        /// The pool.
        pool: String,
        /// The server's address.
        server: String,
    },
    /// A job was received.
    Received {
        /// The job.
        job: String,
        /// The problem.
        problem: String,
    },
    /// A package is ready.
    Ready {
        /// Its hash.
        package: String,
    },
    /// A job is judged.
    Judged {
        /// The job.
        job: String,
        /// Its verdict.
        verdict: VerdictId,
        /// The highest CPU time of a case; `null` if nothing ran.
        max_run_time_ns: Option<u64>,
        /// Where the time went.
        spent: JobSpent,
    },
    /// The server has the result of a job.
    Delivered {
        /// The job.
        job: String,
    },
    /// A job could not be judged, through no fault of the submission.
    Failed {
        /// The job.
        job: String,
        /// What the error is about.
        scope: FailureScopeId,
        /// Why.
        reason: String,
    },
    /// A job was given back to the server.
    Returned {
        /// The job.
        job: String,
        /// Why.
        reason: String,
    },
    /// A job was dropped, with what was known of its result: it is cancelled, or another judgehost has it.
    Dropped {
        /// The job.
        job: String,
        /// Why.
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
        /// How many judgings are open.
        judging: usize,
    },
    /// The reference program ran.
    Reference {
        /// Its CPU time.
        cpu_time_ns: u64,
    },
    /// Something that a person should know.
    Warning {
        /// What.
        message: String,
    },
    /// It has ended.
    Ended {
        /// How many jobs it judged.
        judged: u64,
        /// How many reports were not delivered; the server gives their jobs to others.
        undelivered: u64,
    },
}

impl Document for JudgehostEvent {
    const SCHEMA: &'static str = "tautochrone/judgehost-event/1";
}
