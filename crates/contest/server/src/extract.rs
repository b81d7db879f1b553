//! Reading requests: errors are problems.

use crate::problem::unreadable;
use crate::{App, Problem};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Body;
use model::message;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use std::marker::PhantomData;
use tokio::sync::SemaphorePermit;
use tokio_stream::StreamExt;

/// The most that an endpoint takes.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit(pub usize);

/// Marks a request of a logged-in account.
#[derive(Clone, Copy, Debug)]
pub struct LoggedIn;

/// What is read of anybody: a question or a login, but not what a thousand connections could fill the memory with.
const ANONYMOUS_BYTES_MAX: usize = 16 << 10;

/// JSON in a request or an answer.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let is_known = request.extensions().get::<LoggedIn>().is_some();
        let max = if is_known { usize::MAX } else { ANONYMOUS_BYTES_MAX };
        check_type(&request)?;
        json(&read(request, max, |_| Ok(())).await?).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// JSON that may be long: it is read only once it is known that the caller may send it.
pub struct Later<T>(Request, PhantomData<fn() -> T>);

impl<T, S: Send + Sync> FromRequest<S> for Later<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        Ok(Self(request, PhantomData))
    }
}

impl<T: DeserializeOwned> Later<T> {
    /// Reads it, if it fits into what all such bodies may have in memory.
    pub async fn read(self, app: &App) -> Result<T, Problem> {
        self.read_at_most(app, usize::MAX).await
    }

    /// Reads it, if it is no longer than this either.
    pub async fn read_at_most(self, app: &App, max: usize) -> Result<T, Problem> {
        check_type(&self.0)?;
        let (content, _room) = read_long(self.0, app, max).await?;
        json(&content)
    }
}

/// Reads a long body, no longer than this, if it fits into what all such bodies may have in memory: it may be kept as long as
/// its permits are.
pub async fn read_long<'a>(
    request: Request,
    app: &'a App,
    max: usize,
) -> Result<(Vec<u8>, Vec<SemaphorePermit<'a>>), Problem> {
    let mut permits = Vec::new();
    let content = read(request, max, |bytes| {
        let kib = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        let permit = app.bodies.try_acquire_many(kib);
        permits.push(permit.map_err(|_| {
            Problem::unavailable(message!("too-much-sent", "too much is sent to the server at once"))
        })?);
        Ok(())
    });
    Ok((content.await?, permits))
}

fn json<T: DeserializeOwned>(content: &[u8]) -> Result<T, Problem> {
    let value = serde_json::from_slice(content);
    value.map_err(|error| Problem::invalid(format!("the JSON is not as expected: {error}")))
}

fn check_type(request: &Request) -> Result<(), Problem> {
    if media_type(request).eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(unsupported("send JSON with the header Content-Type: application/json"))
}

/// Returns a body's media type, without what stands after it.
pub fn media_type(request: &Request) -> &str {
    let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.unwrap_or("").split(';').next().unwrap_or("").trim()
}

/// Returns the problem with a body of another type.
pub fn unsupported(detail: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", detail)
}

/// Reads a body, and asks for room before each piece.
async fn read(
    request: Request,
    max: usize,
    mut room: impl FnMut(usize) -> Result<(), Problem>,
) -> Result<Vec<u8>, Problem> {
    let max = request.extensions().get::<BodyLimit>().map_or(0, |limit| limit.0).min(max);
    if request.body().size_hint().lower() > max as u64 {
        return Err(too_large());
    }
    let mut pieces = request.into_body().into_data_stream();
    let mut content = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| unreadable(&error))?;
        if content.len() + piece.len() > max {
            return Err(too_large());
        }
        room(piece.len())?;
        content.extend_from_slice(&piece);
    }
    Ok(content)
}

/// Returns the problem with a body that is too large.
pub fn too_large() -> Problem {
    let detail = message!("request-too-large", "the request is larger than is allowed here");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
}

pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::from_request_parts(parts, state).await;
        query.map(|query| Self(query.0)).map_err(|rejection| Problem::invalid(rejection.body_text()))
    }
}

/// Reads a flag among the parameters, in all the ways in which DOMjudge's clients write one.
pub fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" | "" => Ok(false),
        _ => Err(D::Error::custom(format!("'{text}' is no flag; expected true or false"))),
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

/// Returns whether `Accept-Encoding` has an encoding.
pub fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let text = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    text.split(',').any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case(encoding) && weight.is_ok_and(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn accept_encoding_is_read_with_its_weights() {
        for (text, expect) in [
            ("gzip, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip;q=x", false),
            ("br", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            assert_eq!(accepts(&headers, "gzip"), expect, "{text}");
        }
        assert!(!accepts(&HeaderMap::new(), "gzip"));
    }
}
