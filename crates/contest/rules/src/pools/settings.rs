//! What is set of a pool.

use crate::PoolId;
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
