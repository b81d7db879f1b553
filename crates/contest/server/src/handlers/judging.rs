//! Judgements and runs.

use crate::Problem;
use crate::collection::{self, Filters};
use crate::extract::{Json, Query};
use crate::handlers::{Id, InContest};
use crate::wire::{numbered, wire_details, wire_judgement, wire_run, wire_submission_state};
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::{Action, JudgementKey, SubmissionNumber};
use documents::contest as api;
use serde::Deserialize;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

/// The length of a piece, after which others have their turn.
const PIECE_BYTES: usize = 64 << 10;

/// Longer records are for the jury alone: a team's is made anew in memory.
const SHARED_RECORD_BYTES_MAX: u64 = 16 << 20;

/// Reads the id of a judgement: the submission's, a hyphen, a number.
fn key(text: &str) -> Result<JudgementKey, Problem> {
    let none = || Problem::not_found("judgement", text);
    let (submission, number) = text.split_once('-').ok_or_else(none)?;
    let number = numbered("judgement", number).map_err(|_| none())?;
    let submission = SubmissionNumber(numbered("judgement", submission).map_err(|_| none())?);
    Ok(JudgementKey { submission, number })
}

pub async fn list(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    let submission = filters.get("submission_id").and_then(|id| numbered("submission", id).ok());
    at.list(&filters, |view| {
        // Clients that wait for a verdict ask again and again.
        let judgements: Vec<_> = match submission {
            Some(number) => view.judgements_of_submission(SubmissionNumber(number)).unwrap_or_default(),
            None => view.judgements().collect(),
        };
        Ok(judgements.iter().map(wire_judgement).collect())
    })
}

pub async fn get(at: InContest, Id(judgement): Id) -> Result<Json<api::Judgement>, Problem> {
    let key = key(&judgement)?;
    at.view(|view| Ok(Json(wire_judgement(&view.judgement(key)?))))
}

/// Returns what else is known about a judgement.
pub async fn details(at: InContest, Id(judgement): Id) -> Result<Json<api::JudgementDetails>, Problem> {
    let key = key(&judgement)?;
    let (mut details, output) = at.view(|view| {
        let judgement = view.judgement(key)?;
        let waits_for = at.app.hosts.obstacle(view, judgement.key);
        let details = api::JudgementDetails { waits_for, ..wire_details(&at.contest, &judgement) };
        Ok((details, judgement.compile_output.cloned()))
    })?;
    if let Some(hash) = output {
        let text = at.app.blocking(move |app| {
            let hash = hash.0.parse().map_err(Problem::internal)?;
            Ok(app.blobs.read(&hash, ::documents::judgehost::COMPILE_OUTPUT_BYTES_MAX as u64)?)
        });
        details.compile_output = Some(String::from_utf8_lossy(&text.await?).into_owned());
    }
    Ok(Json(details))
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct StatesQuery {
    submission_id: Option<String>,
}

/// Returns how far submissions are, for the jury.
pub async fn states(
    at: InContest,
    Query(query): Query<StatesQuery>,
) -> Result<Json<Vec<api::SubmissionState>>, Problem> {
    let one = query.submission_id.map(|id| numbered("submission", &id)).transpose()?;
    at.view(|view| {
        view.require_jury()?;
        let submissions = match one {
            Some(number) => vec![view.submission(SubmissionNumber(number))?],
            None => view.submissions().collect(),
        };
        Ok(Json(
            submissions
                .iter()
                .map(|submission| wire_submission_state(view, &at.app.hosts, submission))
                .collect(),
        ))
    })
}

/// Returns the record of a judgement.
pub async fn evidence(at: InContest, Id(judgement): Id, request: Request) -> Result<Response, Problem> {
    let key = key(&judgement)?;
    let (hash, is_jury) = at.view(|view| {
        let hash = view.judgement(key)?.evidence.cloned();
        Ok((hash.ok_or_else(|| Problem::not_found("record of judgement", &judgement))?, view.is_jury()))
    })?;
    let name = format!("judgement-{key}.jsonl");
    if !is_jury {
        let file = name.clone();
        let lines = at.app.blocking(move |app| {
            let hash = hash.0.parse().map_err(Problem::internal)?;
            let whole = app.blobs.read(&hash, SHARED_RECORD_BYTES_MAX)?;
            record::for_contestant(&*whole, &file).map_err(Problem::internal)
        });
        let disposition = format!("attachment; filename=\"{name}\"");
        let headers =
            [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CONTENT_DISPOSITION, &disposition)];
        return Ok((headers, lines.await?).into_response());
    }
    super::blobs::send(&at.app, &hash, request.headers(), "application/x-ndjson", &name).await
}

/// States that a second person has verified a judgement.
pub async fn verify(
    at: InContest,
    Id(judgement): Id,
    Json(verify): Json<api::Verify>,
) -> Result<StatusCode, Problem> {
    let action = Action::VerifyJudgement { judgement: key(&judgement)?, comment: verify.comment };
    at.done(action).await
}

/// Returns the runs of the judgements.
pub async fn runs(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    let Some(judgement) = filters.get("judgement_id") else {
        collection::check(&filters)?;
        at.view(|_| Ok(()))?;
        let (pieces, body) = channel(1);
        tokio::spawn(all_runs(at, filters, pieces));
        let json = [(header::CONTENT_TYPE, "application/json")];
        return Ok((json, Body::from_stream(ReceiverStream::new(body))).into_response());
    };
    let runs = at.view(|view| {
        let runs = key(judgement).ok().and_then(|key| view.runs(key).ok()).unwrap_or_default();
        Ok(runs.iter().map(wire_run).collect())
    })?;
    collection::answer::<api::Run>(runs, &filters)
}

/// Sends all runs, of which there may be a million: a piece at a time, as they are then.
async fn all_runs(at: InContest, filters: Filters, pieces: Sender<Result<Bytes, std::io::Error>>) {
    let (mut next, mut piece, mut is_over) = (1, b"[".to_vec(), false);
    while !is_over {
        let turn = at.app.long_pieces.acquire().await;
        let more = at.view(|view| {
            while piece.len() < PIECE_BYTES && next <= view.last_submission().0 {
                let judgements = view.judgements_of_submission(SubmissionNumber(next)).unwrap_or_default();
                for run in judgements.iter().flat_map(|entry| view.runs(entry.key).unwrap_or_default()) {
                    collection::add(&mut piece, &wire_run(&run), &filters)?;
                }
                next += 1;
            }
            Ok(next > view.last_submission().0)
        });
        drop(turn);
        // What comes last has no comma after it, so a piece keeps its own until the next one.
        let sent = match more {
            Ok(is_last) => {
                is_over = is_last;
                let comma = piece.pop_if(|byte| *byte == b',');
                let rest = if is_last { b"]".to_vec() } else { comma.into_iter().collect() };
                let mut whole = std::mem::replace(&mut piece, rest);
                if is_last {
                    whole.append(&mut piece);
                }
                Ok(whole.into())
            }
            Err(problem) => Err(std::io::Error::other(problem.detail().to_owned())),
        };
        is_over |= sent.is_err();
        if pieces.send(sent).await.is_err() {
            return;
        }
    }
}

pub async fn run(at: InContest, Id(run): Id) -> Result<Json<api::Run>, Problem> {
    let none = || Problem::not_found("run", &run);
    let (judgement, ordinal) = run.rsplit_once('-').ok_or_else(none)?;
    let (key, ordinal) = (key(judgement).map_err(|_| none())?, numbered("run", ordinal)?);
    at.view(|view| {
        let runs = view.runs(key).map_err(|_| none())?;
        runs.iter().find(|run| run.ordinal == ordinal).map(|run| Json(wire_run(run))).ok_or_else(none)
    })
}
