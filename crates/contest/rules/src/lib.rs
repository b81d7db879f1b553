//! Contests as values: events, what they add up to, boards, roles, and what each viewer may see. Pure.
//!
//! The log of [`Event`]s is the truth.

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
pub mod pools;
pub mod roles;
#[doc(hidden)]
pub mod sample;
mod state;
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
pub use state::{CHECKPOINT_VERSION, Changes, RejudgingStatus, State, Turns};
