//! Live stream contests.

mod board;

pub use board::*;
