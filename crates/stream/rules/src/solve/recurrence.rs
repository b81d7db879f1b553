//! The remainder of a substring follows from that of the substring without its last digit: ten times it, and the digit.
//! So nothing is read as a number any more, and a remainder below ten times the number takes at most nine
//! subtractions instead of a division.

use super::problem::Problem;
use super::tail::Tail;
use super::{Match, OnMatch, Solver};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::VecDeque;

pub(super) struct Recurrence {
    numbers: Vec<(BigUint, Remainders)>,
    tail: Tail,
    digits_max: usize,
}

/// Of each substring, the longest first; none for a leading zero.
type Remainders = VecDeque<Option<BigUint>>;

impl Recurrence {
    pub fn new(problem: &Problem) -> Self {
        let numbers = problem.numbers.iter().map(|number| (number.value.clone(), VecDeque::new())).collect();
        Self { numbers, tail: Tail::new(problem.digits_max), digits_max: problem.digits_max }
    }
}

impl Solver for Recurrence {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        for digit in digits {
            self.tail.push(*digit);
            let value = digit - b'0';
            for (index, (number, remainders)) in self.numbers.iter_mut().enumerate() {
                if remainders.len() == self.digits_max {
                    remainders.pop_front();
                }
                remainders.push_back((value != 0).then(BigUint::zero));
                let count = remainders.len();
                for (at, remainder) in remainders.iter_mut().enumerate() {
                    let Some(remainder) = remainder else { continue };
                    *remainder *= 10_u8;
                    *remainder += value;
                    while *remainder >= *number {
                        *remainder -= &*number;
                    }
                    if remainder.is_zero() {
                        let length = count - at;
                        let one = Match { end: self.tail.count, length: length as u16, number: index as u8 };
                        found(one, self.tail.last(length));
                    }
                }
            }
        }
    }
}
