//! CPUs for timed runs: their owner, what is kept off them, and the slots whose runs are timed there.
//!
//! [`TimedCpus`] are taken from their owner, [`HostCpus`], and provide the [`Helpers`]' CPUs. A [`TimedSlot`] runs
//! programs on them, with evidence. A [`TimedPlace`] combines both, with all warnings.
//!
//! # Files
//!
//! `host.rs` is the owner of the host's CPUs: today the lease registry, which all `tauto` processes use. `cpus.rs`
//! takes CPUs from there, leased or shared with a warning; `helpers.rs` decides where everything else may run
//! meanwhile. `slot.rs` is a slot whose runs have evidence, and which can wait for an undisturbed core; `place.rs`
//! combines both, with all warnings; `places.rs` decides how many a machine has.
//!
//! # Invariants
//!
//! - All timed runs take their CPUs here: judge, `run`, `bench`, labs and tests. Helpers of one place never use a timed
//!   CPU of another, of any process, as long as another CPU is available.

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

pub use cpus::{Choice, Exclusive, IfTaken, SlotTerms, TimedCpus};
pub use error::PlaceError;
pub use helpers::Helpers;
pub use host::{HostCpus, host_cpus};
pub use place::{PlaceOptions, TimedPlace};
pub use places::Places;
pub use queue::Queue;
pub use slot::{CalmWait, TimedSlot, is_slow, note_slowdown, rest};
