//! Vector instructions.

/// Which vector instructions are used: what computes much is compiled for each, and chooses when it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// Vectors of 512 bits.
    Avx512,
    /// Vectors of 256 bits.
    Avx2,
    /// What every processor has.
    Portable,
}

impl Instructions {
    /// Returns the fastest that this processor has.
    pub fn best() -> Self {
        [Self::Avx512, Self::Avx2].into_iter().find(|choice| choice.is_there()).unwrap_or(Self::Portable)
    }

    /// Returns whether this processor has them.
    pub fn is_there(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512dq")
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

    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "AVX-512",
            Self::Avx2 => "AVX2",
            Self::Portable => "portable",
        }
    }
}
