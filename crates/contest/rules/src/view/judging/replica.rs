//! How a replica compares.

use model::Nanos;
use serde::Serialize;

/// How replicas of a judgement on several judgehosts compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReplicaView {
    pub opened: u32,
    pub done: u32,
    /// Whether their verdicts differ: the jury has to decide.
    pub differ: bool,
    /// The lowest time of the slowest case.
    pub lowest: Option<Nanos>,
    /// The highest.
    pub highest: Option<Nanos>,
}
