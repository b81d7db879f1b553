//! Everything that reads uploads, each as a function of bytes that panics where something is wrong: for fuzzers,
//! and for inputs that are changed at random.

#![forbid(unsafe_code)]

mod mutation;
mod seeds;
mod targets;

pub use mutation::Mutator;
pub use targets::{TARGETS, Target, read};
