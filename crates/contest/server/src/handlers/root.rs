//! The API itself.

use crate::extract::Json;
use api::contest::{ApiInformation, ApiProvider};
use axum::response::{IntoResponse, Response};

const VERSION: &str = "2026-01";

/// Returns what this API is.
pub async fn information() -> Json<ApiInformation> {
    Json(ApiInformation {
        version: VERSION.to_owned(),
        version_url: "https://ccs-specs.icpc.io/2026-01/contest_api".to_owned(),
        provider: ApiProvider {
            name: "Tautochrone".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    })
}

/// Returns the OpenAPI document.
pub async fn openapi() -> Response {
    axum::Json(crate::document()).into_response()
}
