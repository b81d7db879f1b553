//! Errors as `application/problem+json` (RFC 9457), which are CLICS errors too.

use crate::pace::TooSlow;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::{Refusal, RefusalKind};
use documents::contest::{ImportMessage, ProblemDetails, Sentence};
use model::{Message, message};
use std::error::Error;
use std::io::{self, ErrorKind};
use store::{BlobError, StoreError};

/// How long a client waits before it asks again, when the server has too much to do.
const RETRY_AFTER_S: u32 = 2;

/// To clients, while nothing can be stored.
pub fn full() -> Message {
    message!(
        "disk-full",
        "the disk of the server is full: what it has can be read, and nothing can be stored until there is space"
    )
}

/// To clients, while the database does not answer.
pub fn away() -> Message {
    message!("database-away", "the server cannot reach its database now; try again in a moment")
}

#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    status: StatusCode,
    kind: &'static str,
    message: Box<Message>,
    field: Option<String>,
    errors: Vec<ImportMessage>,
    retry_after_s: Option<u32>,
}

impl Problem {
    /// Returns a problem of a status, with a word for its kind.
    pub fn new(status: StatusCode, kind: &'static str, message: impl Into<Message>) -> Self {
        Self {
            status,
            kind,
            message: Box::new(message.into()),
            field: None,
            errors: Vec::new(),
            retry_after_s: None,
        }
    }

    /// Returns a problem with what the caller sent.
    pub fn invalid(message: impl Into<Message>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    /// Returns a problem with one field of what the caller sent.
    pub fn invalid_field(field: &str, message: impl Into<Message>) -> Self {
        Self { field: Some(field.to_owned()), ..Self::invalid(message) }
    }

    /// Returns a problem because the caller must log in.
    pub fn unauthorized(message: impl Into<Message>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// Returns a problem because the caller may not.
    pub fn forbidden(message: impl Into<Message>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// Returns a problem because there is no such thing.
    pub fn not_found(what: &str, id: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", Message::none(what, id))
    }

    /// Returns a problem because it does not fit what is there.
    pub fn conflict(kind: &'static str, message: impl Into<Message>) -> Self {
        Self::new(StatusCode::CONFLICT, kind, message)
    }

    /// Returns a problem because the caller sends too much at once.
    pub fn too_many(message: impl Into<Message>, retry_after_s: u32) -> Self {
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", message);
        Self { retry_after_s: Some(retry_after_s), ..problem }
    }

    /// Returns a problem because the server cannot do it now.
    pub fn unavailable(message: impl Into<Message>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message);
        Self { retry_after_s: Some(RETRY_AFTER_S), ..problem }
    }

    /// Returns a problem of the server's own, whose cause goes to the log only. If the cause is that the store or a disk cannot be
    /// used now, the same request may succeed later.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause = cause.into();
        if let Some(detail) = passing(&*cause) {
            tracing::warn!(cause = with_causes(&*cause), "a request failed for now");
            return Self::unavailable(detail);
        }
        tracing::error!(cause = with_causes(&*cause), "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            message!("server-failed", "the server failed; its log has the reason"),
        )
    }

    /// Returns it with each single error.
    pub fn with_errors(self, errors: Vec<ImportMessage>) -> Self {
        Self { errors, ..self }
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    pub fn kind(&self) -> &'static str {
        self.kind
    }

    pub fn detail(&self) -> &str {
        &self.message.text
    }

    pub fn message(&self) -> &Message {
        &self.message
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.kind {
            RefusalKind::NotFound => StatusCode::NOT_FOUND,
            RefusalKind::Forbidden => StatusCode::FORBIDDEN,
            RefusalKind::Conflict => StatusCode::CONFLICT,
            RefusalKind::Invalid => StatusCode::BAD_REQUEST,
            RefusalKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        };
        let retry_after_s = (refusal.kind == RefusalKind::TooMany).then_some(60);
        let field = refusal.field.map(ToOwned::to_owned);
        Self { field, retry_after_s, ..Self::new(status, refusal.code, refusal.message) }
    }
}

impl From<contest_rules::IdError> for Problem {
    fn from(error: contest_rules::IdError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<BlobError> for Problem {
    fn from(error: BlobError) -> Self {
        use BlobError as E;
        match error {
            E::NotFound(_) | E::NoUpload => Self::new(StatusCode::NOT_FOUND, "not-found", error.to_string()),
            E::TooLarge { .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", error.to_string()),
            E::Content(ref content) => match content.get_ref() {
                Some(cause) => unreadable(cause),
                None => Self::invalid(error.to_string()),
            },
            E::WrongHash { .. } => Self::invalid(error.to_string()),
            E::WrongOffset { .. } | E::Incomplete { .. } => Self::conflict("upload", error.to_string()),
            E::OwnerFull { .. } => Self::too_many(error.to_string(), RETRY_AFTER_S),
            E::TooManyUploads(_) => Self::unavailable(error.to_string()),
            E::Full | E::Unavailable { .. } | E::Damaged(_) | E::File { .. } | E::Database { .. } => {
                Self::internal(error)
            }
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::internal(error)
    }
}

/// Returns the message for a client if an error is temporary: the store cannot be reached, or a disk is full.
fn passing(error: &(dyn Error + 'static)) -> Option<Message> {
    let mut next = Some(error);
    while let Some(error) = next {
        let (blob, store) = (error.downcast_ref::<BlobError>(), error.downcast_ref::<StoreError>());
        let io = error.downcast_ref::<io::Error>();
        let is_full = matches!(blob, Some(BlobError::Full))
            || matches!(store, Some(StoreError::Full { .. }))
            || io.is_some_and(|io| matches!(io.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded));
        if is_full {
            return Some(full());
        }
        let is_away = matches!(blob, Some(BlobError::Unavailable { .. }))
            || matches!(store, Some(StoreError::Unavailable { .. } | StoreError::Unknown { .. }));
        if is_away {
            return Some(away());
        }
        // An error of input and output is not the source of itself.
        let inner = io.and_then(|io| io.get_ref());
        next = inner.map_or_else(|| error.source(), |inner| Some(inner));
    }
    None
}

pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let code = self.status.as_u16();
        let details = ProblemDetails {
            kind: format!("/problems/{}", self.kind),
            title: self.status.canonical_reason().unwrap_or("Error").to_owned(),
            status: code,
            message: self.message.text.clone(),
            sentence: Sentence::of(&self.message),
            detail: self.message.text,
            code,
            field: self.field,
            errors: self.errors,
        };
        let body = serde_json::to_vec(&details).unwrap_or_default();
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            // CLICS demands basic authentication.
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"contest\""));
        }
        response
    }
}

/// Returns the problem with a body that does not arrive.
pub fn unreadable(error: &(dyn Error + 'static)) -> Problem {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    if causes.any(|cause| cause.is::<TooSlow>()) {
        return Problem::new(StatusCode::REQUEST_TIMEOUT, "too-slow", TooSlow.to_string());
    }
    Problem::invalid(message!("request-cut-off", "the request was cut off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_temporary_errors_are_unavailable() {
        let away = || BlobError::Unavailable { action: "read a blob", source: "gone".into() };
        let full = || StoreError::Full { action: "commit" };
        let check = |problem: Problem, status: u16, detail: &str| {
            assert_eq!((problem.status().as_u16(), problem.detail()), (status, detail));
            let retry = problem.into_response().headers().contains_key(header::RETRY_AFTER);
            assert_eq!(retry, status == 503);
        };
        check(away().into(), 503, &super::away().text);
        check(full().into(), 503, &super::full().text);
        check(BlobError::Full.into(), 503, &super::full().text);
        // As when an archive is made of contents.
        check(Problem::internal(io::Error::other(away())), 503, &super::away().text);
        check(
            Problem::internal(zip::result::ZipError::Io(io::Error::other(away()))),
            503,
            &super::away().text,
        );
        check(Problem::internal(io::Error::from(ErrorKind::StorageFull)), 503, &super::full().text);
        check(
            StoreError::Unavailable { action: "begin", source: "gone".into() }.into(),
            503,
            &super::away().text,
        );
        let ours = "the server failed; its log has the reason";
        check(StoreError::Damaged("event 5".to_owned()).into(), 500, ours);
        check(Problem::internal("an impossible thing"), 500, ours);
        let refused = BlobError::Database { action: "read a blob", source: "no such table".into() };
        check(refused.into(), 500, ours);
    }
}
