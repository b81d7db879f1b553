//! Which CPUs a run gets, and how to make room for it.
//!
//! Pure: no clock, file, environment or randomness; the same machine, leases and request produce the same answer.
//!
//! [`Machine`] is a topology prepared for searching, [`Leases`] records which lease has which core of it, [`allocate`]
//! finds CPUs for a [`Request`] or returns [`NoFit`] with the reason, [`defragment`] plans moves of leases that make
//! room.
//!
//! # Files
//!
//! `machine.rs` prepares a topology for searching: `tree.rs` nests its domains by their cores, and equivalent cores are
//! one *cell*. `choice.rs` chooses a part and how many cores of each cell, `runs.rs` which cores; `allocate.rs` joins
//! them and explains the choice, `no_fit.rs` explains a refusal. `leases.rs` and `shared.rs` record which lease has
//! which cores. `defragment/`: `exact.rs` tries all plans on a small machine, `room.rs` likely ones on a large one,
//! `gather.rs` makes leases compact, `price.rs` computes the costs of moves.
//!
//! # Invariants
//!
//! - A core belongs to at most one lease; every grant and release asserts it.
//! - Half a core is never leased, since SMT siblings share what is timed.

#![forbid(unsafe_code)]

mod allocate;
mod block;
mod choice;
pub mod defragment;
mod leases;
mod machine;
mod no_fit;
mod regular;
mod request;
mod runs;
mod shared;
mod tree;

pub use allocate::{Explanation, GrantError, MemoryPlace, Placement, allocate};
pub use block::Block;
pub use leases::{Lease, LeaseId, Leases, RecordError, Recorded};
pub use machine::{Machine, MachineError, Standing};
pub use no_fit::{Blocker, NoFit, Why};
pub use regular::Regular;
pub use request::{Class, Request, Siblings, Span};
pub use shared::{Holder, ShareError, SharedSet};
