//! Reads what the machine is and what it has counted.
//!
//! [`counters`] is read before and after every run and is fast; [`machine`] is read once and describes the machine;
//! [`files`] reads one file of the kernel, or returns why it cannot.
//!
//! # Files
//!
//! `counters.rs` is read before and after every run, `machine/` identifies the machine, `roots.rs` has the folders of its files,
//! `mask.rs` reads and writes masks of CPUs, `task.rs` parses `/proc/PID/stat`.
//!
//! # Invariants
//!
//! - Nothing here writes a setting.
//! - Every file is found through `Roots`, so that tests with a synthetic tree use the same code.

pub mod counters;
pub mod files;
pub mod machine;
pub mod mask;
pub mod task;

mod roots;
mod status;

pub use counters::{CounterDelta, CounterReader, CpuCounters};
pub use machine::{KernelAnswers, Machine, MachineIdentity};
pub use roots::Roots;
pub use status::Status;
