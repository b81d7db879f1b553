//! Judgements and runs.

use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Path, Query};
use crate::wire::{numbered, wire_details, wire_judgement, wire_run};
use crate::{Problem, Shared};
use api::contest as api;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use contest::{Action, JudgementKey, SubmissionNumber};

/// Reads the id of a judgement: the submission's, a hyphen, a number.
fn key(text: &str) -> Result<JudgementKey, Problem> {
    let none = || Problem::not_found("judgement", text);
    let (submission, number) = text.split_once('-').ok_or_else(none)?;
    let number = numbered("judgement", number).map_err(|_| none())?;
    let submission = SubmissionNumber(numbered("judgement", submission).map_err(|_| none())?);
    Ok(JudgementKey { submission, number })
}

/// Returns the judgements.
pub async fn list(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let submission = filters.get("submission_id").and_then(|id| numbered("submission", id).ok());
    let all = app.view(&auth, &contest, |view| {
        // Asked again and again while somebody waits for a verdict.
        let judgements: Vec<_> = match submission {
            Some(number) => view.judgements_of_submission(SubmissionNumber(number)).unwrap_or_default(),
            None => view.judgements().collect(),
        };
        Ok(judgements.iter().map(wire_judgement).collect())
    })?;
    collection::answer::<api::Judgement>(all, &filters)
}

/// Returns a judgement.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, judgement)): Path<(String, String)>,
) -> Result<Json<api::Judgement>, Problem> {
    let key = key(&judgement)?;
    app.view(&auth, &contest, |view| Ok(Json(wire_judgement(&view.judgement(key)?))))
}

/// Returns what else is known about a judgement.
pub async fn details(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, judgement)): Path<(String, String)>,
) -> Result<Json<api::JudgementDetails>, Problem> {
    let key = key(&judgement)?;
    let (mut details, output) = app.view(&auth, &contest, |view| {
        let judgement = view.judgement(key)?;
        Ok((wire_details(&contest, &judgement), judgement.compile_output.cloned()))
    })?;
    if let Some(hash) = output {
        let text = app.blocking(move |app| {
            let hash = hash.0.parse().map_err(Problem::internal)?;
            Ok(app.blobs.read(&hash, ::api::judgehost::COMPILE_OUTPUT_BYTES_MAX as u64)?)
        });
        details.compile_output = Some(String::from_utf8_lossy(&text.await?).into_owned());
    }
    Ok(Json(details))
}

/// Returns the record of a judgement.
pub async fn evidence(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, judgement)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(&judgement)?;
    let hash = app.view(&auth, &contest, |view| {
        let found = view.judgement(key)?;
        found.evidence.cloned().ok_or_else(|| Problem::not_found("record of judgement", &judgement))
    })?;
    let name = format!("judgement-{key}.jsonl");
    super::blobs::send(&app, &hash, request.headers(), "application/x-ndjson", &name).await
}

/// States that a second person has verified a judgement.
pub async fn verify(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, judgement)): Path<(String, String)>,
    Json(verify): Json<api::Verify>,
) -> Result<StatusCode, Problem> {
    let action = Action::VerifyJudgement { judgement: key(&judgement)?, comment: verify.comment };
    app.act_in(&auth, &contest, action).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the runs of the judgements.
pub async fn runs(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let runs = app.view(&auth, &contest, |view| {
        let keys: Vec<JudgementKey> = match filters.get("judgement_id") {
            Some(judgement) => key(judgement).into_iter().collect(),
            None => view.judgements().map(|entry| entry.key).collect(),
        };
        let mut runs = Vec::new();
        for key in keys {
            runs.extend(view.runs(key).unwrap_or_default().iter().map(wire_run));
        }
        Ok(runs)
    })?;
    collection::answer::<api::Run>(runs, &filters)
}

/// Returns a run.
pub async fn run(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, run)): Path<(String, String)>,
) -> Result<Json<api::Run>, Problem> {
    let none = || Problem::not_found("run", &run);
    let (judgement, ordinal) = run.rsplit_once('-').ok_or_else(none)?;
    let (key, ordinal) = (key(judgement).map_err(|_| none())?, numbered("run", ordinal)?);
    app.view(&auth, &contest, |view| {
        let runs = view.runs(key).map_err(|_| none())?;
        runs.iter().find(|run| run.ordinal == ordinal).map(|run| Json(wire_run(run))).ok_or_else(none)
    })
}
