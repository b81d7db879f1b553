//! The same recurrence in one, two, three, four or eight words of the processor, as each number needs: nothing is allocated, and four
//! comparisons with 8, 4, 2 and 1 times the number take the place of up to nine subtractions.

use super::problem::{Number, Problem};
use super::tail::Tail;
use super::wide::{Modulus, Wide, words_for};
use super::{Match, OnMatch, Solver};

pub(super) struct FixedWidth {
    columns: Vec<Box<dyn Column>>,
    tail: Tail,
}

/// The remainders by one number.
trait Column: Send {
    /// Takes a digit, and calls `found` with the length of each multiple.
    fn take(&mut self, digit: u8, found: &mut dyn FnMut(usize));
}

struct Remainders<const L: usize> {
    modulus: Modulus<L>,
    /// A ring: a new substring takes the place of the one that is too long.
    remainders: Vec<Option<Wide<L>>>,
    next: usize,
}

impl FixedWidth {
    pub fn new(problem: &Problem) -> Self {
        let column = |number: &Number| -> Box<dyn Column> {
            match words_for(&number.value) {
                1 => Box::new(Remainders::<1>::new(number, problem.digits_max)),
                2 => Box::new(Remainders::<2>::new(number, problem.digits_max)),
                3 => Box::new(Remainders::<3>::new(number, problem.digits_max)),
                4 => Box::new(Remainders::<4>::new(number, problem.digits_max)),
                _ => Box::new(Remainders::<8>::new(number, problem.digits_max)),
            }
        };
        Self { columns: problem.numbers.iter().map(column).collect(), tail: Tail::new(problem.digits_max) }
    }
}

impl<const L: usize> Remainders<L> {
    fn new(number: &Number, digits_max: usize) -> Self {
        Self { modulus: Modulus::new(&number.value), remainders: vec![None; digits_max], next: 0 }
    }
}

impl<const L: usize> Column for Remainders<L> {
    fn take(&mut self, digit: u8, found: &mut dyn FnMut(usize)) {
        let count = self.remainders.len();
        self.remainders[self.next] = (digit != 0).then_some(Wide::ZERO);
        for (at, place) in self.remainders.iter_mut().enumerate() {
            let Some(remainder) = place else { continue };
            *remainder = self.modulus.append(remainder, digit.into());
            if remainder.is_zero() {
                found((self.next + count - at) % count + 1);
            }
        }
        self.next = (self.next + 1) % count;
    }
}

impl Solver for FixedWidth {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        for digit in digits {
            self.tail.push(*digit);
            for (number, column) in self.columns.iter_mut().enumerate() {
                column.take(digit - b'0', &mut |length| {
                    let one = Match { end: self.tail.count, length: length as u16, number: number as u8 };
                    found(one, self.tail.last(length));
                });
            }
        }
    }
}
