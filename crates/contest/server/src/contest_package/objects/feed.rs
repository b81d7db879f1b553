//! The objects that a feed has: its lines come one after the other, and the last one of an object is what it is.

use super::{
    FEED, FEED_BYTES_MAX, LINE_BYTES_MAX, Objects, VALUES_MAX, is_counted, limits, too_many_values, values_in,
};
use crate::Problem;
use crate::contest_package::archive::{Archive, refused};
use documents::contest::ImportMessage;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read};

/// More of the same do not help.
const ERRORS_MAX: usize = 100;

/// A line; older ones have `op`.
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

/// The objects of an endpoint that has few.
#[derive(Default)]
struct Few {
    by_id: HashMap<String, Placed>,
    next: usize,
}

struct Placed {
    place: usize,
    values: usize,
    object: Value,
}

/// Reads the objects of some endpoints from the feed.
pub(super) fn read(
    objects: &mut Objects,
    archive: &mut Archive,
    wanted: &[&str],
    errors: &mut Vec<ImportMessage>,
) -> Result<(), Problem> {
    let mut content = BufReader::new(archive.read_at_most(FEED, FEED_BYTES_MAX)?);
    let mut replay = Replay { objects, few: BTreeMap::new() };
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
        let values = values_in(&text);
        let taken = serde_json::from_slice::<Line>(&text)
            .map_err(|error| error.to_string())
            .and_then(|line| replay.take(line, wanted, values));
        if let Err(message) = taken {
            errors.push(ImportMessage { file: Some(FEED.to_owned()), line: Some(number), message });
            if errors.len() > ERRORS_MAX || replay.objects.values > VALUES_MAX {
                break;
            }
        }
    }
    let few = replay.few;
    for (endpoint, few) in few {
        let mut all: Vec<Placed> = few.by_id.into_values().collect();
        all.sort_by_key(|one| one.place);
        objects.others.insert(endpoint, all.into_iter().map(|one| one.object).collect());
    }
    Ok(())
}

struct Replay<'a> {
    objects: &'a mut Objects,
    few: BTreeMap<String, Few>,
}

fn is_single(endpoint: &str) -> bool {
    matches!(endpoint, "contest" | "state" | "scoreboard" | "api")
}

impl Replay<'_> {
    fn take(&mut self, line: Line, wanted: &[&str], values: usize) -> Result<(), String> {
        let endpoint = if line.kind == "contests" { "contest" } else { line.kind.as_str() };
        if !wanted.contains(&endpoint) {
            return Ok(());
        }
        let is_deleted = line.op.as_deref() == Some("delete") || line.data.is_null();
        let id = line.id.filter(|_| !is_deleted || line.op.is_none());
        let id = id.or_else(|| line.data["id"].as_str().map(str::to_owned));
        if let Value::Array(all) = line.data {
            self.forget(endpoint, None);
            // Each has its part of the line; which one does not matter.
            let values = values / all.len().max(1) + 1;
            return all.into_iter().try_for_each(|data| self.put(endpoint, data, values));
        }
        if is_deleted {
            self.forget(endpoint, id.as_deref());
            return Ok(());
        }
        self.put(endpoint, line.data, values)
    }

    fn put(&mut self, endpoint: &str, data: Value, values: usize) -> Result<(), String> {
        fn add<T: for<'de> Deserialize<'de>>(
            all: &mut BTreeMap<String, T>,
            data: Value,
        ) -> Result<usize, String> {
            let id = data["id"].as_str().unwrap_or_default().to_owned();
            let one = serde_json::from_value(data).map_err(|error| format!("object '{id}': {error}"))?;
            all.insert(id, one);
            Ok(all.len())
        }
        let objects = &mut *self.objects;
        if is_counted(endpoint) {
            objects.values += values;
        }
        let count = match endpoint {
            "submissions" => add(&mut objects.submissions, data)?,
            "judgements" => add(&mut objects.judgements, data)?,
            "runs" => add(&mut objects.runs, data)?,
            "clarifications" => add(&mut objects.clarifications, data)?,
            _ => {
                let few = self.few.entry(endpoint.to_owned()).or_default();
                let key = if is_single(endpoint) { String::new() } else { data["id"].to_string() };
                match few.by_id.get_mut(&key) {
                    Some(one) => {
                        objects.values -= one.values;
                        *one = Placed { place: one.place, values, object: data };
                    }
                    None => {
                        few.by_id.insert(key, Placed { place: few.next, values, object: data });
                        few.next += 1;
                    }
                }
                few.by_id.len()
            }
        };
        if objects.values > VALUES_MAX {
            return Err(too_many_values());
        }
        let max = limits(endpoint).0;
        if count > max {
            objects.values = VALUES_MAX + 1;
            return Err(format!("there are more than {max} {endpoint}"));
        }
        Ok(())
    }

    fn forget(&mut self, endpoint: &str, id: Option<&str>) {
        fn remove<T>(all: &mut BTreeMap<String, T>, id: Option<&str>) {
            match id {
                Some(id) => drop(all.remove(id)),
                None => all.clear(),
            }
        }
        match endpoint {
            "submissions" => remove(&mut self.objects.submissions, id),
            "judgements" => remove(&mut self.objects.judgements, id),
            "runs" => remove(&mut self.objects.runs, id),
            "clarifications" => remove(&mut self.objects.clarifications, id),
            _ => {
                let Some(few) = self.few.get_mut(endpoint) else { return };
                let key = match id {
                    Some(_) if is_single(endpoint) => Some(String::new()),
                    id => id.map(|id| Value::from(id).to_string()),
                };
                let removed: Vec<Placed> = match key {
                    Some(key) => few.by_id.remove(&key).into_iter().collect(),
                    None => few.by_id.drain().map(|(_, one)| one).collect(),
                };
                self.objects.values -= removed.iter().map(|one| one.values).sum::<usize>();
            }
        }
    }
}
