//! The published schemas, with the overlay of where they lag their text.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the schemas, where it is.
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/fixtures/clics/json-schema");
    let folder = std::env::var_os("CLICS_SCHEMAS").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// All schemas in one document.
pub struct Schemas {
    all: Value,
    validators: BTreeMap<String, jsonschema::Validator>,
}

impl Schemas {
    /// Reads them, and changes what the overlay lists. Strict ones take no property that neither they nor the overlay have.
    pub fn read(folder: &Path, overlay: &Value, is_strict: bool) -> Self {
        let mut all = Map::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let mut schema: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            schema.as_object_mut().unwrap().remove("$id");
            schema.as_object_mut().unwrap().remove("$schema");
            all.insert(name.clone(), refer(schema, &name));
        }
        let mut all = Value::Object(all);
        let mut apply = |list: &str| {
            for line in overlay[list].as_array().unwrap() {
                let text = |name: &str| line[name].as_str().unwrap_or_else(|| panic!("{line} has no {name}"));
                assert!(!text("why").is_empty());
                let place = format!("/{}{}", text("schema"), text("at"));
                let (parent, key) = place.rsplit_once('/').unwrap();
                let key = key.replace("~1", "/");
                let parent = all.pointer_mut(parent).unwrap_or_else(|| panic!("{place} is not there"));
                match (parent, line.get("set")) {
                    (Value::Object(parent), Some(value)) => {
                        parent.insert(key, refer(value.clone(), text("schema")));
                    }
                    (Value::Object(parent), None) => {
                        assert!(parent.remove(&key).is_some(), "{place} is not there");
                    }
                    (Value::Array(parent), _) => {
                        let before = parent.len();
                        parent.retain(|one| *one != key.as_str());
                        assert!(parent.len() < before, "{place} is not there");
                    }
                    _ => panic!("{place} is no place"),
                }
            }
        };
        apply("lag");
        apply("ours");
        if is_strict {
            forbid_others(&mut all);
        }
        Self { all, validators: BTreeMap::new() }
    }

    /// Returns what is wrong with a value of a schema.
    pub fn errors(&mut self, name: &str, value: &Value) -> Vec<String> {
        let all = &self.all;
        let validator = self.validators.entry(name.to_owned()).or_insert_with(|| {
            let whole = json!({"$ref": format!("#/$defs/{name}"), "$defs": all});
            jsonschema::validator_for(&whole).unwrap()
        });
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }
}

/// Lets references point into the one document.
fn refer(schema: Value, name: &str) -> Value {
    match schema {
        Value::Object(members) => {
            let member = |(key, value): (String, Value)| match (key.as_str(), &value) {
                ("$ref", Value::String(to)) => {
                    let to = match to.split_once('#') {
                        Some(("", place)) => format!("#/$defs/{name}{place}"),
                        Some((file, place)) => format!("#/$defs/{}{place}", file.trim_end_matches(".json")),
                        None => format!("#/$defs/{}", to.trim_end_matches(".json")),
                    };
                    (key, Value::String(to))
                }
                _ => (key, refer(value, name)),
            };
            Value::Object(members.into_iter().map(member).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| refer(item, name)).collect()),
        other => other,
    }
}

fn forbid_others(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(forbid_others);
            if members.get("$comment") == Some(&json!("ANCHOR_TO_INSERT_REQUIRE_STRICT_PROPERTIES")) {
                members.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_others),
        _ => {}
    }
}
