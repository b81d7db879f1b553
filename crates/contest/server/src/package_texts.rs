//! Texts of single cases, read out of a stored package without unpacking it.

use crate::{App, Problem};
use ::documents::contest::{CaseText, CaseTexts};
use std::io::{Error, ErrorKind, Read, Result as IoResult, Seek, SeekFrom};
use store::BlobHash;
use zip::ZipArchive;

/// What is read of a blob at once.
const PIECE_BYTES: u64 = 64 << 10;

/// Returns the beginning of a case's input and answer; `case` is its path below `data/`, such as `secret/03`.
pub fn of_case(app: &App, package: &BlobHash, case: &str, bytes_max: u64) -> Result<CaseTexts, Problem> {
    let size = app.blobs.size(package)?.ok_or_else(|| Problem::not_found("package", package))?;
    let content = Stored { app, hash: *package, size, position: 0, piece: (0, Vec::new()) };
    let mut archive = ZipArchive::new(content).map_err(Problem::internal)?;
    let mut text = |ending: &str| -> Result<Option<CaseText>, Problem> {
        let wanted = format!("data/{case}.{ending}");
        // The package may be in a folder of the archive.
        let is_it = |name: &String| {
            name.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let names = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
        let name = names.filter(is_it).min_by_key(String::len);
        name.map(|name| {
            let entry = archive.by_name(&name).map_err(Problem::internal)?;
            let size_bytes = entry.size();
            let mut bytes = Vec::new();
            entry.take(bytes_max).read_to_end(&mut bytes).map_err(Problem::internal)?;
            let is_cut = (bytes.len() as u64) < size_bytes;
            Ok(CaseText { size_bytes, is_cut, text: String::from_utf8_lossy(&bytes).into_owned() })
        })
        .transpose()
    };
    let texts = CaseTexts { input: text("in")?, answer: text("ans")? };
    match texts.input {
        Some(_) => Ok(texts),
        None => Err(Problem::not_found("case", case)),
    }
}

/// A blob in which one can go back and forth.
struct Stored<'a> {
    app: &'a App,
    hash: BlobHash,
    size: u64,
    position: u64,
    /// What was read last, and where it begins.
    piece: (u64, Vec<u8>),
}

impl Read for Stored<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let (begin, piece) = &self.piece;
        let is_in = (*begin..begin + piece.len() as u64).contains(&self.position);
        if !is_in && self.position < self.size {
            let range = self.position..(self.position + PIECE_BYTES).min(self.size);
            let mut reader = self.app.blobs.get(&self.hash, Some(range)).map_err(Error::other)?;
            let mut piece = Vec::new();
            reader.read_to_end(&mut piece)?;
            self.piece = (self.position, piece);
        }
        let (begin, piece) = &self.piece;
        let at = usize::try_from(self.position.saturating_sub(*begin)).unwrap_or(usize::MAX);
        let rest = piece.get(at..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Stored<'_> {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}
