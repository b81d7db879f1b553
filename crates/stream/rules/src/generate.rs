//! The stream: random digits with multiples planted in them. The same seed gives the same digits, gaps and chunks.

use crate::rules::Rules;
use num_bigint::BigUint;
use num_traits::Zero;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::VecDeque;

/// More than this many zeros behind a planted multiple are chance.
const ZEROS_MAX: u64 = 3;

/// Digits that are sent at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// How long after the chunk before.
    pub gap_us: u64,
    /// The digits, in ASCII.
    pub digits: Vec<u8>,
}

/// Makes the chunks of a stream, one after the other.
pub struct Generator {
    dice: Dice,
    rules: Rules,
    numbers: Vec<BigUint>,
    made: VecDeque<u8>,
}

impl Generator {
    pub fn new(rules: &Rules, seed: u64) -> Self {
        let numbers = rules.multiples_of.iter().map(|number| number.number()).collect();
        Self { dice: Dice::new(seed), rules: rules.clone(), numbers, made: VecDeque::new() }
    }

    pub fn chunk(&mut self) -> Chunk {
        let mut chunk = Chunk::default();
        self.chunk_into(&mut chunk);
        chunk
    }

    /// Makes the next chunk in the place of another.
    pub fn chunk_into(&mut self, chunk: &mut Chunk) {
        let (shortest, longest) = self.rules.chunks.gap_us;
        chunk.gap_us = shortest + self.dice.below(longest - shortest + 1);
        let (fewest, most) = self.rules.chunks.digits;
        let count = usize::from(fewest) + self.dice.below(u64::from(most - fewest) + 1) as usize;
        while self.made.len() < count {
            self.make();
        }
        chunk.digits.clear();
        chunk.digits.extend(self.made.drain(..count));
    }

    /// Makes some random digits and a planted number behind them.
    fn make(&mut self) {
        for _ in 0..=self.dice.below(u64::from(self.rules.planting.apart) + 1) {
            let digit = self.dice.digit();
            self.made.push_back(digit);
        }
        let number = self.dice.below(self.numbers.len() as u64) as usize;
        let Some(mut planted) = self.multiple(number) else { return };
        if self.dice.below(100) < u64::from(self.rules.planting.near_percent) {
            let at = self.dice.below(planted.len() as u64) as usize;
            let other = (planted[at] - b'0' + 1 + self.dice.below(9) as u8) % 10;
            planted[at] = b'0' + other;
        } else if self.dice.below(100) < u64::from(self.rules.planting.zeros_percent) {
            let zeros = 1 + self.dice.below(ZEROS_MAX);
            planted.extend((0..zeros).map(|_| b'0'));
        }
        self.made.extend(planted);
    }

    /// Returns a multiple of a number, all lengths being equally likely; none if the longest answer is shorter.
    fn multiple(&mut self, number: usize) -> Option<Vec<u8>> {
        let value = &self.numbers[number];
        let fewest = value.to_string().len() as u64;
        let lengths = u64::from(self.rules.digits_max).checked_sub(fewest)? + 1;
        let length = (fewest + self.dice.below(lengths)) as usize;
        let mut digits: Vec<u8> = (0..length).map(|_| self.dice.digit()).collect();
        digits[0] = b'1' + self.dice.below(9) as u8;
        let drawn = BigUint::parse_bytes(&digits, 10)?;
        let below = &drawn - &drawn % value;
        // Below may have a digit less, or be zero; the next multiple is longer only if no other of this length exists.
        let fits = !below.is_zero() && below.to_string().len() == length;
        let multiple = if fits { below } else { below + value };
        Some(multiple.to_string().into_bytes()).filter(|multiple| multiple.len() == length)
    }
}

/// Numbers that follow from a seed.
pub struct Dice(Pcg64Mcg);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Returns a number below `end`, all equally likely.
    pub fn below(&mut self, end: u64) -> u64 {
        let least = end.wrapping_neg() % end;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(end);
            if product as u64 >= least {
                return (product >> 64) as u64;
            }
        }
    }

    fn digit(&mut self) -> u8 {
        b'0' + self.below(10) as u8
    }

    /// Brings things into random order, all orders being equally likely.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Match, Method, Problem};

    fn stream(rules: &Rules, seed: u64, chunks: usize) -> Vec<Chunk> {
        let mut generator = Generator::new(rules, seed);
        (0..chunks).map(|_| generator.chunk()).collect()
    }

    #[test]
    fn a_seed_is_a_stream() {
        let rules = Rules::default();
        assert_eq!(stream(&rules, 7, 50), stream(&rules, 7, 50));
        assert_ne!(stream(&rules, 7, 50), stream(&rules, 8, 50));
        for chunk in stream(&rules, 7, 500) {
            assert!((50..=300).contains(&chunk.digits.len()) && (20_000..=200_000).contains(&chunk.gap_us));
        }
    }

    #[test]
    fn multiples_of_every_number_are_planted_with_all_lengths() {
        let rules = Rules::default();
        let mut solver = Method::FixedPoint.solver(&Problem::new(&rules));
        let mut found: Vec<Match> = Vec::new();
        for chunk in stream(&rules, 1, 20_000) {
            solver.prepare();
            solver.take(&chunk.digits, &mut |answer, _| found.push(answer));
        }
        for (index, number) in rules.multiples_of.iter().enumerate() {
            let lengths: Vec<usize> = found
                .iter()
                .filter(|found| found.number == index as u8)
                .map(|found| found.length.into())
                .collect();
            let fewest = number.value.len();
            let half = (fewest + 256) / 2;
            let long = lengths.iter().filter(|length| **length > half).count() as f64 / lengths.len() as f64;
            assert!(lengths.len() > 1500, "{} of {}", lengths.len(), number.value);
            assert!(lengths.iter().any(|length| *length < fewest + 3) && lengths.contains(&256));
            assert!((0.42..0.58).contains(&long), "{long} of {}", number.value);
        }
        let extended = found.iter().filter(|one| {
            found.iter().any(|other| {
                other.end + 1 == one.end && other.length + 1 == one.length && other.number == one.number
            })
        });
        assert!(extended.count() > 100, "zeros behind an answer are answers");
    }

    #[test]
    fn orders_are_equally_likely() {
        let mut dice = Dice::new(3);
        let mut counts = [[0_u32; 5]; 5];
        for _ in 0..5000 {
            let mut order = [0, 1, 2, 3, 4];
            dice.shuffle(&mut order);
            order.iter().enumerate().for_each(|(place, who)| counts[*who][place] += 1);
        }
        assert!(counts.as_flattened().iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
