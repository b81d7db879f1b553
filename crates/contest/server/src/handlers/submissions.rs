//! Submissions.

use super::accounts::require_password;
use super::{check_id, created};
use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Later, Path, Query};
use crate::wire::{LANGUAGES, id, numbered, optional_id, score, wire_submission};
use crate::{App, Problem, Shared, sources};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::{
    Action, Body, Command, ContestId, Instant, Millis, Outcome, StoredVerdict, SubmissionLimits,
    SubmissionNumber, Submit, SubmittedFile,
};
use documents::contest as api;

/// The largest body of a submission: base64 needs a third more, and JSON some.
pub const BODY_BYTES_MAX: usize = (sources::BYTES_MAX / 3 * 4 + (64 << 10)) as usize;

/// Returns the submissions.
pub async fn list(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app.view(&auth, &contest, |view| {
        Ok(view.submissions().map(|submission| wire_submission(view, &submission)).collect())
    })?;
    collection::answer::<api::Submission>(all, &filters)
}

fn read(app: &App, auth: &Auth, contest: &str, submission: &str) -> Result<api::Submission, Problem> {
    let number = SubmissionNumber(numbered("submission", submission)?);
    app.view(auth, contest, |view| Ok(wire_submission(view, &view.submission(number)?)))
}

/// Returns a submission.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, submission)): Path<(String, String)>,
) -> Result<Json<api::Submission>, Problem> {
    Ok(Json(read(&app, &auth, &contest, &submission)?))
}

/// Takes a submission.
pub async fn submit(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    submission: Later<api::NewSubmission>,
) -> Result<Response, Problem> {
    take(&app, &auth, &contest, None, submission).await
}

/// Takes a submission with the number that it shall have, from an admin.
pub async fn put(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, number)): Path<(String, String)>,
    submission: Later<api::NewSubmission>,
) -> Result<Response, Problem> {
    take(&app, &auth, &contest, Some(number), submission).await
}

async fn take(
    app: &Shared,
    auth: &Auth,
    contest: &str,
    number: Option<String>,
    submission: Later<api::NewSubmission>,
) -> Result<Response, Problem> {
    auth.account()?;
    let limits = limits(app, auth, contest)?;
    let mut submission = submission.read_at_most(app, sources::body_bytes_max(&limits)).await?;
    let files = std::mem::take(&mut submission.files);
    let object = accept(app, auth, contest, number, submission, || sources::read(files, &limits)).await?;
    Ok(created(&format!("/api/contests/{contest}/submissions/{}", object.id), object))
}

/// Returns what a contest allows.
pub(super) fn limits(app: &App, auth: &Auth, contest: &str) -> Result<SubmissionLimits, Problem> {
    app.view(auth, contest, |view| Ok(view.contest().submission_limits))
}

/// Stores a submission, whose files come from elsewhere than the object: read once the rest is known to be right.
pub(super) async fn accept(
    app: &Shared,
    auth: &Auth,
    contest: &str,
    number: Option<String>,
    submission: api::NewSubmission,
    files: impl FnOnce() -> Result<Vec<(String, Vec<u8>)>, Problem>,
) -> Result<api::Submission, Problem> {
    let contest_id: ContestId = crate::wire::named("contest", contest)?;
    let account = auth.account()?;
    let number = chosen_number(number, submission.id.as_deref())?.map(SubmissionNumber);
    let problem = id("problem_id", &submission.problem_id)?;
    app.view(auth, contest, |view| Ok(view.problem(&problem).map(|_| ())?))?;
    if LANGUAGES.get(&submission.language_id).is_none() {
        let detail = format!("there is no language '{}'", submission.language_id);
        return Err(Problem::invalid_field("language_id", detail));
    }
    let files = files()?;
    let submit = Submit {
        team: optional_id("team_id", submission.team_id.as_deref())?,
        problem,
        language: id("language_id", &submission.language_id)?,
        entry_point: submission.entry_point,
        files: sources::name(&files),
        number,
        time: submission.time.map(|time| Instant(time.0)),
        contest_time: submission.contest_time.map(|time| Millis(time.0)),
        account: optional_id("account_id", submission.account_id.as_deref())?,
    };
    let command = Command::In(contest_id, Action::Submit(submit));
    let _place = app.submission_gate.admit(account)?;
    // Whoever may not submit, or has submitted enough, does not fill the disk.
    app.check_now(auth, &command)?;
    app.blocking(move |app| sources::store(app, files)).await?;
    let done = app.act(auth, command).await?;
    let number = done.events.iter().find_map(|event| match &event.body {
        Body::Submitted(submitted) => Some(submitted.number.to_string()),
        _ => None,
    });
    let number = number.ok_or_else(|| Problem::internal("a submission has no event"))?;
    read(app, auth, contest, &number)
}

/// Reads the id that an admin sets: the one in the path, and in the body the same.
pub(super) fn chosen_number(path: Option<String>, body: Option<&str>) -> Result<Option<u32>, Problem> {
    let Some(path) = path else {
        return match body {
            Some(_) => Err(Problem::invalid_field("id", "the server sets 'id' itself; PUT sets one")),
            None => Ok(None),
        };
    };
    check_id(&path, Some(body.unwrap_or_default()))?;
    let number = numbered("id", &path).map_err(|_| Problem::invalid_field("id", "ids are numbers here"));
    number.map(Some)
}

/// Returns the files of a submission as a zip.
pub async fn files(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, submission)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let number = SubmissionNumber(numbered("submission", &submission)?);
    let files: Vec<SubmittedFile> = app.view(&auth, &contest, |view| Ok(view.source(number)?.to_vec()))?;
    let zip = app.blocking(move |app| sources::zip(app, &files)).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"submission-{number}.zip\"")),
    ];
    Ok((headers, zip).into_response())
}

/// Lets a submission count no more, or again.
pub async fn ignore(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, submission)): Path<(String, String)>,
    Json(ignore): Json<api::IgnoreSubmission>,
) -> Result<StatusCode, Problem> {
    let submission = SubmissionNumber(numbered("submission", &submission)?);
    let api::IgnoreSubmission { is_ignored, reason } = ignore;
    app.act_in(&auth, &contest, Action::Ignore { submission, is_ignored, reason }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Judges a submission that nobody judges by itself.
pub async fn judge(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, submission)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let submission = SubmissionNumber(numbered("submission", &submission)?);
    app.act_in(&auth, &contest, Action::Judge(submission)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a verdict by hand, or takes that back.
pub async fn set_verdict(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, submission)): Path<(String, String)>,
    Json(new): Json<api::NewOverride>,
) -> Result<StatusCode, Problem> {
    let submission = SubmissionNumber(numbered("submission", &submission)?);
    require_password(&app, &auth, new.password).await?;
    let verdict = new.judgement_type_id.map(|text| {
        StoredVerdict::try_from(text).map_err(|e| Problem::invalid_field("judgement_type_id", e.to_string()))
    });
    let score = new.score.map(|points| score("score", points)).transpose()?;
    let outcome = verdict.transpose()?.map(|verdict| Outcome { verdict, score });
    let action = Action::Override { submission, outcome, reason: new.reason };
    app.act_in(&auth, &contest, action).await?;
    Ok(StatusCode::NO_CONTENT)
}
