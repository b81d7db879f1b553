//! How often the same submission gets the same verdict close to its limit.
//!
//! [`schedule`] decides who runs next, so that the rest of one judgement is the work of another; the verdicts
//! come from the very rule that judges. [`run`] carries it out, [`Outcome`](outcome::Outcome) says what it comes to.

mod outcome;
mod run;
mod schedule;

pub use outcome::{DRIFT_MAX, Outcome, Side, outcome};
pub use run::{CALIBRATION_RUNS, REFERENCE_RUNS, Series, Setting, run};
pub use schedule::{Arm, Job, Judged, Told};
