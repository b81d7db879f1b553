//! Running commands repeatedly, and what comes of it.
//!
//! [`turns`] is the plan, [`take_turns`] carries it out in a [`TimedPlace`](timing::TimedPlace),
//! [`Series`] is what each command did, and [`describe`] and [`compare`] say what that means.

mod describe;
mod series;
mod turns;

pub use describe::{
    Comparison, Described, Direction, OddRun, SeriesDescription, TELLING_PART, compare, describe,
};
pub use series::{LoadShare, Measured, Series};
pub use turns::{Stopped, Turn, take_turns, turns};
