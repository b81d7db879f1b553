//! What a contest's results have that CLICS has no place for.

use crate::Problem;
use crate::wire::texts;
use contest_rules::SubmissionNumber;
use contest_rules::view::View;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub const VERSION: u32 = 1;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Extra {
    pub version: u32,
    /// How the result was made final.
    #[serde(rename = "final")]
    pub finalized: Option<Final>,
    /// Why submissions do not count.
    pub ignored: BTreeMap<u32, String>,
    /// The scores of subtasks, by judgement.
    pub subtasks: BTreeMap<String, Vec<f64>>,
    /// Awards that the jury edited.
    pub awards: Option<Vec<AwardEdit>>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Final {
    pub extra_bronze: u32,
    pub comment: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct AwardEdit {
    pub id: String,
    pub citation: String,
    /// `null` for who earned it.
    pub team_ids: Option<Vec<String>>,
}

impl Extra {
    /// Returns what there is of a contest.
    pub fn of(view: &View<'_>) -> Result<Self, Problem> {
        let settings = view.contest().jury;
        let finalized = settings.filter(|_| view.state().finalized.is_some()).map(|jury| Final {
            extra_bronze: jury.extra_bronze,
            comment: jury.final_comment.unwrap_or_default().to_owned(),
        });
        let ignored = view.submissions().filter_map(|one| Some((one.number.0, one.ignored?.to_owned())));
        let subtasks = view.recorded_judgements()?.filter_map(|judgement| {
            let scores = judgement.subtasks.filter(|scores| !scores.is_empty())?;
            Some((judgement.key.to_string(), scores.iter().map(|score| score.points()).collect()))
        });
        let awards = view.award_edits().into_iter().flatten().map(|(id, edit)| AwardEdit {
            id: id.clone(),
            citation: edit.citation.clone(),
            team_ids: edit.teams.as_deref().map(texts),
        });
        Ok(Self {
            version: VERSION,
            finalized,
            ignored: ignored.collect(),
            subtasks: subtasks.collect(),
            awards: Some(awards.collect()),
        })
    }

    /// Leaves out what is about other submissions and teams.
    pub fn keep(
        &mut self,
        has_submission: impl Fn(SubmissionNumber) -> bool,
        has_team: impl Fn(&str) -> bool,
        hidden_awards: &BTreeSet<String>,
    ) {
        self.ignored.retain(|number, _| has_submission(SubmissionNumber(*number)));
        let submission = |judgement: &str| judgement.split('-').next()?.parse().ok().map(SubmissionNumber);
        self.subtasks.retain(|judgement, _| submission(judgement).is_some_and(&has_submission));
        self.awards.iter_mut().for_each(|awards| awards.retain(|edit| !hidden_awards.contains(&edit.id)));
        let teams = self.awards.iter_mut().flatten().filter_map(|edit| edit.team_ids.as_mut());
        teams.for_each(|teams| teams.retain(|team| has_team(team)));
    }
}
