//! The ladder: the same programs, step by step with less that spreads their times.
//!
//! [`steps`] says which steps there are, [`run`](run::run) climbs them in rounds, so that a machine that drifts
//! drifts for all of them alike.

mod run;
mod steps;

pub use run::{Climb, Climbed, Event, Reported, StepTimes, climb};
pub use steps::{ARTICLE_MEAN_LATE_MS, ARTICLE_MEAN_MS, Step};
