//! The rule that turns runs and evidence into a verdict, or into another run.
//!
//! Pure: the same runs lead to the same ruling. At a fixed frequency a disturbance only adds time, so a run within the
//! limit is final, and of several runs the lowest is the nearest to the program's undisturbed time.

#![forbid(unsafe_code)]

mod explain;
mod numbers;
mod rule;
mod ruling;

pub use numbers::{MeasuringNumbers, RuleNumbers};
pub use rule::TimeRule;
pub use ruling::Ruling;
