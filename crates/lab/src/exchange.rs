//! The neighbour-exchange benchmark over MPI: processes compute, then exchange a message with their neighbours, again
//! and again.
//!
//! [`Plan`] is what will be done, as data. [`Program`] compiles the MPI program, which decides nothing, and runs it;
//! what it prints becomes a [`Run`]. [`replay`] computes what the same plan takes where nothing disturbs but the
//! injected detours, with the very phases that the program drew; [`Outcome`] says what both come to.

mod error;
mod outcome;
mod phases;
mod plan;
mod program;
mod replay;
mod run;
mod words;

pub use error::ExchangeError;
pub use outcome::{Added, ArmTimes, Outcome, Spread, WarmUp};
pub use phases::phase;
pub use plan::{Injection, Phases, Plan, RANKS_MAX, SOURCES_MAX};
pub use program::{Mpi, Program};
pub use replay::{Costs, replay};
pub use run::become_tied;
pub use words::{Arm, Block, Run, Work};
