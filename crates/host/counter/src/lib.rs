//! Counts the instructions that a program executes under QEMU's user-mode emulator.
//!
//! The same program with the same input executes the same instructions, whatever else the machine does: the count is a clock
//! that no neighbour disturbs.
//!
//! # Files
//!
//! `count.c` is the plugin, which the emulator loads, and `canary.S` (`canary.rs`) a program with a known count; `build.rs`
//! compiles both. `plugin.rs` has its code, in a file in memory.
//! `counts.rs` is the memory in which a run counts. `emulator.rs` finds the emulator.
//! `profile.c` is a second plugin, for programs of one's own, and `profile.rs` reads what it wrote: where the instructions are, and misses
//! of simulated caches.
//!
//! # Invariants
//!
//! - The emulator does not protect its memory from the program: a count may be whatever a hostile program wrote. It is
//!   believed only as far as the CPU time of the run supports it (`ruling`).
//! - Reading never waits for the run, and no content of the shared memory makes it fail.

#![forbid(unsafe_code)]

mod canary;
mod counts;
mod emulator;
mod plugin;
mod profile;

pub use canary::canary;
pub use counts::Counts;
pub use emulator::{Emulator, NoEmulator};
pub use plugin::plugin;
pub use profile::{Block, Cache, Caches, Mapping, Misses, Profile, Profiler};
