//! Control groups, version 2 and version 1, behind one small interface.
//!
//! A [`Layout`] records which controller is mounted where; a [`SlotGroups`] is one slot's place in all of them, a
//! [`ShareGroup`] a group with a share of the CPU time. Only this crate knows that some controllers are in version 2
//! and others in version 1 (a hybrid machine).
//!
//! # Files
//!
//! `hierarchy.rs` reads the kernel's lists of hierarchies and groups, `layout.rs` finds which controller is mounted
//! where; `cpus.rs` gives a slot dedicated CPUs (`docs/isolation.md`); `group.rs` makes and removes one group;
//! `unified.rs` is a slot's group of version 2, `memory.rs` its memory group of version 1; `slot.rs` is a slot's place
//! in all of them: begin, clone target, CPU time, kill, finish. `left_over.rs` ends what killed owners left,
//! `freezer.rs` thaws what is frozen there. `claim.rs` locks what exists once on the machine (numbers of slots, CPUs)
//! in that tree, which processes with different folders at `/run` share; `own_file.rs` opens files in those folders,
//! and nothing that only has their names. `hardware.rs` reads the processor's counters of a group as evidence, `clock.rs` as the clock of
//! a run. `share.rs` is a group with a quota or whole CPUs, for experiments.
//!
//! # Invariants
//!
//! - Only this crate knows which controllers are in version 2 and which in version 1.

mod claim;
mod clock;
mod cpus;
mod error;
mod files;
mod freezer;
mod group;
mod hardware;
mod hierarchy;
mod layout;
mod left_over;
mod memory;
pub mod own_file;
mod own_memory;
mod root_handle;
mod share;
mod slot;
mod unified;

pub use claim::{Claim, ClaimPlace, Claimable};
pub use clock::{CLOCK_CPUS_MAX, Clock, ClockEvent, ClockPlan, check_instructions};
pub use cpus::OwnCpus;
pub use error::CgroupError;
pub use hardware::Counting;
pub use hierarchy::{Hierarchy, Version, mount_point};
pub use layout::{Controller, GROUP_PREFIX, Home, Layout};
pub use left_over::{end_slots, remove_slot_groups, slots_with_groups};
pub use own_memory::own_memory_limit;
pub use share::{CpuShare, ShareGroup, Throttling, remove_left_over};
pub use slot::{GroupLimits, GroupUse, SlotGroups};
