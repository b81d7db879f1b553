//! Takes jobs from a server, judges them with the engine, and reports each step.
//!
//! [`run()`] has threads that wait for the server, and one that owns the desk: a pure state that takes events and returns
//! what to do. Jobs are judged by [`Sandboxed`], or in tests and for loads by [`Recorded`]. Everything that comes from
//! the server has limits; nothing that was judged is lost while the server cannot be reached.
//!
//! # Files
//!
//! Judges for a server. `desk.rs` decides: which job is fetched, tested, judged, reported or dropped, as a state that
//! takes events and returns actions; `desk/problems.rs` has the packages that are ready, `desk/languages.rs` which
//! languages work. `host.rs` runs it: `host/core.rs` is the thread that owns the desk, `host/workers.rs` has those that
//! wait for the server or a package. `outbox.rs` orders, joins and numbers reports, `sender.rs` delivers them;
//! `client.rs` makes requests, `download.rs` fetches, `cache.rs` keeps packages. `judges.rs` is what judges:
//! `sandboxed.rs` with the engine, and `evidence.rs` its records; `recorded.rs` from a recording. `statements.rs` makes statements
//! while there is nothing to judge. `self_test.rs` has
//! the programs with known verdicts, `counting.rs` the one with a known count, `identity.rs` what decides about the pool.
//!
//! # Invariants
//!
//! - The desk uses no clock, thread or network, and a job leaves it only with the server's answer to its last report,
//!   or when its lease is gone.

#![forbid(unsafe_code)]

mod backoff;
mod cache;
mod client;
mod counting;
mod desk;
mod download;
mod error;
mod evidence;
mod host;
mod identity;
mod judges;
mod operator_events;
mod outbox;
mod recorded;
mod sandboxed;
pub mod self_test;
mod sender;
mod statements;
#[cfg(test)]
mod testing;
mod token;

pub use cache::{Cache, CachedPackage};
pub use client::{CallError, Client};
pub use counting::Counting;
pub use error::{Failure, JudgehostError};
pub use host::{Ending, HostOptions, run};
pub use identity::lines as identity_lines;
pub use judges::{CancelJudging, JudgeTask, Judges, Prepared, ProblemKey, Progress, ProgressSink, Ticket};
pub use operator_events::{EventSink, OperatorEvent};
pub use recorded::{Recorded, Recording};
pub use sandboxed::Sandboxed;
pub use statements::MadeStatement;
pub use token::Token;
