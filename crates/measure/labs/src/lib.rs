//! The experiments of the project's source articles, each from the plan to its numbers.
//!
//! [`load`] keeps other CPUs busy; [`exchange`] runs the message-passing benchmark. In each experiment, plans and results are computed from values
//! and tested with values; only execution touches the machine. Measured programs are children of this binary
//! (`tauto internal ...`), which cannot outlive the process that started them.
//!
//! # Files
//!
//! `load/`: `process.rs` starts a load, `worker.rs` is one (`tauto internal load`), each kind has a file. The
//! experiments of docs/labs.md have a folder each: planning and evaluation are pure, `testbed.rs` assigns CPUs to runs
//! on changing terms, `programs.rs` builds the programs, `child.rs` starts what is measured (`tauto internal server`,
//! `peer`). `words.rs` reads a child's output. `exchange/`: the neighbour-exchange benchmark. `plan.rs` is the plan,
//! `program.rs` compiles `exchange.c`, `run.rs` runs it under mpirun, `words.rs` parses its output, `replay.rs`
//! computes the same plan without a machine, `outcome.rs` compares both.

#![forbid(unsafe_code)]

pub mod affinity;
mod child;
pub mod clock;
mod error;
pub mod exchange;
mod exercise;
mod floor;
pub mod load;
mod load_set;
pub mod noise;
pub mod placement;
mod programs;
mod quantiles;
mod rounds;
mod rule_outcome;
pub mod sharing;
pub mod sieve;
pub mod stability;
mod testbed;
pub mod throttling;
mod tuning;
mod words;

pub use error::LabError;
pub use exercise::{Entry, Exercise, Submissions, solved};
pub use floor::Floor;
pub use load_set::LoadSet;
pub use programs::{Kind, NEIGHBOURS, PROGRAMS, Program, Ready, Size, Workshop};
pub use quantiles::Quantiles;
pub use rounds::rounds;
pub use rule_outcome::{RuleOutcome, in_turns, rule_outcome};
pub use testbed::{CpuTerms, Testbed, TestbedOptions};
pub use tuning::Tuning;

/// Returns whether a stop was requested.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// Names of the experiments' groups are this, a hyphen and the PID.
pub const GROUP_PREFIX: &str = "tauto-lab";

/// Names the group of this process.
pub fn group_name() -> String {
    format!("{GROUP_PREFIX}-{}", std::process::id())
}
