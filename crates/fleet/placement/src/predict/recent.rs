//! The last loads of a series, a byte each.

use serde::{Deserialize, Serialize};

/// How many loads are kept: at five minutes, of 160 minutes.
pub(super) const KEPT: usize = 32;

/// Loads below this share are 0.1 % apart, larger ones some 3 % of themselves.
const FINE: f32 = 1.0 / 32.0;

/// The bits of a float below those that make the byte: five bits of its mantissa stay.
const DROPPED_BITS: u32 = 18;

/// The byte of a place where no load is yet: above every load's, since loads are below 2 (see [`code`]).
const EMPTY: u8 = u8::MAX;

/// The latest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recent([u8; KEPT]);

impl Recent {
    pub const fn new() -> Self {
        Self([EMPTY; KEPT])
    }

    /// Adds a load; the oldest is lost.
    pub fn add(&mut self, share: f32) {
        self.0.copy_within(..KEPT - 1, 1);
        self.0[0] = code(share);
    }

    /// Converts to a unit of twice the size.
    pub fn halve_loads(&mut self) {
        self.0 = self.0.map(|byte| if byte == EMPTY { EMPTY } else { code(load(byte) / 2.0) });
    }

    /// Returns a quantile of the last loads, eight for each of `WORDS` at most: the smallest that this share of them
    /// does not exceed. `None` if there are no loads yet.
    pub fn quantile<const WORDS: usize>(&self, quantile: f32) -> Option<f32> {
        let words = self.0.as_chunks().0.first_chunk::<WORDS>().filter(|words| words[0][0] != EMPTY)?;
        let words = words.map(u64::from_le_bytes);
        let loads = WORDS as u64 * 8 - not_below(&words, EMPTY);
        // How many loads from it on there may be; halving finds it without sorting.
        let beyond = (loads as f32 * (1.0 - quantile)) as u64 + WORDS as u64 * 8 - loads;
        let mut found = 0;
        for bit in (0..u8::BITS).rev() {
            let tried = found | 1 << bit;
            found = if not_below(&words, tried) > beyond { tried } else { found };
        }
        Some(load(found))
    }
}

/// Counts the bytes that are at least this one, eight at a time.
fn not_below(words: &[u64], least: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    let least = u64::from(least) * ONES;
    let counts = words.iter().map(|word| {
        // The high bit of each byte of the difference is that of a comparison of the other seven bits.
        let difference = (word | HIGH) - (least & !HIGH);
        (((word & !least) | (!(word ^ least) & difference)) & HIGH) >> 7
    });
    counts.sum::<u64>().wrapping_mul(ONES) >> 56
}

/// Returns a load's byte: its float's exponent and the first bits of its mantissa.
fn code(share: f32) -> u8 {
    let steps = (share.max(0.0) + FINE).to_bits() - FINE.to_bits();
    (steps >> DROPPED_BITS).min(u32::from(EMPTY) - 1) as u8
}

/// Returns the middle of the loads with this byte.
fn load(byte: u8) -> f32 {
    let half = 1 << (DROPPED_BITS - 1);
    f32::from_bits(FINE.to_bits() + (u32::from(byte) << DROPPED_BITS) + half) - FINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_near_its_load() {
        for permille in 0..2000 {
            let share = permille as f32 / 1000.0;
            let near = load(code(share));
            assert!((near - share).abs() <= 0.0005 + share * 0.016, "{share} as {near}");
        }
        assert!(code(2.0) < EMPTY && code(f32::MAX) < EMPTY);
    }

    #[test]
    fn bytes_are_counted_as_one_by_one() {
        let bytes: Vec<u8> = (0..=255).rev().collect();
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        for words in words.chunks(4) {
            for least in 0..=255 {
                let expect =
                    words.iter().flat_map(|word| word.to_le_bytes()).filter(|byte| *byte >= least).count();
                assert_eq!(not_below(words, least), expect as u64, "{words:?} {least}");
            }
        }
    }

    #[test]
    fn quantiles_are_those_of_the_last_loads() {
        let mut recent = Recent::new();
        assert_eq!(recent.quantile::<{ KEPT / 8 }>(0.5), None);
        let check = |found: Option<f32>, expect: f32| {
            let found = found.unwrap();
            assert!((found - expect).abs() < 0.016, "{found} for {expect}");
        };
        (1..=10).for_each(|at| recent.add(at as f32 / 20.0));
        for (quantile, expect) in [(0.05, 0.05), (0.5, 0.25), (0.9, 0.45), (1.0, 0.5)] {
            check(recent.quantile::<{ KEPT / 8 }>(quantile), expect);
        }
        // Of the last eight.
        check(recent.quantile::<1>(0.5), 0.3);
        recent.halve_loads();
        check(recent.quantile::<{ KEPT / 8 }>(0.5), 0.125);
        (0..KEPT).for_each(|_| recent.add(0.7));
        check(recent.quantile::<{ KEPT / 8 }>(0.0001), 0.7);
    }
}
