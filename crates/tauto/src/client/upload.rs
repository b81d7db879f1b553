//! Sends packages.

use super::{Client, segment};
use anyhow::Context;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Returns the SHA-256 hash of a file and its size.
///
/// # Errors
/// When it cannot be read.
pub fn hash_of(file: &mut File) -> anyhow::Result<(String, u64)> {
    file.seek(SeekFrom::Start(0)).context("cannot read the archive")?;
    let (mut digest, mut size) = (Sha256::new(), 0);
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part).context("cannot read the archive")? {
            0 => break,
            read => {
                digest.update(&part[..read]);
                size += read as u64;
            }
        }
    }
    Ok((digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect(), size))
}

/// Sends a package as it is read from the disk, and returns what the server says of it.
///
/// # Errors
/// When the file cannot be read, or the server refuses it.
pub fn send_package(
    client: &Client,
    file: &mut File,
    name: &str,
    progress: &mut dyn FnMut(u64, u64),
) -> anyhow::Result<api::contest::PackageReport> {
    let size = file.metadata().context("cannot read the archive")?.len();
    file.seek(SeekFrom::Start(0)).context("cannot read the archive")?;
    let mut content = Counted { file, done: 0, size, progress };
    client.send_content(&format!("packages?name={}", segment(name)), "application/zip", &mut content)
}

/// A file that tells how far it was read.
struct Counted<'c> {
    file: &'c mut File,
    done: u64,
    size: u64,
    progress: &'c mut dyn FnMut(u64, u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.done += read as u64;
        (self.progress)(self.done, self.size);
        Ok(read)
    }
}
