//! CPU quotas compared with whole CPUs, for a server whose requests arrive in bursts.
//!
//! [`Workload`] defines the work and [`Schedule`] when it is due; [`server`] is the child that serves it; [`Arm`] is
//! one way to provide CPUs; [`measure`] runs one arm once, and [`right_size`] finds the smallest that is good enough.

mod arm;
mod run;
mod schedule;
pub mod server;
mod sizing;

pub use arm::{Arm, Plan, PlanError, plan};
pub use run::{Request, RunOfArm, measure, steps_per_ms};
pub use schedule::{Schedule, Workload};
pub use sizing::right_size;
