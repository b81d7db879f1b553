//! A live stream contest that is shown in a contest of the server. Its digits and answers have a server of their own.

use crate::StreamBoard;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `tauto stream serve --publish` reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamReport {
    /// Where the digits are, such as `10.0.0.1:10001`.
    pub input: String,
    /// Where answers go.
    pub output: String,
    /// The password of each team by its id; absent if they are as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passwords: Option<BTreeMap<String, String>>,
    pub board: StreamBoard,
}

/// What the server has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamReported {
    /// Whether the next report has to have passwords: the server has none.
    pub needs_passwords: bool,
}

/// A live stream contest as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamView {
    /// Where the digits are, such as `10.0.0.1:10001`; `null` for those who do not take part and are not of the jury.
    pub input: Option<String>,
    /// Where answers go.
    pub output: Option<String>,
    /// The viewer's name there; `null` for those who do not take part.
    pub user: Option<String>,
    pub password: Option<String>,
    /// Seconds since the last report; a contest that is served reports twice a second.
    pub age_s: u64,
    pub board: StreamBoard,
}
