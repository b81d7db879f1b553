//! What pages of other origins may do.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Lets pages of any origin read and send what needs no session: with `*`, browsers neither send cookies nor keep them.
/// Logging in is for pages of this origin.
pub async fn allow_origins(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_shared = !matches!(path, "/api/login" | "/api/logout");
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if is_preflight && is_shared {
        let mut response = StatusCode::NO_CONTENT.into_response();
        allow(response.headers_mut());
        let headers = response.headers_mut();
        let mut set =
            |name: HeaderName, text: &'static str| headers.insert(name, HeaderValue::from_static(text));
        set(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE");
        set(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, If-None-Match, Last-Event-ID, Range",
        );
        set(header::ACCESS_CONTROL_MAX_AGE, "86400");
        return response;
    }
    let mut response = next.run(request).await;
    if is_shared {
        allow(response.headers_mut());
    }
    response
}

fn allow(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let shown = HeaderValue::from_static("ETag, Location, Content-Disposition, Retry-After");
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, shown);
}
