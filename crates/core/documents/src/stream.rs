//! Live stream contests.

mod bench;
mod board;

pub use bench::*;
pub use board::*;
