//! The files of a submission: from a request, into blobs, and as a zip.

use crate::{App, Problem};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contest_rules::{BlobHash, SubmissionLimits, SubmittedFile};
use documents::contest::FileUpload;
use model::{Bytes, Message, Number, message};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;

/// Of a submission that comes from elsewhere.
const FILES_MAX: usize = 1000;
/// Contests can set less, not more.
pub const BYTES_MAX: u64 = 16 << 20;

/// How every zip with a file begins, in base64.
const ZIP_BEGIN: &str = "UEsD";

/// Returns the files of a request: each by itself, or one zip of all.
pub fn read(files: Vec<FileUpload>, limits: &SubmissionLimits) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let wrong = |message: Message| Problem::invalid_field("files", message);
    let bytes_max = limits.bytes.0.min(BYTES_MAX);
    if files.len() > limits.files as usize {
        return Err(wrong(message!(
            "too-many-files",
            "there are {count} files; at most {max} are allowed",
            count = Number(files.len()),
            max = limits.files
        )));
    }
    let mut decoded = Vec::new();
    // The standard asks for no type: without one, and without another name, what begins as a zip is the zip of all.
    let is_zip = |file: &FileUpload| match &file.mime {
        Some(mime) => mime == "application/zip",
        None => {
            file.data.starts_with(ZIP_BEGIN)
                && file.filename.as_ref().is_none_or(|name| name.ends_with(".zip"))
        }
    };
    let is_only_zip = files.len() == 1 && is_zip(&files[0]);
    for file in files {
        let data = STANDARD
            .decode(&file.data)
            .map_err(|_| wrong(message!("data-not-base64", "the data of a file are not base64")))?;
        if is_only_zip {
            return unzip(&data, limits.files as usize, bytes_max);
        }
        let name = file
            .filename
            .ok_or_else(|| wrong(message!("filename-missing", "a file that is no zip needs a filename")))?;
        decoded.push((name, data));
    }
    limit(&decoded, limits)?;
    Ok(decoded)
}

/// Refuses more files or bytes than a contest allows.
pub fn limit(files: &[(String, Vec<u8>)], limits: &SubmissionLimits) -> Result<(), Problem> {
    let wrong = |message: Message| Err(Problem::invalid_field("files", message));
    let (count, files_max) = (files.len(), limits.files);
    if count > files_max as usize {
        return wrong(message!(
            "too-many-files",
            "there are {count} files; at most {max} are allowed",
            count = Number(count),
            max = files_max
        ));
    }
    let total: u64 = files.iter().map(|(_, data)| data.len() as u64).sum();
    let bytes_max = limits.bytes.0.min(BYTES_MAX);
    if total > bytes_max {
        return wrong(message!(
            "files-too-large",
            "the files have {count} bytes; at most {max} are allowed",
            count = Number(total),
            max = bytes_max
        ));
    }
    Ok(())
}

/// Returns the files of any submission's zip.
pub fn unzip_any(data: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    unzip(data, FILES_MAX, BYTES_MAX)
}

fn unzip(data: &[u8], files_max: usize, bytes_max: u64) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let wrong = |message: Message| Problem::invalid_field("files", message);
    let unreadable = |error: zip::result::ZipError| {
        wrong(message!("zip-unreadable", "the zip cannot be read: {error}", error))
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(data)).map_err(unreadable)?;
    if archive.len() > files_max {
        return Err(wrong(message!(
            "too-many-files",
            "there are {count} files; at most {max} are allowed",
            count = Number(archive.len()),
            max = files_max
        )));
    }
    if archive.has_duplicate_names() {
        return Err(wrong(message!("same-name-in-zip", "a name stands twice in the zip")));
    }
    let mut files = Vec::new();
    let mut left = bytes_max;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(unreadable)?;
        let name = entry.name().map_err(unreadable)?.into_owned();
        if !entry.is_file() {
            return Err(wrong(message!(
                "not-at-root-of-zip",
                "'{name}' is no plain file at the zip's root",
                name = name.escape_debug()
            )));
        }
        let mut content = Vec::new();
        // What a zip says about sizes need not be true.
        let read = entry.take(left + 1).read_to_end(&mut content);
        let read = read
            .map_err(|error| wrong(message!("zip-unreadable", "the zip cannot be read: {error}", error)))?
            as u64;
        left = left.checked_sub(read).ok_or_else(|| {
            wrong(message!(
                "files-larger-than-allowed",
                "the files have more than {max} bytes, which is what is allowed",
                max = bytes_max
            ))
        })?;
        files.push((name, content));
    }
    Ok(files)
}

/// Returns how long a request may be, within the limits of a contest: base64 needs a third more, and JSON some.
pub fn body_bytes_max(limits: &SubmissionLimits) -> usize {
    usize::try_from(limits.bytes.0.min(BYTES_MAX) / 3 * 4 + (64 << 10)).unwrap_or(usize::MAX)
}

/// Returns files by the names of their contents.
pub fn name(files: &[(String, Vec<u8>)]) -> Vec<SubmittedFile> {
    let named = files.iter().map(|(name, data)| SubmittedFile {
        name: name.clone(),
        blob: BlobHash(store::BlobHash::of(data).to_string().into_boxed_str()),
        size: Bytes(data.len() as u64),
    });
    named.collect()
}

/// Stores files as blobs.
pub fn store(app: &App, files: Vec<(String, Vec<u8>)>) -> Result<(), Problem> {
    for (_, data) in files {
        app.blobs.put(&mut data.as_slice(), BYTES_MAX, None)?;
    }
    Ok(())
}

/// Returns files as a zip, the same bytes each time.
pub fn zip(app: &App, files: &[SubmittedFile]) -> Result<Vec<u8>, Problem> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let hash = file.blob.0.parse().map_err(Problem::internal)?;
        let content = app.blobs.read(&hash, BYTES_MAX)?;
        writer.start_file(file.name.as_str(), SimpleFileOptions::default()).map_err(Problem::internal)?;
        writer.write_all(&content).map_err(Problem::internal)?;
    }
    Ok(writer.finish().map_err(Problem::internal)?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> SubmissionLimits {
        SubmissionLimits { per_minute: 10, in_all: 10, files: 2, bytes: Bytes(1000) }
    }

    fn zipped(files: &[(&str, &[u8])]) -> FileUpload {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        let data = STANDARD.encode(writer.finish().unwrap().into_inner());
        FileUpload { data, filename: None, mime: Some("application/zip".to_owned()) }
    }

    #[test]
    fn a_zip_is_its_files() {
        let zip = zipped(&[("a.cpp", b"int"), ("b.h", b"")]);
        let untyped = FileUpload { mime: None, ..zip.clone() };
        let files = read(vec![zip], &limits()).unwrap();
        assert_eq!(read(vec![untyped], &limits()).unwrap(), files);
        assert_eq!(files, [("a.cpp".to_owned(), b"int".to_vec()), ("b.h".to_owned(), Vec::new())]);
    }

    #[test]
    fn oversized_pdf_is_refused() {
        let check = |files: Vec<FileUpload>, expect: &str| {
            let problem = read(files, &limits()).unwrap_err();
            assert!(problem.detail().contains(expect), "{}", problem.detail());
        };
        let plain = |name: Option<&str>, data: &str| FileUpload {
            data: data.to_owned(),
            filename: name.map(ToOwned::to_owned),
            mime: None,
        };
        check(vec![zipped(&[("a", &[0; 1001])])], "more than 1000 bytes");
        check(vec![zipped(&[("a", &[0; 600]), ("b", &[0; 600])])], "more than 1000 bytes");
        check(vec![zipped(&[("a", b""), ("b", b""), ("c", b"")])], "3 files");
        check(vec![zipped(&[("a/", b"")])], "no plain file");
        // No writer makes such a zip: the second name is written over.
        let mut twice = STANDARD.decode(zipped(&[("one.c", b"1"), ("two.c", b"2")]).data).unwrap();
        for at in 0..twice.len() - 5 {
            if &twice[at..at + 5] == b"two.c" {
                twice[at..at + 5].copy_from_slice(b"one.c");
            }
        }
        let twice = FileUpload { data: STANDARD.encode(twice), ..zipped(&[]) };
        check(vec![twice], "twice");
        check(vec![plain(Some("a"), "***")], "base64");
        check(vec![plain(None, "")], "filename");
        check(vec![plain(Some("a"), &STANDARD.encode([0; 1001]))], "1001 bytes");
    }
}
