//! Backups of a server that goes on meanwhile, and restoring them.
//!
//! A backup is a folder: `log-N-HASH.sqlite` is the log up to event N with the jobs that waited, `blobs/` has every content that this log
//! names, and `backup.json`, which is written last, says which log counts. So a backup that was interrupted is the one of before.

mod files;

use crate::clock;
use contest_rules::{BlobHash, Event, Instant, State};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use store::snapshot::{Restoring, Snapshot};
use store::{BlobError, Blobs, StoreAddress, StoreError};

const FORMAT: u32 = 1;
const MANIFEST: &str = "backup.json";
/// Some megabytes at once.
const PAGE: usize = 10_000;
/// A contest can be removed while its contents are copied; then the next log does not name them.
const ATTEMPTS: u32 = 3;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub tauto_version: String,
    /// When it was made (milliseconds since 1970).
    pub made_unix_ms: i64,
    pub log: String,
    pub log_sha256: String,
    /// The last event in it.
    pub events: u64,
    /// How many contents it names.
    pub blobs: u64,
    /// Their lengths.
    pub blob_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackedUp {
    pub manifest: Manifest,
    /// How many contents were copied now; the others were there.
    pub copied: u64,
    /// Their lengths.
    pub copied_bytes: u64,
}

/// Up to where a backup is restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    End,
    /// An event, and what came before.
    Event(u64),
    /// What happened until then.
    Time(Instant),
}

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Blob(#[from] BlobError),
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{} has no complete backup: {reason}", folder.display())]
    Incomplete {
        folder: PathBuf,
        /// What is missing.
        reason: String,
    },
    #[error("event {seq} of the log cannot be read: use the release that wrote it, or a newer one")]
    Event { seq: u64, source: serde_json::Error },
    #[error("the backup has {events} events, and begins later than that or ends before")]
    NoSuchPosition {
        /// Its last event.
        events: u64,
    },
}

/// Makes a backup of a store in a folder, or brings the one that is there up to date.
/// After an error the backup of before is still there.
pub fn back_up(address: &StoreAddress, folder: &Path) -> Result<BackedUp, BackupError> {
    let _lock = files::lock(folder)?;
    let blobs = store::open_blobs(address)?;
    let mut attempt = 1;
    loop {
        match try_back_up(address, blobs.as_ref(), folder) {
            Err(BackupError::Blob(BlobError::NotFound(_))) if attempt < ATTEMPTS => attempt += 1,
            other => return other,
        }
    }
}

fn try_back_up(address: &StoreAddress, blobs: &dyn Blobs, folder: &Path) -> Result<BackedUp, BackupError> {
    let part = folder.join("log.part");
    files::remove(&part)?;
    files::make_private(&part)?;
    let taken = store::snapshot::take(address, &part);
    if taken.is_err() {
        files::remove(&part)?;
    }
    taken?;
    let state = fold(&Snapshot::open(&part)?, Until::End)?;
    let (mut copied, mut copied_bytes, mut all, mut all_bytes) = (0, 0, 0, 0);
    for hash in hashes(&state)? {
        let (size_bytes, is_new) = files::copy_blob(blobs, &hash, folder)?;
        all += 1;
        all_bytes += size_bytes;
        if is_new {
            copied += 1;
            copied_bytes += size_bytes;
        }
    }
    let log_sha256 = files::sha256(&part)?;
    let log = log_name(state.seq(), &log_sha256);
    files::rename(&part, &folder.join(&log))?;
    let manifest = Manifest {
        format: FORMAT,
        tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
        made_unix_ms: clock::system_now().0,
        log_sha256,
        log,
        events: state.seq(),
        blobs: all,
        blob_bytes: all_bytes,
    };
    files::write_manifest(folder, &manifest)?;
    files::remove_other_logs(folder, &manifest.log)?;
    Ok(BackedUp { manifest, copied, copied_bytes })
}

/// Reads a whole backup, and returns what it has if nothing is missing or damaged.
pub fn verify(folder: &Path) -> Result<(Manifest, State), BackupError> {
    let manifest = manifest(folder)?;
    let state = fold(&Snapshot::open(&folder.join(&manifest.log))?, Until::End)?;
    if state.seq() != manifest.events {
        let reason = format!("the log has {} events instead of {}", state.seq(), manifest.events);
        return Err(incomplete(folder, reason));
    }
    for hash in hashes(&state)? {
        files::check_blob(folder, &hash)?;
    }
    Ok((manifest, state))
}

fn manifest(folder: &Path) -> Result<Manifest, BackupError> {
    let manifest = files::read_manifest(folder)?;
    if manifest.format != FORMAT {
        return Err(incomplete(folder, format!("its format is {}, not {FORMAT}", manifest.format)));
    }
    if manifest.log != log_name(manifest.events, &manifest.log_sha256) {
        let reason =
            format!("{MANIFEST} names '{}' as its log, which is no log of it", manifest.log.escape_debug());
        return Err(incomplete(folder, reason));
    }
    if files::sha256(&folder.join(&manifest.log))? != manifest.log_sha256 {
        return Err(incomplete(folder, "the log has another hash than it had".to_owned()));
    }
    Ok(manifest)
}

/// Two at the same position differ, in the jobs or in the order of pages: the one that counts must not be replaced.
fn log_name(events: u64, sha256: &str) -> String {
    format!("log-{events}-{}.sqlite", sha256.get(..16).unwrap_or(sha256).replace('/', ""))
}

fn incomplete(folder: &Path, reason: String) -> BackupError {
    BackupError::Incomplete { folder: folder.to_owned(), reason }
}

/// Restores a backup into a store that is new, and returns its state.
///
/// What waited to be judged is judged then, if all is restored. Of an earlier position nothing waits: it is for looking at, and is
/// judged again by a rejudging.
/// Fails when the backup is not complete, or the store is not new.
pub fn restore(folder: &Path, address: &StoreAddress, until: Until) -> Result<State, BackupError> {
    let manifest = manifest(folder)?;
    let log = folder.join(&manifest.log);
    let state = fold(&Snapshot::open(&log)?, until)?;
    let is_reached = match until {
        Until::End => state.seq() == manifest.events,
        Until::Event(event) => state.seq() == event,
        Until::Time(_) => true,
    };
    if !is_reached || state.seq() == 0 {
        return Err(BackupError::NoSuchPosition { events: manifest.events });
    }
    let restoring = Restoring::begin(address)?;
    for hash in hashes(&state)? {
        files::restore_blob(folder, &hash, restoring.blobs())?;
    }
    restoring.finish(&log, state.seq(), state.seq() == manifest.events)?;
    Ok(state)
}

/// Folds a log up to a position.
fn fold(log: &Snapshot, until: Until) -> Result<State, BackupError> {
    let mut state = State::default();
    loop {
        // What comes after is not read: it may be damaged.
        let max = match until {
            Until::Event(last) => last.saturating_sub(state.seq()).min(PAGE as u64) as usize,
            Until::End | Until::Time(_) => PAGE,
        };
        let page = log.events_after(state.seq(), max)?;
        if page.is_empty() {
            return Ok(state);
        }
        for stored in page {
            let event: Event = serde_json::from_str(&stored.body)
                .map_err(|source| BackupError::Event { seq: stored.seq, source })?;
            let is_after = match until {
                Until::End | Until::Event(_) => false,
                Until::Time(last) => event.time > last,
            };
            if is_after {
                return Ok(state);
            }
            state.apply(stored.seq, &event);
        }
    }
}

/// Returns the contents that a state names, each once.
fn hashes(state: &State) -> Result<Vec<store::BlobHash>, BackupError> {
    let damaged = |text: &str| StoreError::Damaged(format!("'{text}' is named as a content"));
    let mut all = Vec::new();
    for BlobHash(text) in state.blobs() {
        all.push(text.parse().map_err(|_| damaged(text))?);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
