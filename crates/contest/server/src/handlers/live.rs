//! Live stream contests that are shown in contests.

use crate::auth::Auth;
use crate::extract::{Json, Later, Path};
use crate::live::LiveContest;
use crate::wire::{id, named};
use crate::{Problem, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contest_rules::{ContestId, TeamId};
use documents::contest as api;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Longest address that is reported.
const ADDRESS_BYTES_MAX: usize = 300;

/// Returns a live stream contest as the viewer may see it.
pub async fn view(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
) -> Result<Response, Problem> {
    let id: ContestId = named("contest", &contest)?;
    let (is_jury, team) = app.view(&auth, &contest, |view| Ok((view.is_jury(), view.own_team().cloned())))?;
    let Some(live) = app.live.get(&id) else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let password = team.as_ref().and_then(|team| live.passwords.get(team)).cloned();
    let takes_part = is_jury || password.is_some();
    let view = api::StreamView {
        input: takes_part.then(|| live.input.clone()),
        output: takes_part.then(|| live.output.clone()),
        user: team.filter(|_| password.is_some()).map(|team| team.to_string()),
        password,
        age_s: live.reported.elapsed().as_secs(),
        board: (*live.board).clone(),
    };
    Ok(Json(view).into_response())
}

/// Takes a report.
pub async fn report(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    body: Later<api::StreamReport>,
) -> Result<Json<api::StreamReported>, Problem> {
    auth.account()?;
    let contest: ContestId = named("contest", &contest)?;
    contest_rules::roles::may_report_stream(&app.published.state(), &auth.caller, &contest)?;
    let report = body.read(&app).await?;
    for (field, address) in [("input", &report.input), ("output", &report.output)] {
        if address.len() > ADDRESS_BYTES_MAX {
            let problem = format!("expected an address of at most {ADDRESS_BYTES_MAX} bytes");
            return Err(Problem::invalid_field(field, problem));
        }
    }
    let known = app.live.get(&contest).map(|live| live.passwords);
    let passwords = match report.passwords {
        Some(passwords) => {
            let entries =
                passwords.into_iter().map(|(team, password)| Ok((id("passwords", &team)?, password)));
            Some(Arc::new(entries.collect::<Result<BTreeMap<TeamId, String>, Problem>>()?))
        }
        None => known,
    };
    let needs_passwords = passwords.is_none();
    let live = LiveContest {
        input: report.input,
        output: report.output,
        passwords: passwords.unwrap_or_default(),
        board: Arc::new(report.board),
        reported: Instant::now(),
    };
    // Without passwords nobody could take part: the next report has them, and is shown.
    if !needs_passwords {
        app.live.set(contest, live);
    }
    Ok(Json(api::StreamReported { needs_passwords }))
}
