//! Commentary.

use super::{RelTime, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A remark about the contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commentary {
    /// Its id: a number in the contest, from 1.
    pub id: String,
    /// When it was sent.
    pub time: Time,
    /// The same in contest time.
    pub contest_time: RelTime,
    /// Its text, which can name objects such as `{teams:t1}`.
    pub message: String,
    /// What it is about, such as `submission-medal`.
    pub tags: Vec<String>,
    /// The id of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_ids: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem_ids: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission_ids: Option<Vec<String>>,
}

/// A remark that is sent. The server sets its id, its times and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCommentary {
    /// Its text. `{teams:t1}`, `{problems:a}` and the like name objects; a backslash before `{` takes that away.
    pub message: String,
    /// What it is about.
    pub tags: Option<Vec<String>>,
    pub team_ids: Option<Vec<String>>,
    pub problem_ids: Option<Vec<String>>,
    pub submission_ids: Option<Vec<String>>,
}
