//! Sums of weighted digits as binary fractions, of four numbers at once.
#![allow(unsafe_code)]

use super::Instructions;

/// So many sums are one vector of 256 bits.
pub(crate) const GROUP: usize = 4;

/// What a digit 1 adds at each place.
pub(crate) struct Fractions {
    instructions: Instructions,
    weights: Vec<[u64; GROUP]>,
    low: u64,
    near: u64,
}

impl Fractions {
    /// A sum is near the end of its bucket if its bits of `low` are `near` or more.
    ///
    /// # Panics
    /// When this processor does not have the instructions.
    pub fn new(weights: Vec<[u64; GROUP]>, low: u64, near: u64, instructions: Instructions) -> Self {
        assert!(instructions.is_there(), "this processor has no {}", instructions.name());
        Self { instructions, weights, low, near }
    }

    /// Computes the sums behind each digit. The first of `sums` is the sum before, and the first digit is at `place`.
    /// Returns whether any sum is near the end of its bucket.
    pub fn add(&self, place: usize, digits: &[u8], sums: &mut [[u64; GROUP]]) -> bool {
        let weights = &self.weights[place..];
        match self.instructions {
            // SAFETY: `new` has asked whether the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512(weights, digits, sums, self.low, self.near) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2(weights, digits, sums, self.low, self.near) },
            _ => add(weights, digits, sums, self.low, self.near),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn avx512(weights: &[[u64; GROUP]], digits: &[u8], sums: &mut [[u64; GROUP]], low: u64, near: u64) -> bool {
    add(weights, digits, sums, low, near)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(weights: &[[u64; GROUP]], digits: &[u8], sums: &mut [[u64; GROUP]], low: u64, near: u64) -> bool {
    add(weights, digits, sums, low, near)
}

#[inline(always)]
fn add(weights: &[[u64; GROUP]], digits: &[u8], sums: &mut [[u64; GROUP]], low: u64, near: u64) -> bool {
    let Some((first, rest)) = sums.split_first_mut() else { return false };
    let mut sum = *first;
    let mut any = [0_u64; GROUP];
    for ((weight, digit), after) in weights.iter().zip(digits).zip(rest) {
        let digit = u64::from(digit - b'0');
        for lane in 0..GROUP {
            sum[lane] = sum[lane].wrapping_add(weight[lane].wrapping_mul(digit));
        }
        *after = sum;
        for lane in 0..GROUP {
            any[lane] |= u64::from(sum[lane] & low >= near);
        }
    }
    any != [0; GROUP]
}
