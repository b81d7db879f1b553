//! Why there is no place to time.

use machine::LeaseError;
use model::{CpuSet, Nanos};
use sandbox::SandboxError;

/// Why there is no place to time.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// CPUs were named that are not ours.
    #[error("the CPU list {cpus} is not within what is allowed here, {}", allowed.named())]
    NotAllowed {
        /// The CPUs named.
        cpus: CpuSet,
        /// Those that are ours.
        allowed: CpuSet,
    },
    /// There are not so many places.
    #[error("{wanted} timed places are wanted, and there are cores for {got}: {why}; ask for fewer, or wait")]
    TooMany {
        /// How many were asked for.
        wanted: usize,
        /// How many there can be now.
        got: usize,
        /// Why there are no more.
        why: LeaseError,
    },
    /// Others had them until the end of all patience.
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
    /// Returns whether it is others who have the CPUs, so that waiting for them may help.
    pub fn is_taken(&self) -> bool {
        match self {
            Self::TooMany { why, .. } | Self::Lease(why) => why.is_taken(),
            _ => false,
        }
    }
}
