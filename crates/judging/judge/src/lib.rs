//! Compile, run, check: submissions against packages.
//!
//! A [`Station`] owns the places where programs run. An [`Engine`] has a thread for each of them, which drives many
//! judgings at once with the crate `judging_steps`. A [`Problem`] is a package that is ready: built, and with a limit. An
//! [`Observer`] receives each step, so that a crash loses nothing that is done.

#![forbid(unsafe_code)]

mod activity;
mod backend;
mod beside;
mod build;
mod cancel;
mod check;
mod clock;
mod content_hash;
mod data;
mod derivation;
mod documents;
#[cfg(test)]
mod drawn;
mod engine;
mod error;
mod excerpt;
mod grader;
mod helper;
mod interactive;
mod judged;
mod judgement;
mod linked;
mod observer;
mod place_thread;
mod prepare;
mod problem;
mod readable;
mod relay;
mod remains;
mod room;
mod roots;
mod run;
mod sandboxed;
mod scores;
mod static_check;
mod station;
mod status;
mod subject;
#[cfg(test)]
mod tests;
mod threads;
mod time_limit;
mod tools;
mod work;
mod written;

pub use build::{BuildLimits, BuildOutcome, Built, Compilation};
pub use check::Checked;
pub use content_hash::package_hash;
pub use documents::score_basis;
pub use engine::Engine;
pub use error::{JudgeError, Whose};
pub use helper::Helper;
pub use judged::{Judged, mixed_scores};
pub use judgement::{CaseJudgement, GroupScore, Judgement};
pub use judging_steps::{Order, Phase, RunAgain};
pub use observer::{Notice, Observer, Quiet};
pub use problem::{JudgeOptions, Problem, SubmissionSource};
pub use relay::TranscriptLine;
pub use room::{OPEN_BYTES_PER_PLACE_MAX, OPEN_PER_PLACE_MAX};
pub use run::OverOutput;
pub use station::{Place, Station, StationOptions};
pub use status::{NamedPhase, OpenJudging};
pub use threads::JudgingHandle;
pub use time_limit::{LimitOrigin, TimeLimit};
pub use work::JudgingNotice;
pub use written::{OtherOutput, Written};
