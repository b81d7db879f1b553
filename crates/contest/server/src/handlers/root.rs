//! The API itself.

use crate::extract::Json;
use crate::guard::IsShared;
use axum::Extension;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use documents::contest::{ApiInformation, ApiProvider};
use std::sync::LazyLock;

const VERSION: &str = "2026-01";

/// Returns what this API is.
pub async fn information() -> Json<ApiInformation> {
    Json(api_information())
}

/// Returns what this API is, as a value.
pub fn api_information() -> ApiInformation {
    ApiInformation {
        version: VERSION.to_owned(),
        version_url: "https://ccs-specs.icpc.io/2026-01/contest_api".to_owned(),
        provider: ApiProvider {
            name: "Tautochrone".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    }
}

/// Returns the OpenAPI document.
pub async fn openapi() -> Response {
    // Made once: it takes longer than any other answer, and everybody may ask for it.
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| crate::document().to_string());
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, Extension(IsShared), DOCUMENT.as_str()).into_response()
}
