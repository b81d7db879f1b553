//! Server-sent events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `data` of a server-sent event without a name: something changed that the caller can see. What it is now, the API
/// has. An event named `reset` has no data: what changed before it is not known, so everything has to be read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// What changed, by the name of its endpoint, such as `submissions`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id; absent for what there is only one of. For `runs`, the id of their judgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether the caller cannot see it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_gone: bool,
}
