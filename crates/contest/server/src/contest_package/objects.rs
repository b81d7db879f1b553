//! The objects of a package's files: of the file of an endpoint, or else of the feed.

mod feed;

use super::archive::Archive;
use crate::Problem;
use contest_rules::ENDPOINTS;
use documents::contest::{ImportMessage, RelTime, Time};
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{BufReader, Read};

const FEED: &str = "event-feed.ndjson";
/// Longer than any object: a submission's code is in files.
const LINE_BYTES_MAX: u64 = 4 << 20;
const FEED_BYTES_MAX: u64 = 512 << 20;
/// Values in all files and lines but those of judgements and runs, whose values have a fixed place: each takes about a hundred bytes.
const VALUES_MAX: usize = 4_000_000;
const MIB: u64 = 1 << 20;

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

#[derive(Debug, Default)]
pub struct Objects {
    pub submissions: BTreeMap<String, SubmissionIn>,
    pub judgements: BTreeMap<String, JudgementIn>,
    pub runs: BTreeMap<String, RunIn>,
    pub clarifications: BTreeMap<String, ClarificationIn>,
    /// Those of other endpoints, in their order; of one without ids the only one.
    others: BTreeMap<String, Vec<Value>>,
    /// Where each of them is, by its id.
    places: BTreeMap<String, HashMap<String, usize>>,
    values: usize,
}

/// Returns how many objects an endpoint may have, and its file's length. A contest of 20,000 submissions has 700,000 runs. All are
/// taken at once, and no submission is accepted meanwhile.
fn limits(endpoint: &str) -> (usize, u64) {
    match endpoint {
        "submissions" => (50_000, 64 * MIB),
        "judgements" => (200_000, 128 * MIB),
        "runs" => (1_000_000, 256 * MIB),
        _ => (20_000, 32 * MIB),
    }
}

/// Endpoints whose objects are many.
const MANY: [&str; 4] = ["submissions", "judgements", "runs", "clarifications"];
/// Endpoints with one object or a shape of its own.
const SINGLE: [&str; 4] = ["contest", "state", "scoreboard", "api"];

/// Returns what a package can have, what is many first.
fn endpoints() -> impl Iterator<Item = &'static str> {
    let others = ENDPOINTS.into_iter().filter(|endpoint| !MANY.contains(endpoint));
    MANY.into_iter().chain(SINGLE).chain(others)
}

impl Objects {
    /// Reads them. A file of an endpoint is believed before the feed.
    pub fn read(archive: &mut Archive, errors: &mut Vec<ImportMessage>) -> Result<Self, Problem> {
        let mut objects = Self::default();
        let has = |archive: &Archive, name: &str| archive.has(&format!("{name}.json"));
        let (of_files, of_feed): (Vec<&str>, Vec<&str>) = endpoints().partition(|name| has(archive, name));
        for name in of_files {
            let file = format!("{name}.json");
            let content = archive.read_at_most(&file, limits(name).1)?;
            if let Err((line, message)) = objects.read_file(name, content) {
                errors.push(ImportMessage { file: Some(file), line, message });
            }
        }
        if archive.has(FEED) && !of_feed.is_empty() {
            feed::read(&mut objects, archive, &of_feed, errors)?;
        }
        for (endpoint, all) in &objects.others {
            let with_id =
                all.iter().enumerate().filter_map(|(at, one)| Some((one["id"].as_str()?.to_owned(), at)));
            // Of two with one id the first one counts.
            let places = with_id.collect::<Vec<_>>().into_iter().rev().collect();
            objects.places.insert(endpoint.clone(), places);
        }
        Ok(objects)
    }

    fn read_file(&mut self, name: &str, content: impl Read) -> Result<(), (Option<u32>, String)> {
        let located = |error: serde_json::Error| (u32::try_from(error.line()).ok(), error.to_string());
        let max = limits(name).0;
        let mut counted = Counted { content, values: self.values, is_counted: is_counted(name) };
        let mut json = serde_json::Deserializer::from_reader(BufReader::new(&mut counted));
        let read = match name {
            "submissions" => {
                each(&mut json, max, |one: SubmissionIn| self.submissions.insert(one.id.clone(), one))
            }
            "judgements" => {
                each(&mut json, max, |one: JudgementIn| self.judgements.insert(one.id.clone(), one))
            }
            "runs" => each(&mut json, max, |one: RunIn| {
                let key = if one.id.is_empty() {
                    format!("{}-{}", one.judgement_id, one.ordinal)
                } else {
                    one.id.clone()
                };
                self.runs.insert(key, one)
            }),
            "clarifications" => {
                each(&mut json, max, |one: ClarificationIn| self.clarifications.insert(one.id.clone(), one))
            }
            _ => Value::deserialize(&mut json).map(|value| {
                let values = match value {
                    Value::Array(values) => values,
                    value => vec![value],
                };
                self.others.insert(name.to_owned(), values);
            }),
        };
        self.values = counted.values;
        read.map_err(located)
    }

    /// Returns the objects of an endpoint that has few.
    pub fn of(&self, endpoint: &str) -> &[Value] {
        self.others.get(endpoint).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the object of an endpoint without ids.
    pub fn one(&self, endpoint: &str) -> Option<&Value> {
        self.of(endpoint).first()
    }

    pub fn with_id(&self, endpoint: &str, id: &str) -> Option<&Value> {
        self.of(endpoint).get(*self.places.get(endpoint)?.get(id)?)
    }
}

/// Returns whether the values of an endpoint's objects can be many for one object.
fn is_counted(endpoint: &str) -> bool {
    !matches!(endpoint, "judgements" | "runs")
}

/// Returns the most values that a text can have.
fn values_in(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b',' | b':' | b'[' | b'{')).count()
}

fn too_many_values() -> String {
    format!("the package has more than {VALUES_MAX} values")
}

/// A reader that counts values.
struct Counted<R> {
    content: R,
    values: usize,
    is_counted: bool,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.content.read(buffer)?;
        if self.is_counted {
            self.values += values_in(&buffer[..count]);
            if self.values > VALUES_MAX {
                return Err(std::io::Error::other(too_many_values()));
            }
        }
        Ok(count)
    }
}

/// Reads a list entry by entry, so that it is in memory once and an error has its line.
fn each<'de, T: Deserialize<'de>, D: Deserializer<'de>, U>(
    json: D,
    max: usize,
    take: impl FnMut(T) -> U,
) -> Result<(), D::Error> {
    struct Each<F, T>(F, usize, std::marker::PhantomData<T>);
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
                if count > self.1 {
                    return Err(serde::de::Error::custom(format!("there are more than {} entries", self.1)));
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
    Each(take, max, std::marker::PhantomData).deserialize(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};
    use std::sync::Arc;
    use zip::write::SimpleFileOptions;

    /// Reads objects from files, and returns what is wrong with them.
    fn read(files: &[(&str, &str)]) -> (Objects, String) {
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = zip::ZipWriter::new(&mut file);
        for (name, text) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        writer.finish().unwrap();
        file.rewind().unwrap();
        let mut archive = Archive::open(file, 1 << 30, Arc::default()).unwrap();
        let mut errors = Vec::new();
        match Objects::read(&mut archive, &mut errors) {
            Ok(objects) => (objects, errors.into_iter().map(|error| error.message).collect()),
            Err(problem) => (Objects::default(), problem.detail().to_owned()),
        }
    }

    #[test]
    fn a_small_archive_of_many_values_is_refused() {
        let many = format!("[{}0]", "0,".repeat(VALUES_MAX));
        for name in ["awards.json", "teams.json", "contest.json"] {
            assert!(read(&[(name, &many)]).1.contains("more than 4000000 values"), "{name}");
        }
        let reaction = format!(
            "[{{\"id\": \"1\", \"language_id\": \"c\", \"problem_id\": \"a\", \"reaction\": {many}}}]"
        );
        assert!(read(&[("submissions.json", &reaction)]).1.contains("more than 4000000 values"));
        let half = format!("[{}0]", "0,".repeat(VALUES_MAX / 2));
        assert!(
            read(&[("awards.json", &half), ("teams.json", &half)]).1.contains("more than 4000000 values")
        );
        let long = " ".repeat(33 << 20);
        assert!(read(&[("awards.json", &long)]).1.contains("at most 33554432 are allowed"));
        let clarification = "{\"id\": \"1\", \"text\": \"\"},".repeat(20_001);
        let all = format!("[{}]", clarification.trim_end_matches(','));
        assert!(read(&[("clarifications.json", &all)]).1.contains("more than 20000 entries"));
    }

    #[test]
    fn the_last_line_of_an_object_is_what_it_is() {
        let line = |kind: &str, id: &str, data: &str| {
            format!("{{\"type\": \"{kind}\", \"id\": \"{id}\", \"data\": {data}}}\n")
        };
        let feed = [
            line("teams", "1", "{\"id\": \"1\", \"name\": \"first\"}"),
            line("teams", "2", "{\"id\": \"2\"}"),
            line("teams", "1", "{\"id\": \"1\", \"name\": \"last\"}"),
            line("teams", "2", "null"),
            line("teams", "3", "{\"id\": \"3\"}"),
            line("state", "", "{\"started\": null}"),
            line("state", "", "{\"started\": \"now\"}"),
        ];
        let (objects, errors) = read(&[("event-feed.ndjson", &feed.concat())]);
        assert_eq!(errors, "");
        assert_eq!(
            objects.of("teams"),
            [serde_json::json!({"id": "1", "name": "last"}), serde_json::json!({"id": "3"})]
        );
        assert_eq!(objects.one("state").unwrap()["started"], "now");
        assert_eq!(
            (objects.with_id("teams", "1").unwrap()["name"].as_str(), objects.with_id("teams", "2")),
            (Some("last"), None)
        );
        let many = line("teams", "1", "{\"id\": \"1\"}").repeat(200_000);
        assert_eq!(read(&[("event-feed.ndjson", &many)]).0.of("teams").len(), 1);
        let different: String =
            (0..20_001).map(|id| line("teams", "", &format!("{{\"id\": \"{id}\"}}"))).collect();
        assert!(read(&[("event-feed.ndjson", &different)]).1.contains("more than 20000 teams"));
    }
}
