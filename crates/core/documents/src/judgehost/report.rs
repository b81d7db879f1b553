//! What a judgehost reports about its jobs.

use super::BlobRef;
use crate::judging::Derivation;
use crate::values::VerdictId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `POST /api/judgehosts/{id}/reports`. Repeated until it is answered, so a server takes a report that it has already as
/// `taken`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportsRequest {
    /// The reports, those of a job in order.
    pub reports: Vec<Report>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    pub job: String,
    pub fence: u64,
    /// Which of this lease's reports it is, from 1: one that was repeated has the same number.
    pub number: u32,
    #[serde(flatten)]
    pub what: ReportKind,
}

/// What is reported; `kind` names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReportKind {
    Begun,
    /// The time limit of the package was derived here.
    TimeLimit(Box<JobTimeLimit>),
    Runs {
        runs: Vec<JobRun>,
    },
    /// The judgement is made; nothing follows.
    Done(Box<JobDone>),
    /// It could not be made, through no fault of the submission; nothing follows.
    Failed(JobFailed),
    /// It was not made, and another judgehost can make it; nothing follows.
    Returned {
        reason: String,
    },
}

impl ReportKind {
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Failed(_) | Self::Returned { .. })
    }

    /// Returns whether the judgehost waits for its answer.
    pub fn is_waited_for(&self) -> bool {
        matches!(self, Self::TimeLimit(_))
    }
}

/// A time limit that was derived on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobTimeLimit {
    /// The hash of the package for which it holds.
    pub package: String,
    pub time_limit_ns: u64,
    pub derivation: Derivation,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobRun {
    /// Which case of the package, from 1, in its order.
    pub ordinal: u32,
    pub verdict: VerdictId,
    /// The time of the run that counts, by the judgehost's clock: CPU time, or nominal time of its instructions; 0 if nothing ran.
    pub cpu_time_ns: u64,
    /// The memory peak of that run; `null` if it is not known.
    pub memory_peak_bytes: Option<u64>,
    /// When the case was decided, in milliseconds since judging began.
    pub at_ms: u32,
    /// Whether the jury decides about it: it is accepted, but a run over the limit wrote something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_jury: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobDone {
    /// Its verdict; never `JE`.
    pub verdict: VerdictId,
    /// The score, in points; `null` in a pass-fail problem.
    pub score: Option<f64>,
    /// The score of each subtask (test data group below `secret`), in the package's order; empty without points.
    pub subtasks: Vec<JobSubtask>,
    /// The highest CPU time of a case; `null` if nothing ran.
    pub max_run_time_ns: Option<u64>,
    /// What the compiler wrote, cut to 64 KiB; `null` if nothing was compiled.
    pub compile_output: Option<String>,
    /// The record of all runs with their evidence, uploaded before: lines of `tautochrone/judge-record`.
    pub evidence: Option<BlobRef>,
    /// Cases whose runs differed in output or exit, by ordinal.
    pub nondeterministic: Vec<u32>,
    /// Cases for the jury to decide about, on which the verdict depends, by ordinal: while there are any, it is none yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_jury: Vec<u32>,
    pub spent: JobSpent,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobSubtask {
    /// The group's name, such as `secret/1`.
    pub name: String,
    pub score: f64,
}

/// Where the time between the receipt of a job and its end went, by the judgehost's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobSpent {
    /// From receipt until all files and the package were there.
    pub fetching_us: u64,
    /// From then on, until a place began to judge it.
    pub waiting_us: u64,
    /// Compiling: wall time of the commands.
    pub compiling_us: u64,
    /// Runs that count: their wall times together.
    pub running_us: u64,
    pub total_us: u64,
}

/// A judgement that could not be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobFailed {
    /// What the error is about: only that should wait.
    pub scope: FailureScopeId,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureScopeId {
    /// This judging alone.
    Judgement,
    Package,
    /// The language, on this judgehost.
    Language,
    Machine,
    /// Nothing: the submission's times are on neither side of the limit. It is not judged anew by itself, since a submission
    /// may choose its times.
    Undecided,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportsAnswer {
    /// One for each report, in the same order.
    pub answers: Vec<ReportAnswer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportAnswer {
    /// Whether it was taken.
    pub state: ReportState,
    /// Of a report of kind `time_limit`: the limit to judge with, since another judgehost may have been first.
    pub time_limit_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportState {
    /// It was, now or when it was sent before.
    Taken,
    /// The lease has ended: the job is another judgehost's, or done.
    Stale,
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_flat() {
        let report = Report {
            job: "demo/12-1".to_owned(),
            fence: 7,
            number: 2,
            what: ReportKind::Failed(JobFailed {
                scope: FailureScopeId::Package,
                reason: "no data".to_owned(),
            }),
        };
        let text = serde_json::to_string(&report).unwrap();
        let expected = r#"{"job":"demo/12-1","fence":7,"number":2,"kind":"failed","scope":"package","reason":"no data"}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
        let begun = Report { what: ReportKind::Begun, ..report };
        let text = serde_json::to_string(&begun).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), begun);
    }
}
