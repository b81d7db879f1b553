//! Scoreboards, awards and results.

use super::{Contest, ContestState, RelTime, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scoreboard {
    /// When it last changed.
    pub time: Time,
    /// The same in contest time.
    pub contest_time: RelTime,
    pub state: ContestState,
    pub rows: Vec<ScoreboardRow>,
}

impl Scoreboard {
    /// Returns the sentence that the CCS requirements ask for while the board is frozen.
    pub fn freeze_sentence(&self, contest: &Contest) -> Option<String> {
        let frozen = self.state.frozen.filter(|_| self.state.thawed.is_none())?;
        let planned = contest.scoreboard_freeze_duration.map(|duration| duration.0);
        let end = contest.start_time.map(|start| start.0 + contest.duration.0);
        let minutes = planned.or_else(|| end.map(|end| end - frozen.0)).unwrap_or(0) / 60_000;
        Some(format!(
            "The scoreboard was frozen with {minutes} minutes remaining - submissions in the last {minutes} minutes \
             of the contest are still shown as pending."
        ))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreboardRow {
    /// Its rank, from 1; equal teams share one.
    pub rank: u32,
    pub team_id: String,
    /// Whether it is out of the ranking: hidden teams, which only the jury sees, at the rank that they would have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_hidden: Option<bool>,
    pub score: TeamScore,
    pub problems: Vec<ProblemScore>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamScore {
    /// How many problems it has solved; only for `pass-fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_solved: Option<u32>,
    /// Its penalty time; only for `pass-fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_time: Option<RelTime>,
    /// Its points; only for `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// When it last became better; `null` while it has solved, or scored, nothing.
    pub time: Option<RelTime>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemScore {
    pub problem_id: String,
    /// How many submissions were judged, up to the first correct one.
    pub num_judged: u32,
    /// How many wait for a verdict, or were sent after the freeze.
    pub num_pending: u32,
    /// Whether it is solved; only for `pass-fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved: Option<bool>,
    /// The points; only for `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// When it was solved, or scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<RelTime>,
    /// Whether the team was the first to solve it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_to_solve: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Award {
    /// Its id, such as `gold-medal`.
    pub id: String,
    pub citation: String,
    /// Its teams; `null` for teams chosen by hand, for others than the jury until the thaw.
    pub team_ids: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAward {
    /// Its id, the same as in the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub citation: String,
    /// Its teams; `null` for those that earned it.
    pub team_ids: Option<Vec<String>>,
}

/// A change of an award. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AwardPatch {
    /// Its id, the same as in the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::present")]
    pub citation: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::present")]
    pub team_ids: Option<Option<Vec<String>>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    pub is_final: bool,
    pub rows: Vec<ResultRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultRow {
    pub team_id: String,
    /// Its id in the ICPC's system.
    pub icpc_id: Option<String>,
    pub name: String,
    /// Its rank; `null` for an honorable mention.
    pub rank: Option<u32>,
    /// Its award or honour in words, such as `Gold Medal` or `Ranked`.
    pub award: String,
    /// How many problems it has solved, or its points.
    pub score: f64,
    /// Its penalty time; only for `pass-fail`.
    pub total_time: Option<RelTime>,
    /// When it last became better.
    pub time: Option<RelTime>,
    /// The group that it has won, if it has.
    pub group_winner: Option<String>,
}
