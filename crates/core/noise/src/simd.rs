//! One iteration of a row of nodes, in vector instructions: the only `unsafe` of this crate.
//!
//! The kernel is written once over [`lanes::Lanes`]; AVX-512, AVX2 and plain numbers give the same bytes.

mod kernel;
mod lanes;
mod stepper;

pub(crate) use kernel::SEES_MAX;
pub use kernel::{Rows, Run};
pub use stepper::Stepper;
pub(crate) use stepper::soon_count;

/// Which instructions are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// 16 nodes at once.
    Avx512,
    /// 8 nodes at once.
    Avx2,
    /// What every processor has.
    Portable,
}

impl Instructions {
    /// Chooses the fastest that this processor has.
    pub fn best() -> Self {
        [Self::Avx512, Self::Avx2].into_iter().find(|choice| choice.is_there()).unwrap_or(Self::Portable)
    }

    /// Returns whether this processor has them.
    pub fn is_there(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512bw")
            }
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            Self::Portable => true,
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "AVX-512",
            Self::Avx2 => "AVX2",
            Self::Portable => "portable",
        }
    }
}
