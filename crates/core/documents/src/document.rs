//! A document: a body and the name of its schema.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A type that is a whole document, and is in [`DOCUMENTS`](crate::DOCUMENTS).
pub trait Document: Serialize + DeserializeOwned + JsonSchema {
    /// The name of the schema with its version.
    const SCHEMA: &'static str;
}

/// The reason why a text is not the document expected.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is not JSON of the expected shape.
    #[error("the document does not have the shape of {schema}{}", place(path))]
    Shape {
        schema: &'static str,
        /// The field at which the reader stumbled, such as `results[0].mean`; empty before any field.
        path: String,
        /// What the reader stumbled on.
        source: serde_json::Error,
    },
    /// The document is another one, or from another version.
    #[error(
        "the document's schema is '{found}', expected '{expected}'; read it with a tauto of that version"
    )]
    Schema {
        /// What the document says.
        found: String,
        expected: &'static str,
    },
}

#[derive(Serialize)]
struct Tagged<'d, T> {
    schema: &'static str,
    #[serde(flatten)]
    body: &'d T,
}

#[derive(Deserialize)]
struct Tag {
    schema: String,
}

/// Prints a document with its schema in front, over several lines, with a newline at the end.
///
/// # Panics
/// Never for the documents of this crate: they have no maps with keys other than texts.
pub fn to_json<T: Document>(body: &T) -> String {
    let tagged = Tagged { schema: T::SCHEMA, body };
    let mut text = serde_json::to_string_pretty(&tagged).expect("documents have text keys only");
    text.push('\n');
    text
}

/// Prints a document with its schema in front on one line, without a newline at the end.
///
/// # Panics
/// Never for the documents of this crate: they have no maps with keys other than texts.
pub fn to_json_line<T: Document>(body: &T) -> String {
    serde_json::to_string(&Tagged { schema: T::SCHEMA, body }).expect("documents have text keys only")
}

pub fn from_json<T: Document>(text: &str) -> Result<T, ReadError> {
    let shape = |path: String, source| ReadError::Shape { schema: T::SCHEMA, path, source };
    let value: Value = serde_json::from_str(text).map_err(|source| shape(String::new(), source))?;
    let Tag { schema } = Tag::deserialize(&value).map_err(|source| shape(String::new(), source))?;
    if schema != T::SCHEMA {
        return Err(ReadError::Schema { found: schema, expected: T::SCHEMA });
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        shape(if path == "." { String::new() } else { path }, error.into_inner())
    })
}

fn place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" at '{path}'") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorReport;

    #[test]
    fn another_schema_is_refused() {
        let text = to_json(&ErrorReport::new("it broke"));
        assert!(from_json::<ErrorReport>(&text).is_ok());
        let newer = text.replace("error/1", "error/2");
        assert_eq!(
            from_json::<ErrorReport>(&newer).unwrap_err().to_string(),
            "the document's schema is 'tautochrone/error/2', expected 'tautochrone/error/1'; \
             read it with a tauto of that version"
        );
        assert!(matches!(from_json::<ErrorReport>("{}"), Err(ReadError::Shape { .. })));
        assert!(matches!(from_json::<ErrorReport>("not JSON"), Err(ReadError::Shape { .. })));
    }
}
