//! Uploads in parts, which go on where they were cut.

use super::blobs::with_body;
use super::problems::may_add;
use crate::auth::Auth;
use crate::extract::{Json, Path, Query};
use crate::{Problem, Shared};
use api::contest as api;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use store::{BlobHash, UploadId};

/// Begins an upload, unless the content is there.
pub async fn begin(
    State(app): State<Shared>,
    auth: Auth,
    Json(wanted): Json<api::NewUpload>,
) -> Result<Response, Problem> {
    may_add(&auth)?;
    let api::NewUpload { sha256, size_bytes } = wanted;
    let hash: BlobHash =
        sha256.parse().map_err(|_| Problem::invalid_field("sha256", "a hash has 64 hexadecimal digits"))?;
    let limit = app.config.limits.package_bytes;
    let begun = app.blocking(move |app| {
        if app.blobs.size(&hash)?.is_some() {
            return Ok(api::Upload { id: None, received_bytes: size_bytes, size_bytes });
        }
        let id = app.blobs.begin_upload(&hash, size_bytes, limit)?;
        Ok(api::Upload { id: Some(id.0), received_bytes: 0, size_bytes })
    });
    Ok((StatusCode::CREATED, Json(begun.await?)).into_response())
}

/// Returns how far an upload is.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path(upload): Path<String>,
) -> Result<Json<api::Upload>, Problem> {
    may_add(&auth)?;
    let status = app.blocking(move |app| {
        let status = app.blobs.upload(&UploadId(upload.clone()))?;
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
    may_add(&auth)?;
    let appended = with_body(&app, request, move |app, content| {
        let id = UploadId(upload);
        let size_bytes = app.blobs.upload(&id)?.size_bytes;
        let received_bytes = app.blobs.append_upload(&id, offset_bytes, content)?;
        if received_bytes < size_bytes {
            return Ok(api::Upload { id: Some(id.0), received_bytes, size_bytes });
        }
        app.blobs.finish_upload(&id)?;
        Ok(api::Upload { id: None, received_bytes, size_bytes })
    });
    Ok(Json(appended.await?))
}
