//! What people get of a problem's package: its statements as PDF, its attachments, its samples. Taken out once, when the
//! package is read, and stored as contents of their own.

use crate::{App, Problem, zips};
use contest::{BlobHash, ProblemFile, ProblemFiles};
use md5::{Digest, Md5};
use model::Bytes;
use package::{Package, Statement, TestCase};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// More is nothing that a team reads during a contest.
const FILE_BYTES_MAX: u64 = 64 << 20;
const ATTACHMENTS_MAX: usize = 100;
/// Samples are printed in statements.
const SAMPLES_BYTES_MAX: u64 = 32 << 20;
/// Where some packages keep their only statement.
const TOP_STATEMENT: &str = "problem.pdf";

/// A reader that hashes what it reads.
pub struct Hashing<R> {
    content: R,
    md5: Md5,
}

impl<R: Read> Hashing<R> {
    /// Makes it.
    pub fn new(content: R) -> Self {
        Self { content, md5: Md5::new() }
    }

    /// Returns the MD5 hash of what was read.
    pub fn md5(self) -> String {
        self.md5.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.md5.update(&buffer[..count]);
        Ok(count)
    }
}

/// Returns the MD5 hash of bytes.
pub fn md5_of(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the media type of a file of this name: of those that a browser shows without running anything.
pub fn mime_of(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending.to_ascii_lowercase().as_str() {
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "txt" | "md" | "in" | "ans" | "c" | "h" | "cpp" | "py" | "java" | "kt" | "rs" => "text/plain",
        _ => "application/octet-stream",
    }
}

/// Takes the files out of a package and stores them.
pub fn take(app: &App, package: &Package, id: &str, package_md5: String) -> Result<ProblemFiles, Problem> {
    let mut names = BTreeSet::new();
    let mut statements = Vec::new();
    for (language, path) in pdfs(package) {
        let filename = unique(&mut names, &format!("{id}.{language}.pdf"));
        statements.extend(store(app, &path, filename, Some(language))?);
    }
    let mut attachments = Vec::new();
    for file in package.attachments.iter().take(ATTACHMENTS_MAX) {
        let filename = unique(&mut names, &plain(&file.name.to_string_lossy()));
        attachments.extend(store(app, &file.path, filename, None)?);
    }
    let samples = samples(app, package, &unique(&mut names, "samples.zip"))?;
    Ok(ProblemFiles { package_md5: Some(package_md5), statements, attachments, samples })
}

/// Returns the statements that are PDF with their languages, the English one first.
fn pdfs(package: &Package) -> Vec<(String, PathBuf)> {
    let is_pdf = |statement: &&Statement| {
        statement.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"))
    };
    let pdfs = package.statements.iter().filter(is_pdf);
    let mut found: Vec<(String, PathBuf)> =
        pdfs.map(|statement| (statement.language.clone(), statement.path.clone())).collect();
    found.sort_by_key(|(language, _)| (language != "en", language.clone()));
    let top = package.root.join(TOP_STATEMENT);
    if found.is_empty() && top.symlink_metadata().is_ok_and(|data| data.is_file()) {
        found.push(("en".to_owned(), top));
    }
    found
}

/// Returns a file's name without folders and what only some systems can have in a name.
fn plain(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

/// Returns a name that is not there yet, and notes it. Names that differ in case only are the same on some systems.
fn unique(names: &mut BTreeSet<String>, name: &str) -> String {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) => (stem, format!(".{ending}")),
        None => (name, String::new()),
    };
    let numbered = (2..).map(|number| format!("{stem}-{number}{ending}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| names.insert(name.to_ascii_lowercase())).unwrap_or_default()
}

/// Stores a file, unless it is too large.
fn store(
    app: &App,
    path: &Path,
    filename: String,
    language: Option<String>,
) -> Result<Option<ProblemFile>, Problem> {
    if fs::metadata(path).map_err(Problem::internal)?.len() > FILE_BYTES_MAX {
        return Ok(None);
    }
    let mut content = Hashing::new(File::open(path).map_err(Problem::internal)?);
    let stored = app.blobs.put(&mut content, FILE_BYTES_MAX, None)?;
    Ok(Some(ProblemFile {
        filename,
        blob: BlobHash(stored.hash.to_string().into()),
        size: Bytes(stored.size_bytes),
        md5: content.md5(),
        language,
    }))
}

/// Stores a zip of the samples, as the package wants them downloaded.
fn samples(app: &App, package: &Package, filename: &str) -> Result<Option<ProblemFile>, Problem> {
    let Some(group) = package.data.find("sample") else { return Ok(None) };
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    for case in group.all_cases() {
        let name = case.name.strip_prefix("sample/").unwrap_or(&case.name).replace('/', "-");
        let mut add = |kind: &str, path: PathBuf| {
            let wanted = with_ending(&path, "download");
            files.push((format!("{name}.{kind}"), if wanted.is_file() { wanted } else { path }));
        };
        add("in", case.input.clone());
        case.answer.iter().for_each(|answer| add("ans", answer.clone()));
        files.extend(conversation(case).map(|path| (format!("{name}.interaction"), path)));
    }
    let length = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len());
    let is_too_much = files.iter().map(|(_, path)| length(path)).sum::<u64>() > SAMPLES_BYTES_MAX;
    if files.is_empty() || is_too_much {
        return Ok(None);
    }
    let bytes = zips::in_memory(|zip| {
        files.iter().try_for_each(|(name, path)| zip.bytes(name, &fs::read(path).map_err(Problem::internal)?))
    })?;
    let stored = app.blobs.put(&mut bytes.as_slice(), 2 * SAMPLES_BYTES_MAX, None)?;
    Ok(Some(ProblemFile {
        filename: filename.to_owned(),
        blob: BlobHash(stored.hash.to_string().into()),
        size: Bytes(stored.size_bytes),
        md5: md5_of(&bytes),
        language: None,
    }))
}

/// Returns a path with one more ending, such as `1.in.download`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(format!(".{ending}"));
    path.into()
}

/// Returns the shown conversation of an interactive sample.
fn conversation(case: &TestCase) -> Option<PathBuf> {
    Some(case.input.with_extension("interaction")).filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        let mut names = BTreeSet::new();
        assert_eq!(plain("folder/a b.txt"), "folder_a_b.txt");
        assert_eq!(plain("../x"), "_x");
        assert_eq!(unique(&mut names, "a.txt"), "a.txt");
        assert_eq!(unique(&mut names, "A.txt"), "A-2.txt");
        assert_eq!(unique(&mut names, "a.txt"), "a-3.txt");
        assert_eq!(unique(&mut names, "b"), "b");
    }

    #[test]
    fn hashes_are_those_that_others_compute() {
        assert_eq!(md5_of(b""), "d41d8cd98f00b204e9800998ecf8427e");
        let mut reader = Hashing::new(&b"abc"[..]);
        std::io::copy(&mut reader, &mut std::io::sink()).unwrap();
        assert_eq!(reader.md5(), "900150983cd24fb0d6963f7d28e17f72");
    }
}
