//! Live stream contests that are shown in contests.

use crate::Problem;
use crate::extract::{Json, Later};
use crate::handlers::InContest;
use crate::live::LiveContest;
use crate::wire::id;
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
pub async fn view(at: InContest) -> Result<Response, Problem> {
    let id: ContestId = at.id()?;
    let (is_jury, team) = at.view(|view| Ok((view.is_jury(), view.own_team().cloned())))?;
    let Some(live) = at.app.live.get(&id) else { return Ok(StatusCode::NO_CONTENT.into_response()) };
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

pub async fn report(
    at: InContest,
    body: Later<api::StreamReport>,
) -> Result<Json<api::StreamReported>, Problem> {
    at.auth.account()?;
    let contest = at.id()?;
    contest_rules::roles::may_report_stream(&at.app.published.state(), &at.auth.caller, &contest)?;
    let report = body.read(&at.app).await?;
    for (field, address) in [("input", &report.input), ("output", &report.output)] {
        if address.len() > ADDRESS_BYTES_MAX {
            let problem = format!("expected an address of at most {ADDRESS_BYTES_MAX} bytes");
            return Err(Problem::invalid_field(field, problem));
        }
    }
    let known = at.app.live.get(&contest).map(|live| live.passwords);
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
    // Without passwords no contestant could take part: the next report has them, and is shown.
    if !needs_passwords {
        at.app.live.set(contest, live);
    }
    Ok(Json(api::StreamReported { needs_passwords }))
}
