//! One iteration of a row.
#![allow(unsafe_code)]

use super::Instructions;
use super::lanes::{Lanes, Plain};
use crate::model::{SOURCES_MAX, Window};
use crate::simulate::Rule;

/// A node of [`Stencil::Square8`](crate::model::Stencil::Square8) sees itself and eight others.
pub(crate) const K_MAX: usize = 9;

/// A row of nodes before and after an iteration.
pub struct Row<'r> {
    /// Times before: of the nodes themselves first, then of one neighbour of each after the other.
    pub sees: &'r [&'r [u32]],
    /// Times after.
    pub to: &'r mut [u32],
    /// When the next detour of each source begins.
    pub next: &'r mut [&'r mut [u32]],
    /// The first node's number.
    pub first: u64,
}

type Function = unsafe fn(&Rule, &mut Row);

/// Does iterations of rows in the way chosen once.
#[derive(Clone, Copy)]
pub struct Stepper {
    function: Function,
    sees: usize,
    sources: usize,
}

impl Stepper {
    /// Chooses the code for rows in which each node sees so many, itself included.
    ///
    /// # Panics
    /// When the processor does not have the instructions, or no stencil sees so many.
    pub fn new(instructions: Instructions, sees: usize, sources: usize, window: Window) -> Self {
        assert!(instructions.is_there(), "this processor has no {}", instructions.name());
        let function = match sees {
            3 => by_sources::<3>(instructions, sources, window),
            5 => by_sources::<5>(instructions, sources, window),
            7 => by_sources::<7>(instructions, sources, window),
            9 => by_sources::<9>(instructions, sources, window),
            _ => panic!("no stencil sees {sees} nodes"),
        };
        Self { function, sees, sources }
    }

    /// Does one iteration of a row.
    ///
    /// # Panics
    /// When the parts of the row differ in length or number.
    pub fn step(&self, rule: &Rule, row: &mut Row) {
        let count = row.to.len();
        assert!(row.sees.len() == self.sees && row.next.len() == self.sources);
        assert_eq!(rule.beats().len(), self.sources);
        assert!(row.sees.iter().all(|times| times.len() == count));
        assert!(row.next.iter().all(|times| times.len() == count));
        // SAFETY: `new` has looked whether the processor has the instructions; all lengths are as they must be.
        unsafe { (self.function)(rule, row) }
    }
}

/// Sources for which there is code of their own; any other number shares one that is slower.
fn by_sources<const K: usize>(instructions: Instructions, sources: usize, window: Window) -> Function {
    assert!(
        (1..=SOURCES_MAX).contains(&sources),
        "a simulation has 1 to {SOURCES_MAX} sources, not {sources}"
    );
    match sources {
        1 => by_window::<K, 1>(instructions, window),
        2 => by_window::<K, 2>(instructions, window),
        _ => by_window::<K, ANY>(instructions, window),
    }
}

/// Stands for any number of sources.
const ANY: usize = SOURCES_MAX;
/// No vector has more lanes.
const WIDEST: usize = 16;

const OWN_FINISH: u8 = 0;
const COMPUTING: u8 = 1;
const LENGTHENED: u8 = 2;

fn by_window<const K: usize, const S: usize>(instructions: Instructions, window: Window) -> Function {
    match window {
        Window::OwnFinish => by_instructions::<K, S, OWN_FINISH>(instructions),
        Window::Computing => by_instructions::<K, S, COMPUTING>(instructions),
        Window::Lengthened => by_instructions::<K, S, LENGTHENED>(instructions),
    }
}

#[cfg(target_arch = "x86_64")]
fn by_instructions<const K: usize, const S: usize, const W: u8>(instructions: Instructions) -> Function {
    match instructions {
        Instructions::Avx512 => avx512::<K, S, W>,
        Instructions::Avx2 => avx2::<K, S, W>,
        Instructions::Portable => portable::<K, ANY, W>,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn by_instructions<const K: usize, const S: usize, const W: u8>(_: Instructions) -> Function {
    portable::<K, ANY, W>
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn avx512<const K: usize, const S: usize, const W: u8>(rule: &Rule, row: &mut Row) {
    // SAFETY: as the caller says.
    unsafe { advance::<super::lanes::x86::Avx512, K, S, W>(rule, row) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<const K: usize, const S: usize, const W: u8>(rule: &Rule, row: &mut Row) {
    // SAFETY: as the caller says.
    unsafe { advance::<super::lanes::x86::Avx2, K, S, W>(rule, row) }
}

unsafe fn portable<const K: usize, const S: usize, const W: u8>(rule: &Rule, row: &mut Row) {
    // SAFETY: as the caller says.
    unsafe { advance::<Plain, K, S, W>(rule, row) }
}

/// Advances a row: whole vectors, and node by node those in which more than one detour of a source passes, or in which
/// a random source has one.
///
/// # Safety
/// The processor must have the instructions of `L`; all parts of the row must have the same length, `sees` must have `K`
/// parts, and `next` and the rule's beats `S`.
#[inline(always)]
unsafe fn advance<L: Lanes, const K: usize, const S: usize, const W: u8>(rule: &Rule, row: &mut Row) {
    let count = row.to.len();
    let sources = if S == ANY { rule.beats().len() } else { S };
    let sees: [*const u32; K] = std::array::from_fn(|at| row.sees[at].as_ptr());
    let mut next = [std::ptr::null_mut::<u32>(); S];
    for (next, row) in next.iter_mut().zip(row.next.iter_mut()) {
        *next = row.as_mut_ptr();
    }
    let to = row.to.as_mut_ptr();
    // SAFETY: the caller says that the processor has the instructions.
    let (compute, message, mut period, mut length) =
        unsafe { (L::splat(rule.compute()), L::splat(rule.message()), [L::splat(0); S], [L::splat(0); S]) };
    for (s, beat) in rule.beats().iter().enumerate() {
        // SAFETY: as above.
        (period[s], length[s]) = unsafe { (L::splat(beat.step()), L::splat(beat.length())) };
    }
    let mut at = 0;
    while at + L::COUNT <= count {
        // SAFETY: `at` and the `L::COUNT` numbers from there on lie within every part; the rest is the caller's word.
        unsafe {
            let own = L::load(sees[0].add(at));
            let mut begin = own;
            for neighbour in &sees[1..] {
                begin = begin.max(L::load(neighbour.add(at)));
            }
            let mut events = [own; S];
            for s in 0..sources {
                events[s] = L::load(next[s].add(at));
            }
            let mut end = begin.add(compute);
            let window_end = if W == OWN_FINISH { own.add(compute) } else { end };
            let mut missed = L::none();
            if W == LENGTHENED {
                let mut seen = [missed; S];
                for s in 0..sources {
                    seen[s] = events[s].at_most(end);
                    end = end.add_where(L::and_not(seen[s], events[s].at_most(begin)), length[s]);
                }
                for s in 0..sources {
                    missed = L::or(missed, L::and_not(events[s].at_most(end), seen[s]));
                }
            } else {
                for s in 0..sources {
                    let mut hit = events[s].at_most(window_end);
                    if W == COMPUTING {
                        hit = L::and_not(hit, events[s].at_most(begin));
                    }
                    end = end.add_where(hit, length[s]);
                }
            }
            end = end.add(message);
            let mut after = events;
            for s in 0..sources {
                after[s] = events[s].add_where(events[s].at_most(end), period[s]);
                missed = L::or(missed, after[s].at_most(end));
            }
            end.store(to.add(at));
            let slow = L::bits(missed);
            if slow == 0 {
                for s in 0..sources {
                    after[s].store(next[s].add(at));
                }
            } else {
                let mut before = [[0_u32; WIDEST]; S];
                let (mut owns, mut begins) = ([0_u32; WIDEST], [0_u32; WIDEST]);
                own.store(owns.as_mut_ptr());
                begin.store(begins.as_mut_ptr());
                for s in 0..sources {
                    events[s].store(before[s].as_mut_ptr());
                    after[s].store(next[s].add(at));
                }
                let mut slow = slow;
                while slow != 0 {
                    let lane = slow.trailing_zeros() as usize;
                    slow &= slow - 1;
                    let mut one = before.map(|before| before[lane]);
                    let node = row.first + (at + lane) as u64;
                    *to.add(at + lane) = rule.advance(owns[lane], begins[lane], &mut one[..sources], node);
                    for s in 0..sources {
                        *next[s].add(at + lane) = one[s];
                    }
                }
            }
        }
        at += L::COUNT;
    }
    while at < count {
        // SAFETY: `at` lies within every part.
        unsafe {
            let own = *sees[0].add(at);
            let begin = sees.iter().fold(own, |begin, times| begin.max(*times.add(at)));
            let mut one = [0; S];
            for s in 0..sources {
                one[s] = *next[s].add(at);
            }
            *to.add(at) = rule.advance(own, begin, &mut one[..sources], row.first + at as u64);
            for s in 0..sources {
                *next[s].add(at) = one[s];
            }
        }
        at += 1;
    }
}
