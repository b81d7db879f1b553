//! Compile, run, check: one submission against one package.
//!
//! A [`Station`] owns the places where programs run; a [`Judge`] takes one
//! package through it, submission by submission, and tells an [`Observer`]
//! after each step, so that a crash loses nothing that is done.

mod answers;
mod book;
mod build;
mod cases;
mod check;
mod content_hash;
mod data;
mod documents;
mod error;
mod grader;
mod interactive;
mod judged;
mod judgement;
mod observer;
mod passes;
mod readable;
mod relay;
mod remains;
mod run;
mod static_check;
mod station;
mod submission;
mod time_limit;

pub use build::{BuildLimits, BuildOutcome, Built, Compilation};
pub use check::Checked;
pub use content_hash::package_hash;
pub use error::JudgeError;
pub use judged::Judged;
pub use judgement::{CaseJudgement, GroupScore, Judgement};
pub use observer::{Observer, Quiet};
pub use relay::TranscriptLine;
pub use run::{CaseRuns, OverOutput};
pub use station::{Station, StationOptions};
pub use submission::{Judge, JudgeOptions, SubmissionSource};
pub use time_limit::{LimitOrigin, TimeLimit};
