//! A contest as a workload of judges: how long teams wait for verdicts, and what noise costs.
//!
//! Submissions arrive over a day, pools of machines judge them. Each place is driven by the state machines of production:
//! `judging_steps` decides what runs next, `ruling` what a time means, `contest_rules` in which order jobs go and what a strict pool
//! judges again. Only the programs, their times and the disturbances are drawn.

mod azure;
mod course;
mod day;
mod file;
mod noise;
mod place;
mod price;
mod quantiles;
mod report;
mod work;

pub use course::{Course, Ended, PARTS, Policy, PoolCourse, Queue, simulate};
pub use day::{Day, Kind, Pool, PoolName, Problem, Programs, Rejudging, Truth};
pub use file::read;
pub use noise::{Noise, Ran};
pub use price::{UNSURE_MAX_PERMILLE, price, surest};
pub use quantiles::{ONE, Quantiles};
pub use report::{MACHINES_MAX, machines_needed, strict_jobs, summary};
