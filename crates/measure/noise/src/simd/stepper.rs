//! Which code does an iteration: chosen once by instructions, stencil, sources and window.
#![allow(unsafe_code)]

use super::Instructions;
use super::kernel::{
    ANY, BLOCK, COMPUTING, Careful, FREQUENT_MAX, LENGTHENED, Next, OWN_FINISH, Rows, Soonest, WIDEST,
    advance, soonest, with_care,
};
use super::lanes::{Lanes, Plain};
use crate::model::{SOURCES_MAX, Stencil, Window};
use crate::simulate::{Aligned, Rule};

type Function = unsafe fn(&Rule, &mut Rows, Careful);
type Highest = unsafe fn(&[&[u32]; 3], &mut [u32]);

/// Does iterations of rows in the way chosen once.
#[derive(Clone, Copy)]
pub struct Stepper {
    function: Function,
    careful: Careful,
    soonest: Soonest,
    highest: Highest,
    sees: usize,
    frequent: usize,
}

/// Returns how many rows of [`Rows::sees`] a node sees. In [`Stencil::Square8`] three rows are made one by [`Stepper::highest`], of
/// which a node sees three places, so its own row is another.
fn sees(stencil: Stencil) -> usize {
    match stencil {
        Stencil::Line => 0,
        Stencil::Square8 => 1,
        Stencil::Square4 => 2,
        Stencil::Cube6 => 4,
    }
}

/// Returns how many numbers [`Rows::soon`] has for a row of this many.
pub(crate) fn soon_count(full: usize) -> usize {
    full.div_ceil(BLOCK) * WIDEST
}

impl Stepper {
    /// Chooses the code for a stencil and the sources of a rule.
    ///
    /// # Panics
    /// When the processor does not have the instructions.
    pub fn new(instructions: Instructions, stencil: Stencil, rule: &Rule, window: Window) -> Self {
        assert!(instructions.is_there(), "this processor has no {}", instructions.name());
        assert!((1..=SOURCES_MAX).contains(&rule.beats().len()), "{} sources", rule.beats().len());
        let frequent = rule.frequent().count();
        let function = match sees(stencil) {
            0 => by_sources::<0>(instructions, frequent, window),
            1 => by_sources::<1>(instructions, frequent, window),
            2 => by_sources::<2>(instructions, frequent, window),
            _ => by_sources::<4>(instructions, frequent, window),
        };
        let (soonest, highest): (Soonest, Highest) = match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => (x86::avx512_soonest, x86::avx512_highest),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => (x86::avx2_soonest, x86::avx2_highest),
            _ => (soonest::<Plain>, highest),
        };
        let careful = match window {
            Window::OwnFinish => careful::<OWN_FINISH>(instructions, rule.beats().len()),
            Window::Computing => careful::<COMPUTING>(instructions, rule.beats().len()),
            Window::Lengthened => careful::<LENGTHENED>(instructions, rule.beats().len()),
        };
        Self { function, careful, soonest, highest, sees: sees(stencil), frequent }
    }

    /// Does one iteration of rows.
    ///
    /// # Panics
    /// When a row is not within the parts, or they are too few.
    pub fn step(&self, rule: &Rule, rows: &mut Rows) {
        let full = rows.full;
        assert!(full.is_multiple_of(WIDEST) && (1..=WIDEST).contains(&rows.shift));
        assert!(rows.next.len() == rule.beats().len() && rule.frequent().count() == self.frequent);
        let holds = |part: &[u32], from: usize, count: usize| {
            part.len().checked_sub(count).is_some_and(|last| from <= last)
        };
        for run in rows.runs.iter().filter(|run| run.count > 0) {
            let times = (run.count - 1) * rows.stride + full;
            assert!(holds(rows.around, run.around, times + 2 * WIDEST) && holds(rows.to, run.to, times));
            assert!(run.sees[..self.sees].iter().all(|at| holds(rows.sees, *at, times)));
            assert!(holds(rows.soon, run.soon, run.count * soon_count(full)));
            assert!(rows.next.iter().all(|next| holds(next, run.next, run.count * full)));
        }
        // SAFETY: `new` has looked whether the processor has the instructions; all lengths are as they must be.
        unsafe { (self.function)(rule, rows, self.careful) }
    }

    /// Brings each block's place of `soon` to the first detour of rare sources in it, in one row: `count` numbers from
    /// `event` on.
    ///
    /// # Panics
    /// When there are fewer, or they are no whole vectors.
    pub fn look_ahead(
        &self,
        rule: &Rule,
        next: &mut [Aligned],
        event: usize,
        count: usize,
        soon: &mut [u32],
    ) {
        assert!(count.is_multiple_of(WIDEST) && next.iter().all(|next| next.len() >= event + count));
        assert!(next.len() == rule.beats().len() && soon.len() == soon_count(count));
        let mut all: Next = [std::ptr::null_mut(); SOURCES_MAX];
        for (all, next) in all.iter_mut().zip(next.iter_mut()) {
            *all = next.as_mut_ptr().wrapping_add(event);
        }
        for (block, soon) in soon.chunks_exact_mut(WIDEST).enumerate() {
            let from = block * BLOCK;
            // SAFETY: `new` has looked whether the processor has the instructions; this many numbers are there.
            unsafe { (self.soonest)(rule, &all, from, (count - from).min(BLOCK), soon.as_mut_ptr()) };
        }
    }

    /// Takes the highest of three rows, number by number.
    ///
    /// # Panics
    /// When a row is shorter than the result.
    pub fn highest(&self, rows: &[&[u32]; 3], to: &mut [u32]) {
        assert!(rows.iter().all(|row| row.len() >= to.len()));
        // SAFETY: `new` has looked whether the processor has the instructions.
        unsafe { (self.highest)(rows, to) }
    }
}

fn by_sources<const K: usize>(instructions: Instructions, frequent: usize, window: Window) -> Function {
    match frequent {
        0 => by_window::<K, 0>(instructions, window),
        1 => by_window::<K, 1>(instructions, window),
        2 => by_window::<K, 2>(instructions, window),
        FREQUENT_MAX => by_window::<K, FREQUENT_MAX>(instructions, window),
        _ => by_window::<K, ANY>(instructions, window),
    }
}

fn by_window<const K: usize, const F: usize>(instructions: Instructions, window: Window) -> Function {
    match window {
        Window::OwnFinish => by_instructions::<K, F, OWN_FINISH>(instructions),
        Window::Computing => by_instructions::<K, F, COMPUTING>(instructions),
        Window::Lengthened => by_instructions::<K, F, LENGTHENED>(instructions),
    }
}

fn by_instructions<const K: usize, const F: usize, const W: u8>(instructions: Instructions) -> Function {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => x86::avx512::<K, F, W>,
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => x86::avx2::<K, F, W>,
        _ => portable::<K, F, W>,
    }
}

unsafe fn portable<const K: usize, const F: usize, const W: u8>(
    rule: &Rule,
    rows: &mut Rows,
    careful: Careful,
) {
    // SAFETY: as the caller says.
    unsafe { advance::<Plain, K, F, W>(rule, rows, careful, soonest::<Plain>) }
}

fn careful<const W: u8>(instructions: Instructions, sources: usize) -> Careful {
    match sources {
        1 => careful_with::<1, W>(instructions),
        2 => careful_with::<2, W>(instructions),
        3..=4 => careful_with::<4, W>(instructions),
        _ => careful_with::<SOURCES_MAX, W>(instructions),
    }
}

fn careful_with<const S: usize, const W: u8>(instructions: Instructions) -> Careful {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => x86::avx512_careful::<S, W>,
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => x86::avx2_careful::<S, W>,
        _ => with_care::<Plain, S, W>,
    }
}

#[inline(always)]
fn highest(rows: &[&[u32]; 3], to: &mut [u32]) {
    let [below, own, above] = rows.map(|row| &row[..to.len()]);
    for (at, to) in to.iter_mut().enumerate() {
        *to = below[at].max(own[at]).max(above[at]);
    }
}

/// The same code for each kind of instructions.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::lanes::x86::{Avx2, Avx512};
    use super::{Careful, Lanes, Next, Rows, Rule, advance, highest, soonest, with_care};

    macro_rules! with_instructions {
        ($lanes:ty, $features:literal, $advance:ident, $careful:ident, $soonest:ident, $highest:ident) => {
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $advance<const K: usize, const F: usize, const W: u8>(
                rule: &Rule,
                rows: &mut Rows,
                careful: Careful,
            ) {
                // SAFETY: as the caller says.
                unsafe { advance::<$lanes, K, F, W>(rule, rows, careful, $soonest) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn $careful<const S: usize, const W: u8>(
                rule: &Rule,
                own: *const u32,
                begin: *const u32,
                next: &Next,
                from: usize,
                to: *mut u32,
                node: u64,
            ) {
                // SAFETY: as the caller says.
                unsafe { with_care::<$lanes, S, W>(rule, own, begin, next, from, to, node) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn $soonest(
                rule: &Rule,
                next: &Next,
                from: usize,
                count: usize,
                soon: *mut u32,
            ) {
                // SAFETY: as the caller says.
                unsafe { soonest::<$lanes>(rule, next, from, count, soon) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn $highest(rows: &[&[u32]; 3], to: &mut [u32]) {
                highest(rows, to);
            }
        };
    }

    with_instructions!(
        Avx512,
        "avx512f,avx512bw,avx512vl",
        avx512,
        avx512_careful,
        avx512_soonest,
        avx512_highest
    );
    with_instructions!(Avx2, "avx2", avx2, avx2_careful, avx2_soonest, avx2_highest);
    const _: () = assert!(Avx512::COUNT == super::WIDEST);
}
