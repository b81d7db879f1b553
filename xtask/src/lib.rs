//! What the project's chores share with its benchmarks.

#![forbid(unsafe_code)]

pub mod fleet;
pub mod process;
