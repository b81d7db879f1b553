//! Statements, samples and attachments of problems, of one and of all.

mod combined;
use crate::etag::has_tag;
use crate::extract::{Path, Query};
use crate::handlers::{Id, InContest};
use crate::package_files::{FILE_BYTES_MAX, is_language, made_statement, mime_of};
use crate::wire::named;
use crate::{App, Problem, Shared, pdf, zips};
use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
pub use combined::CombinedFiles;
use combined::{KEPT_MAX, Made};
use contest_rules::roles::Resource;
use contest_rules::{Action, BlobHash, Command, ProblemFile, ProblemFiles};
use serde::Deserialize;
use std::io::{Cursor, Read};
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;
use zip::ZipArchive;

/// Of all statements or samples together.
const WHOLE_BYTES_MAX: u64 = 256 << 20;
const STATEMENTS: &str = "problems.pdf";

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct StatementQuery {
    language: Option<String>,
    format: StatementFormat,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StatementFormat {
    #[default]
    Pdf,
    /// The part of a page.
    Html,
}

/// Opened by itself, a part of a page does and loads nothing either.
const PART: HeaderValue =
    HeaderValue::from_static("default-src 'none'; img-src data:; sandbox; frame-ancestors 'none'");

/// Sends one of a problem's files.
async fn send(
    at: &InContest,
    problem: &str,
    headers: &HeaderMap,
    choose: impl FnOnce(&ProblemFiles) -> Option<ProblemFile>,
    what: &str,
) -> Result<Response, Problem> {
    let file = at.view(|view| {
        let files = view.problem(&named("problem", problem)?)?.files;
        choose(files).ok_or_else(|| Problem::not_found(what, problem))
    })?;
    super::blobs::send(&at.app, &file.blob, headers, mime_of(&file.filename), &file.filename).await
}

/// Returns a problem's statement: the English one, unless another language is asked for.
pub async fn statement(
    at: InContest,
    Id(problem): Id,
    Query(query): Query<StatementQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let is_page = query.format == StatementFormat::Html;
    let choose = |files: &ProblemFiles| {
        let is_wanted = |file: &&ProblemFile| query.language.is_none() || file.language == query.language;
        let all = if is_page { &files.pages } else { &files.statements };
        all.iter().find(is_wanted).cloned()
    };
    let answer = send(&at, &problem, request.headers(), choose, "statement of problem").await;
    let mut answer = answer?;
    if is_page {
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::CONTENT_SECURITY_POLICY, PART);
    }
    Ok(answer)
}

/// Sets a statement that was made of the problem's package, in a language.
pub async fn set_statement(
    at: InContest,
    Id(problem): Id,
    Query(query): Query<StatementQuery>,
    request: Request,
) -> Result<Json<documents::contest::Problem>, Problem> {
    at.auth.may_read(Resource::Packages)?;
    let settings = || at.view(|view| Ok(view.jury_problem(&named("problem", &problem)?)?.settings.clone()));
    let id = at.id()?;
    // A client that may not set it does not fill the disk.
    at.app.check_now(&at.auth, &Command::In(id, Action::SetProblem(Box::new(settings()?))))?;
    let language = query.language.filter(|language| is_language(language));
    let language =
        language.ok_or_else(|| Problem::invalid_field("language", "name one, such as `en` or `pt-BR`"))?;
    let stored = super::blobs::receive(&at.app, &at.auth, request, FILE_BYTES_MAX, None).await?;
    let is_page = query.format == StatementFormat::Html;
    let id = problem.clone();
    let file = at.app.blocking(move |app| {
        let content = app.blobs.read(&stored.hash, FILE_BYTES_MAX)?;
        made_statement(&id, &language, is_page, &stored, &content)
    });
    let file = file.await?;
    let mut new = settings()?;
    new.files.set_statement(file, is_page);
    at.act(Action::SetProblem(Box::new(new))).await?;
    Ok(Json(super::problems::read(&at, &problem)?))
}

/// Returns a problem's statement or attachment by its name.
pub async fn file(
    at: InContest,
    Path((_, problem, filename)): Path<(String, String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let choose = |files: &ProblemFiles| files.all().find(|file| file.filename == filename).cloned();
    let what = format!("file '{filename}' of problem");
    send(&at, &problem, request.headers(), choose, &what).await
}

pub async fn samples(at: InContest, Id(problem): Id, request: Request) -> Result<Response, Problem> {
    let choose = |files: &ProblemFiles| files.samples.clone();
    send(&at, &problem, request.headers(), choose, "zip of samples of problem").await
}

/// Returns the statements of all problems as one document.
pub async fn all_statements(at: InContest, headers: HeaderMap) -> Result<Response, Problem> {
    let files = at.view(|view| {
        let problems = view.problems();
        if problems.is_empty() {
            return Err(Problem::not_found("problem in contest", &at.contest));
        }
        let missing: Vec<&str> = problems
            .iter()
            .filter(|problem| problem.files.statements.is_empty())
            .map(|problem| problem.object.label.as_str())
            .collect();
        if !missing.is_empty() {
            let detail = format!("these problems have no statement as PDF: {}", missing.join(", "));
            return Err(Problem::new(StatusCode::NOT_FOUND, "not-found", detail));
        }
        let named = |problem: &contest_rules::view::ProblemView<'_>| {
            (problem.object.label.clone(), problem.files.statements[0].clone())
        };
        Ok(problems.iter().map(named).collect())
    })?;
    whole(&at.app, &at.contest, STATEMENTS, files, &headers, |documents| {
        let documents: Vec<Vec<u8>> = documents.into_iter().map(|(_, content)| content).collect();
        let unusable = |error: pdf::PdfError| Problem::conflict("statements", error.to_string());
        pdf::join(&documents).map_err(unusable)
    })
    .await
}

/// Returns the samples of all problems, in a folder for each.
pub async fn all_samples(at: InContest, headers: HeaderMap) -> Result<Response, Problem> {
    let files = at.view(|view| {
        let problems = view.problems();
        let named = problems.iter().filter_map(|problem| {
            Some((format!("{}-{}", problem.object.label, problem.id), problem.files.samples.clone()?))
        });
        Ok(named.collect::<Vec<_>>())
    })?;
    if files.is_empty() {
        return Err(Problem::not_found("sample in contest", &at.contest));
    }
    whole(&at.app, &at.contest, "samples.zip", files, &headers, |archives| {
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

/// Answers with what is made from files of all problems, once for all requests.
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
    if has_tag(headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let place = (contest.to_owned(), name);
    let mut made = {
        let mut kept = app.combined_files.made.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(&place) {
            Some((made_from, made)) if *made_from == key => made.clone(),
            _ => {
                if kept.len() >= KEPT_MAX {
                    kept.clear();
                }
                let made = begin(app.clone(), name, files, make);
                kept.insert(place.clone(), (key.clone(), made.clone()));
                made
            }
        }
    };
    let content = match made.wait_for(Option::is_some).await.map(|made| made.clone()) {
        Ok(Some(Ok(content))) => content,
        // What is wrong with the files stays so.
        Ok(Some(Err(problem))) if problem.status().is_client_error() => return Err(problem),
        failed => {
            let mut kept = app.combined_files.made.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.get(&place).is_some_and(|(made_from, _)| *made_from == key) {
                kept.remove(&place);
            }
            let ended = || Problem::internal("what was made for all problems ended without a result");
            return Err(failed.ok().flatten().and_then(Result::err).unwrap_or_else(ended));
        }
    };
    let headers = [
        (header::CONTENT_TYPE, mime_of(name).to_owned()),
        (header::ETAG, tag),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{contest}-{name}\"")),
    ];
    Ok((headers, axum::body::Bytes::from_owner(Owned(content))).into_response())
}

fn begin(
    app: Shared,
    name: &'static str,
    files: Vec<(String, ProblemFile)>,
    make: impl FnOnce(Vec<(String, Vec<u8>)>) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Made {
    let (sender, made) = watch::channel(None);
    tokio::spawn(async move {
        let combined = &app.combined_files;
        let places = if name == STATEMENTS { &combined.statements } else { &combined.samples };
        let _place = places.acquire().await;
        let content = app.blocking(move |app| {
            let read = |(name, file): (String, ProblemFile)| Ok((name, content_of(app, &file.blob)?));
            make(files.into_iter().map(read).collect::<Result<_, Problem>>()?)
        });
        sender.send_replace(Some(content.await.map(Arc::new)));
    });
    made
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
