//! What an operator remembers.

use super::size::Load;
use crate::NodeState;
use std::collections::BTreeMap;

/// What an operator remembers: only how long things have been as they are, and how loads went. Without it, waits begin anew.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Since when each JudgeNode is in its state, and which that is.
    pub(super) since: BTreeMap<String, (NodeState, u64)>,
    /// When each JudgeNode's status was written.
    pub(super) written: BTreeMap<String, u64>,
    pub(super) loads: BTreeMap<String, Load>,
}

impl Memory {
    /// Notes which state a JudgeNode is in.
    pub(super) fn note(&mut self, node: &str, state: NodeState, at_ms: u64) {
        let entry = self.since.entry(node.to_owned()).or_insert((state, at_ms));
        if entry.0 != state {
            *entry = (state, at_ms);
        }
    }
}
