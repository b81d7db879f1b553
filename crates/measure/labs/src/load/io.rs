//! The load that writes files.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is written at once.
const CHUNK_BYTES: usize = 1 << 20;
/// The size at which the file is written from its start again.
const CHUNKS: usize = 16;

/// Writes a file without a name, syncs it to disk, and starts again; counts bytes that are on disk.
///
/// Without a name the file disappears with the process, however that ends.
pub(super) fn work(folder: &Path, done: &AtomicU64) -> io::Error {
    let attempt = || -> io::Result<()> {
        let mut file: File = tempfile::tempfile_in(folder)?;
        let chunk = vec![0x5a; CHUNK_BYTES];
        loop {
            file.rewind()?;
            for _ in 0..CHUNKS {
                file.write_all(&chunk)?;
                file.sync_data()?;
                done.fetch_add(CHUNK_BYTES as u64, Ordering::Relaxed);
            }
        }
    };
    match attempt() {
        Err(error) => error,
        Ok(()) => unreachable!("the loop has no other way out"),
    }
}
