//! The settings that cause timing variance: what each one is, its effect on times, and how to fix it.
//!
//! [`Snapshot`] reads everything once; pure functions decide on it, one for each setting, in the file of its group. [`doctor`] decides from a
//! [`Machine`](system::Machine) and these settings what works, what causes timing variance, and how to fix it.

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
pub use finding::{Change, Group, RawValue, Remedy, Setting};
pub use snapshot::Snapshot;
pub use timing::Timing;

use finding::{Finding, View};
use model::Reading;

/// One setting of the catalogue.
struct Entry {
    /// Its id on the command line and in documents; it does not change between versions.
    id: &'static str,
    /// Its name for display.
    name: &'static str,
    /// The disturbance, and its size.
    effect: &'static str,
    /// The source: a page of the kernel's documentation, or a measurement.
    source: &'static str,
    /// The cost of fixing it.
    cost: &'static str,
    /// The files on which the decision depends; `#` stands for a number, `*` for any part of a name.
    reads: &'static [&'static str],
    /// The decision; an error is a decision that was reached early.
    judge: fn(&View<'_>) -> Result<Finding, Finding>,
}

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

/// Lists the ids of all settings.
pub fn ids() -> Vec<&'static str> {
    catalogue().map(|(_, entry)| entry.id).collect()
}

/// Judges every setting.
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
