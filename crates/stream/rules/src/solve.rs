//! The ladder of solvers: from the sample program to the fastest, each a module that says why it is faster.
//!
//! All find the same: every substring of at most N digits without a leading zero that is a multiple of a number, and
//! for each such number once, at the digit with which it ends.

mod exact;
mod factor;
mod fixed_point;
mod fixed_width;
mod prediction;
mod prefix;
mod problem;
mod recurrence;
mod sample;
mod solver;
mod tables;
mod tail;
mod vector;
mod wide;

pub use problem::Problem;
pub use solver::{Match, OnMatch, Solver};

use model::Instructions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads every substring as a big integer and divides it.
    Sample,
    /// Makes each remainder from the one before.
    Recurrence,
    /// The same in words of the processor.
    FixedWidth,
    /// Eight remainders at once.
    Simd,
    /// Eight remainders by one factor of each number.
    Factor,
    /// Two equal prefixes instead of all substrings.
    Prefix,
    /// The same without a division or an allocation after a digit has come.
    Tables,
    /// Prefixes as fractions of 64 bits, of four numbers at once.
    FixedPoint,
    /// The same, and multiples before they are complete.
    Prediction,
}

impl Method {
    /// All rungs, the slowest first.
    pub const LADDER: [Self; 9] = [
        Self::Sample,
        Self::Recurrence,
        Self::FixedWidth,
        Self::Simd,
        Self::Factor,
        Self::Prefix,
        Self::Tables,
        Self::FixedPoint,
        Self::Prediction,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Recurrence => "recurrence",
            Self::FixedWidth => "fixed-width",
            Self::Simd => "simd",
            Self::Factor => "factor",
            Self::Prefix => "prefix",
            Self::Tables => "tables",
            Self::FixedPoint => "fixed-point",
            Self::Prediction => "prediction",
        }
    }

    /// Makes a solver that uses the fastest instructions.
    pub fn solver(self, problem: &Problem) -> Box<dyn Solver> {
        self.solver_with(problem, Instructions::best())
    }

    /// Makes a solver that uses these instructions if it uses any.
    ///
    /// # Panics
    /// When this processor does not have them.
    pub fn solver_with(self, problem: &Problem, instructions: Instructions) -> Box<dyn Solver> {
        match self {
            Self::Sample => Box::new(sample::Sample::new(problem)),
            Self::Recurrence => Box::new(recurrence::Recurrence::new(problem)),
            Self::FixedWidth => Box::new(fixed_width::FixedWidth::new(problem)),
            Self::Simd => Box::new(vector::Vector::new(problem, instructions)),
            Self::Factor => Box::new(factor::Factor::new(problem, instructions)),
            Self::Prefix => Box::new(prefix::Prefix::new(problem)),
            Self::Tables => Box::new(tables::Tables::new(problem)),
            Self::FixedPoint => Box::new(fixed_point::FixedPoint::new(problem, instructions)),
            Self::Prediction => Box::new(prediction::Prediction::new(problem, instructions)),
        }
    }
}
