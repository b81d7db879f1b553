//! Work that keeps CPUs busy while something else is measured.
//!
//! A load is a child process of this binary ([`Load`]) with one thread on each of its CPUs ([`worker`]). It counts its
//! work, so that two measurements can be shown to have been made under the same load. It cannot outlive the process
//! that started it: its standard input ends with that process, and the kernel kills it as well.

mod cache;
mod cpu;
mod io;
mod kind;
mod memory;
mod process;
pub mod worker;

pub use kind::LoadKind;
pub use process::{Load, LoadError, LoadPlan, Work};
