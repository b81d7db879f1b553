//! One submission's judging as a state machine.
//!
//! Pure: the caller asks [`Judging::next`] for the step at an instant, executes it, and passes the outcome to
//! [`Judging::on`]. There is no clock here, so many submissions can share one driver, and tests can choose every time.

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
pub use driver::{Action, Driver, LOOK_EVERY, OPEN_PER_PLACE_MAX};
pub use judging::Judging;
pub use phase::Phase;
pub use plan::{Item, Kind, Plan, Scoring, WARM_UP_TIME_MAX};
pub use step::{Checked, Conversed, Event, Observation, Outcome, RunLimits, Side, Step};
pub use turns::{Order, TURN_TIME_MAX, Turn, Turns};
