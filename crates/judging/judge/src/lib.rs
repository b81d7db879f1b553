//! Compile, run, check: submissions against packages.
//!
//! A [`Station`] owns the places where programs run. An [`Engine`] has a thread for each of them, which drives many
//! judgings at once with the crate `judging_steps`. A [`Problem`] is a package that is ready: built, and with a limit. An
//! [`Observer`] receives each step, so that a crash loses nothing that is done.
//!
//! # Files
//!
//! `station.rs` has the timed places and the slots for what is not timed, `helper.rs` such a slot, `roots.rs` the helper slots of
//! other roots. `tools.rs` copies what a compiler that executes code needs into a root of its own, with the libraries
//! that `linked.rs` reads in programs. `problem.rs` is a prepared package: built, and with a limit (`time_limit.rs`),
//! which `derivation.rs` finds. `engine.rs` has a thread for each place; `place_thread.rs` executes the
//! timed steps of the driver of `steps`, and `untimed.rs` the untimed ones. Both run programs through `RunBackend`
//! (`backend.rs`): the sandbox (`sandboxed.rs`), or in tests prepared results and a simulated clock (`drawn.rs`).
//! `canary.rs` runs a program with a known count. `memory_budget.rs` limits the memory of open judgings. `work.rs` is one submission while it is judged: it does what `steps`
//! decides, and makes a `CaseJudgement` (`judgement.rs`) of each case; `work/outputs.rs` compares what its runs wrote
//! (`written.rs`), `excerpt.rs` chooses lines of a crashed program's standard error. `prepare.rs` and `build.rs`
//! compile, `run.rs` makes the plan of a run, `check.rs` compares or runs a validator, `static_check.rs` runs one on
//! the sources (`subject.rs`), `grader.rs` runs a package's own grader, `scores.rs` adds up, `remains.rs` examines what
//! a build leaves, `readable.rs` makes a case readable for other users, `interactive.rs` runs an interactive case,
//! `relay.rs` passes its messages on. Callers receive each step through `Observer`, or on their own channel, and the
//! phase of every open judging each second (`status.rs`). `judged.rs` compares a judgement with what was expected,
//! `documents.rs` makes documents of both.
//!
//! # Invariants
//!
//! - No module of `judge` uses one that uses it.

#![forbid(unsafe_code)]

mod activity;
mod backend;
mod build;
mod canary;
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
mod memory_budget;
mod observer;
mod place_thread;
mod prepare;
mod problem;
mod readable;
mod relay;
mod remains;
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
mod time_limit;
mod tools;
mod untimed;
mod work;
mod written;

pub use build::{BuildLimits, BuildOutcome, Built, Compilation};
pub use canary::CountCanary;
pub use cancel::Cancel;
pub use check::Checked;
pub use content_hash::package_hash;
pub use documents::package_document;
pub use engine::{Engine, JudgingHandle};
pub use error::{JudgeError, Responsible};
pub use helper::Helper;
pub use judged::{Judged, mixed_scores};
pub use judgement::{CaseJudgement, Judgement};
pub use judging_steps::{Order, Phase, RunAgain};
pub use memory_budget::{OPEN_BYTES_PER_PLACE_MAX, OPEN_PER_PLACE_MAX};
pub use observer::{Notice, Observer, Quiet};
pub use problem::{CountedBy, JudgeOptions, Problem, SubmissionSource};
pub use relay::TranscriptLine;
pub use run::OverOutput;
pub use station::{Place, Station, StationOptions, Toolchains};
pub use status::{NamedPhase, OpenJudging};
pub use time_limit::{LimitOrigin, TimeLimit};
pub use tools::Disk;
pub use work::JudgingNotice;
pub use written::{OtherOutput, Written};
