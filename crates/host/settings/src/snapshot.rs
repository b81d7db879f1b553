//! The input of all decisions, read once.

use super::tasks::{self, Task};
use super::text::{name_matches, natural_order, path_matches};
use super::{Timing, config};
use model::Reading;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use system::machine::{Hypervisor, hypervisor};
use system::{Roots, files};

/// The largest file read: `/proc/interrupts` has some MiB on machines of a thousand CPUs.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Limit on the number of files: 1000 CPUs with ten idle states of three files each.
const FILES_MAX: usize = 100_000;
/// The only device among the files; reading it returns four bytes and has no effect.
const LATENCY_DEVICE: &str = "/dev/cpu_dma_latency";
/// Files that several settings need in addition to their own.
const COMMON: [&str; 11] = [
    "/proc/sys/kernel/osrelease",
    "/proc/cmdline",
    "/proc/interrupts",
    "/proc/stat",
    "/proc/vmstat",
    "/proc/swaps",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/isolated",
    "/sys/devices/system/cpu/cpu#/topology/core_cpus_list",
    "/sys/devices/system/cpu/cpu#/topology/thread_siblings_list",
    "/sys/devices/system/node/online",
];

#[derive(Clone, Debug)]
pub struct Snapshot {
    files: BTreeMap<String, Value>,
    pub(super) tasks: Reading<Vec<Task>>,
    pub(super) config: Reading<String>,
    pub(super) hypervisor: Reading<Hypervisor>,
    pub(super) timing: Timing,
}

#[derive(Clone, Debug)]
enum Value {
    Text(String),
    Absent(String),
    Unreadable(String),
}

impl Snapshot {
    pub(crate) fn of_files(
        roots: &Roots,
        timing: Timing,
        patterns: impl Iterator<Item = &'static str>,
    ) -> Self {
        let mut files = BTreeMap::new();
        for pattern in patterns.chain(COMMON) {
            for path in expand(roots, pattern) {
                if files.len() < FILES_MAX && !files.contains_key(&path) {
                    let value = read_file(roots, &path);
                    files.insert(path, value);
                }
            }
        }
        let cpuinfo = files::text(&roots.proc.join("cpuinfo"));
        Self {
            tasks: tasks::read(roots),
            config: config::read(roots),
            hypervisor: hypervisor(roots, &cpuinfo),
            timing,
            files,
        }
    }

    pub(super) fn file(&self, path: &str) -> Reading<&str> {
        match self.files.get(path) {
            Some(Value::Text(text)) => Reading::Known(text),
            Some(Value::Absent(why) | Value::Unreadable(why)) => Reading::unavailable(why),
            None => Reading::unavailable(format!("there is no {path}")),
        }
    }

    /// Returns whether a file does not exist, as opposed to one that is not readable.
    pub(super) fn is_absent(&self, path: &str) -> bool {
        !matches!(self.files.get(path), Some(Value::Text(_) | Value::Unreadable(_)))
    }

    /// Lists the files that a pattern names and that could be read, in the order of their numbers.
    pub(super) fn all<'s>(&'s self, pattern: &'s str) -> Vec<(&'s str, &'s str)> {
        let texts = self.matching(pattern).filter_map(|(path, value)| match value {
            Value::Text(text) => Some((path, text.as_str())),
            Value::Absent(_) | Value::Unreadable(_) => None,
        });
        sorted(texts)
    }

    /// Lists the contents of the files that a pattern matches, for display.
    pub(super) fn raw(&self, pattern: &str) -> Vec<RawValue> {
        /// Longer files, such as tables of interrupts, are not values of settings.
        const SHOWN_CHARS: usize = 200;
        let values = self.matching(pattern).map(|(path, value)| {
            let value = match value {
                Value::Text(text) => Reading::Known(text.chars().take(SHOWN_CHARS).collect()),
                Value::Absent(why) | Value::Unreadable(why) => Reading::unavailable(why),
            };
            (path, value)
        });
        let values = sorted(values).into_iter();
        values.map(|(path, value)| RawValue { path: path.to_owned(), value }).collect()
    }

    fn matching<'s>(&'s self, pattern: &'s str) -> impl Iterator<Item = (&'s str, &'s Value)> {
        let fixed = pattern.split(['#', '*']).next().unwrap_or_default();
        let range = self.files.range(fixed.to_owned()..);
        range
            .take_while(move |(path, _)| path.starts_with(fixed))
            .filter(move |(path, _)| path_matches(pattern, path))
            .map(|(path, value)| (path.as_str(), value))
    }
}

#[cfg(test)]
impl Snapshot {
    pub(super) fn of(values: &[(&str, &str)]) -> Self {
        let files = values.iter().map(|(path, text)| ((*path).to_owned(), Value::Text((*text).to_owned())));
        Self {
            files: files.collect(),
            tasks: Reading::unavailable("a test"),
            config: Reading::unavailable("a test"),
            hypervisor: Reading::unavailable("a test"),
            timing: Timing::unmeasured("a test"),
        }
    }
}

fn sorted<'s, T>(values: impl Iterator<Item = (&'s str, T)>) -> Vec<(&'s str, T)> {
    let mut values: Vec<_> = values.collect();
    values.sort_by_cached_key(|(path, _)| natural_order(path));
    values
}

/// Lists the paths that a pattern matches; a path without `#` and `*` is returned even if it does not exist.
fn expand(roots: &Roots, pattern: &str) -> Vec<String> {
    let mut paths = vec![String::new()];
    for part in pattern.split('/').skip(1) {
        paths = if part.contains(['#', '*']) {
            paths.iter().flat_map(|path| names_in(roots, path, part)).collect()
        } else {
            paths.iter().map(|path| format!("{path}/{part}")).collect()
        };
    }
    paths
}

fn names_in(roots: &Roots, folder: &str, pattern: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(roots.resolve(Path::new(folder))) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut paths: Vec<_> = names
        .filter(|name| name_matches(pattern, name))
        .map(|name| format!("{folder}/{name}"))
        .take(FILES_MAX)
        .collect();
    paths.sort_unstable();
    paths
}

fn read_file(roots: &Roots, path: &str) -> Value {
    let place = roots.resolve(Path::new(path));
    let failed = |error: std::io::Error| {
        let why = format!("cannot read {}: {error}", place.display());
        if error.kind() == ErrorKind::NotFound { Value::Absent(why) } else { Value::Unreadable(why) }
    };
    // A pipe or a device in a synthetic tree would block the reader for ever.
    match fs::metadata(&place) {
        Ok(metadata) if metadata.is_file() || path == LATENCY_DEVICE && !metadata.is_dir() => {}
        Ok(_) => return Value::Unreadable(format!("{} is not a file", place.display())),
        Err(error) => return failed(error),
    }
    let mut bytes = Vec::new();
    match File::open(&place).and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)) {
        Ok(_) if path == LATENCY_DEVICE => Value::Text(latency(&bytes)),
        Ok(_) => Value::Text(String::from_utf8_lossy(&bytes).trim().to_owned()),
        Err(error) => failed(error),
    }
}

/// Returns microseconds: the device has one number in the machine's byte order, a recorded tree a text.
fn latency(bytes: &[u8]) -> String {
    match <[u8; 4]>::try_from(bytes) {
        Ok(number) => i32::from_ne_bytes(number).to_string(),
        Err(_) => String::from_utf8_lossy(bytes).trim().to_owned(),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawValue {
    pub path: String,
    pub value: Reading<String>,
}
