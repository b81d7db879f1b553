//! Numbers of a fixed count of words.

use num_bigint::BigUint;
use std::cmp::Ordering;

/// A number of `L` words of 64 bits, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wide<const L: usize>(pub [u64; L]);

impl<const L: usize> Wide<L> {
    pub const ZERO: Self = Self([0; L]);

    /// Converts a number that fits.
    pub fn of(value: &BigUint) -> Self {
        let mut words = [0; L];
        words.iter_mut().zip(value.iter_u64_digits()).for_each(|(word, digit)| *word = digit);
        Self(words)
    }

    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.0 == [0; L]
    }

    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        let mut carry = false;
        for (word, other) in sum.0.iter_mut().zip(&other.0) {
            let (with, over) = word.overflowing_add(*other);
            let (with, again) = with.overflowing_add(u64::from(carry));
            (*word, carry) = (with, over | again);
        }
        sum
    }

    #[inline(always)]
    pub fn minus(&self, other: &Self) -> Self {
        let mut difference = *self;
        let mut borrow = false;
        for (word, other) in difference.0.iter_mut().zip(&other.0) {
            let (with, under) = word.overflowing_sub(*other);
            let (with, again) = with.overflowing_sub(u64::from(borrow));
            (*word, borrow) = (with, under | again);
        }
        difference
    }

    /// Compares: the highest words nearly always decide.
    #[inline(always)]
    pub fn compare(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }

    /// Returns a product with a small factor, and a digit more.
    #[inline(always)]
    fn times_plus(&self, factor: u64, digit: u64) -> Self {
        let mut product = *self;
        let mut carry = digit;
        for word in &mut product.0 {
            let wide = u128::from(*word) * u128::from(factor) + u128::from(carry);
            (*word, carry) = (wide as u64, (wide >> 64) as u64);
        }
        product
    }

    fn last_decimal(&self) -> u64 {
        // 2 to the 64 leaves 6, as do all its powers.
        let [first, rest @ ..] = &self.0[..] else { return 0 };
        (first % 10 + rest.iter().map(|word| word % 10 * 6).sum::<u64>()) % 10
    }

    fn tenth(&self) -> Self {
        // By halves of words a remainder and the next half fit into a word.
        let mut rest = 0;
        let mut quotient = *self;
        for word in quotient.0.iter_mut().rev() {
            let high = (rest << 32) | (*word >> 32);
            let low = ((high % 10) << 32) | (*word & 0xffff_ffff);
            *word = ((high / 10) << 32) | (low / 10);
            rest = low % 10;
        }
        quotient
    }
}

/// A modulus with room for ten times itself, and what its multiples are that are subtracted.
#[derive(Clone, Copy)]
pub(crate) struct Modulus<const L: usize> {
    /// 8, 4, 2 and 1 times the number: after each is subtracted or not, the rest of something below ten times the number
    /// is left.
    multiples: [Wide<L>; 4],
}

impl<const L: usize> Modulus<L> {
    pub fn new(value: &BigUint) -> Self {
        Self { multiples: [8_u8, 4, 2, 1].map(|factor| Wide::of(&(value * factor))) }
    }

    pub fn value(&self) -> &Wide<L> {
        &self.multiples[3]
    }

    /// Appends a digit to a number of which the remainder is known.
    #[inline(always)]
    pub fn append(&self, remainder: &Wide<L>, digit: u64) -> Wide<L> {
        self.rest_of(remainder.times_plus(10, digit))
    }

    #[inline(always)]
    fn rest_of(&self, mut rest: Wide<L>) -> Wide<L> {
        for multiple in &self.multiples {
            if rest.compare(multiple) != Ordering::Less {
                rest = rest.minus(multiple);
            }
        }
        rest
    }

    /// Multiplies a remainder by a digit.
    #[inline(always)]
    pub fn times(&self, remainder: &Wide<L>, digit: u64) -> Wide<L> {
        self.rest_of(remainder.times_plus(digit, 0))
    }

    /// Divides a remainder by ten, where the modulus has neither 2 nor 5 as a factor: adds the modulus until the last decimal
    /// digit is zero.
    pub fn tenth(&self, remainder: &Wide<L>) -> Wide<L> {
        let (last, step) = (remainder.last_decimal(), self.value().last_decimal());
        let times = (0..10).find(|times| (last + times * step) % 10 == 0).unwrap_or(0);
        self.value().times_plus(times, 0).plus(remainder).tenth()
    }

    #[inline(always)]
    pub fn add(&self, one: &Wide<L>, other: &Wide<L>) -> Wide<L> {
        let sum = one.plus(other);
        if sum.compare(self.value()) == Ordering::Less { sum } else { sum.minus(self.value()) }
    }
}

/// Returns how many words a number needs with room for ten times itself, of those that solvers are made for.
pub(crate) fn words_for(value: &BigUint) -> usize {
    match value.bits() + 4 {
        0..=64 => 1,
        65..=128 => 2,
        129..=192 => 3,
        193..=256 => 4,
        _ => 8,
    }
}
