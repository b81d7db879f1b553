//! Contests as values: events, what they add up to, boards, roles, and what each viewer may see. Pure.
//!
//! The log of [`Event`]s is the truth.
//!
//! # Files
//!
//! `event.rs` has the words of the log. `state.rs` is what the events add up to; `state/apply/` takes one more, and is
//! all that changes a state. `command.rs` has the commands, and `decide/` their results: events, or a
//! refusal. `roles.rs` is the table of who may do and see what, `state/disclosed.rs` what of a judgement shows besides
//! its verdict, `decide/texts.rs` which texts are taken. `order.rs` orders texts, `board.rs` orders teams (the resolver of the page,
//! `web/src/resolver/engine.ts`, does so too, without a server), `board/` keeps the cells of both boards; ranks, first
//! solvers and awards (`awards.rs`) are computed when asked for. `view/` is what a viewer sees, `notices.rs` what of it
//! is new. `jobs.rs` has the queue's order and what a judgehost needs; `pools.rs` the rule for fast pools, replicas and
//! who may take what, `pools/drift.rs` the drift detector. `statements.rs` finds which statements are still to be made. `files/` reads and writes the files of contest packages:
//! each kind of file is a tree of fields for the readers of `documents::objects`. `tests/rules/properties.rs` compares random
//! histories with `tests/rules/support/slow.rs`, which reads the whole log for each answer.
//!
//! # Invariants
//!
//! - A state follows from its events alone: not from a clock, nor from how many were applied at once. What starts,
//!   freezes or thaws shows with the first event after it, and the server appends one (`Ticked`) when it is due.
//! - Data leaves a state through `view` only. What of a submission is not for a viewer is not in the struct.
//! - Nothing that others than the jury see depends on a hidden verdict: not the ids of judgements, which count the
//!   verdicts that could be seen, nor the numbers of notices, which each audience has of its own.
//! - A verdict that may be replaced without a rejudging is never shown. A judgement on the strict pool, a confirmation
//!   or a replica counts before the one that made it necessary is done.

#![forbid(unsafe_code)]

mod audit;
pub mod board;
mod command;
mod decide;
mod event;
pub mod files;
mod imported;
pub mod jobs;
pub mod notices;
mod objects;
pub mod order;
pub mod pools;
pub mod roles;
#[doc(hidden)]
pub mod sample;
mod state;
mod statements;
pub mod view;

pub use audit::AUDIT_KINDS;
pub use command::*;
pub use decide::decide;
pub use documents::objects::*;
pub use documents::objects::{AccountType as Role, LocationSettings as Location, SeatSettings as Seat};
pub use event::*;
pub use imported::*;
pub use jobs::{JobChange, JobSpec, Work};
pub use notices::{Audience, Notice, Object};
pub use objects::*;
pub use pools::PoolSettings;
pub use state::{
    AuditEntry, AwardEdit, CHECKPOINT_VERSION, Changes, Judgehost, RejudgingStatus, Session, State, Turns,
};
pub use statements::WantedStatement;
