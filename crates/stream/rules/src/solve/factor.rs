//! What is no multiple of a factor is no multiple of the number. One factor that fits into a word is enough to exclude
//! nearly everything, so wide numbers become narrow; what passes is divided exactly.

use super::problem::{Number, Problem};
use super::tail::Tail;
use super::{Match, OnMatch, Solver};
use crate::simd::Lanes;
use model::Instructions;

/// Ten times a factor still fits into a vector's word.
const FACTOR_BITS: u64 = 59;

pub(super) struct Factor {
    columns: Vec<(Number, Lanes)>,
    tail: Tail,
}

impl Factor {
    pub fn new(problem: &Problem, instructions: Instructions) -> Self {
        let column = |number: &Number| {
            let factor = number.divisor(FACTOR_BITS);
            (number.clone(), Lanes::new(&factor, problem.digits_max, instructions))
        };
        Self { columns: problem.numbers.iter().map(column).collect(), tail: Tail::new(problem.digits_max) }
    }
}

impl Solver for Factor {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        for digit in digits {
            self.tail.push(*digit);
            for (index, (number, lanes)) in self.columns.iter_mut().enumerate() {
                lanes.take(digit - b'0', &mut |length| {
                    let text = self.tail.last(length);
                    if text[0] != b'0' && number.exact.divides(text) {
                        found(
                            Match { end: self.tail.count, length: length as u16, number: index as u8 },
                            text,
                        );
                    }
                });
            }
        }
    }
}
