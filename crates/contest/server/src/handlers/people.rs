//! Groups, organizations and teams.

use super::problems::may_add;
use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Later, Path, Query};
use crate::wire::{from_request, named, wire_organization, wire_team};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::{
    Action, Command, ContestId, GroupId, GroupSettings, OrganizationId, OrganizationSettings, TeamSettings,
};
use documents::contest as api;
use serde_json::Value;

/// More are set in several requests.
const AT_ONCE_MAX: usize = 5000;

pub(super) fn commands<T>(
    contest: &str,
    objects: Vec<T>,
    action: impl Fn(T) -> Result<Action, Problem>,
) -> Result<Vec<Command>, Problem> {
    if objects.len() > AT_ONCE_MAX {
        return Err(Problem::invalid(format!("at most {AT_ONCE_MAX} at once")));
    }
    let contest: ContestId = named("contest", contest)?;
    objects.into_iter().map(|object| Ok(Command::In(contest.clone(), action(object)?))).collect()
}

/// Refuses before megabytes are read.
pub(super) fn may_set(app: &App, auth: &Auth, contest: &str) -> Result<(), Problem> {
    app.view(auth, contest, |_| Ok(()))?;
    may_add(auth)
}

/// Returns the groups.
pub async fn groups(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app.view(&auth, &contest, |view| {
        Ok(view.groups().map(|group| group.object(view.is_jury())).collect())
    })?;
    collection::answer::<api::Group>(all, &filters)
}

/// Returns a group.
pub async fn group(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, group)): Path<(String, String)>,
) -> Result<Json<api::Group>, Problem> {
    app.view(&auth, &contest, |view| {
        let id: GroupId = named("group", &group)?;
        let found = view.groups().find(|entry| entry.id == id);
        found.map(|entry| Json(entry.object(view.is_jury()))).ok_or_else(|| Problem::not_found("group", id))
    })
}

/// Adds or replaces groups: all of them, or none.
pub async fn set_groups(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    groups: Later<Vec<Value>>,
) -> Result<StatusCode, Problem> {
    may_set(&app, &auth, &contest)?;
    let groups = groups.read(&app).await?;
    let commands =
        commands(&contest, groups, |group| Ok(Action::SetGroup(from_request(&group, GroupSettings::read)?)))?;
    app.act_all(&auth, commands).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a group.
pub async fn remove_group(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, group)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    app.act_in(&auth, &contest, Action::RemoveGroup(named("group", &group)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the organizations.
pub async fn organizations(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app.view(&auth, &contest, |view| {
        Ok(view.organizations().map(|entry| wire_organization(view, entry)).collect())
    })?;
    collection::answer::<api::Organization>(all, &filters)
}

/// Returns an organization.
pub async fn organization(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, organization)): Path<(String, String)>,
) -> Result<Json<api::Organization>, Problem> {
    app.view(&auth, &contest, |view| {
        let id: OrganizationId = named("organization", &organization)?;
        view.organization(&id)
            .map(|entry| Json(wire_organization(view, entry)))
            .ok_or_else(|| Problem::not_found("organization", id))
    })
}

/// Adds or replaces organizations: all of them, or none.
pub async fn set_organizations(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    organizations: Later<Vec<Value>>,
) -> Result<StatusCode, Problem> {
    may_set(&app, &auth, &contest)?;
    let organizations = organizations.read(&app).await?;
    let commands = commands(&contest, organizations, |entry| {
        Ok(Action::SetOrganization(from_request(&entry, OrganizationSettings::read)?))
    })?;
    app.act_all(&auth, commands).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes an organization.
pub async fn remove_organization(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, organization)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let action = Action::RemoveOrganization(named("organization", &organization)?);
    app.act_in(&auth, &contest, action).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the teams.
pub async fn teams(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app.view(&auth, &contest, |view| {
        Ok(view.teams().into_iter().map(|team| wire_team(view, team)).collect())
    })?;
    collection::answer::<api::Team>(all, &filters)
}

/// Returns a team.
pub async fn team(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, team)): Path<(String, String)>,
) -> Result<Json<api::Team>, Problem> {
    app.view(&auth, &contest, |view| Ok(Json(wire_team(view, view.team(&named("team", &team)?)?))))
}

/// Adds or replaces teams: all of them, or none.
pub async fn set_teams(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    teams: Later<Vec<Value>>,
) -> Result<StatusCode, Problem> {
    may_set(&app, &auth, &contest)?;
    let teams = teams.read(&app).await?;
    let commands =
        commands(&contest, teams, |team| Ok(Action::SetTeam(from_request(&team, TeamSettings::read)?)))?;
    app.act_all(&auth, commands).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a team.
pub async fn remove_team(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, team)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    app.act_in(&auth, &contest, Action::RemoveTeam(named("team", &team)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}
