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
//! - The first powers of 1/10 begin at 1, a fraction too small to be told from 0 when divided by a wide number. So
//!   weights begin at another power.
//! - Not only the last equal sum counts: zeros behind a multiple, and multiples behind each other, are answers too. So starts
//!   in one bucket form a chain.

use super::problem::{Number, Problem};
use super::tail::Tail;
use super::{Found, OnFound, Solver};
use crate::simd::{Fractions, GROUP, Instructions};
use num_bigint::BigUint;
use num_traits::Zero;

/// Places before weights begin anew. All arrays together stay in the L2 cache.
const PLACES: usize = 4096;
/// With less room than this the weights begin anew in a gap, so that no chunk has to wait for it.
const ROOM: usize = 640;
/// Digits that are taken at once: sums of all numbers first, then probes for each number.
const RUN: usize = 64;
/// Buckets of a table: 2 to this.
const BUCKET_BITS: u32 = 13;
const SHIFT: u32 = 64 - BUCKET_BITS;
/// No start: from every place further away than the longest answer.
const NONE: u16 = 0x8000;
/// Weights begin at this power of 1/10.
const FIRST_POWER: u32 = 1000;

pub(super) struct FixedPoint {
    groups: Vec<Group>,
    digits_max: usize,
    tail: Tail,
    /// How many weights are used.
    at: usize,
    equal: Vec<Equal>,
}

/// Up to four numbers.
struct Group {
    fractions: Fractions,
    /// The sum before each place.
    sums: Vec<[u64; GROUP]>,
    lanes: Vec<Lane>,
}

/// Where one number's sums are found.
struct Lane {
    number: Number,
    index: u8,
    /// The last start in each bucket.
    last: Box<[u16; 1 << BUCKET_BITS]>,
    /// The start before, in the same bucket.
    before: Box<[u16; PLACES]>,
    /// What was in the bucket of the last sum.
    seen: u16,
    /// With which digits a multiple can end.
    ends: [bool; 10],
}

/// Two nearly equal sums.
struct Equal {
    /// The last digit, within the run.
    at: u16,
    length: u16,
}

impl FixedPoint {
    pub fn new(problem: &Problem, instructions: Instructions) -> Self {
        let digits_max = problem.digits_max;
        let near = (1 << SHIFT) - tolerance(digits_max);
        let groups = problem.numbers.chunks(GROUP).enumerate().map(|(group, numbers)| {
            let mut weights = vec![[0; GROUP]; PLACES];
            for (lane, number) in numbers.iter().enumerate() {
                write_weights(number, weights.iter_mut().map(|weights| &mut weights[lane]));
            }
            let lanes = numbers.iter().enumerate();
            Group {
                fractions: Fractions::new(weights, (1 << SHIFT) - 1, near, instructions),
                sums: vec![[0; GROUP]; PLACES + 1],
                lanes: lanes.map(|(lane, number)| Lane::new(number, (group * GROUP + lane) as u8)).collect(),
            }
        });
        Self {
            groups: groups.collect(),
            digits_max,
            tail: Tail::new(digits_max + RUN),
            at: 0,
            equal: Vec::with_capacity(RUN),
        }
    }

    /// Returns the last digits, at least as many as the longest answer has.
    pub fn window(&self) -> &[u8] {
        let window = self.tail.window();
        &window[window.len().saturating_sub(self.digits_max)..]
    }

    /// Begins the weights anew, with the last digits at the first places.
    fn begin_anew(&mut self) {
        let window = self.window().to_vec();
        for group in &mut self.groups {
            group.fractions.add(0, &window, &mut group.sums[..=window.len()]);
            for (lane, one) in group.lanes.iter_mut().enumerate() {
                one.last.fill(NONE);
                one.seen = NONE;
                one.probe::<false>(lane, &group.sums, 0, &window, 0, 0, &mut self.equal);
            }
        }
        self.at = window.len();
    }
}

impl Solver for FixedPoint {
    fn take(&mut self, mut digits: &[u8], found: OnFound<'_>) {
        while !digits.is_empty() {
            if self.at == PLACES {
                self.begin_anew();
            }
            let (run, rest) = digits.split_at(digits.len().min(RUN).min(PLACES - self.at));
            digits = rest;
            self.tail.extend(run);
            let (at, window, tolerance) = (self.at, self.digits_max as u16, tolerance(self.digits_max));
            for group in &mut self.groups {
                let is_near = group.fractions.add(at, run, &mut group.sums[at..=at + run.len()]);
                for (lane, one) in group.lanes.iter_mut().enumerate() {
                    self.equal.clear();
                    if is_near {
                        one.probe::<true>(lane, &group.sums, at, run, window, tolerance, &mut self.equal);
                    } else {
                        one.probe::<false>(lane, &group.sums, at, run, window, tolerance, &mut self.equal);
                    }
                    for equal in &self.equal {
                        let behind = run.len() - 1 - usize::from(equal.at);
                        let text = self.tail.before(behind, equal.length.into());
                        if one.number.exact.divides(text) {
                            let end = self.tail.count - behind as u64;
                            found(Found { end, length: equal.length, number: one.index }, text);
                        }
                    }
                }
            }
            self.at += run.len();
        }
    }

    fn prepare(&mut self) {
        if PLACES - self.at < ROOM.min(PLACES - self.digits_max) {
            self.begin_anew();
        }
    }
}

impl Lane {
    fn new(number: &Number, index: u8) -> Self {
        Self {
            number: number.clone(),
            index,
            last: Box::new([NONE; 1 << BUCKET_BITS]),
            before: Box::new([NONE; PLACES]),
            seen: NONE,
            ends: std::array::from_fn(|digit| number.may_end_in(b'0' + digit as u8)),
        }
    }

    /// Goes over some digits: notes each as a start if it is no zero, and searches equal sums behind it.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    fn probe<const NEAR: bool>(
        &mut self,
        lane: usize,
        sums: &[[u64; GROUP]],
        from: usize,
        digits: &[u8],
        window: u16,
        tolerance: u64,
        equal: &mut Vec<Equal>,
    ) {
        let after = &sums[from + 1..=from + digits.len()];
        let mut seen = self.seen;
        let mut bucket = (sums[from][lane] >> SHIFT) as usize;
        for (offset, (digit, sum)) in digits.iter().zip(after).enumerate() {
            let place = from + offset;
            self.before[place] = seen;
            self.last[bucket] = if *digit == b'0' { seen } else { place as u16 };
            let sum = sum[lane];
            bucket = (sum >> SHIFT) as usize;
            seen = self.last[bucket];
            let end = place as u16 + 1;
            let is_near = NEAR && sum & ((1 << SHIFT) - 1) >= (1 << SHIFT) - tolerance;
            if end.wrapping_sub(seen) <= window || is_near {
                let search = Search { lane, sums, sum, end, window, tolerance, at: offset as u16 };
                if self.ends[usize::from(digit - b'0')] {
                    self.search(&search, seen, equal);
                    if is_near {
                        self.search(&search, self.last[(bucket + 1) % self.last.len()], equal);
                    }
                }
            }
        }
        self.seen = seen;
    }

    /// Goes along a chain of starts.
    #[cold]
    #[inline(never)]
    fn search(&self, search: &Search<'_>, mut start: u16, equal: &mut Vec<Equal>) {
        loop {
            let length = search.end.wrapping_sub(start);
            if length > search.window {
                return;
            }
            let sum = search.sums[usize::from(start)][search.lane];
            if sum.wrapping_sub(search.sum) < search.tolerance {
                equal.push(Equal { at: search.at, length });
            }
            start = self.before[usize::from(start)];
        }
    }
}

struct Search<'s> {
    lane: usize,
    sums: &'s [[u64; GROUP]],
    sum: u64,
    end: u16,
    window: u16,
    tolerance: u64,
    at: u16,
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
