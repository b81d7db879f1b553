//! Files of objects as bytes.

use crate::attachments::{FILE_BYTES_MAX, entry, served_as};
use crate::extract::{Path, Query};
use crate::handlers::InContest;
use crate::multipart::LaterForm;
use crate::wire::{named, numbered};
use crate::{Problem, Shared};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use contest_rules::{Action, Command, FileContent, FileEntry, FileOwner, FileProperty, SubmissionNumber};
use serde::Deserialize;
use store::StoredBlob;

/// How long a client need not ask again.
const CACHE: HeaderValue = HeaderValue::from_static("private, max-age=300");
/// A drawing can have styles in it; nothing in it runs or is fetched.
const DRAWING: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
);

/// A file that the path names, of an object or of the contest.
pub struct NamedFile {
    of: FileOwner,
    property: FileProperty,
    filename: String,
}

impl FromRequestParts<Shared> for NamedFile {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let Path(names) = Path::<Vec<String>>::from_request_parts(parts, app).await?;
        let (of, name, filename) = match &names[..] {
            [_, name, filename] => (FileOwner::Contest, name, filename),
            [_, endpoint, id, name, filename] => (owner(endpoint, id)?, name, filename),
            _ => return Err(Problem::not_found("resource", parts.uri.path())),
        };
        let property = FileProperty::named(name).ok_or_else(|| Problem::not_found("property", name))?;
        Ok(Self { of, property, filename: filename.clone() })
    }
}

fn owner(endpoint: &str, id: &str) -> Result<FileOwner, Problem> {
    Ok(match endpoint {
        "organizations" => FileOwner::Organization(named("organization", id)?),
        "teams" => FileOwner::Team(named("team", id)?),
        "persons" => FileOwner::Person(named("person", id)?),
        "submissions" => FileOwner::Submission(SubmissionNumber(numbered("submission", id)?)),
        _ => return Err(Problem::not_found("resource", endpoint)),
    })
}

pub async fn get(at: InContest, file: NamedFile, headers: HeaderMap) -> Result<Response, Problem> {
    let NamedFile { of, property, filename } = file;
    let (blob, mime) = at.view(|view| {
        let file = view.file(&of, property, &filename)?;
        match &file.content {
            FileContent::Stored { blob, .. } => Ok((blob.clone(), served_as(&file.mime))),
            FileContent::External { .. } => Err(Problem::not_found(property.name(), &filename)),
        }
    })?;
    let mut response = super::blobs::send(&at.app, &blob, &headers, mime, &filename).await?;
    response.headers_mut().insert(header::CACHE_CONTROL, CACHE);
    if mime == "image/svg+xml" {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, DRAWING);
    }
    Ok(response)
}

/// What is known about a file, apart from its content.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct FileQuery {
    /// What it is good for, separated by commas.
    tag: String,
}

/// Returns the files of a property, and the place of the one of this name among them.
fn files_of(at: &InContest, file: &NamedFile) -> Result<(Vec<FileEntry>, Option<usize>), Problem> {
    let files =
        at.view(|view| Ok(view.files(&file.of).remove(&file.property).unwrap_or_default().to_vec()))?;
    let place = files.iter().position(|entry| entry.filename == file.filename);
    Ok((files, place))
}

pub async fn put(
    at: InContest,
    file: NamedFile,
    Query(query): Query<FileQuery>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let (mut files, place) = files_of(&at, &file)?;
    let NamedFile { of, property, filename } = file;
    let action = |files| Action::SetFiles { of: of.clone(), property, files };
    // A request that will be refused does not fill the disk.
    at.app.check_now(&at.auth, &Command::In(at.id()?, action(files.clone())))?;
    let declared = declared(&request);
    let stored = super::blobs::receive(&at.app, &at.auth, request, FILE_BYTES_MAX, None).await?;
    let tags = query.tag.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(ToOwned::to_owned);
    let new = stored_entry(&at.app, property, filename, (stored, declared), tags.collect()).await?;
    match place {
        Some(place) => files[place] = new,
        None => files.push(new),
    }
    at.done(action(files)).await
}

pub async fn remove(at: InContest, file: NamedFile) -> Result<StatusCode, Problem> {
    let (mut files, place) = files_of(&at, &file)?;
    let NamedFile { of, property, filename } = file;
    files.remove(place.ok_or_else(|| Problem::not_found(property.name(), filename))?);
    at.done(Action::SetFiles { of, property, files }).await
}

/// Returns the media type that a request gives for its body; empty if it gives none.
fn declared(request: &Request) -> String {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.filter(|kind| *kind != "application/octet-stream").unwrap_or("").to_owned()
}

async fn stored_entry(
    app: &Shared,
    property: FileProperty,
    filename: String,
    (stored, declared): (StoredBlob, String),
    tags: Vec<String>,
) -> Result<FileEntry, Problem> {
    let made = app.blocking(move |app| {
        let content = app.blobs.read(&stored.hash, FILE_BYTES_MAX)?;
        entry(property, filename, &content, &declared, tags)
    });
    made.await
}

/// Makes the file of a form the only one of a property, as DOMjudge has one.
pub(super) async fn set_only(
    at: &InContest,
    of: FileOwner,
    property: FileProperty,
    form: LaterForm,
) -> Result<StatusCode, Problem> {
    let action = |files| Action::SetFiles { of: of.clone(), property, files };
    // A request that will be refused does not fill the disk.
    at.app.check_now(&at.auth, &Command::In(at.id()?, action(Vec::new())))?;
    let store = async |request: Request| {
        let declared = declared(&request);
        let stored = super::blobs::receive(&at.app, &at.auth, request, FILE_BYTES_MAX, None).await?;
        Ok((stored, declared))
    };
    let (form, filename, stored) = form.read_one(&[property.name()], FILE_BYTES_MAX, store).await?;
    form.finish("none but the file's")?;
    let new = stored_entry(&at.app, property, filename, stored, Vec::new()).await?;
    at.done(action(vec![new])).await
}
