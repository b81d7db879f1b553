//! Whether digits are a multiple, exactly.

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// So many digits fit into a word.
const WORD_DIGITS: usize = 19;
/// Rules have no larger numbers.
const MAX_WORDS: usize = 8;

/// Divides by one number. The digits are cut into words, and each word is multiplied by what its power of 10 leaves;
/// so one short division at the end is enough.
#[derive(Clone)]
pub(super) struct Exact {
    value: BigUint,
    powers: Vec<Vec<u64>>,
    words: usize,
}

impl Exact {
    pub fn new(value: &BigUint, digits_max: usize) -> Self {
        let step = BigUint::from(10_u8).pow(WORD_DIGITS as u32);
        let words = value.iter_u64_digits().len();
        let mut power = BigUint::one() % value;
        let powers = (0..digits_max.div_ceil(WORD_DIGITS)).map(|_| {
            let mut digits = power.to_u64_digits();
            digits.resize(words, 0);
            power = &power * &step % value;
            digits
        });
        Self { value: value.clone(), powers: powers.collect(), words }
    }

    /// Returns whether the number with these digits is a multiple.
    pub fn divides(&self, digits: &[u8]) -> bool {
        // Two more words have room for the sum of all products.
        let mut sum = [0_u64; MAX_WORDS + 2];
        for (word, power) in digits.rchunks(WORD_DIGITS).zip(&self.powers) {
            let word = word.iter().fold(0_u64, |word, digit| word * 10 + u64::from(digit - b'0'));
            let mut carry = 0_u64;
            for (sum, power) in sum.iter_mut().zip(power) {
                let wide = u128::from(word) * u128::from(*power) + u128::from(*sum) + u128::from(carry);
                (*sum, carry) = (wide as u64, (wide >> 64) as u64);
            }
            for sum in &mut sum[self.words..] {
                let (with, over) = sum.overflowing_add(carry);
                (*sum, carry) = (with, u64::from(over));
            }
        }
        let halves = sum[..self.words + 2].iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
        (BigUint::new(halves.collect()) % &self.value).is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn it_divides_as_big_integers_do() {
        let mut values: Vec<BigUint> =
            Rules::default().multiples_of.iter().map(|number| number.number()).collect();
        values.extend([2_u8, 7, 10].map(BigUint::from));
        values.push(BigUint::from(7_u8).pow(170));
        for value in values {
            let exact = Exact::new(&value, 256);
            let mut factor = BigUint::one();
            while (&factor * &value).to_string().len() <= 256 {
                let multiple = &factor * &value;
                assert!(exact.divides(multiple.to_string().as_bytes()));
                assert!(!exact.divides((&multiple + 1_u8).to_string().as_bytes()));
                factor = factor * 1_000_003_u32 + 17_u8;
            }
        }
    }
}
