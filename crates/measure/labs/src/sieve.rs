//! The ladder: the same programs, with fewer causes of timing variance at each step.
//!
//! [`steps`] lists the steps, [`run`](run::run) executes them in rounds, so that drift of the machine affects all of
//! them equally.

mod run;
mod steps;

pub use run::{Climb, Climbed, Event, Reported, StepTimes, climb};
pub use steps::{ARTICLE_MEAN_LATE_MS, ARTICLE_MEAN_MS, Step};
