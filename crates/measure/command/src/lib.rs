//! The commands that measure: one run, repeated runs, experiments, noise.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod bench;
pub mod lab;
mod meaning;
pub mod noise;
pub mod run;

pub use meaning::meaning;
