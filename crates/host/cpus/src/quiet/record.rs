//! The record of what was moved, on disk.

use super::QuietError;
use super::movable::MovableId;
use cgroup::own_file;
use model::CpuSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

pub(super) const FILE_NAME: &str = "quiet.json";
const VERSION: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) boot: String,
    pub(super) quiet: CpuSet,
    pub(super) moved: BTreeMap<MovableId, MovedEntry>,
}

/// The CPUs of something before it was moved, and since then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MovedEntry {
    pub(super) before: CpuSet,
    pub(super) holds: CpuSet,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    boot: String,
    quiet: String,
    moved: Vec<Line>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    what: MovableId,
    before: String,
    holds: String,
}

impl Record {
    /// Reads the record. One of another boot, or one that cannot be parsed, does not count.
    pub(super) fn read(path: &Path, boot: &str) -> Result<Self, QuietError> {
        let fresh = || Self { boot: boot.to_owned(), ..Self::default() };
        let text = match own_file::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(fresh()),
            Err(source) => return Err(QuietError::Record { what: "read", path: path.to_owned(), source }),
        };
        let known = serde_json::from_str(&text)
            .ok()
            .filter(|document: &Document| document.version == VERSION && document.boot == boot);
        Ok(known.and_then(Document::into_record).unwrap_or_else(fresh))
    }

    /// Replaces the record on disk, or removes it if there is nothing to record.
    pub(super) fn write(&self, path: &Path) -> Result<(), QuietError> {
        let failed = |source| QuietError::Record { what: "write", path: path.to_owned(), source };
        if self.quiet.is_empty() && self.moved.is_empty() {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        let line = |(what, moved): (&MovableId, &MovedEntry)| Line {
            what: what.clone(),
            before: moved.before.to_string(),
            holds: moved.holds.to_string(),
        };
        let document = Document {
            version: VERSION,
            boot: self.boot.clone(),
            quiet: self.quiet.to_string(),
            moved: self.moved.iter().map(line).collect(),
        };
        let text = serde_json::to_string(&document).map_err(|error| failed(error.into()))?;
        let fresh = path.with_extension("new");
        own_file::create(&fresh)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&fresh, path))
            .map_err(failed)
    }
}

impl Document {
    fn into_record(self) -> Option<Record> {
        let moved = self.moved.into_iter().map(|Line { what, before, holds }| {
            Some((what, MovedEntry { before: before.parse().ok()?, holds: holds.parse().ok()? }))
        });
        Some(Record {
            boot: self.boot,
            quiet: self.quiet.parse().ok()?,
            moved: moved.collect::<Option<_>>()?,
        })
    }
}
