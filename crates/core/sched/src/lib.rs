//! Which CPUs a run gets, and how to make room for it.
//!
//! Pure: no clock, file, environment or randomness; the same machine, leases and request give the same answer.
//!
//! [`Machine`] is a topology made ready for searching, [`Leases`] says who holds which core of it,
//! [`allocate`] finds CPUs for a [`Request`] or says in [`NoFit`] why there are none, [`defragment`] plans
//! moves of leases that make room.
//!
//! Architecture Invariant: a core belongs to one lease or to none. Nothing here leases half a core, since SMT
//! siblings share what is timed.

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

pub use allocate::{Explanation, Placement, allocate};
pub use block::Block;
pub use leases::{GrantError, Lease, LeaseId, Leases, RecordError, Recorded};
pub use machine::{Machine, MachineError, Standing};
pub use no_fit::{Blocker, NoFit, Why};
pub use regular::Regular;
pub use request::{Class, Request, Siblings, Span};
pub use shared::{Holder, ShareError, SharedSet};
