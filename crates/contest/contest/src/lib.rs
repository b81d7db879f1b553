//! Contests as values: events, what they add up to, boards, roles, and what each viewer may see. Pure.
//!
//! The log of [`Event`]s is the truth.

#![forbid(unsafe_code)]

mod clics_time;
mod event;
pub mod files;
mod ids;
mod settings;
mod time;

pub use clics_time::{DurationError, TimeError};
pub use event::*;
pub use ids::*;
pub use settings::*;
pub use time::*;
