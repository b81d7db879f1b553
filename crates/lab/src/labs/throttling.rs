//! CPU quota against whole CPUs, for a server whose requests come in bursts.
//!
//! [`Workload`] says what is served and [`Schedule`] when it is due; [`server`] is the child that serves it;
//! [`Arm`] is one way to give it CPUs; [`measure`] runs one arm once, and [`right_size`] says which is the
//! smallest that is good enough.

mod arm;
mod run;
mod schedule;
pub mod server;
mod sizing;

pub use arm::{Arm, Plan, PlanError, plan};
pub use run::{Request, RunOfArm, Tick, measure, steps_per_ms};
pub use schedule::{Schedule, Workload};
pub use sizing::{Sizing, right_size};
