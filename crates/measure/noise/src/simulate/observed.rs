//! What is observed of one replica.

use crate::model::ScenarioError;

/// Why a simulation ended before its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulateError {
    /// The scenario cannot be simulated.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// 32 bits do not hold the times of all nodes at once.
    #[error(
        "nodes are so far apart in time that the simulation cannot hold them; give shorter detours or fewer nodes"
    )]
    Apart,
}

/// Where a replica stands, since its begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// The last node's time.
    pub edge_ns: f64,
    /// The latest node's.
    pub maximum_ns: f64,
    /// The mean over all nodes.
    pub mean_ns: f64,
}
