//! Statements, samples and attachments of problems, of one and of all.

use crate::auth::Auth;
use crate::extract::{Path, Query};
use crate::package_files::mime_of;
use crate::wire::named;
use crate::{App, Problem, Shared, pdf, zips};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest::{BlobHash, ProblemFile, ProblemFiles};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::sync::Arc;
use tokio::sync::Mutex;
use zip::ZipArchive;

/// Of all statements or samples together.
const WHOLE_BYTES_MAX: u64 = 256 << 20;
/// Contests whose files are kept in memory.
const KEPT_MAX: usize = 8;

/// What was made for all problems of a contest, by what it was made from.
#[derive(Default)]
pub struct Wholes(Mutex<BTreeMap<(String, &'static str), Made>>);

/// The hash of what something was made from, and its content.
type Made = (String, Arc<Vec<u8>>);

/// Which statement.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct StatementQuery {
    language: Option<String>,
}

/// Sends one of a problem's files.
async fn send(
    app: &Shared,
    auth: &Auth,
    contest: &str,
    problem: &str,
    headers: &HeaderMap,
    choose: impl FnOnce(&ProblemFiles) -> Option<ProblemFile>,
    what: &str,
) -> Result<Response, Problem> {
    let file = app.view(auth, contest, |view| {
        let files = view.problem(&named("problem", problem)?)?.files;
        choose(files).ok_or_else(|| Problem::not_found(what, problem))
    })?;
    super::blobs::send(app, &file.blob, headers, mime_of(&file.filename), &file.filename).await
}

/// Returns a problem's statement: the English one, unless another language is asked for.
pub async fn statement(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, problem)): Path<(String, String)>,
    Query(query): Query<StatementQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let choose = |files: &ProblemFiles| {
        let is_wanted = |file: &&ProblemFile| query.language.is_none() || file.language == query.language;
        files.statements.iter().find(is_wanted).cloned()
    };
    send(&app, &auth, &contest, &problem, request.headers(), choose, "statement of problem").await
}

/// Returns a problem's statement or attachment by its name.
pub async fn file(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, problem, filename)): Path<(String, String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let choose = |files: &ProblemFiles| files.all().find(|file| file.filename == filename).cloned();
    let what = format!("file '{filename}' of problem");
    send(&app, &auth, &contest, &problem, request.headers(), choose, &what).await
}

/// Returns a problem's samples.
pub async fn samples(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, problem)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let choose = |files: &ProblemFiles| files.samples.clone();
    send(&app, &auth, &contest, &problem, request.headers(), choose, "zip of samples of problem").await
}

/// Returns the statements of all problems as one document.
pub async fn all_statements(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let files = app.view(&auth, &contest, |view| {
        let problems = view.problems();
        if problems.is_empty() {
            return Err(Problem::not_found("problem in contest", &contest));
        }
        let missing: Vec<&str> = problems
            .iter()
            .filter(|problem| problem.files.statements.is_empty())
            .map(|problem| problem.label)
            .collect();
        if !missing.is_empty() {
            let detail = format!("these problems have no statement as PDF: {}", missing.join(", "));
            return Err(Problem::new(StatusCode::NOT_FOUND, "not-found", detail));
        }
        let named = |problem: &contest::view::ProblemView<'_>| {
            (problem.label.to_owned(), problem.files.statements[0].clone())
        };
        Ok(problems.iter().map(named).collect())
    })?;
    whole(&app, &contest, "problems.pdf", files, &headers, |documents| {
        let documents: Vec<Vec<u8>> = documents.into_iter().map(|(_, content)| content).collect();
        let unusable = |error: pdf::PdfError| Problem::conflict("statements", error.to_string());
        pdf::join(&documents).map_err(unusable)
    })
    .await
}

/// Returns the samples of all problems, in a folder for each.
pub async fn all_samples(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let files = app.view(&auth, &contest, |view| {
        let problems = view.problems();
        let named = problems.iter().filter_map(|problem| {
            Some((format!("{}-{}", problem.label, problem.id), problem.files.samples.clone()?))
        });
        Ok(named.collect::<Vec<_>>())
    })?;
    if files.is_empty() {
        return Err(Problem::not_found("sample in contest", &contest));
    }
    whole(&app, &contest, "samples.zip", files, &headers, |archives| {
        zips::in_memory(|zip| {
            for (folder, content) in archives {
                let mut archive = ZipArchive::new(Cursor::new(content)).map_err(Problem::internal)?;
                for at in 0..archive.len() {
                    let entry = archive.by_index(at).map_err(Problem::internal)?;
                    let name = format!("{folder}/{}", entry.name().map_err(Problem::internal)?);
                    let mut bytes = Vec::new();
                    entry.take(WHOLE_BYTES_MAX).read_to_end(&mut bytes).map_err(Problem::internal)?;
                    zip.bytes(&name, &bytes)?;
                }
            }
            Ok(())
        })
    })
    .await
}

/// Answers with what is made from files of all problems, once for all who ask.
async fn whole(
    app: &Shared,
    contest: &str,
    name: &'static str,
    files: Vec<(String, ProblemFile)>,
    headers: &HeaderMap,
    make: impl FnOnce(Vec<(String, Vec<u8>)>) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    if files.iter().map(|(_, file)| file.size.0).sum::<u64>() > WHOLE_BYTES_MAX {
        let detail = format!("together they have more than {} MiB: ask for each", WHOLE_BYTES_MAX >> 20);
        return Err(Problem::conflict("too-large", detail));
    }
    let parts: String = files.iter().map(|(name, file)| format!("{name}={} ", file.blob.0)).collect();
    let key = store::BlobHash::of(parts.as_bytes()).to_string();
    let tag = format!("\"{key}\"");
    if headers.get(header::IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes()) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let mut kept = app.wholes.0.lock().await;
    let place = (contest.to_owned(), name);
    let content = match kept.get(&place) {
        Some((made_from, content)) if *made_from == key => content.clone(),
        _ => {
            let made = app.blocking(move |app| {
                let read = |(name, file): (String, ProblemFile)| Ok((name, content_of(app, &file.blob)?));
                make(files.into_iter().map(read).collect::<Result<_, Problem>>()?)
            });
            let content = Arc::new(made.await?);
            if kept.len() >= KEPT_MAX {
                kept.clear();
            }
            kept.insert(place, (key, content.clone()));
            content
        }
    };
    drop(kept);
    let headers = [
        (header::CONTENT_TYPE, mime_of(name).to_owned()),
        (header::ETAG, tag),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{contest}-{name}\"")),
    ];
    Ok((headers, axum::body::Bytes::from_owner(Owned(content))).into_response())
}

struct Owned(Arc<Vec<u8>>);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn content_of(app: &App, hash: &BlobHash) -> Result<Vec<u8>, Problem> {
    Ok(app.blobs.read(&hash.0.parse().map_err(Problem::internal)?, WHOLE_BYTES_MAX)?)
}
