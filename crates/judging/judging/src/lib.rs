//! One submission's judging as a state machine.
//!
//! Pure: whoever drives it asks [`Judging::next`] what is to be done at an instant, does it, and tells [`Judging::on`] what
//! came of it. It has no clock, so that many submissions can share one driver, and a test can make up every time.

#![forbid(unsafe_code)]

mod case;
mod conversation;
mod driver;
mod judging;
mod phase;
mod plan;
mod step;
mod turns;

pub use case::{CaseEnd, RunAgain};
pub use driver::{Action, Driver, LOOK_EVERY};
pub use judging::Judging;
pub use phase::Phase;
pub use plan::{Item, Kind, Plan, Scoring, WARM_UP_TIME_MAX};
pub use step::{Checked, Conversed, Event, Observation, Outcome, RunLimits, Side, Step};
pub use turns::{Order, TURN_TIME_MAX, Turn, Turns};
