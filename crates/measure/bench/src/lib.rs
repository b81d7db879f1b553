//! Running commands repeatedly, and what comes of it.
//!
//! [`parameters`] makes commands of placeholders. [`turns`] is the plan, [`take_turns`] carries it out by what the caller gives
//! to run, until [`StopRule`] finds it enough. [`Series`] is what each command did, and [`describe()`] and [`compare`]
//! return what that means; [`drift`] compares measurements made at different times.
//!
//! Pure: the caller runs the commands.
//!
//! # Files
//!
//! Repeats and pairs: `turns.rs` plans the order of runs, `series.rs` has the measurements, `describe.rs` summarises
//! them.

#![forbid(unsafe_code)]

mod describe;
pub mod drift;
mod metric;
pub mod parameters;
mod series;
mod stop;
mod turns;

pub use describe::{
    Comparison, Described, Direction, OddRun, SeriesDescription, TELLING_PART, compare, describe,
};
pub use metric::Metric;
pub use series::{LoadShare, Measured, Series};
pub use stop::{StopReason, StopRule};
pub use turns::{Stopped, Turn, take_turns, turns};
