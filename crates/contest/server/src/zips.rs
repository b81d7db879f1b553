//! ZIP archives that are made while they are sent: the same content is the same bytes, and only a piece is in memory.

use crate::{App, Problem, Shared};
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use contest_rules::BlobHash;
use std::collections::BTreeSet;
use std::io::{Error, Read, Write};
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, StreamWriter};

const PIECE_BYTES: usize = 128 << 10;
/// Pieces between the archive and the network.
const PIECES: usize = 4;
/// From this size on an entry needs the long form of a length.
const LARGE_FROM: u64 = u32::MAX as u64 / 2;
/// Fixed, since the level is part of the bytes.
const LEVEL: i64 = 6;
/// The lowest level at which contents that are compressed already do not grow. Without compression readers of streams could not
/// tell where a content ends.
const LEVEL_OF_COMPRESSED: i64 = 2;
/// Contents that are compressed already.
const IS_COMPRESSED: [&str; 7] = [".zip", ".png", ".jpg", ".jpeg", ".gz", ".pdf", ".mp4"];

/// Where an archive goes.
pub enum Target {
    Client(Pieces),
    /// Into memory, if it is small.
    Memory(Vec<u8>),
}

/// Collects small writes, and waits until the client has taken the pieces before.
pub struct Pieces {
    sender: mpsc::Sender<Result<Bytes, Problem>>,
    piece: Vec<u8>,
}

impl Pieces {
    fn send(&mut self) -> Result<(), Error> {
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
        let sent = self.sender.blocking_send(Ok(piece.into()));
        sent.map_err(|_| Error::other("the client takes no more"))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        match self {
            Self::Memory(content) => content.extend_from_slice(bytes),
            Self::Client(pieces) => {
                pieces.piece.extend_from_slice(bytes);
                if pieces.piece.len() >= PIECE_BYTES {
                    pieces.send()?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// An archive that is being made.
pub struct Zip {
    writer: zip::ZipWriter<StreamWriter<Target>>,
    names: BTreeSet<String>,
}

impl Zip {
    fn new(target: Target) -> Self {
        Self { writer: zip::ZipWriter::new_stream(target), names: BTreeSet::new() }
    }

    fn begin(&mut self, name: &str, size_bytes: u64) -> Result<(), Problem> {
        let is_compressed = IS_COMPRESSED.iter().any(|ending| name.ends_with(ending));
        // Without the time of day and the system's rights.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(if is_compressed { LEVEL_OF_COMPRESSED } else { LEVEL }))
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o644)
            .large_file(size_bytes >= LARGE_FROM);
        if !self.names.insert(name.to_owned()) {
            return Err(Problem::internal(format!("'{name}' would stand twice in an archive")));
        }
        self.writer.start_file(name, options).map_err(Problem::internal)
    }

    pub fn bytes(&mut self, name: &str, content: &[u8]) -> Result<(), Problem> {
        self.begin(name, content.len() as u64)?;
        self.writer.write_all(content).map_err(Problem::internal)
    }

    /// Adds a file of lines that are made one by one; it may have any length.
    pub fn lines(&mut self, name: &str) -> Result<&mut impl Write, Problem> {
        self.begin(name, LARGE_FROM)?;
        Ok(&mut self.writer)
    }

    pub fn json(&mut self, name: &str, document: &impl serde::Serialize) -> Result<(), Problem> {
        self.bytes(name, &document_text(document)?)
    }

    /// Adds a file whose content is read piece by piece.
    pub fn read(&mut self, name: &str, size_bytes: u64, content: &mut dyn Read) -> Result<(), Problem> {
        self.begin(name, size_bytes)?;
        std::io::copy(content, &mut self.writer).map(|_| ()).map_err(Problem::internal)
    }

    pub fn blob(&mut self, app: &App, name: &str, hash: &BlobHash) -> Result<(), Problem> {
        let mut content = app.blobs.get(&hash.0.parse().map_err(Problem::internal)?, None)?;
        let size = content.range.end - content.range.start;
        self.read(name, size, &mut content)
    }

    fn finish(self) -> Result<Target, Problem> {
        Ok(self.writer.finish().map_err(Problem::internal)?.into_inner())
    }
}

/// Returns the text of a document in an archive.
pub fn document_text(document: &impl serde::Serialize) -> Result<Vec<u8>, Problem> {
    let mut text = serde_json::to_vec_pretty(document).map_err(Problem::internal)?;
    text.push(b'\n');
    Ok(text)
}

/// Makes a small archive in memory.
pub fn in_memory(build: impl FnOnce(&mut Zip) -> Result<(), Problem>) -> Result<Vec<u8>, Problem> {
    let mut zip = Zip::new(Target::Memory(Vec::new()));
    build(&mut zip)?;
    match zip.finish()? {
        Target::Memory(bytes) => Ok(bytes),
        Target::Client(_) => Err(Problem::internal("an archive went elsewhere")),
    }
}

/// Answers with an archive that is made while it is sent. When making it fails before the first piece that is the answer; later the
/// connection is cut, so that its client sees that something is missing.
pub async fn answer(
    app: &Shared,
    filename: &str,
    build: impl FnOnce(&App, &mut Zip) -> Result<(), Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let place = super::handlers::blobs::place(app).await?;
    let (sender, mut pieces) = mpsc::channel(PIECES);
    let app = app.clone();
    tokio::task::spawn_blocking(move || {
        let _place = place;
        let mut zip = Zip::new(Target::Client(Pieces { sender: sender.clone(), piece: Vec::new() }));
        let made = build(&app, &mut zip).and_then(|()| zip.finish()).and_then(|target| match target {
            Target::Client(mut pieces) => pieces.send().map_err(Problem::internal),
            Target::Memory(_) => Ok(()),
        });
        if let Err(problem) = made {
            tracing::warn!(reason = problem.detail(), "an archive could not be sent whole");
            let _ = sender.blocking_send(Err(problem));
        }
    });
    let first = pieces.recv().await.ok_or_else(|| Problem::internal("an archive has no bytes"))??;
    let rest = ReceiverStream::new(pieces)
        .map(|piece| piece.map_err(|_| Error::other("the archive could not be made")));
    let mut response = Response::new(Body::from_stream(tokio_stream::once(Ok(first)).chain(rest)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    let disposition = format!("attachment; filename=\"{}\"", super::handlers::blobs::safe_name(filename));
    headers.extend(HeaderValue::from_str(&disposition).map(|value| (header::CONTENT_DISPOSITION, value)));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn compressed_entries_are_stored_as_they_are() {
        let mut state = 1_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .take(1 << 20)
        .collect();
        let made = in_memory(|zip| zip.bytes("a.zip", &noise)).unwrap();
        assert!(made.len() < noise.len() + noise.len() / 1000, "{}", made.len());
    }

    #[test]
    fn the_same_files_are_the_same_bytes() {
        let make = || {
            in_memory(|zip| {
                zip.bytes("a/one.txt", b"one")?;
                zip.read("b.zip", 4, &mut Cursor::new(b"PK\x05\x06"))?;
                zip.json("c.json", &serde_json::json!({"id": 1}))
            })
        };
        let (first, second) = (make().unwrap(), make().unwrap());
        assert_eq!(first, second);
        let mut archive = zip::ZipArchive::new(Cursor::new(first)).unwrap();
        let names: Vec<String> = archive.file_names().map(|name| name.unwrap().to_string()).collect();
        assert_eq!(names, ["a/one.txt", "b.zip", "c.json"]);
        let mut text = String::new();
        archive.by_name("a/one.txt").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "one");
    }
}
