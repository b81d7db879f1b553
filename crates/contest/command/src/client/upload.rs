//! Sends packages in parts, and goes on where an upload was cut.

use super::{BYTES, Client, ClientError, read, segment};
use anyhow::Context;
use documents::contest::{NewUpload, PackageReport, Upload};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// Small enough that a cut costs little, large enough that requests do not.
const PART_BYTES: u64 = 4 << 20;
/// How often in a row a part is sent that does not arrive.
const ATTEMPTS_MAX: u32 = 5;

/// Returns the SHA-256 hash of a file and its size.
fn hash_of(file: &mut File) -> anyhow::Result<(String, u64)> {
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

/// Sends a package, or the rest of one that was cut before, and returns what the server says of it.
pub fn send_package(
    client: &Client,
    file: &mut File,
    name: &str,
    progress: &mut dyn FnMut(u64, u64),
) -> anyhow::Result<PackageReport> {
    let sha256 = send_content(client, file, progress)?;
    let path = format!("packages?name={}&uploaded={sha256}", segment(name));
    client.post_archive(&path)
}

/// Sends a content, or the rest of one that was cut before, and returns its hash.
pub fn send_content(
    client: &Client,
    file: &mut File,
    progress: &mut dyn FnMut(u64, u64),
) -> anyhow::Result<String> {
    let (sha256, size_bytes) = hash_of(file)?;
    let note = Note::of(client, &sha256);
    let before = note.read().and_then(|id| client.get(&format!("uploads/{}", segment(&id))).ok());
    let mut upload: Upload = match before {
        Some(upload) => upload,
        None => client.send_for("POST", "uploads", &NewUpload { sha256: sha256.clone(), size_bytes })?,
    };
    let mut failed = 0;
    while let Some(id) = upload.id.clone() {
        note.write(&id);
        progress(upload.received_bytes, size_bytes);
        match send_part(client, file, &id, upload.received_bytes) {
            Ok(after) => (upload, failed) = (after, 0),
            Err(error) if failed < ATTEMPTS_MAX && is_cut(&error) => {
                failed += 1;
                upload = client.get(&format!("uploads/{}", segment(&id)))?;
            }
            Err(error) => return Err(error),
        }
    }
    note.remove();
    Ok(sha256)
}

fn send_part(client: &Client, file: &mut File, id: &str, offset: u64) -> anyhow::Result<Upload> {
    file.seek(SeekFrom::Start(offset)).context("cannot read the archive")?;
    let mut part = Vec::new();
    file.take(PART_BYTES).read_to_end(&mut part).context("cannot read the archive")?;
    let path = format!("uploads/{}?offset_bytes={offset}", segment(id));
    read(&client.call("PATCH", &path, Some((BYTES, part)))?)
}

/// Returns whether a part may have arrived in spite of the error: the connection was cut, or the offset is another one.
fn is_cut(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(ClientError::Unreachable { .. } | ClientError::Refused { status: 409, .. })
    )
}

/// A file with the id of an upload that is not complete, for the next call. Without it the upload begins anew.
struct Note(Option<PathBuf>);

impl Note {
    fn of(client: &Client, hash: &str) -> Self {
        let server: String =
            client.base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Self(terminal::state::folder().map(|folder| folder.join("uploads").join(format!("{server}-{hash}"))))
    }

    fn read(&self) -> Option<String> {
        fs::read_to_string(self.0.as_ref()?).ok()
    }

    fn write(&self, id: &str) {
        let Some(path) = &self.0 else { return };
        if self.read().as_deref() != Some(id) {
            let _ = path.parent().map(fs::create_dir_all);
            let _ = fs::write(path, id);
        }
    }

    fn remove(&self) {
        let _ = self.0.as_ref().map(fs::remove_file);
    }
}
