//! Prefix sums without a multiplication: what each digit adds at each of the next places is computed before the digits come, so
//! that a digit costs one addition. Sums are words of a fixed count, and places with an equal sum are in a table
//! with chains instead of a map.

use super::problem::{Number, Problem};
use super::tail::Tail;
use super::wide::{Modulus, Wide, words_for};
use super::{Match, OnMatch, Solver};
use num_bigint::BigUint;
use num_traits::One;

/// Digits that can come before tables have to be made anew.
const PREPARED: usize = 1024;
/// So few prepared places are filled up in a gap.
const FILL_BELOW: usize = 640;
/// Heads of chains: many more than starts, so that chains are short.
const HEADS: usize = 1 << 13;

pub(super) struct Tables {
    columns: Vec<(Number, Box<dyn Column>)>,
    tail: Tail,
    lengths: Vec<usize>,
}

trait Column: Send {
    fn prepare(&mut self);
    fn take(&mut self, digit: u8, may_end: bool, lengths: &mut Vec<usize>);
}

struct Sums<const L: usize> {
    modulus: Modulus<L>,
    power: Wide<L>,
    /// What the digits add at the next places.
    table: Vec<[Wide<L>; 10]>,
    used: usize,
    sum: Wide<L>,
    /// How many digits came.
    at: u64,
    digits_max: u64,
    /// The sum before each of the last places, and the place before with the same head. A ring.
    starts: Vec<(Wide<L>, u64)>,
    heads: Vec<u64>,
}

impl Tables {
    pub fn new(problem: &Problem) -> Self {
        let digits_max = problem.digits_max;
        let column = |number: &Number| -> Box<dyn Column> {
            match words_for(&number.coprime) {
                1 => Box::new(Sums::<1>::new(number, digits_max)),
                2 => Box::new(Sums::<2>::new(number, digits_max)),
                3 => Box::new(Sums::<3>::new(number, digits_max)),
                4 => Box::new(Sums::<4>::new(number, digits_max)),
                _ => Box::new(Sums::<8>::new(number, digits_max)),
            }
        };
        let columns = problem.numbers.iter().map(|number| (number.clone(), column(number))).collect();
        Self { columns, tail: Tail::new(digits_max), lengths: Vec::new() }
    }
}

/// No place: before all others.
const NONE: u64 = u64::MAX;

impl<const L: usize> Sums<L> {
    fn new(number: &Number, digits_max: usize) -> Self {
        let mut sums = Self {
            modulus: Modulus::new(&number.coprime),
            power: Wide::of(&(BigUint::one() % &number.coprime)),
            table: Vec::new(),
            used: 0,
            sum: Wide::ZERO,
            at: 0,
            digits_max: digits_max as u64,
            starts: vec![(Wide::ZERO, NONE); (digits_max + 1).next_power_of_two()],
            heads: vec![NONE; HEADS],
        };
        sums.fill();
        sums
    }

    fn fill(&mut self) {
        self.table.drain(..self.used);
        self.used = 0;
        while self.table.len() < PREPARED {
            let mut digits = [Wide::ZERO; 10];
            for digit in 1..10 {
                digits[digit] = self.modulus.add(&digits[digit - 1], &self.power);
            }
            self.table.push(digits);
            self.power = self.modulus.tenth(&self.power);
        }
    }

    fn head(&self) -> usize {
        // The lowest word alone would be the same for all multiples of a power of 2.
        (self.sum.0[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HEADS.trailing_zeros())) as usize
    }

    fn is_near(&self, start: u64) -> bool {
        self.at.wrapping_sub(start) <= self.digits_max && start != NONE
    }
}

impl<const L: usize> Column for Sums<L> {
    fn prepare(&mut self) {
        if self.table.len() - self.used < FILL_BELOW {
            self.fill();
        }
    }

    fn take(&mut self, digit: u8, may_end: bool, lengths: &mut Vec<usize>) {
        let ring = self.starts.len() - 1;
        if digit != b'0' {
            let head = self.head();
            self.starts[self.at as usize & ring] = (self.sum, self.heads[head]);
            self.heads[head] = self.at;
        }
        if self.used == self.table.len() {
            self.fill();
        }
        self.sum = self.modulus.add(&self.sum, &self.table[self.used][usize::from(digit - b'0')]);
        self.used += 1;
        self.at += 1;
        let mut start = self.heads[self.head()];
        while may_end && self.is_near(start) {
            let (sum, before) = &self.starts[start as usize & ring];
            if *sum == self.sum {
                lengths.push((self.at - start) as usize);
            }
            start = *before;
        }
    }
}

impl Solver for Tables {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        for digit in digits {
            self.tail.push(*digit);
            for (index, (number, column)) in self.columns.iter_mut().enumerate() {
                self.lengths.clear();
                column.take(*digit, number.may_end_in(*digit), &mut self.lengths);
                for length in &self.lengths {
                    let text = self.tail.last(*length);
                    if number.exact.divides(text) {
                        let one = Match { end: self.tail.count, length: *length as u16, number: index as u8 };
                        found(one, text);
                    }
                }
            }
        }
    }

    fn prepare(&mut self) {
        self.columns.iter_mut().for_each(|(_, column)| column.prepare());
    }
}
