//! The API itself.

use crate::extract::Json;
use documents::contest::{ApiInformation, ApiProvider};

const VERSION: &str = "2026-01";

pub async fn information() -> Json<ApiInformation> {
    Json(api_information())
}

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
