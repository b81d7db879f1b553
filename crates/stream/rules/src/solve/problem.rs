//! What solvers know of the rules: each number, its factors, and what divides by it exactly.

use super::exact::Exact;
use crate::rules::{Rules, decimal};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

/// Primes below this are found by trying.
const TRIED_PRIMES: u32 = 1000;

/// What is to be found.
#[derive(Clone)]
pub struct Problem {
    /// The longest answer.
    pub(super) digits_max: usize,
    pub(super) numbers: Vec<Number>,
}

/// One number whose multiples are answers.
#[derive(Clone)]
pub(super) struct Number {
    pub value: BigUint,
    /// What is left of it without factors 2 and 5, and so has a reciprocal of 10.
    pub coprime: BigUint,
    pub has_two: bool,
    pub has_five: bool,
    primes: Vec<BigUint>,
    pub exact: Exact,
}

impl Problem {
    /// Makes the problem of some rules, which must be [checked](Rules::check).
    pub fn new(rules: &Rules) -> Self {
        let digits_max = usize::from(rules.digits_max);
        let numbers = rules
            .multiples_of
            .iter()
            .map(|number| {
                let primes: Vec<BigUint> = number.primes.iter().filter_map(|prime| decimal(prime)).collect();
                Number::new(number.number(), primes, digits_max)
            })
            .collect();
        Self { digits_max, numbers }
    }

    /// Returns how many digits the longest answer has.
    pub fn digits_max(&self) -> usize {
        self.digits_max
    }

    /// Returns whether a text has the form of an answer: digits, not too many, and no leading zero.
    pub fn is_answer(&self, text: &str) -> bool {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        (1..=self.digits_max).contains(&text.len()) && is_plain && !text.starts_with('0')
    }

    pub fn is_multiple(&self, digits: &[u8]) -> bool {
        self.numbers.iter().any(|number| number.exact.divides(digits))
    }
}

impl Number {
    fn new(value: BigUint, mut primes: Vec<BigUint>, digits_max: usize) -> Self {
        let (coprime, twos) = without(value.clone(), 2);
        let (coprime, fives) = without(coprime, 5);
        let small = (2..TRIED_PRIMES).map(BigUint::from).filter(|small| (&value % small).is_zero());
        let small: Vec<BigUint> = small.collect();
        primes.extend(small);
        primes.sort();
        primes.dedup();
        let exact = Exact::new(&value, digits_max);
        Self { value, coprime, has_two: twos, has_five: fives, primes, exact }
    }

    /// Returns a large divisor below 2 to the `bits`; the number itself if no factor of it is known.
    pub fn divisor(&self, bits: u64) -> BigUint {
        let mut rest = self.value.clone();
        let mut divisor = BigUint::one();
        for prime in self.primes.iter().rev() {
            while (&rest % prime).is_zero() && (&divisor * prime).bits() <= bits {
                rest /= prime;
                divisor *= prime;
            }
        }
        if divisor.is_one() { self.value.clone() } else { divisor }
    }

    /// Returns whether the last digit allows it: it alone decides the factors 2 and 5.
    #[inline]
    pub fn may_end_in(&self, last: u8) -> bool {
        (!self.has_two || last.is_multiple_of(2)) && (!self.has_five || matches!(last, b'0' | b'5'))
    }

    /// Returns the reciprocal of 10 modulo the coprime part.
    pub fn tenth(&self) -> BigUint {
        if self.coprime.is_one() {
            return BigUint::zero();
        }
        BigUint::from(10_u8).modinv(&self.coprime).unwrap_or_default()
    }
}

fn without(mut value: BigUint, prime: u8) -> (BigUint, bool) {
    let prime = BigUint::from(prime);
    let before = value.bits();
    while !value.is_zero() && value.is_multiple_of(&prime) {
        value /= &prime;
    }
    let had = value.bits() != before;
    (value, had)
}
