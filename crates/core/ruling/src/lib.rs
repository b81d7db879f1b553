//! The rule that turns runs and evidence into a verdict, or into another run.
//!
//! Pure: the same runs lead to the same ruling. At a fixed frequency a disturbance only adds time, so a run within the
//! limit is final, and of several runs the lowest is the nearest to the program's undisturbed time.
//!
//! # Files
//!
//! `TimeRule::rule` takes all runs of a case and returns *check the output*, *verdict*, *run again* or *undecided*.
//! `numbers.rs` has every number that decides, one value per version, and which evidence counts as disturbance;
//! `rule.rs` applies them to a limit, `ruling.rs` is the decision with tables of cases as its tests, `counted.rs` the one by
//! counted instructions, `explain.rs`
//! describes one run in words.
//!
//! # Invariants
//!
//! - A version of the rule never changes, neither its numbers nor what it decides; `tests/versions.rs` checks both.

#![forbid(unsafe_code)]

mod counted;
mod explain;
mod numbers;
mod rule;
mod ruling;

pub use numbers::{CountedNumbers, MeasuringNumbers, RuleNumbers};
pub use rule::TimeRule;
pub use ruling::Ruling;
