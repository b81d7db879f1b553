//! Errors as `application/problem+json` (RFC 9457), which are CLICS errors too.

use api::contest::{ImportMessage, ProblemDetails};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest::{Refusal, RefusalKind};

/// How long a client waits before it asks again, when the server has too much to do.
const RETRY_AFTER_S: u32 = 2;

/// Why a request failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    status: StatusCode,
    kind: &'static str,
    detail: String,
    field: Option<String>,
    errors: Vec<ImportMessage>,
    retry_after_s: Option<u32>,
}

impl Problem {
    /// Returns a problem of a status, with a word for its kind.
    pub fn new(status: StatusCode, kind: &'static str, detail: impl Into<String>) -> Self {
        Self { status, kind, detail: detail.into(), field: None, errors: Vec::new(), retry_after_s: None }
    }

    /// Returns a problem with what the caller sent.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", detail)
    }

    /// Returns a problem with one field of what the caller sent.
    pub fn invalid_field(field: &str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.to_owned()), ..Self::invalid(detail) }
    }

    /// Returns a problem because the caller must log in.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// Returns a problem because the caller may not.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// Returns a problem because there is no such thing.
    pub fn not_found(what: &str, id: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", format!("there is no {what} '{id}'"))
    }

    /// Returns a problem because it does not fit what is there.
    pub fn conflict(kind: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, kind, detail)
    }

    /// Returns a problem because the caller sends too much at once.
    pub fn too_many(detail: impl Into<String>, retry_after_s: u32) -> Self {
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", detail);
        Self { retry_after_s: Some(retry_after_s), ..problem }
    }

    /// Returns a problem because the server cannot do it now.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
        Self { retry_after_s: Some(RETRY_AFTER_S), ..problem }
    }

    /// Returns a problem of the server's own, whose cause goes to the log only.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "a request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the server failed; its log has the reason")
    }

    /// Returns it with each single error.
    pub fn with_errors(self, errors: Vec<ImportMessage>) -> Self {
        Self { errors, ..self }
    }

    /// Returns its status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the word for its kind.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns what is wrong.
    pub fn detail(&self) -> &str {
        &self.detail
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

impl From<contest::IdError> for Problem {
    fn from(error: contest::IdError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<store::BlobError> for Problem {
    fn from(error: store::BlobError) -> Self {
        use store::BlobError as E;
        match error {
            E::NotFound(_) | E::NoUpload => Self::new(StatusCode::NOT_FOUND, "not-found", error.to_string()),
            E::TooLarge { .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", error.to_string()),
            E::Content(ref content) => match content.get_ref() {
                Some(cause) => crate::extract::unreadable(cause),
                None => Self::invalid(error.to_string()),
            },
            E::WrongHash { .. } => Self::invalid(error.to_string()),
            E::WrongOffset { .. } | E::Incomplete { .. } => Self::conflict("upload", error.to_string()),
            E::OwnerFull { .. } => Self::too_many(error.to_string(), RETRY_AFTER_S),
            E::TooManyUploads(_) | E::Full => Self::unavailable(error.to_string()),
            E::Damaged(_) | E::File { .. } | E::Database { .. } => Self::internal(with_causes(&error)),
        }
    }
}

/// Returns an error with all its causes.
pub fn with_causes(error: &dyn std::error::Error) -> String {
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
            message: self.detail.clone(),
            detail: self.detail,
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
