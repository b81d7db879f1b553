//! Linear time. Let S(i) be the sum of d(k) r^k over the first i digits, with r the reciprocal of 10 modulo the number. The
//! substring from i to j is 10^(j-1) (S(j) - S(i)), so it is a multiple if and only if S(i) = S(j): instead of all
//! substrings only the places with an equal sum are searched, in a map. 10 has no reciprocal modulo 2 and 5; these factors are
//! left out, and what is found is divided exactly.

use super::problem::{Number, Problem};
use super::tail::Tail;
use super::wide::{Modulus, Wide, words_for};
use super::{Match, OnMatch, Solver};
use num_bigint::BigUint;
use num_traits::One;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};

pub(super) struct Prefix {
    columns: Vec<(Number, Box<dyn Column>)>,
    tail: Tail,
    lengths: Vec<usize>,
}

trait Column: Send {
    /// Takes the digit that ends at a place, and notes the lengths of what may be a multiple.
    fn take(&mut self, digit: u8, end: u64, lengths: &mut Vec<usize>);
}

struct Sums<const L: usize> {
    modulus: Modulus<L>,
    power: Wide<L>,
    sum: Wide<L>,
    /// Where substrings may begin, by the sum before them.
    starts: HashMap<Wide<L>, VecDeque<u64>, BuildHasherDefault<DefaultHasher>>,
    /// The same from the oldest.
    ages: VecDeque<(u64, Wide<L>)>,
    digits_max: u64,
}

impl Prefix {
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
        let columns = problem.numbers.iter().map(|number| (number.clone(), column(number)));
        Self { columns: columns.collect(), tail: Tail::new(digits_max), lengths: Vec::new() }
    }
}

impl<const L: usize> Sums<L> {
    fn new(number: &Number, digits_max: usize) -> Self {
        Self {
            modulus: Modulus::new(&number.coprime),
            power: Wide::of(&(BigUint::one() % &number.coprime)),
            sum: Wide::ZERO,
            starts: HashMap::default(),
            ages: VecDeque::new(),
            digits_max: digits_max as u64,
        }
    }

    fn forget_before(&mut self, place: u64) {
        while let Some((_, sum)) = self.ages.pop_front_if(|(start, _)| *start < place) {
            let Some(starts) = self.starts.get_mut(&sum) else { continue };
            starts.pop_front();
            if starts.is_empty() {
                self.starts.remove(&sum);
            }
        }
    }
}

impl<const L: usize> Column for Sums<L> {
    fn take(&mut self, digit: u8, end: u64, lengths: &mut Vec<usize>) {
        if digit != b'0' {
            self.starts.entry(self.sum).or_default().push_back(end - 1);
            self.ages.push_back((end - 1, self.sum));
        }
        self.forget_before(end.saturating_sub(self.digits_max));
        let term = self.modulus.times(&self.power, u64::from(digit - b'0'));
        self.sum = self.modulus.add(&self.sum, &term);
        self.power = self.modulus.tenth(&self.power);
        lengths.extend(self.starts.get(&self.sum).into_iter().flatten().map(|start| (end - start) as usize));
    }
}

impl Solver for Prefix {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        for digit in digits {
            self.tail.push(*digit);
            let end = self.tail.count;
            for (index, (number, column)) in self.columns.iter_mut().enumerate() {
                self.lengths.clear();
                column.take(*digit, end, &mut self.lengths);
                for length in &self.lengths {
                    let text = self.tail.last(*length);
                    if number.exact.divides(text) {
                        found(Match { end, length: *length as u16, number: index as u8 }, text);
                    }
                }
            }
        }
    }
}
