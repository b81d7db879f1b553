//! Judgehosts: what they ask and report, and what staff sees of them.

mod protocol;

pub use protocol::{claim, heartbeat, register, reports, statement};

use crate::auth::Auth;
use crate::extract::{Json, Path};
use crate::hosts::Host;
use crate::wire::{named, time};
use crate::{App, Problem, Shared, clock};
use axum::extract::State;
use axum::http::StatusCode;
use contest_rules::{Command, JudgehostId, JudgehostState};
use documents::contest as api;

pub(super) fn read(app: &App, auth: &Auth) -> Result<Vec<api::Judgehost>, Problem> {
    let now = clock::system_now();
    let state = app.published.state();
    let hosts = state.server(&auth.caller).judgehosts().map_err(|refusal| auth.explain(refusal))?;
    let wire = |entry: &contest_rules::view::JudgehostView<'_>| {
        let (last, host) = (app.hosts.get(entry.id), entry.host);
        let (reference, last_reference) = last.as_ref().map(|last| last.reference()).unwrap_or_default();
        let is_away = app.hosts.is_away(entry.id, now);
        let word = match host.state {
            JudgehostState::Disabled => "disabled",
            _ if is_away => "away",
            JudgehostState::Waiting => "waiting",
            JudgehostState::Draining => "draining",
            JudgehostState::Enabled => "enabled",
        };
        api::Judgehost {
            id: entry.id.to_string(),
            pool: host.pool.to_string(),
            state: word.to_owned(),
            reason: host.reason.clone(),
            places: host.places,
            identity: host.identity.clone(),
            compilers: host.compilers.clone(),
            untested_languages: last.as_ref().map_or_else(Vec::new, |last| last.untested.clone()),
            broken_languages: last.iter().flat_map(Host::broken).map(str::to_owned).collect(),
            unknown_scores: last.iter().flat_map(Host::unknown_scores).map(str::to_owned).collect(),
            last_seen: last.map(|last| time(last.seen)),
            jobs: u32::try_from(entry.jobs.len()).unwrap_or(u32::MAX),
            reference_ns: reference.map(|time| time.0),
            last_reference_ns: last_reference.map(|time| time.0),
        }
    };
    Ok(hosts.iter().map(wire).collect())
}

pub async fn list(State(app): State<Shared>, auth: Auth) -> Result<Json<Vec<api::Judgehost>>, Problem> {
    Ok(Json(read(&app, &auth)?))
}

pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
) -> Result<Json<api::Judgehost>, Problem> {
    let found = read(&app, &auth)?.into_iter().find(|entry| entry.id == host);
    found.map(Json).ok_or_else(|| Problem::not_found("judgehost", host))
}

pub async fn machine(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
) -> Result<Json<::documents::judgehost::JudgehostMachine>, Problem> {
    let state = app.published.state();
    let hosts = state.server(&auth.caller).judgehosts().map_err(|refusal| auth.explain(refusal))?;
    let found = hosts.iter().find(|entry| entry.id.to_string() == host);
    let found = found.ok_or_else(|| Problem::not_found("judgehost", &host))?;
    Ok(Json(app.hosts.shown(found.id)))
}

/// Takes a judgehost out, or back in.
pub async fn set(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
    Json(set): Json<api::SetJudgehost>,
) -> Result<StatusCode, Problem> {
    let id: JudgehostId = named("judgehost", &host)?;
    let state = match set.state.as_str() {
        "enabled" => JudgehostState::Enabled,
        "draining" => JudgehostState::Draining,
        "disabled" => JudgehostState::Disabled,
        _ => return Err(Problem::invalid_field("state", "the states are enabled, draining and disabled")),
    };
    app.act(&auth, Command::SetJudgehost { id, state, reason: set.reason }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a judgehost that has no work.
pub async fn remove(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
) -> Result<StatusCode, Problem> {
    let id: JudgehostId = named("judgehost", &host)?;
    app.act(&auth, Command::RemoveJudgehost(id.clone())).await?;
    app.hosts.hide(&id);
    Ok(StatusCode::NO_CONTENT)
}
