//! Clarifications.

use super::{RelTime, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question, an answer or an announcement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clarification {
    /// Its id: a number in the contest, from 1.
    pub id: String,
    /// From which team; absent for the jury.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_team_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_team_ids: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_group_ids: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem_id: Option<String>,
    /// About which category, if about no problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    pub text: String,
    /// When it was sent.
    pub time: Time,
    /// The same in contest time.
    pub contest_time: RelTime,
    /// The account that answers it; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Until when; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_until: Option<Time>,
    /// Whether a question has an answer; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_answered: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewClarification {
    /// The id that it shall have, the same as in the path: the next number. Only by PUT, from admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When it was sent, not before the last one. Only from admins; the server's clock otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The contest time then. Only with `time`, from which it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest_time: Option<RelTime>,
    /// From which team; a team's own if absent, the jury for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_team_id: Option<String>,
    /// To which teams; with `to_group_ids` absent too: to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_team_ids: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_group_ids: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem_id: Option<String>,
    /// About which category, if about no problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    pub text: String,
    /// Whether to answer although there is an answer already.
    #[serde(default)]
    pub again: bool,
}

/// Claims a question, so that two people do not answer it, or gives it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimClarification {
    /// Whether it is claimed; `false` gives it back.
    #[serde(default = "crate::values::yes")]
    pub is_claimed: bool,
}
