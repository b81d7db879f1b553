//! Reads what the machine is and what it can do; never writes a setting.
//!
//! [`counters`] is read before and after every run and is fast; [`machine`] is read once and describes the machine;
//! [`doctor`] decides from a [`Machine`] what works, what causes timing variance, and how to fix it; [`settings`]
//! judges every setting that causes timing variance, and contains the values to write; [`topology`] describes
//! processors, caches and memory, of this machine or from a recording; [`audit`] names all tasks that ran on a set of
//! CPUs; [`noise`] measures the time that is taken from a computing program.
//!
//! Architecture Invariant: every file is found through [`Roots`], so that tests with a synthetic tree use the same
//! code.

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
