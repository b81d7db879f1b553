//! Prefix sums as binary fractions of 64 bits: in the place of S mod m stands S / m without its whole part. Every number takes one
//! word, however wide it is, and the remainder takes care of itself, since an addition wraps. So four numbers are one
//! vector, a digit costs one multiplication and one addition of vectors, and each number one probe of a table that
//! stays in the cache.
//!
//! A weight is rounded down by less than a unit in the last place, so equal sums differ by less than nine units for each
//! digit between. What is as near is divided exactly. Three things need care:
//!
//! - Equal sums may be in neighbouring buckets of the table. Then the sum is near the end of its bucket, which is
//!   found for all numbers at once, and is rare enough for a slow way.
//! - The first powers of 1/10 begin at 1, a fraction too small to be distinguished from 0 when divided by a wide number. So
//!   weights begin at another power.
//! - Not only the last equal sum counts: zeros behind a multiple, and multiples behind each other, are answers too. So starts
//!   in one bucket form a chain.

use super::problem::{Number, Problem};
use super::tail::Tail;
use super::{Match, OnMatch, Solver};
use crate::simd::{Fractions, GROUP, PLACES, RUN};
use model::Instructions;
use num_bigint::BigUint;
use num_traits::Zero;

/// With less room than this the weights begin anew in a gap, so that no chunk has to wait for it.
const ROOM: usize = 640;
/// Weights begin at this power of 1/10.
const FIRST_POWER: u32 = 1000;

pub(super) struct FixedPoint {
    groups: Vec<Group>,
    digits_max: usize,
    tail: Tail,
    /// How many weights are used.
    at: usize,
}

/// Up to four numbers.
struct Group {
    fractions: Fractions,
    numbers: Vec<Number>,
    first: u8,
}

impl FixedPoint {
    pub fn new(problem: &Problem, instructions: Instructions) -> Self {
        let digits_max = problem.digits_max;
        let groups = problem.numbers.chunks(GROUP).enumerate().map(|(group, numbers)| {
            let mut weights = vec![[0; GROUP]; PLACES];
            for (lane, number) in numbers.iter().enumerate() {
                write_weights(number, weights.iter_mut().map(|weights| &mut weights[lane]));
            }
            let (window, tolerance) = (digits_max as u16, tolerance(digits_max));
            Group {
                fractions: Fractions::new(weights, numbers.len(), window, tolerance, instructions),
                numbers: numbers.to_vec(),
                first: (group * GROUP) as u8,
            }
        });
        let groups: Vec<Group> = groups.collect();
        let at = groups.first().map_or(0, |group| group.fractions.first());
        Self { groups, digits_max, tail: Tail::new(digits_max + RUN), at }
    }

    /// Returns the last digits, at least as many as the longest answer has.
    pub fn window(&self) -> &[u8] {
        let window = self.tail.window();
        &window[window.len().saturating_sub(self.digits_max)..]
    }

    /// Begins the weights anew, with the last digits at the first places.
    fn begin_anew(&mut self) {
        let window = self.window().to_vec();
        for Group { fractions, .. } in &mut self.groups {
            self.at = fractions.clear();
            for run in window.chunks(RUN) {
                // What these have was found.
                fractions.take(self.at, run, &mut |_, _, _| ());
                self.at += run.len();
            }
        }
    }
}

impl Solver for FixedPoint {
    fn take(&mut self, mut digits: &[u8], found: OnMatch<'_>) {
        while !digits.is_empty() {
            if self.at == PLACES {
                self.begin_anew();
            }
            let (run, rest) = digits.split_at(digits.len().min(RUN).min(PLACES - self.at));
            digits = rest;
            self.tail.extend(run);
            let (tail, after) = (&self.tail, self.at + run.len());
            for Group { fractions, numbers, first } in &mut self.groups {
                fractions.take(self.at, run, &mut |lane, end, length| {
                    let behind = after - end;
                    let (number, text) = (&numbers[lane], tail.before(behind, length.into()));
                    if text.last().is_some_and(|last| number.may_end_in(*last)) && number.exact.divides(text)
                    {
                        let end = tail.count - behind as u64;
                        found(Match { end, length, number: *first + lane as u8 }, text);
                    }
                });
            }
            self.at = after;
        }
    }

    fn memory_bytes(&self) -> Option<usize> {
        Some(self.groups.iter().map(|group| group.fractions.bytes()).sum())
    }

    fn prepare(&mut self) {
        if PLACES - self.at < ROOM.min(PLACES - 2 * self.digits_max) {
            self.begin_anew();
        }
    }
}

/// Returns by how much less equal sums differ.
const fn tolerance(digits_max: usize) -> u64 {
    9 * digits_max as u64 + 1
}

fn write_weights<'w>(number: &Number, weights: impl Iterator<Item = &'w mut u64>) {
    if number.tenth().is_zero() {
        // Nothing is left without factors 2 and 5: every sum is whole.
        return;
    }
    let tenth = number.tenth();
    let mut power = tenth.modpow(&BigUint::from(FIRST_POWER), &number.coprime);
    for weight in weights {
        *weight = ((&power << 64_u32) / &number.coprime).iter_u64_digits().next().unwrap_or(0);
        power = power * &tenth % &number.coprime;
    }
}
