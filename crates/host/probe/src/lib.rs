//! Reads what the machine is and what it can do; never writes a setting.
//!
//! [`counters`] is read before and after every run and is fast; [`machine`] is
//! read once and says what the machine is; [`doctor`] decides from a [`Machine`]
//! what works, what causes timing variance, and how to fix it; [`settings`] judges every
//! setting that causes timing variance, and says what to write; [`topology`] says how
//! processors and memory lie to each other, here or in a recording;
//! [`audit`] names everyone who ran on a set of CPUs; [`noise`] measures what is
//! taken from a program that computes.
//!
//! Architecture Invariant: every file is found through [`Roots`], so that a
//! synthetic tree tests what the real one does.

pub mod audit;
pub mod counters;
pub mod doctor;
pub mod machine;
pub mod noise;
pub mod settings;
pub mod topology;

mod files;
mod roots;
mod status;

#[cfg(test)]
mod tree;

pub use counters::{CounterDelta, CounterReader, CpuCounters};

pub use doctor::{Area, Check, MissingTool};
pub use machine::{KernelAnswers, Machine, MachineIdentity};
pub use roots::Roots;
pub use status::Status;
pub use topology::{Source, TopologyError};
