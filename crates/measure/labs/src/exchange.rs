//! The neighbour-exchange benchmark over MPI: processes compute, then exchange a message with their neighbours, again
//! and again.
//!
//! [`Plan`] is the plan as data. [`Program`] compiles the MPI program, which decides nothing, and runs it; its output
//! becomes a [`Run`]. [`replay`] computes the times of the same plan if only the injected detours disturb it, with the
//! phases that the program drew; [`outcome`] compares both.

mod error;
mod outcome;
mod phases;
mod plan;
mod program;
mod replay;
mod run;
mod words;

pub use error::ExchangeError;
pub use outcome::{costs_of, outcome, warm_up};
pub use phases::phase;
pub use plan::{Injection, Phases, Plan, RANKS_MAX, SOURCES_MAX};
pub use program::{Mpi, Program};
pub use replay::{Costs, replay};
pub use run::become_tied;
pub use words::{Arm, Block, Run, Work};
