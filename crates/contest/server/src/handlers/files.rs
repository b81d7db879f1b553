//! Files of objects as bytes.

use crate::attachments::{FILE_BYTES_MAX, entry, served_as};
use crate::auth::Auth;
use crate::extract::{Path, Query};
use crate::multipart::LaterForm;
use crate::wire::{named, numbered};
use crate::{Problem, Shared};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use contest_rules::{
    Action, Command, ContestId, FileContent, FileEntry, FileOwner, FileProperty, SubmissionNumber,
};
use serde::Deserialize;
use store::StoredBlob;

/// How long a client need not ask again.
const CACHE: HeaderValue = HeaderValue::from_static("private, max-age=300");
/// A drawing can have styles in it; nothing in it runs or is fetched.
const DRAWING: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
);

/// Where a file is: contest, endpoint, id of the object, property, name.
type Place = (String, String, String, String, String);

fn owner(endpoint: &str, id: &str) -> Result<FileOwner, Problem> {
    Ok(match endpoint {
        "organizations" => FileOwner::Organization(named("organization", id)?),
        "teams" => FileOwner::Team(named("team", id)?),
        "persons" => FileOwner::Person(named("person", id)?),
        "submissions" => FileOwner::Submission(SubmissionNumber(numbered("submission", id)?)),
        _ => return Err(Problem::not_found("resource", endpoint)),
    })
}

fn property(name: &str) -> Result<FileProperty, Problem> {
    FileProperty::named(name).ok_or_else(|| Problem::not_found("property", name))
}

async fn send(
    app: &Shared,
    auth: &Auth,
    contest: &str,
    owner: &FileOwner,
    (name, filename): (&str, &str),
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let property = property(name)?;
    let (blob, mime) = app.view(auth, contest, |view| {
        let file = view.file(owner, property, filename)?;
        match &file.content {
            FileContent::Stored { blob, .. } => Ok((blob.clone(), served_as(&file.mime))),
            FileContent::External { .. } => Err(Problem::not_found(name, filename)),
        }
    })?;
    let mut response = super::blobs::send(app, &blob, headers, mime, filename).await?;
    response.headers_mut().insert(header::CACHE_CONTROL, CACHE);
    if mime == "image/svg+xml" {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, DRAWING);
    }
    Ok(response)
}

/// Returns a file of an object.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, endpoint, id, name, filename)): Path<Place>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    send(&app, &auth, &contest, &owner(&endpoint, &id)?, (&name, &filename), &headers).await
}

/// Returns a file of a contest.
pub async fn get_of_contest(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, name, filename)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    send(&app, &auth, &contest, &FileOwner::Contest, (&name, &filename), &headers).await
}

/// What is known about a file beside its content.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct FileQuery {
    /// What it is good for, separated by commas.
    tag: String,
}

async fn set(
    app: &Shared,
    auth: &Auth,
    contest: &str,
    of: FileOwner,
    (name, filename): (&str, String),
    content: Option<(Request, FileQuery)>,
) -> Result<StatusCode, Problem> {
    let property = property(name)?;
    let contest_id: ContestId = named("contest", contest)?;
    let mut files: Vec<FileEntry> =
        app.view(auth, contest, |view| Ok(view.files(&of).remove(&property).unwrap_or_default().to_vec()))?;
    let action = |files| Command::In(contest_id, Action::SetFiles { of, property, files });
    let place = files.iter().position(|file| file.filename == filename);
    let Some((request, query)) = content else {
        let place = place.ok_or_else(|| Problem::not_found(name, &filename))?;
        files.remove(place);
        app.act(auth, action(files)).await?;
        return Ok(StatusCode::NO_CONTENT);
    };
    // A request that will be refused does not fill the disk.
    app.check_now(auth, &action.clone()(files.clone()))?;
    let declared = declared(&request);
    let stored = super::blobs::receive(app, auth, request, FILE_BYTES_MAX, None).await?;
    let tags = query.tag.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(ToOwned::to_owned);
    let new = stored_entry(app, property, filename, (stored, declared), tags.collect()).await?;
    match place {
        Some(place) => files[place] = new,
        None => files.push(new),
    }
    app.act(auth, action(files)).await?;
    Ok(StatusCode::NO_CONTENT)
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
    app: &Shared,
    auth: &Auth,
    contest: &str,
    of: FileOwner,
    property: FileProperty,
    form: LaterForm,
) -> Result<StatusCode, Problem> {
    let contest_id: ContestId = named("contest", contest)?;
    let command =
        |files| Command::In(contest_id.clone(), Action::SetFiles { of: of.clone(), property, files });
    // A request that will be refused does not fill the disk.
    app.check_now(auth, &command(Vec::new()))?;
    let store = async |request: Request| {
        let declared = declared(&request);
        let stored = super::blobs::receive(app, auth, request, FILE_BYTES_MAX, None).await?;
        Ok((stored, declared))
    };
    let (form, filename, stored) = form.read_one(&[property.name()], FILE_BYTES_MAX, store).await?;
    form.finish("none but the file's")?;
    let new = stored_entry(app, property, filename, stored, Vec::new()).await?;
    app.act(auth, command(vec![new])).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a file of an object.
pub async fn put(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, endpoint, id, name, filename)): Path<Place>,
    Query(query): Query<FileQuery>,
    request: Request,
) -> Result<StatusCode, Problem> {
    set(&app, &auth, &contest, owner(&endpoint, &id)?, (&name, filename), Some((request, query))).await
}

/// Sets a file of a contest.
pub async fn put_of_contest(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, name, filename)): Path<(String, String, String)>,
    Query(query): Query<FileQuery>,
    request: Request,
) -> Result<StatusCode, Problem> {
    set(&app, &auth, &contest, FileOwner::Contest, (&name, filename), Some((request, query))).await
}

/// Removes a file of an object.
pub async fn remove(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, endpoint, id, name, filename)): Path<Place>,
) -> Result<StatusCode, Problem> {
    set(&app, &auth, &contest, owner(&endpoint, &id)?, (&name, filename), None).await
}

/// Removes a file of a contest.
pub async fn remove_of_contest(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, name, filename)): Path<(String, String, String)>,
) -> Result<StatusCode, Problem> {
    set(&app, &auth, &contest, FileOwner::Contest, (&name, filename), None).await
}
