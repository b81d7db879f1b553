//! One submission's judging as a state machine.
//!
//! Pure: the caller asks [`Judging::next`] for the step at an instant, executes it, and passes the outcome to
//! [`Judging::on`]. There is no clock here, so many submissions can share one driver, and tests can choose every time.
//!
//! # Files
//!
//! One submission's judging as a state machine, and many of them on one timed place. `Judging::next` returns the step
//! that is due at an instant, `Judging::on` takes its outcome and returns what follows from it. `plan.rs` is what is
//! known before, and `Scoring`, through which the package decides what is still needed; `step.rs` has steps, events and
//! ends, `judging.rs` the machine, `case.rs` one case in it, `conversation.rs` what decides an interactive case,
//! `phase.rs` the current phase of a judging. `driver.rs` has the judgings of a place: what to do on it and next to it,
//! and when to check again; `turns.rs` decides which judging is next. `tests/driver` has a simulated clock,
//! `tests/table.rs` every end of every kind, `tests/sharing.rs` many judgings on one place.
//!
//! # Invariants
//!
//! - At most one run and one check are active at the same time, and the result depends neither on that nor on how long
//!   anything took.

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
pub use driver::{Action, Driver, OPEN_PER_PLACE_MAX, PROBE_EVERY};
pub use judging::Judging;
pub use phase::Phase;
pub use plan::{Item, Kind, Plan, Scoring, WARM_UP_TIME_MAX};
pub use step::{Checked, Conversed, Event, Observation, Outcome, RunLimits, Side, Step};
pub use turns::{Order, TURN_TIME_MAX, Turn, Turns};
