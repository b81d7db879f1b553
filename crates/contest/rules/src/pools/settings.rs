//! What is set of a pool.

use crate::PoolId;
use model::Clock;
use serde::{Deserialize, Serialize};

/// A pool: machines of one hardware identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolSettings {
    pub id: PoolId,
    /// What its machines have in common, as text lines; `None` until the first machine joins.
    pub identity: Option<Vec<String>>,
    /// Versions of compilers that its machines have in common, `language: version`.
    pub compilers: Option<Vec<String>>,
}

impl PoolSettings {
    /// Returns the clock by which its machines judge; `None` until the first one has joined.
    pub fn clock(&self) -> Option<Clock> {
        documents::judgehost::clock_of(self.identity.as_ref()?)
    }
}
