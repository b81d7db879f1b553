//! Uploads in parts, which go on where they were cut.

use super::blobs::with_body;
use crate::auth::Auth;
use crate::extract::{Json, Path, Query};
use crate::{App, Problem, Shared};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contest_rules::roles::Resource;
use documents::contest as api;
use model::message;
use serde::Deserialize;
use store::{BlobError, BlobHash, Owner, Upload, UploadId, UploadLimits};

fn owner(auth: &Auth) -> Result<Owner, Problem> {
    Ok(Owner::named(auth.account()?.as_str()))
}

/// Returns an upload of this owner: those of others are not there.
fn own(app: &App, owner: &Owner, id: &UploadId) -> Result<Upload, Problem> {
    let upload = app.blobs.upload(id)?;
    if upload.owner == *owner { Ok(upload) } else { Err(BlobError::NoUpload.into()) }
}

/// Begins an upload, unless the content is there, or returns the same one of this account.
pub async fn begin(
    State(app): State<Shared>,
    auth: Auth,
    Json(wanted): Json<api::NewUpload>,
) -> Result<Response, Problem> {
    auth.may_read(Resource::Packages)?;
    let api::NewUpload { sha256, size_bytes } = wanted;
    let hash: BlobHash = sha256.parse().map_err(|_| {
        Problem::invalid_field("sha256", message!("wrong-hash", "a hash has 64 hexadecimal digits"))
    })?;
    app.may_store(&auth)?;
    let owner = owner(&auth)?;
    let may_name = app.may_name(&auth, &hash);
    let begun = app.blocking(move |app| {
        if may_name && app.blobs.renew(&hash)?.is_some() {
            return Ok(api::Upload { id: None, received_bytes: size_bytes, size_bytes });
        }
        let limits = &app.config.limits;
        let limits = UploadLimits {
            bytes: limits.package_bytes.max(limits.contest_package_bytes),
            of_owner: limits.uploads_per_account,
            bytes_of_owner: limits.unused_bytes_per_account,
        };
        let id = app.blobs.begin_upload(&owner, &hash, size_bytes, &limits)?;
        let received_bytes = app.blobs.upload(&id)?.received_bytes;
        Ok(api::Upload { id: Some(id.0), received_bytes, size_bytes })
    });
    Ok((StatusCode::CREATED, Json(begun.await?)).into_response())
}

/// Returns how far an upload is.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path(upload): Path<String>,
) -> Result<Json<api::Upload>, Problem> {
    auth.may_read(Resource::Packages)?;
    let owner = owner(&auth)?;
    let status = app.blocking(move |app| {
        let status = own(app, &owner, &UploadId(upload.clone()))?;
        let (received_bytes, size_bytes) = (status.received_bytes, status.size_bytes);
        Ok(api::Upload { id: Some(upload), received_bytes, size_bytes })
    });
    Ok(Json(status.await?))
}

/// Where a part belongs.
#[derive(Deserialize)]
pub struct Offset {
    #[serde(default)]
    offset_bytes: u64,
}

/// Adds a part. With the last one the content is checked by its hash, and is there.
pub async fn append(
    State(app): State<Shared>,
    auth: Auth,
    Path(upload): Path<String>,
    Query(Offset { offset_bytes }): Query<Offset>,
    request: Request,
) -> Result<Json<api::Upload>, Problem> {
    auth.may_read(Resource::Packages)?;
    let owner = owner(&auth)?;
    let appended = with_body(&app, request, move |app, content| {
        let id = UploadId(upload);
        let size_bytes = own(app, &owner, &id)?.size_bytes;
        let received_bytes = app.blobs.append_upload(&id, offset_bytes, content)?;
        if received_bytes < size_bytes {
            return Ok((api::Upload { id: Some(id.0), received_bytes, size_bytes }, None));
        }
        let stored = app.blobs.finish_upload(&id)?;
        Ok((api::Upload { id: None, received_bytes, size_bytes }, Some(stored)))
    });
    let (upload, stored) = appended.await?;
    if let Some(stored) = stored {
        app.note_sent(&auth, stored);
    }
    Ok(Json(upload))
}

/// Deletes an upload that is not complete.
pub async fn abandon(
    State(app): State<Shared>,
    auth: Auth,
    Path(upload): Path<String>,
) -> Result<StatusCode, Problem> {
    auth.may_read(Resource::Packages)?;
    let (owner, id) = (owner(&auth)?, UploadId(upload));
    app.blocking(move |app| {
        own(app, &owner, &id)?;
        Ok(app.blobs.abandon_upload(&id)?)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
