//! The same recurrence for eight substrings at once: vector instructions do to eight numbers what others do to one. A wide
//! number's words are in separate vectors, so that lanes are independent; a word has 60 bits, and the others
//! take what is carried.

use super::problem::Problem;
use super::tail::Tail;
use super::{Match, OnMatch, Solver};
use crate::simd::Lanes;
use model::Instructions;

pub(super) struct Vector {
    columns: Vec<Lanes>,
    tail: Tail,
}

impl Vector {
    pub fn new(problem: &Problem, instructions: Instructions) -> Self {
        let numbers = problem.numbers.iter();
        let columns =
            numbers.map(|number| Lanes::new(&number.value, problem.digits_max, instructions)).collect();
        Self { columns, tail: Tail::new(problem.digits_max) }
    }
}

impl Solver for Vector {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        for digit in digits {
            self.tail.push(*digit);
            for (number, lanes) in self.columns.iter_mut().enumerate() {
                lanes.take(digit - b'0', &mut |length| {
                    let text = self.tail.last(length);
                    if text[0] != b'0' {
                        found(
                            Match { end: self.tail.count, length: length as u16, number: number as u8 },
                            text,
                        );
                    }
                });
            }
        }
    }
}
