//! Balloons in DOMjudge's shape.

use crate::Problem;
use crate::extract::{Json, Query, flag};
use crate::handlers::InContest;
use crate::wire::reltime;
use contest_rules::view::{BalloonView, View};
use contest_rules::{GroupId, OrganizationId, ProblemId, TeamId};
use documents::contest as api;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct BalloonsQuery {
    /// Only those that were not brought yet.
    #[serde(deserialize_with = "flag")]
    todo: bool,
}

pub async fn balloons(
    at: InContest,
    Query(query): Query<BalloonsQuery>,
) -> Result<Json<Vec<api::DomjudgeBalloon>>, Problem> {
    at.view(|view| {
        let mut solved = view.balloons()?;
        solved.retain(|entry| entry.is_solved || entry.delivered.is_some());
        let context = Context::of(view, &solved);
        let shown = solved.iter().filter(|entry| !query.todo || entry.delivered.is_none());
        Ok(Json(shown.filter_map(|entry| context.wire(view, entry)).collect()))
    })
}

/// What balloons have of other objects, each read once.
struct Context<'a> {
    problems: BTreeMap<&'a ProblemId, api::DomjudgeColor>,
    groups: BTreeMap<&'a GroupId, &'a str>,
    organizations: BTreeMap<&'a OrganizationId, &'a str>,
    teams: BTreeMap<&'a TeamId, OfTeam>,
}

/// A team, if the viewer may know of it, and all its balloons.
#[derive(Default)]
struct OfTeam {
    team: Option<contest_rules::Team>,
    total: BTreeMap<String, api::DomjudgeColor>,
}

impl<'a> Context<'a> {
    fn of(view: &View<'a>, balloons: &[BalloonView<'a>]) -> Self {
        let color = |problem: contest_rules::view::ProblemView<'a>| {
            let color = api::DomjudgeColor {
                id: problem.id.to_string(),
                label: problem.object.label.clone(),
                short_name: problem.object.label.clone(),
                rgb: problem.object.rgb.clone(),
                color: problem.object.color.clone(),
            };
            (problem.id, color)
        };
        let problems: BTreeMap<_, _> = view.problems().into_iter().map(color).collect();
        let mut teams = BTreeMap::<_, OfTeam>::new();
        for balloon in balloons {
            let of_team = teams
                .entry(balloon.team)
                .or_insert_with(|| OfTeam { team: view.team(balloon.team).ok(), ..OfTeam::default() });
            let color = problems.get(balloon.problem);
            of_team.total.extend(color.map(|color| (color.label.clone(), color.clone())));
        }
        Self {
            problems,
            groups: view.groups().map(|group| (&group.id, group.name.as_str())).collect(),
            organizations: view.organizations().map(|one| (&one.id, one.name.as_str())).collect(),
            teams,
        }
    }

    /// Returns a balloon; `None` where its problem was removed.
    fn wire(&self, view: &View<'_>, entry: &BalloonView<'_>) -> Option<api::DomjudgeBalloon> {
        let problem = self.problems.get(entry.problem)?;
        let OfTeam { team, total } = self.teams.get(entry.team)?;
        let team = team.as_ref();
        let organization =
            team.and_then(|team| self.organizations.get_key_value(team.organization_id.as_ref()?));
        let group = team.and_then(|team| team.group_ids.iter().find_map(|id| self.groups.get_key_value(id)));
        let id = entry.team.to_string();
        let name = team.map(|team| team.display_name.as_ref().unwrap_or(&team.name));
        let sent = view.submission(entry.submission).map(|sent| sent.contest_time);
        Some(api::DomjudgeBalloon {
            balloonid: crate::events::balloon_id(entry.team, entry.problem),
            time: reltime(sent.unwrap_or_default()),
            problem: problem.label.clone(),
            contestproblem: problem.clone(),
            team: name.map_or_else(|| id.clone(), |name| format!("{id}: {name}")),
            location: team.and_then(|team| team.label.clone()).filter(|label| *label != id),
            teamid: id,
            affiliation: organization.map(|(_, name)| (*name).to_owned()),
            affiliationid: organization.map(|(id, _)| id.to_string()),
            category: group.map(|(_, name)| (*name).to_owned()),
            categoryid: group.map(|(id, _)| id.to_string()),
            total: total.clone(),
            done: entry.delivered.is_some(),
        })
    }
}
