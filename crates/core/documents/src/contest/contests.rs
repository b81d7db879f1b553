//! Contests and their state.

use super::{FileReference, RelTime, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiInformation {
    /// The version of the CLICS Contest API.
    pub version: String,
    pub version_url: String,
    pub provider: ApiProvider,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiProvider {
    pub name: String,
    pub version: String,
}

/// A change of a contest by CLICS' PATCH: its start, or its thaw. A property that is absent stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContestPatch {
    /// The contest's id, the same as in the path.
    pub id: String,
    /// When it starts; `null` for unknown or paused.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub start_time: Option<Option<Time>>,
    /// The time left to the start, while the countdown is paused.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub countdown_pause_time: Option<Option<RelTime>>,
    /// When the board thaws; not together with a start, and not `null`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "not_null")]
    pub scoreboard_thaw_time: Option<Time>,
    /// Its broad picture; `null` to remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banner: Option<Vec<FileReference>>,
    /// Its square picture; `null` to remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<Vec<FileReference>>,
}

/// Reads a property that may be absent, but not `null`.
fn not_null<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a property that may be absent, `null` or a value as three different things.
pub(crate) fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// What has happened in a contest; `null` for what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContestState {
    pub started: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen: Option<Time>,
    pub ended: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thawed: Option<Time>,
    pub finalized: Option<Time>,
    /// When the last change was made.
    pub end_of_updates: Option<Time>,
}

/// What the caller can see and do in a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Access {
    pub capabilities: Vec<String>,
    pub endpoints: Vec<AccessEndpoint>,
}

/// What the caller can see of one endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccessEndpoint {
    #[serde(rename = "type")]
    pub kind: String,
    pub properties: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finalize {
    /// Bronze medals in addition to the planned ones (the ICPC's B).
    #[serde(default)]
    pub extra_bronze: u32,
    #[serde(default)]
    pub comment: String,
}

/// Starts a contest a while from now, or pauses the countdown to its start. An empty object lets a paused countdown go on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Countdown {
    /// The time left to the start; by default what is left now. A running countdown needs more than 30 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining: Option<RelTime>,
    /// Whether the countdown stands still.
    #[serde(default)]
    pub is_paused: bool,
}

/// Lets a contest last longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extend {
    /// By how much; negative to shorten it.
    pub by: RelTime,
}

/// Why something is done; it goes into the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Because {
    pub reason: String,
}

/// What a check before the contest, or before its result is made final, found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// What was checked, in an order that helps to fix it.
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Which check: the same word for the same thing, such as `judgehosts`.
    pub id: String,
    /// The outcome.
    pub state: CheckState,
    pub text: String,
    /// The same as `text`, for other languages; absent for a text that is in English only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<super::Sentence>,
    /// What to do, if something is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// The same as `remedy`, for other languages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy_sentence: Option<super::Sentence>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// It is as it should be.
    Pass,
    /// It may be wanted so.
    Caution,
    /// It prevents the start, or the final result.
    Fail,
}
