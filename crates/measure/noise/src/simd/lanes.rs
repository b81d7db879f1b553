//! Some numbers at once.
#![allow(unsafe_code)]

/// A vector of `u32`.
///
/// # Safety
/// All functions need a processor that has the instructions; `load` and `store` need `COUNT` numbers at the pointer.
pub(super) trait Lanes: Copy {
    /// How many numbers.
    const COUNT: usize;
    /// A yes or no for each.
    type Mask: Copy;
    unsafe fn load(from: *const u32) -> Self;
    /// What finds the numbers so far before and behind.
    type Shift: Copy;
    unsafe fn shift(by: usize) -> Self::Shift;
    /// Returns the highest of each number and of those so far before and behind: given the vector at `from`, which is the first's
    /// next, and the one before; gives the one behind, too, for the next call.
    unsafe fn highest_around(before: Self, here: Self, from: *const u32, shift: Self::Shift) -> (Self, Self);
    unsafe fn store(self, to: *mut u32);
    unsafe fn splat(value: u32) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    /// Adds where the mask says yes.
    unsafe fn add_where(self, mask: Self::Mask, other: Self) -> Self;
    /// Returns where this is not above the other.
    unsafe fn at_most(self, other: Self) -> Self::Mask;
    unsafe fn none() -> Self::Mask;
    unsafe fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Returns where `a` says yes and `b` says no.
    unsafe fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Returns whether there is a yes.
    unsafe fn any(mask: Self::Mask) -> bool;
    /// One bit for each lane, the first lowest.
    unsafe fn bits(mask: Self::Mask) -> u32;
}

/// Makes functions of [`Lanes`], each a line.
macro_rules! lanes {
    ($(fn $name:ident($($argument:tt)*) -> $result:ty { $body:expr })*) => {$(
        #[inline(always)]
        #[allow(unused_unsafe, reason = "some need nothing but what the compiler has")]
        unsafe fn $name($($argument)*) -> $result {
            // SAFETY: the trait's caller says that the processor has the instructions, and that the pointers have room, also
            // around and behind where that is asked for; loads and stores are the unaligned ones.
            unsafe { $body }
        }
    )*};
}

/// Returns what [`Lanes::highest_around`] does by loading what is before and behind.
///
/// # Safety
/// As of that.
#[inline(always)]
unsafe fn loaded_around<L: Lanes>(here: L, from: *const u32, shift: usize) -> (L, L) {
    // SAFETY: the caller says that there are this many numbers around.
    unsafe {
        let high = here.max(L::load(from.sub(shift))).max(L::load(from.add(shift)));
        (high, L::load(from.add(L::COUNT)))
    }
}

/// Eight plain numbers: the compiler makes of them what the processor has.
#[derive(Clone, Copy)]
pub(super) struct Plain([u32; PLAIN]);

const PLAIN: usize = 8;

impl Plain {
    #[inline(always)]
    fn each(of: impl FnMut(usize) -> u32) -> Self {
        Self(std::array::from_fn(of))
    }
}

impl Lanes for Plain {
    const COUNT: usize = PLAIN;
    /// All bits for yes, none for no: what vector comparisons give, so that the compiler can use them.
    type Mask = [u32; PLAIN];
    type Shift = usize;

    lanes! {
        fn shift(by: usize) -> usize { by }
        fn highest_around(_: Self, here: Self, from: *const u32, shift: usize) -> (Self, Self) {
            loaded_around(here, from, shift)
        }
        fn load(from: *const u32) -> Self { Self(from.cast::<[u32; PLAIN]>().read()) }
        fn store(self, to: *mut u32) -> () { to.cast::<[u32; PLAIN]>().write(self.0) }
        fn splat(value: u32) -> Self { Self([value; PLAIN]) }
        fn max(self, other: Self) -> Self { Self::each(|at| self.0[at].max(other.0[at])) }
        fn min(self, other: Self) -> Self { Self::each(|at| self.0[at].min(other.0[at])) }
        fn add(self, other: Self) -> Self { Self::each(|at| self.0[at].wrapping_add(other.0[at])) }
        fn sub(self, other: Self) -> Self { Self::each(|at| self.0[at].wrapping_sub(other.0[at])) }
        fn add_where(self, mask: Self::Mask, other: Self) -> Self {
            Self::each(|at| self.0[at].wrapping_add(mask[at] & other.0[at]))
        }
        fn at_most(self, other: Self) -> Self::Mask {
            Self::each(|at| u32::from(self.0[at] <= other.0[at]).wrapping_neg()).0
        }
        fn none() -> Self::Mask { [0; PLAIN] }
        fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask { Self::each(|at| a[at] | b[at]).0 }
        fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask { Self::each(|at| a[at] & !b[at]).0 }
        fn any(mask: Self::Mask) -> bool { mask.iter().fold(0, |all, one| all | one) != 0 }
        fn bits(mask: Self::Mask) -> u32 { mask.iter().rev().fold(0, |bits, yes| bits << 1 | yes & 1) }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Lanes, loaded_around};
    use std::arch::x86_64::*;

    /// Sixteen numbers.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512i);
    /// Eight numbers.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i);

    impl Lanes for Avx512 {
        const COUNT: usize = 16;
        type Mask = __mmask16;
        type Shift = (__m512i, __m512i);

        lanes! {
            fn shift(by: usize) -> Self::Shift {{
                let before: [u32; 16] = std::array::from_fn(|lane| (16 + lane - by) as u32);
                let behind: [u32; 16] = std::array::from_fn(|lane| (lane + by) as u32);
                (Self::load(before.as_ptr()).0, Self::load(behind.as_ptr()).0)
            }}
            // Loads across cache lines take longer than choosing numbers from two vectors that are there.
            fn highest_around(before: Self, here: Self, from: *const u32, shift: Self::Shift) -> (Self, Self) {{
                let behind = Self::load(from.add(Self::COUNT));
                let left = Self(_mm512_permutex2var_epi32(before.0, shift.0, here.0));
                let right = Self(_mm512_permutex2var_epi32(here.0, shift.1, behind.0));
                (here.max(left).max(right), behind)
            }}
            fn load(from: *const u32) -> Self { Self(_mm512_loadu_si512(from.cast())) }
            fn store(self, to: *mut u32) -> () { _mm512_storeu_si512(to.cast(), self.0) }
            fn splat(value: u32) -> Self { Self(_mm512_set1_epi32(value.cast_signed())) }
            fn max(self, other: Self) -> Self { Self(_mm512_max_epu32(self.0, other.0)) }
            fn min(self, other: Self) -> Self { Self(_mm512_min_epu32(self.0, other.0)) }
            fn add(self, other: Self) -> Self { Self(_mm512_add_epi32(self.0, other.0)) }
            fn sub(self, other: Self) -> Self { Self(_mm512_sub_epi32(self.0, other.0)) }
            fn add_where(self, mask: Self::Mask, other: Self) -> Self {
                Self(_mm512_mask_add_epi32(self.0, mask, self.0, other.0))
            }
            fn at_most(self, other: Self) -> Self::Mask { _mm512_cmple_epu32_mask(self.0, other.0) }
            fn none() -> Self::Mask { 0 }
            fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask { a | b }
            fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask { a & !b }
            fn any(mask: Self::Mask) -> bool { mask != 0 }
            fn bits(mask: Self::Mask) -> u32 { u32::from(mask) }
        }
    }

    impl Lanes for Avx2 {
        const COUNT: usize = 8;
        type Mask = __m256i;
        type Shift = usize;

        lanes! {
            fn shift(by: usize) -> usize { by }
            fn highest_around(_: Self, here: Self, from: *const u32, shift: usize) -> (Self, Self) {
                loaded_around(here, from, shift)
            }
            fn load(from: *const u32) -> Self { Self(_mm256_loadu_si256(from.cast())) }
            fn store(self, to: *mut u32) -> () { _mm256_storeu_si256(to.cast(), self.0) }
            fn splat(value: u32) -> Self { Self(_mm256_set1_epi32(value.cast_signed())) }
            fn max(self, other: Self) -> Self { Self(_mm256_max_epu32(self.0, other.0)) }
            fn min(self, other: Self) -> Self { Self(_mm256_min_epu32(self.0, other.0)) }
            fn add(self, other: Self) -> Self { Self(_mm256_add_epi32(self.0, other.0)) }
            fn sub(self, other: Self) -> Self { Self(_mm256_sub_epi32(self.0, other.0)) }
            fn add_where(self, mask: Self::Mask, other: Self) -> Self {
                Self(_mm256_add_epi32(self.0, _mm256_and_si256(mask, other.0)))
            }
            // There is no unsigned comparison, but a maximum.
            fn at_most(self, other: Self) -> Self::Mask {
                _mm256_cmpeq_epi32(_mm256_max_epu32(self.0, other.0), other.0)
            }
            fn none() -> Self::Mask { _mm256_setzero_si256() }
            fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask { _mm256_or_si256(a, b) }
            fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask { _mm256_andnot_si256(b, a) }
            fn any(mask: Self::Mask) -> bool { _mm256_testz_si256(mask, mask) == 0 }
            fn bits(mask: Self::Mask) -> u32 { _mm256_movemask_ps(_mm256_castsi256_ps(mask)).cast_unsigned() }
        }
    }
}
