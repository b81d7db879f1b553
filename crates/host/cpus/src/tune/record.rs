//! The previous values, on disk before anything is written.
//!
//! The record is a journal with a JSON line for each event; each line is on disk before the next action:
//!
//! - `Head` names the version and the boot; the file is created with it in one step.
//! - `Step` names a file and its previous value. All steps of a plan are recorded before the first is begun.
//! - `Begun` precedes a write; `Done` follows it with the value that the file then had, or `Refused` if it failed.
//! - `Restored` ends a step.
//!
//! Only the last line can be cut off by a crash. Its action either was not begun, or counts as begun and not done.

use super::TuneError;
use cgroup::own_file;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use settings::Change;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub(super) const FILE_NAME: &str = "tune.journal";
const LOCK_NAME: &str = "tune.lock";
const VERSION: u32 = 1;
/// Enough for 10,000 files with a few lines of some hundred bytes each; tauto writes no larger record.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// The folders of settings. The record is read as root, so it must not lead anywhere else.
const PLACES: [&str; 3] = ["/proc/sys/", "/proc/irq/", "/sys/"];

pub(super) struct Lock {
    _file: File,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Line {
    Head { version: u32, boot_id: String },
    Step { id: String, path: String, before: String, write_back: String, value: String },
    Begun { path: String },
    Done { path: String, holds: String },
    Refused { path: String },
    Restored { path: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Planned,
    /// It was begun; whether it was done is not known.
    Begun,
    /// It was done; this is the value that the file then had.
    Done(String),
    Refused,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) change: Change,
    pub(super) progress: Progress,
}

pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// What is not restored yet, in the order of the plans.
    pub(super) entries: Vec<Entry>,
}

impl Lock {
    pub(super) fn take(folder: &Path) -> Result<Self, TuneError> {
        let failed = |what, path: &Path| {
            let path = path.to_owned();
            move |source| TuneError::Record { what, path, source }
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(folder)
            .map_err(failed("make the folder", folder))?;
        let path = folder.join(LOCK_NAME);
        let file = own_file::make(&path).map_err(failed("open the lock", &path))?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(TuneError::Busy { path }),
            Err(error) => Err(failed("lock", &path)(error.into())),
        }
    }
}

impl Journal {
    /// Reads the record; `None` if there is none, or if it is of an earlier boot, whose settings are gone.
    pub(super) fn read(path: &Path, boot_id: &str) -> Result<Option<Self>, TuneError> {
        let failed = |what| move |source| TuneError::Record { what, path: path.to_owned(), source };
        let file = match own_file::append(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed("open the record")(error)),
        };
        let mut bytes = Vec::new();
        (&file).take(RECORD_BYTES_MAX).read_to_end(&mut bytes).map_err(failed("read the record"))?;
        // A line cut off by a crash would merge with the next line.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(failed("fix the record"))?;
            bytes.truncate(whole);
        }
        let bad = |line: usize, what: String| TuneError::BadRecord { path: path.to_owned(), line, what };
        let mut journal = Self { path: path.to_owned(), file, entries: Vec::new() };
        let mut is_headed = false;
        for (at, text) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, text)| !text.is_empty())
        {
            let line: Line = serde_json::from_slice(text).map_err(|error| bad(at + 1, error.to_string()))?;
            match line {
                Line::Head { version, .. } if version != VERSION => {
                    let what = format!(
                        "is of version {version}, this tauto knows {VERSION}; restore with the one that tuned"
                    );
                    return Err(bad(at + 1, what));
                }
                Line::Head { boot_id: made_in, .. } if made_in != boot_id => return Ok(None),
                Line::Head { .. } => is_headed = true,
                _ if !is_headed => return Err(bad(at + 1, "comes before the head".to_owned())),
                line => journal.replay(line).map_err(|what| bad(at + 1, what))?,
            }
        }
        Ok(is_headed.then_some(journal))
    }

    /// Makes a new record, replacing one of an earlier boot.
    pub(super) fn create(path: &Path, boot_id: &str) -> Result<Self, TuneError> {
        let failed = |what| move |source| TuneError::Record { what, path: path.to_owned(), source };
        let fresh = path.with_extension("new");
        let head = Line::Head { version: VERSION, boot_id: boot_id.to_owned() };
        let make = || -> io::Result<()> {
            let mut file = own_file::create(&fresh)?;
            file.write_all(text(&[head])?.as_bytes())?;
            file.sync_all()?;
            fs::rename(&fresh, path)?;
            sync_folder(path)
        };
        make().map_err(failed("write the record"))?;
        let file = own_file::append(path).map_err(failed("open the record"))?;
        Ok(Self { path: path.to_owned(), file, entries: Vec::new() })
    }

    pub(super) fn plan(
        &mut self,
        steps: impl IntoIterator<Item = (String, Change)>,
    ) -> Result<(), TuneError> {
        let lines: Vec<_> = steps
            .into_iter()
            .filter(|(_, change)| self.entry(&change.path).is_none())
            .map(|(id, Change { path, before, write_back, value })| Line::Step {
                id,
                path,
                before,
                write_back,
                value,
            })
            .collect();
        self.append(lines)
    }

    pub(super) fn begun(&mut self, path: &str) -> Result<(), TuneError> {
        self.append(vec![Line::Begun { path: path.to_owned() }])
    }

    pub(super) fn done(&mut self, path: &str, holds: &str) -> Result<(), TuneError> {
        self.append(vec![Line::Done { path: path.to_owned(), holds: holds.to_owned() }])
    }

    pub(super) fn refused(&mut self, path: &str) -> Result<(), TuneError> {
        self.append(vec![Line::Refused { path: path.to_owned() }])
    }

    pub(super) fn restored(&mut self, path: &str) -> Result<(), TuneError> {
        self.append(vec![Line::Restored { path: path.to_owned() }])
    }

    pub(super) fn remove(self) -> Result<(), TuneError> {
        remove(&self.path)
    }

    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.change.path == path)
    }

    fn append(&mut self, lines: Vec<Line>) -> Result<(), TuneError> {
        if lines.is_empty() {
            return Ok(());
        }
        let write = |mut file: &File| {
            file.write_all(text(&lines)?.as_bytes())?;
            file.sync_data()
        };
        write(&self.file).map_err(|source| TuneError::Record {
            what: "write the record",
            path: self.path.clone(),
            source,
        })?;
        for line in lines {
            self.replay(line).map_err(|what| TuneError::BadRecord {
                path: self.path.clone(),
                line: 0,
                what,
            })?;
        }
        Ok(())
    }

    fn replay(&mut self, line: Line) -> Result<(), String> {
        let mut progress = |path: &str, progress| {
            let entry = self.entries.iter_mut().find(|entry| entry.change.path == path);
            entry.ok_or_else(|| format!("names {path}, which no earlier line plans"))?.progress = progress;
            Ok(())
        };
        match line {
            Line::Head { .. } => Ok(()),
            Line::Step { id, path, before, write_back, value } => {
                let outside = !PLACES.iter().any(|place| path.starts_with(place));
                if outside || Path::new(&path).components().any(|part| part.as_os_str() == "..") {
                    return Err(format!("names {path}, which is no setting"));
                }
                let change = Change { path, before, write_back, value };
                self.entries.push(Entry { id, change, progress: Progress::Planned });
                Ok(())
            }
            Line::Begun { path } => progress(&path, Progress::Begun),
            Line::Done { path, holds } => progress(&path, Progress::Done(holds)),
            Line::Refused { path } => progress(&path, Progress::Refused),
            Line::Restored { path } => {
                self.entries.retain(|entry| entry.change.path != path);
                Ok(())
            }
        }
    }
}

pub(super) fn remove(path: &Path) -> Result<(), TuneError> {
    let removed = match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => sync_folder(path),
    };
    removed.map_err(|source| TuneError::Record { what: "remove the record", path: path.to_owned(), source })
}

fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn text(lines: &[Line]) -> io::Result<String> {
    lines.iter().map(|line| Ok(serde_json::to_string(line)? + "\n")).collect()
}
