//! What DOMjudge's own clients ask for below `/api/v4`: the same objects from the same views, in DOMjudge's shape where it has
//! another one. What has the same shape is answered by the handlers of the standard.

mod balloons;
mod imports;
mod objects;

pub use balloons::balloons;
pub use imports::{
    add_problem, contest as import_contest, objects as import_objects, problem_data, set_banner, set_logo,
    set_next_logo, set_next_photo, set_photo,
};
pub use objects::{contest, contests, languages, problem, problems, scoreboard, source_code, status};

use super::submissions::{accept, limits};
use crate::auth::Auth;
use crate::extract::{Json, Path, Query};
use crate::handlers::{Id, InContest};
use crate::multipart::{Form, LaterForm};
use crate::{Problem, Shared};
use ::documents::contest::{self as api, AccountType};
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use contest_rules::SubmissionNumber;
use serde_json::Value;

/// Where DOMjudge's clients find the server.
pub const BASE: &str = "/api/v4";
/// The same to its `submit`, which puts `api/` after the address that it is given.
pub const BASE_OF_SUBMIT: &str = "/api/v4/api";
const API_VERSION: u32 = 4;
const FIELDS: &str = "problem, language, entry_point, team_id, user_id, id, time and the files code[]";

/// Returns the path at which `submit` finds an endpoint of this API; `None` for others.
pub fn path_of_submit(path: &str) -> Option<String> {
    path.strip_prefix(BASE).map(|rest| format!("{BASE_OF_SUBMIT}{rest}"))
}

/// Answers what is below this API and none of its endpoints; `None` for other paths.
pub fn answer_missing(request: &Request) -> Option<Response> {
    let call = request.uri().path().strip_prefix(BASE)?;
    if !call.is_empty() && !call.starts_with('/') {
        return None;
    }
    let call = call.trim_start_matches("/api/").trim_start_matches('/').chars().take(100).collect::<String>();
    let instead = match call.strip_suffix("/problemset") {
        Some(_) => "; /api/contests/ID/statements.pdf is made of the statements of all problems",
        None => "",
    };
    let detail = format!(
        "'{} {call}' of DOMjudge's API is not here; docs/domjudge.md lists the calls that are{instead}",
        request.method()
    );
    Some(Problem::new(StatusCode::NOT_FOUND, "not-found", detail).into_response())
}

/// Sends people from where `submit` says that the verdict is to the page of their submission.
pub async fn page_of_submission(
    State(app): State<Shared>,
    auth: Auth,
    Path(number): Path<String>,
) -> Redirect {
    let place = number.parse().ok().and_then(|number| {
        let state = app.published.state();
        // The number is one of a contest: of several, the last one that the caller's team has one in.
        let mut found: Vec<_> = state
            .views(&auth.caller)
            .into_iter()
            .filter_map(|view| {
                let team = view.submission(SubmissionNumber(number)).ok()?.team;
                Some((team.is_some() && view.own_team() == team, view.state().started, view.id().to_string()))
            })
            .collect();
        found.sort();
        match &found[..] {
            [.., (true, _, contest)] | [(_, _, contest)] => {
                Some(format!("/contests/{contest}/submissions/{number}"))
            }
            _ => None,
        }
    });
    Redirect::to(place.as_deref().unwrap_or("/"))
}

/// Drops what DOMjudge's clients may add to every request and would be no filter here: `strict` asks for fewer properties.
pub async fn without_strict(mut request: Request, next: Next) -> Response {
    if let Some(query) = request.uri().query().filter(|query| query.contains("strict")) {
        let kept: Vec<&str> =
            query.split('&').filter(|pair| *pair != "strict" && !pair.starts_with("strict=")).collect();
        let path = request.uri().path();
        let text = if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) };
        if let Ok(uri) = text.parse::<Uri>() {
            *request.uri_mut() = uri;
        }
    }
    next.run(request).await
}

pub async fn information() -> Json<api::DomjudgeInformation> {
    let information = super::root::api_information();
    let domjudge = api::DomjudgeServer {
        apiversion: API_VERSION,
        version: information.provider.version.clone(),
        environment: "prod".to_owned(),
        doc_url: "/api/openapi.json".to_owned(),
    };
    Json(api::DomjudgeInformation { information, domjudge })
}

pub async fn version() -> Json<api::DomjudgeVersion> {
    Json(api::DomjudgeVersion { api_version: API_VERSION })
}

pub async fn user(State(app): State<Shared>, auth: Auth) -> Result<Json<api::DomjudgeUser>, Problem> {
    auth.account()?;
    let Json(account) = super::login::account(State(app), auth).await?;
    let roles: &[&str] = match account.kind {
        AccountType::Admin => &["admin", "jury", "api_reader", "api_writer", "api_source_reader"],
        AccountType::Judge => &["jury", "api_reader", "api_source_reader", "clarification_rw"],
        AccountType::Analyst => &["api_reader", "api_source_reader"],
        AccountType::Staff | AccountType::Balloon => &["balloon"],
        AccountType::Team => &["team"],
        AccountType::Spectator | AccountType::Operator => &[],
        AccountType::Judgehost => &["judgehost"],
    };
    let kind = serde_json::to_value(account.kind).map_err(Problem::internal)?;
    Ok(Json(api::DomjudgeUser {
        id: account.id.to_string(),
        name: account.name.unwrap_or_else(|| account.username.to_string()),
        username: account.username.to_string(),
        enabled: account.is_enabled.unwrap_or(true),
        team: account.team_id.as_ref().map(ToString::to_string),
        team_id: account.team_id.map(String::from),
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        kind: kind.as_str().unwrap_or_default().to_owned(),
    }))
}

pub async fn submit(at: InContest, form: LaterForm) -> Result<Json<Value>, Problem> {
    take(&at, None, form).await
}

/// Takes a submission with the id that it shall have, from an admin.
pub async fn put_submission(at: InContest, Id(number): Id, form: LaterForm) -> Result<Json<Value>, Problem> {
    take(&at, Some(number), form).await
}

pub async fn results(at: InContest) -> Result<Response, Problem> {
    let query = super::board::ResultsQuery { format: Some("tsv".to_owned()) };
    super::board::results(at, Query(query)).await
}

async fn take(at: &InContest, number: Option<String>, form: LaterForm) -> Result<Json<Value>, Problem> {
    at.auth.account()?;
    let limits = limits(at)?;
    let bytes_max = usize::try_from(limits.bytes.0.min(crate::sources::BYTES_MAX)).unwrap_or(usize::MAX);
    let mut form = form.read(&at.app, bytes_max).await?;
    let submission = submission(&mut form)?;
    let files = form.files.into_iter().map(|(field, name, content)| match field.as_str() {
        "code[]" | "code" => Ok((name, content)),
        _ => Err(Problem::invalid("the files of a submission are in the field code[]")),
    });
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let checked = || crate::sources::limit(&files, &limits).map(|()| files);
    let object = accept(at, number, submission, checked).await?;
    let mut value = serde_json::to_value(object).map_err(Problem::internal)?;
    // Python before 3.11 reads no `Z`.
    if let Some(time) = value["time"].as_str().and_then(|time| time.strip_suffix('Z')) {
        value["time"] = format!("{time}+00:00").into();
    }
    Ok(Json(value))
}

/// Returns a submission without its files.
fn submission(form: &mut Form) -> Result<api::NewSubmission, Problem> {
    let mut one_of = |names: [&str; 2]| {
        let (first, second) = (form.take(names[0])?, form.take(names[1])?);
        match (first, second) {
            (Some(_), Some(_)) => {
                Err(Problem::invalid_field(names[1], format!("'{}' is there as well; send one", names[0])))
            }
            (first, second) => first
                .or(second)
                .ok_or_else(|| Problem::invalid_field(names[0], "the form has no such field; it needs one")),
        }
    };
    let (problem_id, language_id) =
        (one_of(["problem", "problem_id"])?, one_of(["language", "language_id"])?);
    let time = form.take("time")?.map(|text| text.parse::<api::Time>());
    let submission = api::NewSubmission {
        id: form.take("id")?,
        language_id,
        problem_id,
        team_id: form.take("team_id")?,
        account_id: form.take("user_id")?,
        time: time.transpose().map_err(|error| Problem::invalid_field("time", error.to_string()))?,
        contest_time: None,
        entry_point: form.take("entry_point")?,
        files: Vec::new(),
        reaction: None,
    };
    form.finish(FIELDS)?;
    Ok(submission)
}
