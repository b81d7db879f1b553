//! One submission's judging as a state machine.
//!
//! Pure: whoever drives it asks [`Judging::next`] what is to be done at an instant, does it, and tells [`Judging::on`] what
//! came of it. It has no clock, so that many submissions can share one driver, and a test can make up every time.

mod case;
mod conversation;
mod judging;
mod plan;
mod step;

pub use case::CaseEnd;
pub use judging::Judging;
pub use plan::{Item, Kind, Plan, Scoring, WARM_UP_TIME_MAX};
pub use step::{Checked, Conversed, Event, Observation, Outcome, RunLimits, Side, Step};
