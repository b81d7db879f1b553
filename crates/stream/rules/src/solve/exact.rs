//! Whether digits are a multiple, exactly.

use num_bigint::BigUint;
use num_traits::One;

/// Digits that are read as one word. The sum of the products of 64 such words with a word has less than 128 bits.
const WORD_DIGITS: usize = 16;
/// No answer has more: [`crate::rules::DIGITS_MAX`].
const TEXT_WORDS: usize = 64;
/// Rules have no larger numbers.
const MAX_WORDS: usize = 8;

/// Numbers of at most this many words have loops of their own, without a branch that depends on the number.
const FEW_WORDS: usize = 4;
/// Room for the sum of all products and for what is added to it, also above an odd part that is short.
const SUM_WORDS: usize = 3 * MAX_WORDS;

/// Divides by one number. The digits are cut into words, and each word is multiplied by what its power of 10 leaves. The
/// sum is little longer than the number, and is tested without a division: multiples of the odd part are added until
/// the low words are zero, and what is left above is zero or the odd part if and only if it is a multiple.
#[derive(Clone)]
pub(super) struct Exact {
    words: usize,
    /// What the powers of 10 leave: the lowest words of all powers, then the next.
    powers: Vec<[u64; TEXT_WORDS]>,
    /// The bits that are zero in a multiple.
    low: [u64; MAX_WORDS],
    odd: [u64; MAX_WORDS],
    /// How many words are made zero.
    steps: usize,
    /// Times the odd part it is -1 modulo 2 to the 64.
    inverse: u64,
}

impl Exact {
    pub fn new(value: &BigUint, digits_max: usize) -> Self {
        let step = BigUint::from(10_u8).pow(WORD_DIGITS as u32);
        let words = value.iter_u64_digits().len();
        let mut powers = vec![[0; TEXT_WORDS]; MAX_WORDS];
        let mut power = BigUint::one() % value;
        for at in 0..digits_max.div_ceil(WORD_DIGITS) {
            power.iter_u64_digits().zip(&mut powers).for_each(|(word, powers)| powers[at] = word);
            power = &power * &step % value;
        }
        let twos = value.trailing_zeros().unwrap_or(0);
        let words_of = |value: BigUint| {
            let mut words = [0; MAX_WORDS];
            words.iter_mut().zip(value.iter_u64_digits()).for_each(|(to, word)| *to = word);
            words
        };
        let low = words_of((BigUint::one() << twos) - 1_u8);
        let odd = words_of(value >> twos);
        // The sum has two words more than the number. What is left must be less than twice the odd part.
        let steps = words + 3 - (value >> twos).iter_u64_digits().len();
        // Each step doubles the bits that are right, of which an odd number has three.
        let inverse = (0..5).fold(odd[0], |inverse, _| {
            inverse.wrapping_mul(2_u64.wrapping_sub(odd[0].wrapping_mul(inverse)))
        });
        Self { words, powers, low, odd, steps, inverse: inverse.wrapping_neg() }
    }

    /// Returns whether the number with these digits is a multiple.
    pub fn divides(&self, digits: &[u8]) -> bool {
        if self.words <= FEW_WORDS {
            self.divides_in::<FEW_WORDS>(digits)
        } else {
            self.divides_in::<MAX_WORDS>(digits)
        }
    }

    fn divides_in<const W: usize>(&self, digits: &[u8]) -> bool {
        let mut text = [0_u64; TEXT_WORDS];
        let count = digits.len().div_ceil(WORD_DIGITS);
        for (word, digits) in text.iter_mut().zip(digits.rchunks(WORD_DIGITS)) {
            let mut whole = [b'0'; WORD_DIGITS];
            whole[WORD_DIGITS - digits.len()..].copy_from_slice(digits);
            *word = read(whole);
        }
        let mut sum = [0_u64; SUM_WORDS];
        let mut carry = 0_u128;
        for (sum, powers) in sum.iter_mut().zip(&self.powers).take(W) {
            for (word, power) in text[..count].iter().zip(powers) {
                carry += u128::from(*word) * u128::from(*power);
            }
            *sum = carry as u64;
            carry >>= 64;
        }
        (sum[W], sum[W + 1]) = (carry as u64, (carry >> 64) as u64);
        let low = sum.iter().zip(&self.low).take(W).fold(0, |any, (sum, low)| any | (sum & low));
        if low != 0 {
            return false;
        }
        for at in 0..self.steps {
            let factor = sum[at].wrapping_mul(self.inverse);
            let mut carry = 0;
            for (sum, odd) in sum[at..].iter_mut().zip(&self.odd).take(W) {
                let wide = u128::from(factor) * u128::from(*odd) + u128::from(*sum) + u128::from(carry);
                (*sum, carry) = (wide as u64, (wide >> 64) as u64);
            }
            for sum in &mut sum[at + W..W + 4 + at] {
                let (with, over) = sum.overflowing_add(carry);
                (*sum, carry) = (with, u64::from(over));
            }
        }
        let rest = &sum[self.steps..];
        let is_zero = rest.iter().take(W).fold(0, |any, word| any | word) == 0;
        let is_odd = rest.iter().zip(&self.odd).take(W).fold(0, |any, (word, odd)| any | (word ^ odd)) == 0;
        is_zero || is_odd
    }
}

/// Reads 16 digits, eight at a time: pairs first, then fours, then all.
fn read(digits: [u8; WORD_DIGITS]) -> u64 {
    let eight = |from: usize| {
        let bytes: [u8; 8] = std::array::from_fn(|at| digits[from + at] - b'0');
        let pairs = u64::from_le_bytes(bytes).wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
        let fours = pairs.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
        fours.wrapping_mul(1 + (10_000 << 32)) >> 32
    };
    eight(0) * 100_000_000 + eight(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn division_agrees_with_big_integers() {
        let mut values: Vec<BigUint> =
            Rules::default().multiples_of.iter().map(|number| number.number()).collect();
        values.extend([2_u8, 7, 10].map(BigUint::from));
        values.push(BigUint::from(7_u8).pow(170));
        values.extend([
            BigUint::one() << 490_u32,
            BigUint::from(3_u8) << 300_u32,
            BigUint::from(5_u8).pow(200),
        ]);
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
