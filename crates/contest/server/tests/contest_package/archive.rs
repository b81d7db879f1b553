//! Archives as their files.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

pub type Files = BTreeMap<String, Vec<u8>>;

/// Returns the files of a zip.
pub fn unzip(bytes: &[u8]) -> Files {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        files.insert(entry.name().unwrap().into_owned(), content);
    }
    files
}

pub fn zipped(files: &Files) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub fn json_of(files: &Files, name: &str) -> Value {
    serde_json::from_slice(files.get(name).unwrap_or_else(|| panic!("no {name}"))).unwrap()
}
