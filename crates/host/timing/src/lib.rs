//! CPUs for timed runs: who owns them, who is kept off them, and the slots whose runs are timed there.
//!
//! [`TimedCpus`] are taken from their owner, [`HostCpus`], and provide the [`Helpers`]' CPUs. A [`TimedSlot`] runs
//! programs on them, with evidence. A [`TimedPlace`] combines both, with all warnings.

#![forbid(unsafe_code)]

mod cpus;
mod error;
#[cfg(test)]
mod fixed;
mod helpers;
mod host;
mod place;
mod places;
mod queue;
mod slot;

pub use cpus::{Choice, IfTaken, Own, SlotTerms, TimedCpus};
pub use error::PlaceError;
pub use helpers::Helpers;
pub use host::{HostCpus, host_cpus};
pub use place::{PlaceOptions, TimedPlace};
pub use places::Places;
pub use queue::Queue;
pub use slot::{TimedSlot, Waited, is_slow, note_slowdown, rest};
