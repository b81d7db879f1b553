//! The sample program that contestants get: after each digit every substring that ends with it is read as a big integer and
//! divided by every number.

use super::problem::Problem;
use super::tail::Tail;
use super::{Match, OnMatch, Solver};
use num_bigint::BigUint;
use num_traits::Zero;

pub(super) struct Sample {
    numbers: Vec<BigUint>,
    tail: Tail,
}

impl Sample {
    pub fn new(problem: &Problem) -> Self {
        let numbers = problem.numbers.iter().map(|number| number.value.clone()).collect();
        Self { numbers, tail: Tail::new(problem.digits_max) }
    }
}

impl Solver for Sample {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        for digit in digits {
            self.tail.push(*digit);
            let window = self.tail.window();
            for from in (0..window.len()).filter(|from| window[*from] != b'0') {
                let text = &window[from..];
                let Some(value) = BigUint::parse_bytes(text, 10) else { continue };
                for (number, divisor) in self.numbers.iter().enumerate() {
                    if (&value % divisor).is_zero() {
                        let length = text.len() as u16;
                        found(Match { end: self.tail.count, length, number: number as u8 }, text);
                    }
                }
            }
        }
    }
}
