//! Reading a document that anybody may have made, without taking more memory than its size allows.
//!
//! An object takes about a hundred bytes and can be written in two, and a stream of objects unpacks to a thousand times its size.
//! So objects are counted before they are read: those in plain sight by how their text can be cut, those in streams when the
//! reader comes to them.

use super::PdfError;
use lopdf::{Document, LoadOptions, Object, ObjectId};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Objects of a set of statements, however small; one of 20 pages has some thousands.
const OBJECTS_BASE: usize = 1 << 20;
/// Streams are counted like text; random bytes look like an object in 15 bytes.
const BYTES_PER_OBJECT: usize = 12;
/// Of a stream of objects, or of positions. Programs put some hundred objects into one.
const STREAM_BYTES_MAX: usize = 512 << 10;
/// Each can have its own table of positions.
const UPDATES_MAX: usize = 32;

thread_local! {
    /// What the document that is read on this thread may still have; the reader's filter has no other way to know it.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

struct TooMany;

/// Objects that documents may have together.
pub struct Budget(usize);

impl Budget {
    /// Returns what documents of this length may have.
    pub fn of(bytes: usize) -> Self {
        Self(OBJECTS_BASE + bytes / BYTES_PER_OBJECT)
    }

    pub fn load(&mut self, number: usize, bytes: &[u8]) -> Result<Document, PdfError> {
        let names = Names::of(bytes);
        if names.has_encryption {
            return Err(PdfError::Encrypted(number));
        }
        if names.updates > UPDATES_MAX || objects_in(bytes) > self.0 {
            return Err(PdfError::TooComplex(number));
        }
        LEFT.set(self.0);
        let options = LoadOptions {
            filter: Some(count),
            max_decompressed_size: Some(STREAM_BYTES_MAX),
            ..LoadOptions::default()
        };
        let read = catch_unwind(AssertUnwindSafe(|| Document::load_mem_with_options(bytes, options)));
        self.0 = LEFT.get();
        match read {
            Ok(read) => read.map_err(|error| PdfError::Unreadable(number, error)),
            Err(_) => Err(PdfError::TooComplex(number)),
        }
    }
}

/// Counts an object that was read, and ends the reading when there are too many.
fn count(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let inside = match object {
        Object::Stream(stream) if stream.dict.has_type(b"ObjStm") => {
            // The reader unpacks it next, as often as something refers to it.
            let unpacked = stream.decompressed_content_with_limit(STREAM_BYTES_MAX);
            unpacked.map_or(0, |content| objects_in(&content))
        }
        _ => 0,
    };
    let Some(left) = LEFT.get().checked_sub(inside + size(object)) else { resume_unwind(Box::new(TooMany)) };
    LEFT.set(left);
    // Of a stream only whether it stays is checked; what is in a stream of objects is no stream.
    let kept = if matches!(object, Object::Stream(_)) { Object::Null } else { object.clone() };
    Some((id, kept))
}

fn size(object: &Object) -> usize {
    match object {
        Object::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Object::Dictionary(entries) => 1 + entries.iter().map(|(_, value)| 1 + size(value)).sum::<usize>(),
        Object::Stream(stream) => {
            1 + stream.dict.iter().map(|(_, value)| 1 + size(value)).sum::<usize>()
                + stream.content.len() / BYTES_PER_OBJECT
        }
        Object::String(text, _) => 1 + text.len() / BYTES_PER_OBJECT,
        _ => 1,
    }
}

/// Returns the most objects that a text can be read as.
fn objects_in(text: &[u8]) -> usize {
    let mut count = 0;
    let mut before = b' ';
    for (at, byte) in text.iter().copied().enumerate() {
        let begins = match byte {
            b'[' | b'(' | b'<' | b'/' | b'+' | b'-' | b'.' => true,
            b'0'..=b'9' => !before.is_ascii_digit() && !matches!(before, b'+' | b'-' | b'.' | b'/'),
            // These need nothing between them.
            b'n' | b't' | b'f' => {
                [&b"null"[..], b"true", b"false"].iter().any(|word| text[at..].starts_with(word))
            }
            b'R' => true,
            _ => false,
        };
        count += usize::from(begins);
        before = byte;
    }
    count
}

/// What the names in a document say.
#[derive(Debug, PartialEq, Eq)]
struct Names {
    updates: usize,
    has_encryption: bool,
}

impl Names {
    fn of(bytes: &[u8]) -> Self {
        let mut found = Self { updates: 0, has_encryption: false };
        let slashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (at, _) in slashes {
            let (name, length) = name(&bytes[at + 1..]);
            match &name[..] {
                b"Encrypt" => found.has_encryption = true,
                b"Prev" | b"XRefStm" if !is_reference(&bytes[at + 1 + length..]) => found.updates += 1,
                _ => {}
            }
        }
        found
    }
}

/// Returns the beginning of a name, with what is written as `#41`, and the length of what was read.
fn name(text: &[u8]) -> (Vec<u8>, usize) {
    const LENGTH_MAX: usize = 8;
    let (mut name, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.get(at).filter(|_| name.len() < LENGTH_MAX) {
        if byte.is_ascii_whitespace() || b"\0()<>[]{}/%".contains(byte) {
            break;
        }
        let digits = text.get(at + 1..at + 3).filter(|_| *byte == b'#');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        name.push(escaped.unwrap_or(*byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    (name, at)
}

/// Returns whether a text begins with something like `5 0 R`: of an outline, not of a table.
fn is_reference(text: &[u8]) -> bool {
    let text = &text[..text.len().min(32)];
    let mut words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let is_number = |word: Option<&[u8]>| word.is_some_and(|word| word.iter().all(u8::is_ascii_digit));
    is_number(words.next())
        && is_number(words.next())
        && words.next().is_some_and(|word| word.starts_with(b"R"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::tests::sample;
    use lopdf::{Stream, dictionary};

    fn load(bytes: &[u8]) -> Result<Document, PdfError> {
        Budget::of(bytes.len()).load(1, bytes)
    }

    #[test]
    fn objects_are_counted_by_their_text() {
        let check = |text: &str, expect: usize| assert_eq!(objects_in(text.as_bytes()), expect, "{text}");
        check("[0 0 0]", 4);
        check("[0-0.5+0]", 5);
        check("nullnulltruefalse", 4);
        check("<</Type/Page>>", 4);
        check("()()[][]", 4);
        check("5 0 R", 3);
    }

    #[test]
    fn names_are_read_as_the_reader_reads_them() {
        let check = |text: &str, updates: usize, has_encryption: bool| {
            assert_eq!(Names::of(text.as_bytes()), Names { updates, has_encryption }, "{text}");
        };
        check("<</Prev 12>>", 1, false);
        check("<</Pr#65v 12/XRefStm 5>>", 2, false);
        check("<</Prev 5 0 R/Next 6 0 R>>", 0, false);
        check("<</#45ncrypt 5 0 R>>", 0, true);
        check("<</Previous 12/EncryptMetadata true>>", 0, false);
    }

    /// Returns a document with streams of objects, each with this text.
    fn with_objects(text: &[u8], streams: usize) -> Vec<u8> {
        let mut stream =
            Stream::new(dictionary! { "Type" => "ObjStm", "N" => 1, "First" => 5 }, text.to_vec());
        stream.compress().unwrap();
        let mut bytes = b"%PDF-1.5\n".to_vec();
        let mut places = Vec::new();
        let mut add = |content: &[u8]| {
            places.push(bytes.len());
            let head = format!("{} 0 obj\n", places.len());
            bytes.extend([head.as_bytes(), content, b"\nendobj\n"].concat());
        };
        add(b"<</Type/Catalog/Pages 2 0 R>>");
        add(b"<</Type/Pages/Kids[3 0 R]/Count 1>>");
        add(b"<</Type/Page/Parent 2 0 R>>");
        for _ in 0..streams {
            let head = format!(
                "<</Type/ObjStm/N 1/First 5/Filter/FlateDecode/Length {}>>stream\n",
                stream.content.len()
            );
            add(&[head.as_bytes(), &stream.content, b"\nendstream"].concat());
        }
        let at = bytes.len();
        let size = places.len() + 1;
        let places: String = places.iter().map(|place| format!("{place:010} 00000 n \n")).collect();
        let table = format!("xref\n0 {size}\n0000000000 65535 f \n{places}");
        let end = format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n");
        bytes.extend([table.as_bytes(), end.as_bytes()].concat());
        bytes
    }

    #[test]
    fn a_small_document_of_many_objects_is_refused() {
        assert!(load(&sample(3, "text")).is_ok());
        let many = |count: usize| [b"99 0 [".to_vec(), b"0 ".repeat(count), b"]".to_vec()].concat();
        let read = load(&with_objects(&many(300), 1)).unwrap();
        assert_eq!(read.get_object((99, 0)).unwrap().as_array().unwrap().len(), 300);
        let long = load(&with_objects(&many(10 << 20), 1));
        assert!(matches!(long, Err(PdfError::Unreadable(1, _))), "a stream that unpacks to much");
        let bytes = with_objects(&many(200_000), 10);
        assert!(bytes.len() < 50_000 && matches!(load(&bytes), Err(PdfError::TooComplex(1))));
        let plain = [b"%PDF-1.5\n1 0 obj\n".to_vec(), many(2 << 20)].concat();
        assert!(matches!(load(&plain), Err(PdfError::TooComplex(1))));
    }

    #[test]
    fn a_chain_of_tables_is_refused() {
        let mut bytes = sample(1, "text");
        bytes.extend(b"trailer <</Prev 9>>\n".repeat(UPDATES_MAX + 1));
        assert!(matches!(load(&bytes), Err(PdfError::TooComplex(1))));
    }
}
