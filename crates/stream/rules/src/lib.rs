//! Live stream contests: digits for ever, and contestants that find the multiples in them.
//!
//! Pure: the same seed gives the same stream, and the same record the same board. [`Rules`] are what a contest is,
//! [`Generator`] makes its stream, [`solve`] has the ladder of solvers, the fastest of which is the server's matcher,
//! [`record`] is what happened, and [`Contest`] what it adds up to.
//!
//! # Files
//!
//! Live stream contests as values. `rules.rs` is what a contest is, `generate.rs` its stream. `solve.rs` is the ladder
//! of solvers, a file of `solve/` each, from `sample.rs` to `fixed_point.rs` and `prediction.rs`; `exact.rs` divides
//! what they propose. `simd/` has what is done to many numbers at once. `record.rs` has the lines of a record,
//! `contest.rs` adds them up with the fastest solver as its matcher, `board.rs` prints the board.
//! `tests/exactness.rs` compares all rungs with brute force.
//!
//! # Invariants
//!
//! - The board follows from the record alone: the live one is the same fold over the same lines.

mod board;
mod contest;
mod generate;
mod latency;
pub mod record;
mod rules;
mod simd;
pub mod solve;

pub use contest::Contest;
pub use generate::{Chunk, Dice, Generator};
pub use model::Instructions;
pub use rules::{Chunks, MultipleOf, Planting, Rules, RulesError};
