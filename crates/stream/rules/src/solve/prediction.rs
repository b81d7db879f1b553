//! What a few further digits would make a multiple was probably planted, and counts before it is complete: a wide number needs
//! many digits to be hit by chance, so the last tens of digits of its multiples are known before they come. All remainders of
//! the window are extended by zeros, digit by digit; when the number that is missing to the next multiple is no
//! longer than these, it is the rest of a multiple. Takes tenths of a millisecond, in the gaps.

use super::fixed_point::FixedPoint;
use super::problem::{Number, Problem};
use super::wide::{Modulus, Wide, words_for};
use super::{OnMatch, Solver};
use model::Instructions;
use num_bigint::BigUint;
use std::cmp::Ordering;

/// Chance completes one in 10 to this of the substrings, or fewer.
const MARGIN_DIGITS: usize = 6;

pub(super) struct Prediction {
    solver: FixedPoint,
    numbers: Vec<Box<dyn Extend>>,
}

trait Extend: Send {
    fn predict(&self, window: &[u8], likely: &mut dyn FnMut(&[u8]));
}

struct Extending<const L: usize> {
    modulus: Modulus<L>,
    /// Powers of ten modulo the number, times each digit.
    powers: Vec<[Wide<L>; 10]>,
    /// Powers of ten, as far as fewer digits than these are predicted.
    tens: Vec<Wide<L>>,
    digits_max: usize,
}

impl Prediction {
    pub fn new(problem: &Problem, instructions: Instructions) -> Self {
        let extend = |number: &Number| -> Box<dyn Extend> {
            match words_for(&number.value) {
                1 => Box::new(Extending::<1>::new(number, problem.digits_max)),
                2 => Box::new(Extending::<2>::new(number, problem.digits_max)),
                3 => Box::new(Extending::<3>::new(number, problem.digits_max)),
                4 => Box::new(Extending::<4>::new(number, problem.digits_max)),
                _ => Box::new(Extending::<8>::new(number, problem.digits_max)),
            }
        };
        Self {
            solver: FixedPoint::new(problem, instructions),
            numbers: problem.numbers.iter().map(extend).collect(),
        }
    }
}

impl<const L: usize> Extending<L> {
    fn new(number: &Number, digits_max: usize) -> Self {
        let ten = |power: usize| BigUint::from(10_u8).pow(power as u32);
        let remainder =
            |power: usize| std::array::from_fn(|digit| Wide::of(&(ten(power) * digit % &number.value)));
        let predicted = number.value.to_string().len().saturating_sub(MARGIN_DIGITS);
        Self {
            modulus: Modulus::new(&number.value),
            powers: (0..digits_max).map(remainder).collect(),
            tens: (1..predicted).map(|power| Wide::of(&ten(power))).collect(),
            digits_max,
        }
    }
}

impl<const L: usize> Extend for Extending<L> {
    fn predict(&self, window: &[u8], likely: &mut dyn FnMut(&[u8])) {
        let mut whole = Wide::ZERO;
        for (before, digit) in window.iter().rev().enumerate() {
            whole = self.modulus.add(&whole, &self.powers[before][usize::from(digit - b'0')]);
            if *digit == b'0' {
                continue;
            }
            let length = before + 1;
            let mut extended = whole;
            for (more, ten) in self.tens.iter().enumerate().take(self.digits_max - length) {
                extended = self.modulus.append(&extended, 0);
                let missing = self.modulus.value().minus(&extended);
                // A multiple already, of which only zeros are missing, was found.
                if !extended.is_zero() && missing.compare(ten) == Ordering::Less {
                    let missing = BigUint::from_slice(&halves(&missing)).to_string();
                    let mut text = window[window.len() - length..].to_vec();
                    text.resize(length + more + 1 - missing.len(), b'0');
                    text.extend(missing.bytes());
                    likely(&text);
                    // With zeros behind it, too; these are found when it has come.
                    break;
                }
            }
        }
    }
}

fn halves<const L: usize>(value: &Wide<L>) -> Vec<u32> {
    value.0.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect()
}

impl Solver for Prediction {
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>) {
        self.solver.take(digits, found);
    }

    fn memory_bytes(&self) -> Option<usize> {
        self.solver.memory_bytes()
    }

    fn prepare(&mut self) {
        self.solver.prepare();
    }

    fn predict(&mut self, likely: &mut dyn FnMut(&[u8])) {
        let window = self.solver.window();
        self.numbers.iter().for_each(|number| number.predict(window, likely));
    }
}
