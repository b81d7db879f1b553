//! The objects of a package's files: of the file of an endpoint, or else of the feed.

use super::archive::{Archive, refused};
use crate::Problem;
use api::contest::{ImportMessage, RelTime, Time};
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

const FEED: &str = "event-feed.ndjson";
/// Longer than any object: a submission's code is in files.
const LINE_BYTES_MAX: u64 = 4 << 20;
/// Of all objects of an endpoint; a contest of 20,000 submissions has 700,000 runs.
const OBJECTS_MAX: usize = 5_000_000;

#[derive(Clone, Debug, Deserialize)]
pub struct SubmissionIn {
    pub id: String,
    pub language_id: String,
    pub problem_id: String,
    #[serde(default)]
    pub team_id: Option<String>,
    #[serde(default)]
    pub account_id: Option<String>,
    #[serde(default)]
    pub time: Option<Time>,
    #[serde(default)]
    pub contest_time: Option<RelTime>,
    #[serde(default)]
    pub entry_point: Option<String>,
    #[serde(default)]
    pub files: Option<Vec<FileIn>>,
    #[serde(default)]
    pub reaction: Option<Value>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FileIn {
    pub href: Option<String>,
    pub filename: Option<String>,
    pub mime: Option<String>,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub tag: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct JudgementIn {
    pub id: String,
    pub submission_id: String,
    #[serde(default)]
    pub judgement_type_id: Option<String>,
    #[serde(default)]
    pub simplified_judgement_type_id: Option<String>,
    #[serde(default)]
    pub score: Option<f64>,
    #[serde(default)]
    pub current: Option<bool>,
    /// Versions before `current` have it.
    #[serde(default)]
    pub valid: Option<bool>,
    #[serde(default)]
    pub start_time: Option<Time>,
    #[serde(default)]
    pub start_contest_time: Option<RelTime>,
    #[serde(default)]
    pub end_time: Option<Time>,
    #[serde(default)]
    pub end_contest_time: Option<RelTime>,
    #[serde(default)]
    pub max_run_time: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct RunIn {
    #[serde(default)]
    pub id: String,
    pub judgement_id: String,
    pub ordinal: f64,
    pub judgement_type_id: String,
    #[serde(default)]
    pub time: Option<Time>,
    #[serde(default)]
    pub contest_time: Option<RelTime>,
    #[serde(default)]
    pub run_time: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ClarificationIn {
    pub id: String,
    pub text: String,
    #[serde(default)]
    pub from_team_id: Option<String>,
    #[serde(default)]
    pub to_team_ids: Option<Vec<String>>,
    #[serde(default)]
    pub to_group_ids: Option<Vec<String>>,
    /// Versions before `to_team_ids` have it.
    #[serde(default)]
    pub to_team_id: Option<String>,
    #[serde(default)]
    pub reply_to_id: Option<String>,
    #[serde(default)]
    pub problem_id: Option<String>,
    #[serde(default)]
    pub category: Option<String>,
    #[serde(default)]
    pub time: Option<Time>,
    #[serde(default)]
    pub contest_time: Option<RelTime>,
}

/// All objects.
#[derive(Debug, Default)]
pub struct Objects {
    pub submissions: BTreeMap<String, SubmissionIn>,
    pub judgements: BTreeMap<String, JudgementIn>,
    pub runs: BTreeMap<String, RunIn>,
    pub clarifications: BTreeMap<String, ClarificationIn>,
    /// Those of other endpoints, in their order; of one without ids the only one.
    pub others: BTreeMap<String, Vec<Value>>,
}

/// Endpoints whose objects are many.
const MANY: [&str; 4] = ["submissions", "judgements", "runs", "clarifications"];
const OTHERS: [&str; 14] = [
    "contest",
    "judgement-types",
    "languages",
    "problems",
    "groups",
    "organizations",
    "teams",
    "persons",
    "accounts",
    "state",
    "awards",
    "commentary",
    "scoreboard",
    "api",
];

impl Objects {
    /// Reads them. A file of an endpoint is believed before the feed.
    pub fn read(archive: &mut Archive, errors: &mut Vec<ImportMessage>) -> Result<Self, Problem> {
        let mut objects = Self::default();
        let has = |archive: &Archive, name: &str| archive.has(&format!("{name}.json"));
        let of_feed: Vec<&str> =
            MANY.iter().chain(&OTHERS).copied().filter(|name| !has(archive, name)).collect();
        for name in MANY.into_iter().chain(OTHERS).filter(|name| has(archive, name)).collect::<Vec<_>>() {
            let file = format!("{name}.json");
            let (_, content) = archive.read(&file)?;
            if let Err((line, message)) = objects.read_file(name, content) {
                errors.push(ImportMessage { file: Some(file), line, message });
            }
        }
        if archive.has(FEED) {
            objects.read_feed(archive, &of_feed, errors)?;
        }
        Ok(objects)
    }

    fn read_file(&mut self, name: &str, content: impl Read) -> Result<(), (Option<u32>, String)> {
        let located = |error: serde_json::Error| (u32::try_from(error.line()).ok(), error.to_string());
        let mut json = serde_json::Deserializer::from_reader(BufReader::new(content));
        match name {
            "submissions" => {
                each(&mut json, |one: SubmissionIn| self.submissions.insert(one.id.clone(), one))
            }
            "judgements" => each(&mut json, |one: JudgementIn| self.judgements.insert(one.id.clone(), one)),
            "runs" => each(&mut json, |one: RunIn| {
                let key = if one.id.is_empty() {
                    format!("{}-{}", one.judgement_id, one.ordinal)
                } else {
                    one.id.clone()
                };
                self.runs.insert(key, one)
            }),
            "clarifications" => {
                each(&mut json, |one: ClarificationIn| self.clarifications.insert(one.id.clone(), one))
            }
            _ => Value::deserialize(&mut json).map(|value| {
                let values = match value {
                    Value::Array(values) => values,
                    value => vec![value],
                };
                self.others.insert(name.to_owned(), values);
            }),
        }
        .map_err(located)
    }

    /// Lets the lines of a feed come one after the other: the last one of an object is what it is.
    fn read_feed(
        &mut self,
        archive: &mut Archive,
        wanted: &[&str],
        errors: &mut Vec<ImportMessage>,
    ) -> Result<(), Problem> {
        let (_, content) = archive.read(FEED)?;
        let mut content = BufReader::new(content);
        let mut text = Vec::new();
        for number in 1_u32.. {
            text.clear();
            let read = content.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut text);
            if read.map_err(|error| refused(format!("{FEED} cannot be read: {error}")))? == 0 {
                break;
            }
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let taken = serde_json::from_slice::<Line>(&text)
                .map_err(|error| error.to_string())
                .and_then(|line| self.take(line, wanted));
            if let Err(message) = taken {
                errors.push(ImportMessage { file: Some(FEED.to_owned()), line: Some(number), message });
                // More of the same help nobody.
                if errors.len() > 100 {
                    break;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, line: Line, wanted: &[&str]) -> Result<(), String> {
        let endpoint = if line.kind == "contests" { "contest" } else { line.kind.as_str() };
        if !wanted.contains(&endpoint) {
            return Ok(());
        }
        let is_deleted = line.op.as_deref() == Some("delete") || line.data.is_null();
        let id = line.id.filter(|_| !is_deleted || line.op.is_none());
        let id = id.or_else(|| line.data["id"].as_str().map(str::to_owned));
        if let Value::Array(all) = line.data {
            self.forget(endpoint, None);
            return all.into_iter().try_for_each(|data| self.put(endpoint, data));
        }
        if is_deleted {
            self.forget(endpoint, id.as_deref());
            return Ok(());
        }
        self.put(endpoint, line.data)
    }

    fn put(&mut self, endpoint: &str, data: Value) -> Result<(), String> {
        fn add<T: for<'de> Deserialize<'de>>(
            all: &mut BTreeMap<String, T>,
            data: Value,
        ) -> Result<(), String> {
            let id = data["id"].as_str().unwrap_or_default().to_owned();
            let one = serde_json::from_value(data).map_err(|error| format!("object '{id}': {error}"))?;
            all.insert(id, one);
            Ok(())
        }
        match endpoint {
            "submissions" => add(&mut self.submissions, data),
            "judgements" => add(&mut self.judgements, data),
            "runs" => add(&mut self.runs, data),
            "clarifications" => add(&mut self.clarifications, data),
            _ => {
                let all = self.others.entry(endpoint.to_owned()).or_default();
                let is_single = matches!(endpoint, "contest" | "state" | "scoreboard" | "api");
                match all.iter_mut().find(|one| is_single || one["id"] == data["id"]) {
                    Some(one) => *one = data,
                    None => all.push(data),
                }
                Ok(())
            }
        }
    }

    fn forget(&mut self, endpoint: &str, id: Option<&str>) {
        let stays = |other: &String| id.is_some_and(|id| id != other);
        match endpoint {
            "submissions" => self.submissions.retain(|id, _| stays(id)),
            "judgements" => self.judgements.retain(|id, _| stays(id)),
            "runs" => self.runs.retain(|id, _| stays(id)),
            "clarifications" => self.clarifications.retain(|id, _| stays(id)),
            _ => {
                if let Some(all) = self.others.get_mut(endpoint) {
                    all.retain(|one| id.is_some_and(|id| one["id"] != id));
                }
            }
        }
    }

    /// Returns the objects of an endpoint that has few.
    pub fn of(&self, endpoint: &str) -> &[Value] {
        self.others.get(endpoint).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the object of an endpoint without ids.
    pub fn one(&self, endpoint: &str) -> Option<&Value> {
        self.of(endpoint).first()
    }
}

/// A line of a feed; older ones have `op`.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    op: Option<String>,
    #[serde(default)]
    data: Value,
}

/// Reads a list entry by entry, so that it is in memory once and an error has its line.
fn each<'de, T: Deserialize<'de>, D: Deserializer<'de>, U>(
    json: D,
    take: impl FnMut(T) -> U,
) -> Result<(), D::Error> {
    struct Each<F, T>(F, std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>, U, F: FnMut(T) -> U> Visitor<'de> for Each<F, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
            let mut count = 0;
            while let Some(one) = list.next_element()? {
                (self.0)(one);
                count += 1;
                if count > OBJECTS_MAX {
                    return Err(serde::de::Error::custom(format!(
                        "there are more than {OBJECTS_MAX} entries"
                    )));
                }
            }
            Ok(())
        }
    }
    impl<'de, T: Deserialize<'de>, U, F: FnMut(T) -> U> DeserializeSeed<'de> for Each<F, T> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
            json.deserialize_seq(self)
        }
    }
    Each(take, std::marker::PhantomData).deserialize(json)
}
