//! Why there is no place for timed runs.

use cpus::LeaseError;
use model::{CpuSet, Nanos};
use sandbox::SandboxError;

/// Why there is no place for timed runs.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Named CPUs are not allowed to this process.
    #[error("the CPU list {cpus} is not within what is allowed here, {}", allowed.named())]
    NotAllowed {
        /// The CPUs named.
        cpus: CpuSet,
        /// The CPUs that are allowed.
        allowed: CpuSet,
    },
    /// There are fewer places than requested.
    #[error("{wanted} timed places are wanted, and there are cores for {got}: {why}; ask for fewer, or wait")]
    TooMany {
        /// How many were requested.
        wanted: usize,
        /// How many are possible now.
        got: usize,
        /// Why there are no more.
        why: LeaseError,
    },
    /// Others held them until patience ran out.
    #[error("waited {waited} for CPUs: {why}")]
    Waited {
        /// For how long.
        waited: Nanos,
        /// Who has them.
        why: Box<PlaceError>,
    },
    /// No CPU could be leased.
    #[error("{0}")]
    Lease(#[from] LeaseError),
    /// The slot cannot be opened.
    #[error("{0}")]
    Sandbox(#[from] SandboxError),
}

impl PlaceError {
    /// Returns whether others hold the CPUs, so that waiting may help.
    pub fn is_taken(&self) -> bool {
        match self {
            Self::TooMany { why, .. } | Self::Lease(why) => why.is_taken(),
            _ => false,
        }
    }
}
