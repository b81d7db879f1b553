//! The lines of a record as bytes, and the hash that links each to the line before.

use documents::{Document, RecordEnd, RecordEntry, RecordLine};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, Read};

/// A line usually has some KiB; with a compiler's output or a validator's message, some hundred KiB.
pub const LINE_BYTES_MAX: u64 = 64 << 20;

pub struct RawLine {
    /// Its bytes without the newline.
    pub bytes: Vec<u8>,
    /// Whether it ends with a newline; otherwise it was cut off.
    pub is_whole: bool,
}

pub fn next_line(reader: &mut impl BufRead) -> io::Result<Option<RawLine>> {
    let mut bytes = Vec::new();
    reader.take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let is_whole = bytes.last() == Some(&b'\n');
    if is_whole {
        bytes.pop();
    } else if bytes.len() as u64 == LINE_BYTES_MAX {
        let why = format!("it has a line of more than {} MiB, which no record has", LINE_BYTES_MAX >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(Some(RawLine { bytes, is_whole }))
}

/// The state at the end of a record: makes further lines that are linked to those before, wherever they are stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// The number of the last line; 0 if there is no line.
    sequence: u64,
    /// The hash of that line; empty if there is no line.
    hash: String,
    /// The lines of the present judging.
    written: RecordEnd,
}

impl Chain {
    /// Returns the number of the last line; 0 if there is no line.
    pub fn lines(&self) -> u64 {
        self.sequence
    }

    /// Returns the SHA-256 of the last line without its newline, in hexadecimal digits; empty if there is no line.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Makes the next line, with its newline.
    pub fn line(&mut self, entry: RecordEntry) -> Vec<u8> {
        match &entry {
            RecordEntry::Begin(_) => self.written = RecordEnd::default(),
            RecordEntry::Case(_) => self.written.cases += 1,
            RecordEntry::Submission(_) => self.written.submissions += 1,
            RecordEntry::LeftOut(one) => self.written.not_judged.push(one.clone()),
            RecordEntry::End(_) => {}
        }
        let line =
            RecordLine { sequence: self.sequence + 1, previous: std::mem::take(&mut self.hash), entry };
        let mut bytes = documents::to_json_line(&line).into_bytes();
        self.sequence = line.sequence;
        self.hash = line_hash(&bytes);
        bytes.push(b'\n');
        bytes
    }

    /// Returns the end of the judging whose lines were made since its beginning.
    pub fn end(&self) -> RecordEntry {
        RecordEntry::End(self.written.clone())
    }
}

/// Hashes a line as the next line stores it.
pub fn line_hash(line: &[u8]) -> String {
    Sha256::digest(line).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The end of a file to which lines are to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// The chain of its whole lines.
    pub chain: Chain,
    pub whole_bytes: u64,
    /// The size of the incomplete line after them.
    pub torn_bytes: u64,
}

/// Finds the end of the last whole line.
///
/// # Errors
/// When it is no line of a record, or the text after it is not the beginning of one: then the file is something else.
pub fn tail(mut reader: impl BufRead) -> Result<Tail, String> {
    let (mut last, mut rest) = (None, Vec::new());
    let (mut lines, mut whole_bytes) = (0, 0);
    while let Some(line) = next_line(&mut reader).map_err(|error| format!("line {}: {error}", lines + 1))? {
        if line.is_whole {
            lines += 1;
            whole_bytes += line.bytes.len() as u64 + 1;
            last = Some(line.bytes);
        } else {
            rest = line.bytes;
        }
    }
    let mut chain = Chain::default();
    if let Some(last) = last {
        let line = documents::from_json::<RecordLine>(&String::from_utf8_lossy(&last))
            .map_err(|error| format!("its last line, {lines}, is not one of a record: {error}"))?;
        chain = Chain { sequence: line.sequence, hash: line_hash(&last), ..Chain::default() };
    }
    if !begins_a_line(&rest) {
        return Err(format!("the text at its end, in line {}, is not a record's line", lines + 1));
    }
    Ok(Tail { chain, whole_bytes, torn_bytes: rest.len() as u64 })
}

/// Returns whether this is the beginning of a record's line, as far as it goes.
pub fn begins_a_line(bytes: &[u8]) -> bool {
    let start = format!("{{\"schema\":\"{}\"", RecordLine::SCHEMA);
    let common = bytes.len().min(start.len());
    bytes[..common] == start.as_bytes()[..common]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_or_cut_off() {
        let mut text: &[u8] = b"one\n\ntwo";
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut text).unwrap() {
            lines.push((String::from_utf8(line.bytes).unwrap(), line.is_whole));
        }
        assert_eq!(lines, [("one".to_owned(), true), (String::new(), true), ("two".to_owned(), false)]);
        assert_eq!(line_hash(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        assert!(next_line(&mut endless).is_err());
    }

    #[test]
    fn a_line_is_known_by_its_beginning() {
        assert!(begins_a_line(b"{\"sch"));
        assert!(begins_a_line(b"{\"schema\":\"tautochrone/judge-record/2\",\"sequence\":1"));
        assert!(!begins_a_line(b"{\"schema\":\"tautochrone/judge-record/1\""));
        assert!(!begins_a_line(b"notes"));
    }
}
