//! The settings that cause timing variance: what each one is, its effect on times, and how to fix it.
//!
//! [`Snapshot`] reads everything once; pure functions decide on it, one for each setting, in the file of its group. [`doctor`] decides from a
//! [`Machine`](system::Machine) and these settings what works, what causes timing variance, and how to fix it.
//!
//! # Files
//!
//! `snapshot.rs` reads all files that the entries name, once; each entry is a pure decision from a snapshot, in the
//! file of its subject; a fix is data. `docs/settings.md` is generated from the catalogue. `doctor/` decides what
//! works, and shows the most important settings, which `doctor/consistency.rs` lists. `memory.rs` is about huge pages
//! and swap, `memory_management.rs` about the kernel's own work on memory.
//!
//! # Invariants
//!
//! - Nothing here writes a setting; `tune/` of `cpus` does.

#![forbid(unsafe_code)]

pub mod doctor;

mod advice;
mod aim;
mod config;
mod finding;
mod snapshot;
mod tasks;
mod text;
mod timing;

mod cpu;
mod frequency;
mod hypervisor;
mod interrupts;
mod kernel_build;
mod memory;
mod memory_management;
mod scheduler;
mod watchdogs;

#[cfg(test)]
pub(crate) mod tests;

pub use advice::{Advice, BootLines};
pub use aim::{Aim, AimError};
pub use config::kernel_options;
pub use doctor::{Area, Check, MissingTool};
use finding::Entry;
pub use finding::{Change, Group, Remedy, Setting};
pub use snapshot::{RawValue, Snapshot};
use system::Roots;
pub use timing::Timing;

use finding::{Finding, View};
use model::Reading;

/// Returns the catalogue, in the order in which settings are shown and changed.
fn catalogue() -> impl Iterator<Item = (Group, &'static Entry)> {
    [
        (Group::Cpu, frequency::ENTRIES),
        (Group::Cpu, cpu::ENTRIES),
        (Group::Interrupts, interrupts::ENTRIES),
        (Group::Memory, memory::ENTRIES),
        (Group::Memory, memory_management::ENTRIES),
        (Group::Scheduler, scheduler::ENTRIES),
        (Group::Scheduler, watchdogs::ENTRIES),
        (Group::Kernel, kernel_build::ENTRIES),
        (Group::Hypervisor, hypervisor::ENTRIES),
    ]
    .into_iter()
    .flat_map(|(group, entries)| entries.iter().map(move |entry| (group, entry)))
}

impl Snapshot {
    /// Reads the machine below `roots`; `timing` is what was measured on it.
    pub fn read(roots: &Roots, timing: Timing) -> Self {
        Self::of_files(roots, timing, catalogue().flat_map(|(_, entry)| entry.reads.iter().copied()))
    }

    /// Reads the machine that this process runs on, and takes the two quick measurements.
    pub fn here() -> Self {
        Self::read(&Roots::host(), Timing::measure())
    }
}

pub fn ids() -> Vec<&'static str> {
    catalogue().map(|(_, entry)| entry.id).collect()
}

pub fn examine(snapshot: &Snapshot, aim: &Reading<Aim>) -> Vec<Setting> {
    let view = View { snapshot, aim };
    catalogue()
        .map(|(group, entry)| {
            let Finding { status, found, here, remedy } = (entry.judge)(&view).unwrap_or_else(|early| early);
            Setting {
                id: entry.id,
                name: entry.name,
                group,
                status,
                found,
                raw: entry.reads.iter().flat_map(|pattern| snapshot.raw(pattern)).collect(),
                effect: entry.effect,
                source: entry.source,
                here,
                cost: entry.cost,
                fix: finding::command(entry.id, entry.reads, &remedy),
                remedy,
            }
        })
        .collect()
}
