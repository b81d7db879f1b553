//! The OpenAPI 3.1 document.

use crate::routes::{Content, Operation};
use documents::contest::ProblemDetails;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

pub fn document<'a>(operations: impl Iterator<Item = &'a Operation>) -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator();
    let problem = json!({
        "description": "What is wrong.",
        "content": { "application/problem+json": { "schema": generator.subschema_for::<ProblemDetails>() } },
    });
    let mut paths = Map::new();
    for operation in operations {
        let path = paths.entry(&operation.path).or_insert_with(|| json!({}));
        path[operation.method.as_str().to_lowercase()] = describe(operation, &mut generator);
    }
    let schemas: Map<_, _> = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tautochrone",
            "description": "Contests: the CLICS Contest API 2026-01 where it has the thing, and what it does not have.",
            "version": "1",
            "license": { "name": "Apache-2.0" },
        },
        "security": [{}, { "basic": [] }, { "bearer": [] }, { "cookie": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic" },
                "bearer": { "type": "http", "scheme": "bearer" },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": crate::auth::COOKIE,
                    "description": "From /api/login. Requests that change something need the header X-Tautochrone too.",
                },
            },
            "responses": { "Problem": problem },
            "schemas": schemas,
        },
    })
}

fn describe(operation: &Operation, generator: &mut SchemaGenerator) -> Value {
    let in_path = operation.path.split(['{', '}']).skip(1).step_by(2).map(|name| {
        json!({ "name": name.trim_start_matches('*'), "in": "path", "required": true, "schema": { "type": "string" } })
    });
    let in_query = operation.query.iter().map(|(name, description)| {
        json!({ "name": name, "in": "query", "description": description, "schema": { "type": "string" } })
    });
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    let mut response = json!({ "description": "Done." });
    if let Some(content) = &operation.returns {
        response["content"] = body(content, generator);
    }
    let mut described = json!({
        "summary": operation.summary,
        "operationId": id(operation),
        "responses": {
            operation.status.to_string(): response,
            "default": { "$ref": "#/components/responses/Problem" },
        },
    });
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(content) = &operation.takes {
        described["requestBody"] = json!({ "required": true, "content": body(content, generator) });
    }
    described
}

fn body(content: &Content, generator: &mut SchemaGenerator) -> Value {
    match content {
        Content::Json(schema) => json!({ "application/json": { "schema": schema(generator) } }),
        Content::Bytes(media_type) => json!({ (*media_type): {} }),
    }
}

/// Returns a name for generated clients, such as `getContestsIdTeams`.
fn id(operation: &Operation) -> String {
    let words = operation.path.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut id = operation.method.as_str().to_lowercase();
    for word in words.filter(|word| !word.is_empty() && *word != "api") {
        let (first, rest) = word.split_at(1);
        id.push_str(&first.to_uppercase());
        id.push_str(rest);
    }
    id
}
