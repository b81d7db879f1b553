//! What people get of a problem's package: its statements as PDF, its attachments, its samples. Taken out once, when the
//! package is read, and stored as contents of their own.

use crate::contest_package::BlobImporter;
use crate::{Problem, zips};
use axum::http::StatusCode;
use contest_rules::{BlobHash, ProblemFile, ProblemFiles, STATEMENTS_MAX};
use md5::{Digest, Md5};
use model::Bytes;
use package::{Package, Statement, TestCase};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use store::StoredBlob;

/// More is nothing that a team reads during a contest.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
const ATTACHMENTS_MAX: usize = 100;
/// Samples are printed in statements.
const SAMPLES_BYTES_MAX: u64 = 32 << 20;

/// A reader that hashes what it reads.
pub struct Hashing<R> {
    content: R,
    md5: Md5,
}

impl<R: Read> Hashing<R> {
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
pub fn take(
    importer: &BlobImporter<'_>,
    package: &Package,
    id: &str,
    package_md5: String,
) -> Result<ProblemFiles, Problem> {
    check_links(package)?;
    let mut names = BTreeSet::new();
    let mut statements = Vec::new();
    for (language, path) in pdfs(package).into_iter().take(STATEMENTS_MAX) {
        let filename = unique(&mut names, &format!("{id}.{language}.pdf"));
        statements.extend(store(importer, &path, filename, Some(language))?);
    }
    let mut attachments = Vec::new();
    for file in package.attachments.iter().take(ATTACHMENTS_MAX) {
        let filename = unique(&mut names, &plain(&file.name.to_string_lossy()));
        attachments.extend(store(importer, &file.path, filename, None)?);
    }
    let samples = samples(importer, package, &unique(&mut names, "samples.zip"))?;
    Ok(ProblemFiles {
        package_md5: Some(package_md5),
        statements,
        attachments,
        samples,
        texts: texts(package),
        ..ProblemFiles::default()
    })
}

/// Returns a statement that was made of a problem's package, by the name that it has everywhere.
pub fn made_statement(
    problem: &str,
    language: &str,
    is_page: bool,
    stored: &StoredBlob,
    content: &[u8],
) -> Result<ProblemFile, Problem> {
    let (ending, expected) = if is_page { ("html", "HTML in UTF-8") } else { ("pdf", "a PDF") };
    let is_right = if is_page { std::str::from_utf8(content).is_ok() } else { content.starts_with(b"%PDF-") };
    if !is_right {
        return Err(Problem::invalid_field("body", format!("this is not {expected}")));
    }
    Ok(ProblemFile {
        filename: format!("{problem}.{language}.{ending}"),
        blob: BlobHash(stored.hash.to_string().into()),
        size: Bytes(stored.size_bytes),
        md5: md5_of(content),
        language: Some(language.to_owned()),
    })
}

/// Returns the language of a made statement, and whether it is the part of a page, by its name.
pub fn language_of_name<'n>(problem: &str, filename: &'n str) -> Option<(&'n str, bool)> {
    let (stem, ending) = filename.rsplit_once('.')?;
    let language = stem.strip_prefix(problem)?.strip_prefix('.').filter(|language| is_language(language))?;
    matches!(ending, "html" | "pdf").then_some((language, ending == "html"))
}

/// Returns whether a text is written as languages are: two or three letters, and perhaps a region.
pub fn is_language(text: &str) -> bool {
    let (language, region) =
        text.split_once('-').map_or((text, None), |(language, region)| (language, Some(region)));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (2..=3).contains(&language.len())
        && is_plain(language)
        && region.is_none_or(|region| (2..=8).contains(&region.len()) && is_plain(region))
}

/// Refuses a package in which a link shows people what is not for them, such as `attachments` to `data/secret`.
fn check_links(package: &Package) -> Result<(), Problem> {
    const SECRET: [&str; 3] = ["data/secret", "submissions", "solution"];
    let root = package.root.canonicalize().map_err(Problem::internal)?;
    let mut shown: Vec<PathBuf> = package.statements.iter().map(|statement| statement.path.clone()).collect();
    shown.extend(package.attachments.iter().map(|file| file.path.clone()));
    shown.extend(sample_files(package).into_iter().map(|(_, path)| path));
    for path in shown {
        let end = path.canonicalize().map_err(Problem::internal)?;
        if SECRET.iter().any(|folder| end.starts_with(root.join(folder))) || !end.starts_with(&root) {
            let name = path.strip_prefix(&package.root).unwrap_or(&path).display();
            let place = end.strip_prefix(&root).unwrap_or(&end).display();
            let detail =
                format!("'{name}' is shown to people and leads to '{place}', which is not; put a copy there");
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "package", detail));
        }
    }
    Ok(())
}

/// Returns the languages of the statements that are text, of which judgehosts make pages and PDFs.
fn texts(package: &Package) -> Vec<String> {
    let is_text = |statement: &&Statement| {
        let ending = statement.path.extension();
        ending.is_some_and(|ending| ending == "md" || ending == "tex") && is_language(&statement.language)
    };
    let languages = package.statements.iter().filter(is_text).map(|statement| statement.language.clone());
    languages.collect::<BTreeSet<_>>().into_iter().take(STATEMENTS_MAX).collect()
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
    importer: &BlobImporter<'_>,
    path: &Path,
    filename: String,
    language: Option<String>,
) -> Result<Option<ProblemFile>, Problem> {
    if fs::metadata(path).map_err(Problem::internal)?.len() > FILE_BYTES_MAX {
        return Ok(None);
    }
    let mut content = Hashing::new(File::open(path).map_err(Problem::internal)?);
    let stored = importer.put(&mut content, FILE_BYTES_MAX)?;
    Ok(Some(ProblemFile {
        filename,
        blob: BlobHash(stored.hash.to_string().into()),
        size: Bytes(stored.size_bytes),
        md5: content.md5(),
        language,
    }))
}

/// Returns the files of the samples by their names in the zip, as the package wants them downloaded.
fn sample_files(package: &Package) -> Vec<(String, PathBuf)> {
    let Some(group) = package.data.find("sample") else { return Vec::new() };
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
    files
}

/// Stores a zip of the samples.
fn samples(
    importer: &BlobImporter<'_>,
    package: &Package,
    filename: &str,
) -> Result<Option<ProblemFile>, Problem> {
    let files = sample_files(package);
    let length = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len());
    let is_too_much = files.iter().map(|(_, path)| length(path)).sum::<u64>() > SAMPLES_BYTES_MAX;
    if files.is_empty() || is_too_much {
        return Ok(None);
    }
    let bytes = zips::in_memory(|zip| {
        files.iter().try_for_each(|(name, path)| zip.bytes(name, &fs::read(path).map_err(Problem::internal)?))
    })?;
    let stored = importer.put(&mut bytes.as_slice(), 2 * SAMPLES_BYTES_MAX)?;
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
