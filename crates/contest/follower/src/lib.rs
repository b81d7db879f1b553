//! A client's copy of a contest, made from its event feed, and violations of the rules of the CLICS Contest API, 2026-01, in
//! that feed: references that do not resolve, more than one judgement that counts for a submission, notifications after the end
//! of updates, a difference from the endpoints. Independent of our server, so it checks the feed of any.

#![forbid(unsafe_code)]

mod references;

use references::{COLLECTIONS, SINGLETONS, references};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const ID_CHARS_MAX: usize = 36;

#[derive(Debug, Default)]
pub struct Copy {
    objects: BTreeMap<&'static str, BTreeMap<String, Value>>,
    singletons: BTreeMap<&'static str, Value>,
    /// How many references there are to an object.
    referred: BTreeMap<(&'static str, String), usize>,
    /// Of each submission, the judgements that count.
    current: BTreeMap<String, BTreeSet<String>>,
    is_over: bool,
    token: Option<String>,
    lines: u64,
}

impl Copy {
    /// Applies a line of the feed, and returns its violations.
    pub fn apply(&mut self, line: &str) -> Vec<String> {
        if line.trim().is_empty() {
            return Vec::new();
        }
        self.lines += 1;
        let mut wrong = Vec::new();
        match serde_json::from_str(line) {
            Ok(Value::Object(mut event)) => {
                // A result that is opened again takes the end back.
                if self.is_over && event.get("type").and_then(Value::as_str) != Some("state") {
                    wrong.push("it comes after the end of updates".to_owned());
                }
                if let Some(token) = event.get("token").and_then(Value::as_str) {
                    self.token = Some(token.to_owned());
                }
                let data = event.remove("data").unwrap_or(Value::Null);
                let (kind, id) = (event.get("type"), event.get("id"));
                let id = id.and_then(Value::as_str).map(ToOwned::to_owned);
                self.take(kind.and_then(Value::as_str).unwrap_or_default(), id, data, &mut wrong);
            }
            Ok(_) => wrong.push("not a JSON object".to_owned()),
            Err(error) => wrong.push(format!("not JSON: {error}")),
        }
        let number = self.lines;
        wrong.into_iter().map(|what| format!("line {number}: {what}: {}", start_of(line))).collect()
    }

    fn take(&mut self, kind: &str, id: Option<String>, data: Value, wrong: &mut Vec<String>) {
        if let Some(kind) = SINGLETONS.into_iter().find(|singleton| *singleton == kind) {
            if id.is_some() {
                wrong.push(format!("'{kind}' has no id"));
            }
            self.is_over = kind == "state" && data.get("end_of_updates").is_some_and(|time| !time.is_null());
            if let Some(old) = self.singletons.remove(kind) {
                self.count(kind, &old, false);
            }
            self.check(kind, &data, wrong);
            self.count(kind, &data, true);
            self.singletons.insert(kind, data);
            return;
        }
        let Some(kind) = COLLECTIONS.into_iter().find(|collection| *collection == kind) else {
            wrong.push(format!("'{kind}' is not a type of the standard"));
            return;
        };
        match (id, data) {
            (Some(id), Value::Null) => {
                self.remove(kind, &id);
                self.check_gone(kind, &id, wrong);
            }
            (Some(id), data) => self.put(kind, id, data, wrong),
            (None, Value::Array(all)) => {
                let old: Vec<String> =
                    self.objects.get(kind).into_iter().flat_map(BTreeMap::keys).cloned().collect();
                old.iter().for_each(|id| self.remove(kind, id));
                for object in &all {
                    match object.get("id").and_then(Value::as_str) {
                        Some(id) => self.put(kind, id.to_owned(), object.clone(), wrong),
                        None => wrong.push("an object has no id".to_owned()),
                    }
                }
                for id in old.iter().filter(|id| self.object(kind, id).is_none()) {
                    self.check_gone(kind, id, wrong);
                }
            }
            (None, _) => wrong.push("it has neither an id nor a collection".to_owned()),
        }
    }

    fn put(&mut self, kind: &'static str, id: String, data: Value, wrong: &mut Vec<String>) {
        if data.get("id").and_then(Value::as_str) != Some(&id) {
            wrong.push(format!("its id is '{id}', and its object has another id"));
        }
        if !is_id(&id) {
            wrong.push(format!("'{id}' is not an id of the standard"));
        }
        self.remove(kind, &id);
        self.check(kind, &data, wrong);
        self.count(kind, &data, true);
        if let Some(submission) = current(kind, &data) {
            let judgements = self.current.entry(submission).or_default();
            judgements.insert(id.clone());
            if judgements.len() > 1 {
                wrong.push(format!("more than one judgement counts: {judgements:?}"));
            }
        }
        self.objects.entry(kind).or_default().insert(id, data);
    }

    fn remove(&mut self, kind: &'static str, id: &str) {
        let Some(old) = self.objects.get_mut(kind).and_then(|objects| objects.remove(id)) else { return };
        self.count(kind, &old, false);
        if let Some(submission) = current(kind, &old) {
            self.current.entry(submission).or_default().remove(id);
        }
    }

    fn count(&mut self, kind: &str, data: &Value, is_more: bool) {
        for (target, id) in references(kind, data) {
            let count = self.referred.entry((target, id)).or_default();
            *count = if is_more { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    fn check(&self, kind: &str, data: &Value, wrong: &mut Vec<String>) {
        for (target, id) in references(kind, data) {
            // Within a collection that comes as one, an object may refer to a later one.
            if self.object(target, &id).is_none() && target != kind {
                wrong.push(format!("it refers to '{id}' of {target}, which is not there"));
            }
        }
    }

    fn check_gone(&self, kind: &'static str, id: &str, wrong: &mut Vec<String>) {
        if self.referred.get(&(kind, id.to_owned())).is_some_and(|count| *count > 0) {
            let other = self.referrer(kind, id).unwrap_or_default();
            wrong.push(format!("'{id}' of {kind} is gone, and {other} refers to it"));
        }
    }

    fn referrer(&self, target: &str, id: &str) -> Option<String> {
        let refers = |kind: &str, data: &Value| {
            references(kind, data).iter().any(|(to, other)| *to == target && other == id)
        };
        let singleton = self.singletons.iter().find(|(kind, data)| refers(kind, data));
        let mut all =
            self.objects.iter().flat_map(|(kind, objects)| objects.iter().map(move |entry| (kind, entry)));
        let object = all.find(|(kind, (_, data))| refers(kind, data));
        object
            .map(|(kind, (id, _))| format!("'{id}' of {kind}"))
            .or_else(|| singleton.map(|(kind, _)| format!("'{kind}'")))
    }

    fn object(&self, kind: &str, id: &str) -> Option<&Value> {
        self.objects.get(kind)?.get(id)
    }

    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Returns the number of notifications.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns whether the end of updates has come.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the collections of the standard that a feed has.
    pub fn collections() -> impl Iterator<Item = &'static str> {
        COLLECTIONS.into_iter()
    }

    /// Returns what of an endpoint's answer differs from the copy: a collection, or `contest` or `state`.
    pub fn compare(&self, endpoint: &str, answer: &Value) -> Vec<String> {
        if let Some(own) = self.singletons.get(endpoint) {
            return difference(endpoint, "", Some(own), Some(answer)).into_iter().collect();
        }
        let empty = BTreeMap::new();
        let own = self.objects.get(endpoint).unwrap_or(&empty);
        let answered: BTreeMap<&str, &Value> = answer
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|object| Some((object.get("id")?.as_str()?, object)))
            .collect();
        let ids: BTreeSet<&str> = own.keys().map(String::as_str).chain(answered.keys().copied()).collect();
        ids.into_iter()
            .filter_map(|id| difference(endpoint, id, own.get(id), answered.get(id).copied()))
            .collect()
    }
}

fn difference(endpoint: &str, id: &str, own: Option<&Value>, answer: Option<&Value>) -> Option<String> {
    let text = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), ToString::to_string);
    (own != answer)
        .then(|| format!("{endpoint} '{id}': the feed has {}, the endpoint {}", text(own), text(answer)))
}

/// Returns the submission of a judgement that counts.
fn current(kind: &str, data: &Value) -> Option<String> {
    let counts = kind == "judgements" && data.get("current").and_then(Value::as_bool).unwrap_or(true);
    counts.then(|| data.get("submission_id").and_then(Value::as_str).map(ToOwned::to_owned))?
}

fn is_id(id: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    (1..=ID_CHARS_MAX).contains(&id.len())
        && id.chars().all(is_part)
        && !id.starts_with(['-', '.'])
        && !id.ends_with('.')
}

fn start_of(line: &str) -> String {
    line.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn apply(copy: &mut Copy, kind: &str, id: Option<&str>, data: Value) -> Vec<String> {
        copy.apply(&json!({"type": kind, "id": id, "data": data}).to_string())
    }

    #[test]
    fn a_valid_feed_is_applied() {
        let mut copy = Copy::default();
        for (kind, id, data) in [
            ("contest", None, json!({"id": "c"})),
            ("groups", Some("g"), json!({"id": "g"})),
            ("teams", Some("t"), json!({"id": "t", "group_ids": ["g"]})),
            ("teams", Some("u"), json!({"id": "u", "group_ids": []})),
            ("teams", Some("u"), Value::Null),
            ("teams", Some("v"), json!({"id": "v", "group_ids": []})),
            ("awards", None, json!([{"id": "winner", "team_ids": ["v"]}])),
            ("awards", None, json!([{"id": "winner", "team_ids": ["t"]}])),
            ("teams", Some("v"), Value::Null),
            ("state", None, json!({"ended": null})),
        ] {
            assert_eq!(apply(&mut copy, kind, id, data), Vec::<String>::new());
        }
        assert_eq!(copy.apply("\n"), Vec::<String>::new());
        assert!(copy.compare("teams", &json!([{"id": "t", "group_ids": ["g"]}])).is_empty());
        assert!(copy.compare("contest", &json!({"id": "c"})).is_empty());
        assert_eq!(copy.compare("teams", &json!([])).len(), 1);
        assert_eq!(copy.compare("groups", &json!([{"id": "g"}, {"id": "h"}])).len(), 1);
        assert_eq!(copy.compare("state", &json!({"ended": "x"})).len(), 1);
    }

    #[test]
    fn violations_are_reported() {
        let mut copy = Copy::default();
        let mut check = |kind: &str, id: Option<&str>, data: Value, expect: &str| {
            let wrong = apply(&mut copy, kind, id, data).join("; ");
            assert!(if expect.is_empty() { wrong.is_empty() } else { wrong.contains(expect) }, "{wrong}");
        };
        check("teams", Some("t"), json!({"id": "t", "group_ids": ["g"]}), "'g' of groups");
        check("groups", Some("g"), json!({"id": "g"}), "");
        check("groups", Some("g"), Value::Null, "'g' of groups is gone");
        check("groups", None, json!([]), "");
        check("problems", Some("a"), json!({"id": "b"}), "another id");
        check("problems", Some("a b"), json!({"id": "a b"}), "not an id of the standard");
        check("scoreboard", None, json!({}), "not a type");
        check("submissions", Some("1"), json!({"id": "1"}), "");
        check("judgements", Some("1-1"), json!({"id": "1-1", "submission_id": "1"}), "");
        let second = json!({"id": "1-2", "submission_id": "1", "current": true});
        check("judgements", Some("1-2"), second, "more than one");
        check("submissions", None, json!([]), "'1' of submissions is gone");
        check("state", None, json!({"end_of_updates": "2026-11-23T00:00:00Z"}), "");
        check("groups", Some("h"), json!({"id": "h"}), "after the end");
        assert_eq!(copy.apply("no").len(), 1);
        assert_eq!(copy.apply("[]").len(), 1);
    }
}
