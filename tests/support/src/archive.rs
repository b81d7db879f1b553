//! Archives as their files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;

/// The files of an archive or a folder, by their path in it.
pub type Files = BTreeMap<String, Vec<u8>>;

pub fn zip(files: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)>) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(name.as_ref(), zip::write::SimpleFileOptions::default()).expect("an entry");
        writer.write_all(content.as_ref()).expect("an entry's content");
    }
    writer.finish().expect("a zip").into_inner()
}

/// Returns the files of a zip.
pub fn unzip(bytes: &[u8]) -> Files {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let mut files = Files::new();
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).expect("an entry");
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("an entry's content");
        files.insert(entry.name().expect("a name").into_owned(), content);
    }
    files
}

/// Returns all files below a folder.
pub fn files_of(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below").to_string_lossy().into_owned();
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

pub fn zip_of(folder: &Path) -> Vec<u8> {
    zip(files_of(folder))
}
