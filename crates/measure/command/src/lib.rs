//! The commands that measure: one run, repeated runs, experiments, noise.
//!
//! # Files
//!
//! `tauto run`, `tauto bench`, `tauto lab` and `tauto noise`, a folder each. `noise/file.rs` reads and writes profiles,
//! `noise/store.rs` keeps them as baselines.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod bench;
pub mod lab;
mod meaning;
pub mod noise;
pub mod run;

pub use meaning::meaning;
