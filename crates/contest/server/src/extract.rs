//! Reading requests: errors are problems.

use crate::Problem;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// JSON in a request or an answer.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = content_type.unwrap_or("").split(';').next().unwrap_or("").trim();
        if !media_type.eq_ignore_ascii_case("application/json") {
            let detail = "send JSON with the header Content-Type: application/json";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", detail));
        }
        let bytes = bytes(request, state).await?;
        let value = serde_json::from_slice(&bytes);
        value.map(Self).map_err(|error| Problem::invalid(format!("the JSON is not as expected: {error}")))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// Reads a whole body, within the endpoint's limit.
pub async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<axum::body::Bytes, Problem> {
    axum::body::Bytes::from_request(request, state).await.map_err(|rejection| match rejection {
        BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => too_large(),
        other => Problem::invalid(other.body_text()),
    })
}

/// Returns the problem with a body that is too large.
pub fn too_large() -> Problem {
    let detail = "the request is larger than is allowed here";
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
}

/// Parameters after `?`.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::from_request_parts(parts, state).await;
        query.map(|query| Self(query.0)).map_err(|rejection| Problem::invalid(rejection.body_text()))
    }
}

/// Parts of the path. One that cannot be an id names nothing.
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::from_request_parts(parts, state).await;
        let not_found = |_| Problem::not_found("resource", parts.uri.path());
        path.map(|path| Self(path.0)).map_err(not_found)
    }
}
