//! Submissions.

use super::accounts::require_password;
use super::check_id;
use crate::collection::Filters;
use crate::extract::{Json, Later, Query};
use crate::handlers::{Id, InContest, noted};
use crate::wire::{LANGUAGES, id, numbered, optional_id, score, wire_submission};
use crate::{Problem, sources};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::{
    Action, Body, Command, Instant, Millis, Outcome, StoredVerdict, SubmissionLimits, SubmissionNumber,
    Submit, SubmittedFile,
};
use documents::contest as api;
use model::{Message, message};

/// The largest body of a submission: base64 needs a third more, and JSON some.
pub const BODY_BYTES_MAX: usize = (sources::BYTES_MAX / 3 * 4 + (64 << 10)) as usize;

pub async fn list(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| {
        Ok(view.submissions().map(|submission| wire_submission(view, &submission)).collect())
    })
}

fn read(at: &InContest, submission: &str) -> Result<api::Submission, Problem> {
    let number = SubmissionNumber(numbered("submission", submission)?);
    at.view(|view| Ok(wire_submission(view, &view.submission(number)?)))
}

pub async fn get(at: InContest, Id(submission): Id) -> Result<Json<api::Submission>, Problem> {
    Ok(Json(read(&at, &submission)?))
}

pub async fn submit(at: InContest, submission: Later<api::NewSubmission>) -> Result<Response, Problem> {
    take(&at, None, submission).await
}

/// Takes a submission with the number that it shall have, from an admin.
pub async fn put(
    at: InContest,
    Id(number): Id,
    submission: Later<api::NewSubmission>,
) -> Result<Response, Problem> {
    take(&at, Some(number), submission).await
}

async fn take(
    at: &InContest,
    number: Option<String>,
    submission: Later<api::NewSubmission>,
) -> Result<Response, Problem> {
    at.auth.account()?;
    let limits = limits(at)?;
    let mut submission = submission.read_at_most(&at.app, sources::body_bytes_max(&limits)).await?;
    let files = std::mem::take(&mut submission.files);
    let object = accept(at, number, submission, || sources::read(files, &limits)).await?;
    Ok(at.created(&format!("submissions/{}", object.id), object))
}

/// Returns what a contest allows.
pub(super) fn limits(at: &InContest) -> Result<SubmissionLimits, Problem> {
    at.view(|view| Ok(view.contest().submission_limits))
}

/// Stores a submission, whose files come from elsewhere than the object: read once the rest is known to be right.
pub(super) async fn accept(
    at: &InContest,
    number: Option<String>,
    submission: api::NewSubmission,
    files: impl FnOnce() -> Result<Vec<(String, Vec<u8>)>, Problem>,
) -> Result<api::Submission, Problem> {
    let contest_id = at.id()?;
    let account = at.auth.account()?;
    let number = chosen_number(number, submission.id.as_deref())?.map(SubmissionNumber);
    let problem = id("problem_id", &submission.problem_id)?;
    at.view(|view| Ok(view.problem(&problem).map(|_| ())?))?;
    if LANGUAGES.get(&submission.language_id).is_none() {
        let detail = Message::none("language", &submission.language_id);
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
    let _place = at.app.submission_gate.admit(account)?;
    // A client that may not submit, or has submitted enough, does not fill the disk.
    at.app.check_now(&at.auth, &command)?;
    at.app.blocking(move |app| sources::store(app, files)).await?;
    let done = at.app.act(&at.auth, command).await?;
    let number = noted(&done, |body| match body {
        Body::Submitted(submitted) => Some(submitted.number.to_string()),
        _ => None,
    })?;
    read(at, &number)
}

/// Reads the id that an admin sets: the one in the path, and in the body the same.
pub(super) fn chosen_number(path: Option<String>, body: Option<&str>) -> Result<Option<u32>, Problem> {
    let Some(path) = path else {
        return match body {
            Some(_) => Err(Problem::invalid_field(
                "id",
                message!("id-set-by-server", "the server sets 'id' itself; PUT sets one"),
            )),
            None => Ok(None),
        };
    };
    check_id(&path, Some(body.unwrap_or_default()))?;
    let number = numbered("id", &path)
        .map_err(|_| Problem::invalid_field("id", message!("id-not-a-number", "ids are numbers here")));
    number.map(Some)
}

/// Returns the files of a submission as a zip.
pub async fn files(at: InContest, Id(submission): Id) -> Result<Response, Problem> {
    let number = SubmissionNumber(numbered("submission", &submission)?);
    let files: Vec<SubmittedFile> = at.view(|view| Ok(view.source(number)?.to_vec()))?;
    let zip = at.app.blocking(move |app| sources::zip(app, &files)).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"submission-{number}.zip\"")),
    ];
    Ok((headers, zip).into_response())
}

/// Lets a submission count no more, or again.
pub async fn ignore(
    at: InContest,
    Id(submission): Id,
    Json(ignore): Json<api::IgnoreSubmission>,
) -> Result<StatusCode, Problem> {
    let submission = SubmissionNumber(numbered("submission", &submission)?);
    let api::IgnoreSubmission { is_ignored, reason } = ignore;
    at.done(Action::Ignore { submission, is_ignored, reason }).await
}

/// Judges a submission that is not judged automatically.
pub async fn judge(at: InContest, Id(submission): Id) -> Result<StatusCode, Problem> {
    let submission = SubmissionNumber(numbered("submission", &submission)?);
    at.done(Action::Judge(submission)).await
}

/// Sets a verdict by hand, or takes that back.
pub async fn set_verdict(
    at: InContest,
    Id(submission): Id,
    Json(new): Json<api::NewOverride>,
) -> Result<StatusCode, Problem> {
    let submission = SubmissionNumber(numbered("submission", &submission)?);
    require_password(&at.app, &at.auth, new.password).await?;
    let verdict = new.judgement_type_id.map(|text| {
        StoredVerdict::try_from(text).map_err(|e| Problem::invalid_field("judgement_type_id", e.to_string()))
    });
    let score = new.score.map(|points| score("score", points)).transpose()?;
    let outcome = verdict.transpose()?.map(|verdict| Outcome { verdict, score });
    let action = Action::Override { submission, outcome, reason: new.reason };
    at.done(action).await
}
