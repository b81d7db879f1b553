//! Contests as values: events, what they add up to, boards, roles, and what each viewer may see. Pure.
//!
//! The log of [`Event`]s is the truth.

#![forbid(unsafe_code)]

mod audit;
pub mod board;
mod clock;
mod command;
mod decide;
mod event;
pub mod files;
mod imported;
pub mod jobs;
pub mod notices;
mod objects;
pub mod pools;
mod problem_files;
pub mod roles;
#[doc(hidden)]
pub mod sample;
mod settings;
mod state;
pub mod view;

pub use api::objects::*;
pub use api::objects::{AccountType as Role, LocationSettings as Location, SeatSettings as Seat};
pub use audit::AUDIT_KINDS;
pub use clock::Phase;
pub use command::*;
pub use decide::decide;
pub use event::*;
pub use imported::*;
pub use jobs::{JobChange, JobSpec, Work};
pub use notices::{Audience, Notice, Object};
pub use objects::*;
pub use problem_files::{ProblemFile, ProblemFiles, STATEMENTS_MAX};
pub use settings::*;
pub use state::{CHECKPOINT_VERSION, Changes, RejudgingStatus, State, Turns};
