//! YAML.

use crate::{Entry, MAX_BYTES, MAX_DEPTH, Node, SyntaxError, Value, shorten};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::fmt;

/// Most values, with aliases expanded: prevents a few lines of anchors from becoming gigabytes.
const MAX_EVENTS: usize = 200_000;

/// Reads one document; an empty one is [`Value::Null`].
pub fn yaml(text: &str) -> Result<Node, SyntaxError> {
    read(text, serde_saphyr::DuplicateKeyPolicy::Error)
}

/// Reads one document in which the last of equal keys counts, as many readers of YAML take it.
pub fn yaml_of_last_keys(text: &str) -> Result<Node, SyntaxError> {
    read(text, serde_saphyr::DuplicateKeyPolicy::LastWins).map(with_last_keys)
}

/// The library leaves it to the receiver of the entries.
fn with_last_keys(mut node: Node) -> Node {
    match &mut node.value {
        Value::Map(entries) => {
            let last: BTreeMap<String, usize> =
                entries.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)).collect();
            let all = std::mem::take(entries).into_iter().enumerate();
            let kept = all.filter(|(place, entry)| last[&entry.key] == *place);
            *entries = kept.map(|(_, entry)| Entry { value: with_last_keys(entry.value), ..entry }).collect();
        }
        Value::List(items) => *items = std::mem::take(items).into_iter().map(with_last_keys).collect(),
        _ => {}
    }
    node
}

fn read(text: &str, duplicate_keys: serde_saphyr::DuplicateKeyPolicy) -> Result<Node, SyntaxError> {
    if text.len() > MAX_BYTES {
        let reason = format!("holds {} bytes of YAML, expected at most {MAX_BYTES}", text.len());
        return Err(SyntaxError { line: None, reason });
    }
    let options = serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
        duplicate_keys: duplicate_keys,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        budget: serde_saphyr::budget! {
            max_events: MAX_EVENTS,
            max_depth: MAX_DEPTH,
            max_documents: 1,
        },
    };
    let parsed: Result<Option<Raw>, _> = serde_saphyr::from_str_with_options(text, options);
    match parsed {
        Ok(None) => Ok(Node { line: 1, value: Value::Null }),
        Ok(Some(raw)) => Ok(raw.into_node(text)),
        Err(error) => {
            let line = error.location().map(|location| location.line());
            Err(SyntaxError { line, reason: reason(error.without_snippet()) })
        }
    }
}

/// Returns what is wrong; the library's own words for some of it speak of its options.
fn reason(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    use serde_saphyr::budget::BudgetBreach;
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("has the key '{}' twice; remove one of them", shorten(key))
        }
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            format!("is nested more than {MAX_DEPTH} levels deep; make it flatter")
        }
        Error::Budget { breach: BudgetBreach::Documents { .. }, .. } | Error::MultipleDocuments { .. } => {
            "has more than one document; remove what follows '---'".to_owned()
        }
        Error::Budget { .. } => "has more values or aliases than any such file needs; shorten it".to_owned(),
        other => {
            let words = other.to_string();
            let words = words.lines().next().unwrap_or_default();
            let remedy = match words {
                words if words.contains("found a tab") => "; indent with spaces, not with tabs",
                words if words.contains("expected ':'") => "; write each field as 'key: value'",
                _ => "",
            };
            format!("is not valid YAML: {words}{remedy}")
        }
    }
}

/// A value as the parser returns it, before the spelling of numbers is looked up.
struct Raw(Spanned<RawValue>);

enum RawValue {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Raw>),
    Map(Vec<(Spanned<String>, Raw)>),
}

impl Raw {
    fn into_node(self, source: &str) -> Node {
        let line = self.0.referenced.line();
        let span = self.0.defined.span();
        let value = match self.0.value {
            RawValue::Null => Value::Null,
            RawValue::Bool(value) => Value::Bool(value),
            RawValue::Number(value) => {
                let written = span.byte_offset().zip(span.byte_len()).and_then(|(start, length)| {
                    let start = usize::try_from(start).ok()?;
                    let length = usize::try_from(length).ok()?;
                    source.get(start..start.checked_add(length)?)
                });
                let text = written.map_or_else(|| value.to_string(), |text| text.trim().to_owned());
                Value::Number { value, text }
            }
            RawValue::Text(text) => Value::Text(text),
            RawValue::List(items) => {
                Value::List(items.into_iter().map(|item| item.into_node(source)).collect())
            }
            RawValue::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| Entry {
                        line: key.referenced.line(),
                        key: key.value,
                        value: value.into_node(source),
                    })
                    .collect(),
            ),
        };
        Node { line, value }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Spanned::deserialize(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for RawValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Null)
    }

    fn visit_none<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<RawValue, E> {
        Ok(RawValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<RawValue, E> {
        Ok(RawValue::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<RawValue, E> {
        Ok(RawValue::Number(value as f64))
    }

    fn visit_i128<E>(self, value: i128) -> Result<RawValue, E> {
        Ok(RawValue::Number(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<RawValue, E> {
        Ok(RawValue::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<RawValue, E> {
        Ok(RawValue::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<RawValue, E> {
        Ok(RawValue::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<RawValue, E> {
        Ok(RawValue::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<RawValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(RawValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<RawValue, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(RawValue::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(value: f64, text: &str) -> Value {
        Value::Number { value, text: text.to_owned() }
    }

    fn root(text: &str) -> Vec<(String, u64, Value)> {
        match yaml(text).unwrap().value {
            Value::Map(entries) => entries.into_iter().map(|e| (e.key, e.line, e.value.value)).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_keep_their_lines_and_their_spelling() {
        let text = "# a comment\nname: 1.10\nlimits:\n  memory: 0x10\nlist: [a, 'true', true, ~]\n";
        let entries = root(text);
        assert_eq!(entries[0], ("name".into(), 2, number(1.1, "1.10")));
        let Value::Map(limits) = &entries[1].2 else { panic!("{entries:?}") };
        assert_eq!((limits[0].line, &limits[0].value.value), (4, &number(16.0, "0x10")));
        let Value::List(list) = &entries[2].2 else { panic!("{entries:?}") };
        let kinds: Vec<_> = list.iter().map(|node| node.value.kind()).collect();
        assert_eq!(kinds, ["a text", "a text", "a boolean", "nothing"]);
    }

    #[test]
    fn yes_and_no_are_texts() {
        assert_eq!(root("on: no\n")[0].2, Value::Text("no".into()), "a case or a language may be called no");
    }

    #[test]
    fn nothing_is_null() {
        for text in ["", "\n", "# only a comment\n", "~\n"] {
            assert_eq!(yaml(text).unwrap().value, Value::Null, "{text:?}");
        }
    }

    #[test]
    fn duplicate_keys_name_the_line() {
        let error = yaml("name: a\nlimits: 1\nname: b\n").unwrap_err();
        assert_eq!(error.line, Some(3));
        assert!(error.reason == "has the key 'name' twice; remove one of them", "{error}");
    }

    #[test]
    fn errors_name_the_line() {
        for text in ["a: [1\n", "a: b: c\n", "a: *none\n", "--- a\n--- b\n", "a: 'x\n"] {
            assert!(yaml(text).unwrap_err().line.is_some(), "{text:?}");
        }
    }

    #[test]
    fn anchors_cannot_explode() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let previous = format!("*a{}", level - 1);
            text += &format!("a{level}: &a{level} [{}]\n", [previous.as_str(); 10].join(", "));
        }
        assert!(yaml(&text).is_err());
    }

    #[test]
    fn depth_is_bounded() {
        let text = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(yaml(&text).is_err());
        let text = format!("{}{}", "[".repeat(40), "]".repeat(40));
        assert_eq!(yaml(&text).unwrap_err().reason, "is nested more than 32 levels deep; make it flatter");
        let documents = yaml("a: 1\n--- \nb: 1\n").unwrap_err().reason;
        assert_eq!(documents, "has more than one document; remove what follows '---'");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z:\\-\\[\\]{}&*!|>'\"#%@`,. \n\t0-9~?]{0,120}") {
            let _ = yaml(&text);
        }

        #[test]
        fn any_number_keeps_its_spelling(value in any::<i64>()) {
            let entries = root(&format!("key: {value}\n"));
            prop_assert_eq!(&entries[0].2, &number(value as f64, &value.to_string()));
        }
    }
}
