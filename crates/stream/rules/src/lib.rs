//! Live stream contests: digits for ever, and who finds the multiples in them first.
//!
//! Pure: the same seed gives the same stream, and the same record the same board. [`Rules`] are what a contest is,
//! [`Generator`] makes its stream, [`solve`] has the ladder of solvers, the fastest of which is the server's matcher,
//! [`record`] is what happened, and [`Contest`] what it adds up to.

mod board;
mod contest;
mod generate;
mod latency;
pub mod record;
mod rules;
mod simd;
pub mod solve;

pub use board::{Board, Given, LastAnswer, Row};
pub use contest::Contest;
pub use generate::{Chunk, Dice, Generator};
pub use model::Instructions;
pub use rules::{Chunks, MultipleOf, Planting, Rules, RulesError};
