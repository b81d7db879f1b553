//! Which file of a package is the statement, and what belongs to it.

use crate::{Fault, StatementError};
use package::{Package, Statement};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// All files next to a statement together.
const FOLDER_BYTES_MAX: u64 = 64 << 20;
const FOLDER_FILES_MAX: usize = 500;
const TEXT_BYTES_MAX: usize = 1 << 20;

/// What a statement is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Markdown,
    Tex,
    Pdf,
}

/// A statement and the files next to it.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) kind: Kind,
    /// Its language, such as `pt-BR`.
    pub(crate) language: String,
    /// Its name in its folder.
    pub(crate) name: String,
    /// Its folder, relative to the package, for messages.
    pub(crate) folder: &'static str,
    /// All files of the folder, the statement too; constants are put into texts.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Source {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.files.get(&self.name).map_or(&[], Vec::as_slice)
    }

    /// Returns a file's path in the package, for messages.
    pub(crate) fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }
}

fn kind(path: &Path) -> Kind {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("md") => Kind::Markdown,
        Some("tex") => Kind::Tex,
        _ => Kind::Pdf,
    }
}

/// Chooses the statement: in the language, or else English or the first. `prefers_pdf` takes a PDF before its text.
fn choose<'p>(
    package: &'p Package,
    language: Option<&str>,
    prefers_pdf: bool,
) -> Result<&'p Statement, StatementError> {
    let all = &package.statements;
    let has = |wanted: &str| all.iter().any(|statement| statement.language == wanted);
    let first = all.first().ok_or_else(|| StatementError::None { package: package.short_name.clone() })?;
    let language = match language {
        Some(wanted) => {
            let related =
                |statement: &&Statement| statement.language.split('-').next() == wanted.split('-').next();
            match all.iter().find(related) {
                _ if has(wanted) => wanted,
                Some(statement) => &statement.language,
                None => {
                    return Err(StatementError::NoLanguage {
                        package: package.short_name.clone(),
                        language: wanted.to_owned(),
                        present: languages(package).join(", "),
                    });
                }
            }
        }
        None if has("en") => "en",
        None => &first.language,
    };
    let rank = |statement: &&Statement| match kind(&statement.path) {
        Kind::Pdf => {
            if prefers_pdf {
                0
            } else {
                3
            }
        }
        Kind::Markdown => 1,
        Kind::Tex => 2,
    };
    Ok(all.iter().filter(|statement| statement.language == language).min_by_key(rank).unwrap_or(first))
}

/// Returns the languages of a package's statements, English first.
pub(crate) fn languages(package: &Package) -> Vec<String> {
    let mut all: Vec<String> =
        package.statements.iter().map(|statement| statement.language.clone()).collect();
    all.sort_by_key(|language| (language != "en", language.clone()));
    all.dedup();
    all
}

/// Reads a statement with the files next to it.
pub(crate) fn read(
    package: &Package,
    language: Option<&str>,
    prefers_pdf: bool,
) -> Result<Source, StatementError> {
    let statement = choose(package, language, prefers_pdf)?;
    let folder = if package.format.is_legacy() { "problem_statement" } else { "statement" };
    let path = package.root.join(folder);
    let name = statement.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let kind = kind(&statement.path);
    let mut source =
        Source { kind, language: statement.language.clone(), name, folder, files: BTreeMap::new() };
    let mut bytes = 0;
    let too_much =
        || Fault::of(folder, None, "has too many or too large files: at most 500 files and 64 MiB");
    for entry in WalkDir::new(&path).max_depth(8).into_iter().flatten() {
        let Some((name, real)) = member(package, &path, entry.path()) else { continue };
        bytes += fs::metadata(&real).map_err(StatementError::io(&real))?.len();
        if bytes > FOLDER_BYTES_MAX || source.files.len() >= FOLDER_FILES_MAX {
            return Err(too_much().into());
        }
        let content = fs::read(&real).map_err(StatementError::io(&real))?;
        source.files.insert(name, content);
    }
    let content = fs::read(&statement.path).map_err(StatementError::io(&statement.path))?;
    source.files.insert(source.name.clone(), content);
    if kind != Kind::Pdf {
        check_text(&source)?;
        for name in source.files.keys().cloned().collect::<Vec<_>>() {
            if name.ends_with(".tex") || name == source.name {
                put_constants(package, &mut source, &name)?;
            }
        }
    }
    Ok(source)
}

/// Returns a file's name below the folder and its real path, if it is one of the package with a plain name.
fn member(package: &Package, folder: &Path, path: &Path) -> Option<(String, PathBuf)> {
    let name = path.strip_prefix(folder).ok()?.to_str()?;
    let is_plain = !name.is_empty()
        && name.split('/').all(|part| !part.starts_with(['.', '-']))
        && !name.contains(|c: char| c.is_control());
    let real = path.canonicalize().ok()?;
    (is_plain && real.is_file() && real.starts_with(&package.root)).then(|| (name.to_owned(), real))
}

/// Of a text with its constants.
const EXPANDED_BYTES_MAX: usize = 4 << 20;

fn check_text(source: &Source) -> Result<(), Fault> {
    let place = source.place(&source.name);
    if source.bytes().len() > TEXT_BYTES_MAX {
        return Err(Fault::of(place, None, "is larger than 1 MiB"));
    }
    match std::str::from_utf8(source.bytes()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let before = &source.bytes()[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            Err(Fault::of(place, Some(line), "is not UTF-8"))
        }
    }
}

/// Replaces `{{name}}` in Markdown and `\constant{name}` in LaTeX. Lines stay where they are.
fn put_constants(package: &Package, source: &mut Source, name: &str) -> Result<(), Fault> {
    let Some(bytes) = source.files.get(name) else { return Ok(()) };
    let text = String::from_utf8_lossy(bytes);
    let mut text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
    for (constant, value) in &package.constants {
        let value = value.replace('\n', " ");
        let wanted = match source.kind {
            Kind::Markdown => format!("{{{{{constant}}}}}"),
            _ => format!("\\constant{{{constant}}}"),
        };
        // A value may name other constants, so a short text can become a long one.
        if text.len() + text.matches(&wanted).count() * value.len() > EXPANDED_BYTES_MAX {
            return Err(Fault::of(source.place(name), None, "is larger than 4 MiB with its constants"));
        }
        text = text.replace(&wanted, &value);
    }
    if source.kind == Kind::Tex
        && let Some(at) = text.find("\\constant{")
    {
        let line = 1 + text[..at].matches('\n').count();
        let constant = text[at + 10..].split('}').next().unwrap_or_default();
        return Err(Fault::of(
            source.place(name),
            Some(line),
            format!("problem.yaml has no constant '{constant}'"),
        ));
    }
    source.files.insert(name.to_owned(), text.into_bytes());
    Ok(())
}
