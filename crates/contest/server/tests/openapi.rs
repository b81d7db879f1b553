//! The OpenAPI document that is checked in is the server's.

use std::path::Path;

#[test]
fn the_document_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/openapi.json");
    let now = serde_json::to_string_pretty(&server::document()).expect("a document can be written") + "\n";
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&file, &now).expect("docs/openapi.json can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differing = kept.lines().zip(now.lines()).position(|(kept, now)| kept != now);
    assert!(
        kept == now,
        "docs/openapi.json differs from line {} on; make it anew with UPDATE_OPENAPI=1 cargo test -p tautochrone-server \
         --test openapi, and look at its diff: clients depend on it",
        differing.unwrap_or_else(|| kept.lines().count().min(now.lines().count())) + 1
    );
}
