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
    unsafe fn store(self, to: *mut u32);
    unsafe fn splat(value: u32) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// Adds where the mask says yes.
    unsafe fn add_where(self, mask: Self::Mask, other: Self) -> Self;
    /// Where this is not above the other.
    unsafe fn at_most(self, other: Self) -> Self::Mask;
    /// No for all.
    unsafe fn none() -> Self::Mask;
    unsafe fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Where `a` says yes and `b` says no.
    unsafe fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// One bit for each lane, the first lowest.
    unsafe fn bits(mask: Self::Mask) -> u32;
}

/// Eight plain numbers: the compiler makes of them what the processor has.
#[derive(Clone, Copy)]
pub(super) struct Plain([u32; 8]);

impl Lanes for Plain {
    const COUNT: usize = 8;
    type Mask = [bool; 8];

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller says that there are so many numbers; no alignment is asked for beyond that of u32.
        Self(unsafe { from.cast::<[u32; 8]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller says that there is room for so many numbers.
        unsafe { to.cast::<[u32; 8]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn splat(value: u32) -> Self {
        Self([value; 8])
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at].max(other.0[at])))
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at].wrapping_add(other.0[at])))
    }

    #[inline(always)]
    unsafe fn add_where(self, mask: Self::Mask, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at].wrapping_add(if mask[at] { other.0[at] } else { 0 })))
    }

    #[inline(always)]
    unsafe fn at_most(self, other: Self) -> Self::Mask {
        std::array::from_fn(|at| self.0[at] <= other.0[at])
    }

    #[inline(always)]
    unsafe fn none() -> Self::Mask {
        [false; 8]
    }

    #[inline(always)]
    unsafe fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|at| a[at] | b[at])
    }

    #[inline(always)]
    unsafe fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|at| a[at] & !b[at])
    }

    #[inline(always)]
    unsafe fn bits(mask: Self::Mask) -> u32 {
        mask.iter().rev().fold(0, |bits, yes| bits << 1 | u32::from(*yes))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// Sixteen numbers.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512i);
    /// Eight numbers.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i);

    // SAFETY of all blocks below: the trait's caller says that the processor has the instructions, and that the
    // pointers have room; loads and stores are the unaligned ones.
    impl Lanes for Avx512 {
        const COUNT: usize = 16;
        type Mask = __mmask16;

        #[inline(always)]
        unsafe fn load(from: *const u32) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_loadu_si512(from.cast()) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u32) {
            // SAFETY: see above.
            unsafe { _mm512_storeu_si512(to.cast(), self.0) }
        }

        #[inline(always)]
        unsafe fn splat(value: u32) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_set1_epi32(value.cast_signed()) })
        }

        #[inline(always)]
        unsafe fn max(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_max_epu32(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_add_epi32(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn add_where(self, mask: Self::Mask, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_mask_add_epi32(self.0, mask, self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn at_most(self, other: Self) -> Self::Mask {
            // SAFETY: see above.
            unsafe { _mm512_cmple_epu32_mask(self.0, other.0) }
        }

        #[inline(always)]
        unsafe fn none() -> Self::Mask {
            0
        }

        #[inline(always)]
        unsafe fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask {
            a | b
        }

        #[inline(always)]
        unsafe fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask {
            a & !b
        }

        #[inline(always)]
        unsafe fn bits(mask: Self::Mask) -> u32 {
            u32::from(mask)
        }
    }

    impl Lanes for Avx2 {
        const COUNT: usize = 8;
        type Mask = __m256i;

        #[inline(always)]
        unsafe fn load(from: *const u32) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_loadu_si256(from.cast()) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u32) {
            // SAFETY: see above.
            unsafe { _mm256_storeu_si256(to.cast(), self.0) }
        }

        #[inline(always)]
        unsafe fn splat(value: u32) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_set1_epi32(value.cast_signed()) })
        }

        #[inline(always)]
        unsafe fn max(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_max_epu32(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_add_epi32(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn add_where(self, mask: Self::Mask, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_add_epi32(self.0, _mm256_and_si256(mask, other.0)) })
        }

        #[inline(always)]
        unsafe fn at_most(self, other: Self) -> Self::Mask {
            // There is no unsigned comparison, but a maximum.
            // SAFETY: see above.
            unsafe { _mm256_cmpeq_epi32(_mm256_max_epu32(self.0, other.0), other.0) }
        }

        #[inline(always)]
        unsafe fn none() -> Self::Mask {
            // SAFETY: see above.
            unsafe { _mm256_setzero_si256() }
        }

        #[inline(always)]
        unsafe fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask {
            // SAFETY: see above.
            unsafe { _mm256_or_si256(a, b) }
        }

        #[inline(always)]
        unsafe fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask {
            // SAFETY: see above.
            unsafe { _mm256_andnot_si256(b, a) }
        }

        #[inline(always)]
        unsafe fn bits(mask: Self::Mask) -> u32 {
            // SAFETY: see above.
            unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(mask)) }.cast_unsigned()
        }
    }
}
