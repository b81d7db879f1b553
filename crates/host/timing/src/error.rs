//! Why there is no place for timed runs.

use cpus::LeaseError;
use model::{CpuSet, Nanos};
use sandbox::SandboxError;

#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    #[error("the CPU list {cpus} is not within what is allowed here, {}", allowed.named())]
    NotAllowed { cpus: CpuSet, allowed: CpuSet },
    #[error("{wanted} timed places are wanted, and there are cores for {got}: {why}; ask for fewer, or wait")]
    TooMany { wanted: usize, got: usize, why: LeaseError },
    #[error("waited {waited} for CPUs: {why}")]
    Waited { waited: Nanos, why: Box<PlaceError> },
    #[error("{0}")]
    Lease(#[from] LeaseError),
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
