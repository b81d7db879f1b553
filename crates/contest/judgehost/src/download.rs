//! Fetches blobs: packages into the cache, resumed after a cut, and sources into memory.

use crate::backoff::{Backoff, chance};
use crate::cache::{Cache, CachedPackage, hash_of, is_hash};
use crate::client::{BlobPart, CallError, Client};
use crate::error::{Failure, JudgehostError, reason};
use documents::judgehost::{BlobRef, Job};
use languages::SourceFile;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::Duration;

/// The largest package: the format's largest tests are 8 GB.
const PACKAGE_BYTES_MAX: u64 = 16 << 30;
/// All files of a submission together; limits on code are far lower, answers to output-only problems may be larger.
const SOURCES_BYTES_MAX: u64 = 256 << 20;
const SOURCES_MAX: usize = 1024;
const WRONG_MAX: u32 = 2;
/// Attempts on a full cache, while judgings that use it end.
const FULL_MAX: u32 = 100;
const ROOM_EVERY: Duration = Duration::from_millis(100);
const COPIED_BYTES: usize = 1 << 16;

/// Whether a fetch is still needed; waits as long as it is.
pub trait Wanted {
    fn is_wanted(&self) -> bool;
    /// Waits, or returns early if it is not wanted any more.
    fn pause(&self, duration: Duration);
    fn need_room(&self);
}

/// Fetches a package unless the cache has it. An unreachable server is asked again as long as the package is wanted.
pub fn package(
    client: &Client,
    cache: &Arc<Cache>,
    blob: &BlobRef,
    wanted: &dyn Wanted,
) -> Result<CachedPackage, Failure> {
    if !is_hash(&blob.hash) || blob.size_bytes > PACKAGE_BYTES_MAX {
        return Err(Failure::package("its hash is not valid, or it is too large"));
    }
    let ours = |error: JudgehostError| Failure::machine(reason(&error));
    let mut backoff = Backoff::default();
    let (mut wrong, mut full) = (0, 0);
    loop {
        if let Some(package) = cache.get(blob).map_err(ours)? {
            return Ok(package);
        }
        let path = match cache.part(blob) {
            Ok(path) => path,
            Err(_) if full < FULL_MAX && wanted.is_wanted() => {
                full += 1;
                wanted.need_room();
                wanted.pause(ROOM_EVERY);
                continue;
            }
            Err(error) => return Err(ours(error)),
        };
        let file = File::options().create(true).read(true).write(true).truncate(false).open(&path);
        let written = file.map_err(FetchError::Ours).and_then(|file| go_on(client, blob, file, &mut backoff));
        match written {
            Ok(()) => match cache.finish(blob).map_err(ours)? {
                Some(package) => return Ok(package),
                None if wrong < WRONG_MAX => wrong += 1,
                None => return Err(Failure::package("the server has other content under its hash")),
            },
            Err(FetchError::Ours(error)) => {
                return Err(Failure::machine(format!("cannot store a package: {error}")));
            }
            Err(FetchError::Theirs(CallError::Refused { status, detail })) => {
                return Err(Failure::package(format!("the server answered {status} for it: {detail}")));
            }
            Err(FetchError::Theirs(CallError::Unreachable(why))) => {
                if !wanted.is_wanted() {
                    return Err(Failure::judgement(format!("it was not fetched: {why}")));
                }
                wanted.pause(backoff.next(chance()));
            }
        }
    }
}

enum FetchError {
    Ours(io::Error),
    Theirs(CallError),
}

impl From<CallError> for FetchError {
    fn from(error: CallError) -> Self {
        Self::Theirs(error)
    }
}

/// Fetches what a file does not have yet.
fn go_on(client: &Client, blob: &BlobRef, mut file: File, backoff: &mut Backoff) -> Result<(), FetchError> {
    let have = file.metadata().map_err(FetchError::Ours)?.len();
    if have == blob.size_bytes {
        return Ok(());
    }
    let from = if have > blob.size_bytes { 0 } else { have };
    let (reader, from) = match client.blob(&blob.hash, from)? {
        BlobPart::Rest(reader) => (reader, from),
        BlobPart::Whole(reader) => (reader, 0),
        BlobPart::Nothing => (Box::new(io::empty()) as Box<dyn Read>, 0),
    };
    file.set_len(from).map_err(FetchError::Ours)?;
    file.seek(SeekFrom::Start(from)).map_err(FetchError::Ours)?;
    let copied = copy(reader, &mut file, blob.size_bytes - from)?;
    if copied > 0 {
        backoff.reset();
    }
    if from + copied == blob.size_bytes {
        return Ok(());
    }
    Err(CallError::Unreachable("the transfer was cut".to_owned()).into())
}

/// Copies at most `bytes_max` bytes; a reader that fails ends it, and what was copied counts.
fn copy(reader: Box<dyn Read>, file: &mut File, bytes_max: u64) -> Result<u64, FetchError> {
    let mut reader = reader.take(bytes_max);
    let mut buffer = vec![0; COPIED_BYTES];
    let mut copied = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) | Err(_) => return Ok(copied),
            Ok(count) => {
                file.write_all(&buffer[..count]).map_err(FetchError::Ours)?;
                copied += count as u64;
            }
        }
    }
}

pub fn sources(client: &Client, job: &Job, wanted: &dyn Wanted) -> Result<Vec<SourceFile>, Failure> {
    let size: u64 = job.files.iter().map(|file| file.size_bytes).fold(0, u64::saturating_add);
    if job.files.len() > SOURCES_MAX || size > SOURCES_BYTES_MAX {
        return Err(Failure::judgement("the submission has too many or too large files"));
    }
    job.files
        .iter()
        .map(|file| {
            let bytes = match file.size_bytes {
                0 => Vec::new(),
                size => small(client, &file.hash, size, wanted)?,
            };
            match is_hash(&file.hash) && hash_of(&bytes) == file.hash {
                true => Ok(SourceFile { name: file.name.clone(), bytes }),
                false => Err(Failure::judgement(format!("the server has other content for {}", file.name))),
            }
        })
        .collect()
}

fn small(client: &Client, hash: &str, size: u64, wanted: &dyn Wanted) -> Result<Vec<u8>, Failure> {
    if !is_hash(hash) {
        return Err(Failure::judgement("a file's hash is not valid"));
    }
    let mut backoff = Backoff::default();
    loop {
        let why = match client.blob(hash, 0) {
            Ok(BlobPart::Whole(reader)) => {
                let mut bytes = Vec::new();
                // One more byte shows that its length differs.
                let read = reader.take(size + 1).read_to_end(&mut bytes);
                match read {
                    Ok(_) if bytes.len() as u64 >= size => return Ok(bytes),
                    _ => "the transfer was cut".to_owned(),
                }
            }
            Ok(_) => "the server sent a part of the file".to_owned(),
            Err(CallError::Refused { status, detail }) => {
                return Err(Failure::judgement(format!(
                    "the server answered {status} for a source: {detail}"
                )));
            }
            Err(CallError::Unreachable(why)) => why,
        };
        if !wanted.is_wanted() {
            return Err(Failure::judgement(format!("its files were not fetched: {why}")));
        }
        wanted.pause(backoff.next(chance()));
    }
}
