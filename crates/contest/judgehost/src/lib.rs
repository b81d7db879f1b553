//! Takes jobs from a server, judges them with the engine, and reports each step.
//!
//! [`run()`] has threads that wait for the server, and one that owns the desk: a pure state that takes events and returns
//! what to do. Jobs are judged by [`Sandboxed`], or in tests and for loads by [`Recorded`]. Everything that comes from
//! the server has limits; nothing that was judged is lost while the server cannot be reached.

#![forbid(unsafe_code)]

mod backoff;
mod cache;
mod client;
mod desk;
mod download;
mod error;
mod evidence;
mod host;
mod identity;
mod judges;
mod outbox;
mod recorded;
mod said;
mod sandboxed;
pub mod self_test;
mod sender;
#[cfg(test)]
mod testing;
mod token;

pub use cache::{Cache, CachedPackage};
pub use client::{CallError, Client};
pub use error::{Failure, JudgehostError};
pub use host::{Ending, HostOptions, run};
pub use identity::lines as identity_lines;
pub use judges::{Cancels, JudgeTask, Judges, Prepared, ProblemKey, Tells, Ticket, Told};
pub use recorded::{Recorded, Recording};
pub use said::{Said, Tell};
pub use sandboxed::Sandboxed;
pub use token::Token;
