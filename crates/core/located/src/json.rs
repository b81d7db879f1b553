//! JSON, read into the same tree as YAML.

use crate::{Entry, MAX_BYTES, MAX_DEPTH, Node, SyntaxError, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt;

/// Reads one document; an empty text is [`Value::Null`].
///
/// # Errors
/// When the text is too long, nested too deeply, names a key twice, or is no JSON.
pub fn json(text: &str) -> Result<Node, SyntaxError> {
    if text.len() > MAX_BYTES {
        let reason = format!("holds {} bytes of JSON, expected at most {MAX_BYTES}", text.len());
        return Err(SyntaxError { line: None, reason });
    }
    if text.trim().is_empty() {
        return Ok(Node { line: 1, value: Value::Null });
    }
    let root: &RawValue = serde_json::from_str(text).map_err(|error| invalid(&error, 1))?;
    Lines::of(text).node(root, MAX_DEPTH)
}

/// A part of a request, which has no lines.
impl From<&serde_json::Value> for Node {
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => {
                Value::Number { value: number.as_f64().unwrap_or(f64::NAN), text: number.to_string() }
            }
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Self::from).collect()),
            Json::Object(members) => {
                let entry =
                    |(key, value)| Entry { key: String::clone(key), line: 1, value: Self::from(value) };
                Value::Map(members.iter().map(entry).collect())
            }
        };
        Self { line: 1, value }
    }
}

fn invalid(error: &serde_json::Error, first_line: u64) -> SyntaxError {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or_default();
    let line = first_line + (error.line() as u64).saturating_sub(1);
    SyntaxError { line: Some(line), reason: format!("is not valid JSON: {reason}") }
}

/// Where the lines of a text begin.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// Returns the line of a part of the text.
    fn line(&self, part: &str) -> u64 {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.starts.partition_point(|start| *start <= offset) as u64
    }

    /// Returns the tree of a value. Each level reads its text once more, and there are few.
    fn node(&self, raw: &'t RawValue, depth: usize) -> Result<Node, SyntaxError> {
        let text = raw.get();
        let line = self.line(text);
        let failed = |error: serde_json::Error| invalid(&error, line);
        if depth == 0 {
            let reason = format!("is not valid JSON: nested deeper than {MAX_DEPTH} levels");
            return Err(SyntaxError { line: Some(line), reason });
        }
        let value = match text.as_bytes().first() {
            Some(b'{') => {
                let Members(members) = serde_json::from_str(text).map_err(failed)?;
                let mut seen = BTreeSet::new();
                let mut entries = Vec::with_capacity(members.len());
                for (key, value) in members {
                    let value = self.node(value, depth - 1)?;
                    let line = value.line;
                    if !seen.insert(key.clone()) {
                        let reason = format!("is not valid JSON: duplicate key '{key}'");
                        return Err(SyntaxError { line: Some(line), reason });
                    }
                    entries.push(Entry { key, line, value });
                }
                Value::Map(entries)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(failed)?;
                let items = items.into_iter().map(|item| self.node(item, depth - 1));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Some(b'"') => Value::Text(serde_json::from_str(text).map_err(failed)?),
            Some(b't' | b'f') => Value::Bool(text == "true"),
            Some(b'n') => Value::Null,
            _ => Value::Number { value: serde_json::from_str(text).map_err(failed)?, text: text.to_owned() },
        };
        Ok(Node { line, value })
    }
}

/// The members of an object, in order.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Members<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(entry) = entries.next_entry()? {
                    members.push(entry);
                }
                Ok(Members(members))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
                Err(serde::de::Error::custom("expected an object"))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_keep_their_lines() {
        let text = "[\n  {\n    \"id\": \"1\",\n    \"name\": \"\\ud83d\\ude00\", \"n\": 1.50\n  }\n]\n";
        let Value::List(items) = json(text).unwrap().value else { panic!("a list") };
        assert_eq!(items[0].line, 2);
        let Value::Map(entries) = &items[0].value else { panic!("a map") };
        assert_eq!((entries[0].line, entries[1].line), (3, 4));
        assert_eq!(entries[1].value.value, Value::Text("😀".to_owned()), "as Python writes it");
        assert_eq!(entries[2].value.value, Value::Number { value: 1.5, text: "1.50".to_owned() });
    }

    #[test]
    fn errors_name_the_line() {
        let error = json("{\n\"a\": 1,\n\"b\": ]\n}").unwrap_err();
        assert_eq!(error.line, Some(3), "{error}");
        assert_eq!(error.reason, "is not valid JSON: expected value");
        let error = json("[\n{\"a\": 1,\n \"a\": 2}]").unwrap_err();
        assert_eq!((error.line, error.reason.as_str()), (Some(3), "is not valid JSON: duplicate key 'a'"));
        let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
        assert!(json(&deep).unwrap_err().reason.contains("nested deeper"));
        assert!(json(&"[".repeat(5000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z:\\-\\[\\]{}\"\\\\,. \n\t0-9]{0,120}") {
            let _ = json(&text);
        }

        #[test]
        fn any_document_keeps_its_values(texts in prop::collection::vec(any::<String>(), 0..8)) {
            let written = serde_json::to_string_pretty(&texts).unwrap();
            let Value::List(items) = json(&written).unwrap().value else { panic!("a list") };
            let read: Vec<Value> = items.into_iter().map(|item| item.value).collect();
            prop_assert_eq!(read, texts.into_iter().map(Value::Text).collect::<Vec<_>>());
        }
    }
}
