//! Sums of weighted digits as binary fractions, of four numbers at once, and where equal sums were before.
//!
//! A run of digits is done in three passes, each of which keeps the processor busy without a branch that depends on
//! the digits: all sums, a probe of a table for each sum, and a bit for each probe that hits. Of the hits only one in
//! some ten needs more than a look at one sum.
#![allow(unsafe_code)]

use model::Instructions;
use std::hint::select_unpredictable;

/// Sums of one vector of 256 bits.
pub(crate) const GROUP: usize = 4;
/// Places before weights begin anew. All arrays together stay in the L2 cache.
pub(crate) const PLACES: usize = 4096;
/// Digits that are taken at once.
pub(crate) const RUN: usize = 256;
/// Buckets of a table: 2 to this. With fewer of them more probes hit, with more the tables leave the L1 cache.
const BUCKET_BITS: u32 = 13;
const BUCKETS: usize = 1 << BUCKET_BITS;
/// Tables have room for any number of 16 bits, so that none has to be checked. What is behind the buckets is never touched.
const TABLE: usize = 1 << 16;
const SHIFT: u32 = 64 - BUCKET_BITS;
const LOW: u64 = (1 << SHIFT) - 1;
/// No start. The first place is so far behind it that no answer reaches it.
const NONE: u16 = 0;
/// 1 for each lane of a word of four places.
const EACH: u64 = 0x0001_0001_0001_0001;
/// Digits of which one word of 64 bits marks the hits.
const MASK_DIGITS: usize = 64;

/// Is called with the lane, the place behind the last digit, and the length.
pub(crate) type OnEqual<'e> = &'e mut dyn FnMut(usize, usize, u16);

/// Prefix sums of up to four numbers, and where each sum was last.
pub(crate) struct Fractions {
    instructions: Instructions,
    state: State,
}

struct State {
    /// What a digit 1 adds at each place.
    weights: Box<[[u64; GROUP]]>,
    /// The sum before the next place.
    sum: [u64; GROUP],
    /// The high bits of the sum before each place: the bucket, and 16 more. They separate sums, and are half the memory.
    sums: Box<[[u32; GROUP]]>,
    /// The last start in each bucket.
    last: Box<[[u16; TABLE]; GROUP]>,
    /// Of each sum the last start in its bucket, when the sum came: so starts in one bucket form a chain. The first
    /// lane has the low bits.
    before: Box<[u64]>,
    /// The highest bit of each lane that has a number.
    used: u64,
    /// Digits of the longest answer.
    window: u16,
    /// Equal sums differ by less.
    tolerance: u64,
}

impl Fractions {
    /// Makes it of the weights of at most [`GROUP`] numbers at [`PLACES`] places.
    ///
    /// # Panics
    /// When this processor does not have the instructions.
    pub fn new(
        weights: Vec<[u64; GROUP]>,
        lanes: usize,
        window: u16,
        tolerance: u64,
        instructions: Instructions,
    ) -> Self {
        assert!(instructions.is_there(), "this processor has no {}", instructions.name());
        assert!(weights.len() == PLACES && lanes <= GROUP && usize::from(window) < PLACES);
        let lanes = (0..lanes).fold(0, |used, lane| used | 0x8000 << (16 * lane));
        let state = State {
            weights: weights.into(),
            sum: [0; GROUP],
            sums: vec![[0; GROUP]; PLACES + 1].into(),
            last: tables(),
            before: vec![0; PLACES + 1].into(),
            used: lanes,
            window,
            tolerance,
        };
        Self { instructions, state }
    }

    /// Forgets all places, and returns the first.
    pub fn clear(&mut self) -> usize {
        self.state.last.iter_mut().for_each(|last| last[..BUCKETS].fill(NONE));
        let first = self.first();
        self.state.sum = [0; GROUP];
        self.state.sums[first] = [0; GROUP];
        self.state.before[first] = 0;
        first
    }

    pub fn first(&self) -> usize {
        self.state.window.into()
    }

    pub fn bytes(&self) -> usize {
        let state = &self.state;
        size_of_val(&*state.weights)
            + size_of_val(&*state.sums)
            + size_of::<[[u16; BUCKETS]; GROUP]>()
            + size_of_val(&*state.before)
    }

    /// Takes at most [`RUN`] digits, the first of them at `place`, and calls `equal` with each pair of nearly equal sums.
    pub fn take(&mut self, place: usize, digits: &[u8], equal: OnEqual<'_>) {
        let state = &mut self.state;
        match self.instructions {
            // SAFETY: `new` has asked whether the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512(state, place, digits, equal) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2(state, place, digits, equal) },
            _ => state.take(place, digits, equal),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi1,bmi2,popcnt")]
fn avx512(state: &mut State, place: usize, digits: &[u8], equal: OnEqual<'_>) {
    state.take(place, digits, equal);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn avx2(state: &mut State, place: usize, digits: &[u8], equal: OnEqual<'_>) {
    state.take(place, digits, equal);
}

impl State {
    #[inline(always)]
    fn take(&mut self, place: usize, digits: &[u8], equal: OnEqual<'_>) {
        let is_near = self.add(place, digits);
        self.probe(place, digits);
        for from in (place + 1..=place + digits.len()).step_by(MASK_DIGITS) {
            let to = (from + MASK_DIGITS).min(place + digits.len() + 1);
            let mut hits = self.hits(from, to);
            while hits != 0 {
                self.look(from + hits.trailing_zeros() as usize, equal);
                hits &= hits - 1;
            }
        }
        if is_near {
            self.search_near(place, digits.len(), equal);
        }
    }

    /// Computes the sums behind each digit. Returns whether any is near the end of its bucket.
    #[inline(always)]
    fn add(&mut self, place: usize, digits: &[u8]) -> bool {
        let mut sum = self.sum;
        let mut any = [0_u64; GROUP];
        let weights = &self.weights[place..place + digits.len()];
        let after = &mut self.sums[place + 1..=place + digits.len()];
        for ((weight, digit), after) in weights.iter().zip(digits).zip(after) {
            let digit = u64::from(digit - b'0');
            for lane in 0..GROUP {
                sum[lane] = sum[lane].wrapping_add(weight[lane].wrapping_mul(digit));
            }
            *after = sum.map(|sum| (sum >> (SHIFT - 16)) as u32);
            for lane in 0..GROUP {
                any[lane] |= (sum[lane] & LOW) + self.tolerance;
            }
        }
        self.sum = sum;
        any.iter().any(|any| *any > LOW)
    }

    /// Notes each digit as a start if it is no zero, and finds the last start in the bucket of the sum behind it.
    #[inline(always)]
    fn probe(&mut self, place: usize, digits: &[u8]) {
        let mut bucket = self.sums[place].map(bucket_of);
        let mut seen: [u16; GROUP] = std::array::from_fn(|lane| self.start(place, lane) as u16);
        let sums = &self.sums[place + 1..=place + digits.len()];
        let before = &mut self.before[place + 1..=place + digits.len()];
        let last = &mut *self.last;
        for (start, ((digit, sum), before)) in (place as u16..).zip(digits.iter().zip(sums).zip(before)) {
            for lane in 0..GROUP {
                // As a branch it would be mispredicted at one digit in ten.
                last[lane][bucket[lane]] = select_unpredictable(*digit == b'0', seen[lane], start);
                bucket[lane] = bucket_of(sum[lane]);
                seen[lane] = last[lane][bucket[lane]];
            }
            // One store costs less than four.
            *before = seen.iter().rev().fold(0, |all, seen| all << 16 | u64::from(*seen));
        }
    }

    /// Returns a bit for each place of at most 64 where a chain begins within the window.
    #[inline(always)]
    fn hits(&self, from: usize, to: usize) -> u64 {
        let mut reach = self.reach(from);
        let mut hits = 0;
        for (digit, before) in self.before[from..to].iter().enumerate() {
            let in_window = before.wrapping_add(reach) & self.used;
            hits |= u64::from(in_window != 0) << digit;
            reach = reach.wrapping_sub(EACH);
        }
        hits
    }

    /// Looks whether the first start of a chain has an equal sum, and goes along the chain only if it has, or if it
    /// goes on within the window.
    #[inline(always)]
    fn look(&self, end: usize, equal: OnEqual<'_>) {
        let in_window = self.in_window(end);
        let lane = in_window.trailing_zeros() as usize / 16 % GROUP;
        let start = self.start(end, lane);
        let is_equal = are_equal(self.sums[start][lane], self.sums[end][lane]);
        let goes_on = end - self.start(start, lane) <= usize::from(self.window);
        let is_alone = in_window & in_window.wrapping_sub(1) == 0;
        if is_equal | goes_on | !is_alone {
            self.search_all(end, equal);
        }
    }

    /// Returns what sets the highest bit of a lane when it is added to a start within the window.
    #[inline(always)]
    fn reach(&self, end: usize) -> u64 {
        (0x8000 + u64::from(self.window) - end as u64) * EACH
    }

    /// Returns the highest bit of each lane whose chain begins within the window.
    #[inline(always)]
    fn in_window(&self, end: usize) -> u64 {
        self.before[end].wrapping_add(self.reach(end)) & self.used
    }

    #[inline(always)]
    fn start(&self, place: usize, lane: usize) -> usize {
        usize::from((self.before[place] >> (16 * lane)) as u16)
    }

    #[cold]
    #[inline(never)]
    fn search_all(&self, end: usize, equal: OnEqual<'_>) {
        let mut lanes = self.in_window(end);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize / 16;
            self.search(lane, end, self.start(end, lane), equal);
            lanes &= lanes - 1;
        }
    }

    /// Goes along a chain of starts.
    fn search(&self, lane: usize, end: usize, mut start: usize, equal: OnEqual<'_>) {
        while end - start <= usize::from(self.window) {
            if are_equal(self.sums[start][lane], self.sums[end][lane]) {
                equal(lane, end, (end - start) as u16);
            }
            start = self.start(start, lane);
        }
    }

    /// Goes along the chains of the next buckets, where a sum is near the end of its own.
    #[cold]
    #[inline(never)]
    fn search_near(&self, place: usize, count: usize, equal: OnEqual<'_>) {
        for end in place + 1..=place + count {
            for lane in (0..GROUP).filter(|lane| self.used >> (16 * lane) & 0x8000 != 0) {
                let sum = self.sums[end][lane];
                let bucket = (bucket_of(sum) + 1) % BUCKETS;
                // One in the last of the high bits is more than equal sums differ by.
                if bucket_of(sum + 1) % BUCKETS != bucket {
                    continue;
                }
                let mut start = usize::from(self.last[lane][bucket]);
                // These came later.
                while start >= end {
                    start = self.start(start, lane);
                }
                self.search(lane, end, start, equal);
            }
        }
    }
}

/// Makes empty tables. They are too large to be made on the stack.
fn tables() -> Box<[[u16; TABLE]; GROUP]> {
    let tables = vec![[NONE; TABLE]; GROUP].into_boxed_slice();
    tables.try_into().unwrap_or_else(|_| unreachable!("there are as many tables as lanes"))
}

/// The bucket is the higher half, which can be read without a shift.
#[inline(always)]
fn bucket_of(sum: u32) -> usize {
    usize::from((sum >> 16) as u16)
}

/// Equal sums differ by so little that their high bits differ by at most one.
#[inline(always)]
fn are_equal(start: u32, end: u32) -> bool {
    start.wrapping_sub(end) % (1 << (BUCKET_BITS + 16)) <= 1
}
