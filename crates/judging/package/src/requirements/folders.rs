//! The package's name, and which folders and files it must and must not have.

use super::{codes, natural};
use crate::error::{Complaint, Warnings};
use crate::tree::{Item, Tree};
use crate::{FileLocation, Package, PackageError};
use std::collections::BTreeMap;

/// The folders of `data/`.
const DATA: [&str; 5] = ["sample", "secret", "invalid_input", "invalid_output", "valid_output"];
const TEMPLATES: &str = "attachments/templates";
/// The endings of statements and solutions.
const DOCUMENTS: [&str; 3] = ["tex", "md", "pdf"];

pub(super) fn check(tree: &Tree, package: &Package) -> Result<(), PackageError> {
    check_name(&package.short_name, &tree.warnings);
    check_data(tree, package)?;
    check_attachments(tree)?;
    check_includes(tree, package)?;
    check_solution(tree)
}

fn check_name(name: &str, warnings: &Warnings) {
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        warnings.push(FileLocation::file(name).leniency(
            "is the package's name, expected small letters a-z and digits only",
            "rename its folder or archive",
        ));
    }
}

fn check_data(tree: &Tree, package: &Package) -> Result<(), PackageError> {
    for item in tree.list("data")? {
        if item.is_folder && !DATA.contains(&item.name.as_str()) {
            let remedy = match located::meant(&item.name, &DATA) {
                Some(word) => format!("did you mean '{word}'?"),
                None => format!("use one of {}, or remove it", DATA.join(", ")),
            };
            tree.warnings.push(
                FileLocation::file(item.relative)
                    .warning("is a folder that this format does not have", remedy),
            );
        }
    }
    let talks = package.kind.interactive;
    for (folder, cases) in
        [("invalid_output", &package.invalid_outputs), ("valid_output", &package.valid_outputs)]
    {
        if talks && !cases.is_empty() {
            tree.warnings.push(FileLocation::file(format!("data/{folder}")).leniency(
                "has outputs, but an interactive problem has none",
                "remove it; only problems that are not interactive have it",
            ));
        }
    }
    Ok(())
}

/// Checks that no folder but that of code templates is attached.
fn check_attachments(tree: &Tree) -> Result<(), PackageError> {
    for item in tree.list("attachments")? {
        if item.is_folder && item.relative != TEMPLATES {
            tree.warnings.push(FileLocation::file(item.relative).leniency(
                "is a folder, and only the folder templates may be attached",
                "attach its files, or a ZIP archive of it",
            ));
        }
    }
    for item in tree.list(TEMPLATES)? {
        let wrong = match item.is_folder {
            false => Some((
                "is in no language's folder".to_owned(),
                format!("move it to {TEMPLATES}/default, or to the folder of its language"),
            )),
            true => check_language_folder(tree, &item)?,
        };
        tree.warnings.extend(
            wrong.map(|(problem, remedy)| FileLocation::file(item.relative).leniency(problem, remedy)),
        );
    }
    Ok(())
}

/// Returns what is wrong with a folder that is named after a language.
fn check_language_folder(tree: &Tree, item: &Item) -> Result<Option<(String, String)>, PackageError> {
    if tree.files(&item.relative)?.is_empty() {
        return Ok(Some(("is empty, expected at least one file".to_owned(), "fill or remove it".to_owned())));
    }
    let code = item.name.as_str();
    Ok(codes::wrong(code).filter(|_| code != "default"))
}

fn check_includes(tree: &Tree, package: &Package) -> Result<(), PackageError> {
    for item in tree.list("include")?.into_iter().filter(|item| item.is_folder) {
        let mut wrong = codes::wrong(&item.name).filter(|_| item.name != "default");
        if let Some(allowed) = &package.languages
            && wrong.is_none()
            && item.name != "default"
            && !codes::allows(allowed, &item.name)
        {
            wrong = Some((
                format!("is for the language '{}', which problem.yaml does not allow", item.name),
                format!("remove it, or add it to languages, which are {}", allowed.join(", ")),
            ));
        }
        tree.warnings.extend(
            wrong.map(|(problem, remedy)| FileLocation::file(item.relative).leniency(problem, remedy)),
        );
    }
    Ok(())
}

/// Checks that there is one solution for each language, where there is any.
fn check_solution(tree: &Tree) -> Result<(), PackageError> {
    let items = tree.list("solution")?;
    let mut found = BTreeMap::new();
    for item in items.iter().filter(|item| !item.is_folder) {
        let parts: Vec<&str> = item.name.split('.').collect();
        let language = match parts[..] {
            ["solution", ending] if DOCUMENTS.contains(&ending) => "en",
            ["solution", language, ending] if DOCUMENTS.contains(&ending) => language,
            _ => continue,
        };
        check_document(item, language, &mut found, &tree.warnings);
    }
    if tree.exists("solution") && found.is_empty() {
        tree.warnings.push(
            FileLocation::file("solution")
                .leniency("holds no solution", "add one, such as solution.en.md, or remove the folder"),
        );
    }
    Ok(())
}

/// Checks the language of a statement or solution, and that it is the only one in it.
pub(super) fn check_document(
    item: &Item,
    language: &str,
    found: &mut BTreeMap<String, String>,
    warnings: &Warnings,
) {
    let place = || FileLocation::file(&item.relative);
    warnings.extend(natural::wrong(language).map(|(problem, remedy)| place().leniency(problem, remedy)));
    if let Some(first) = found.insert(language.to_owned(), item.name.clone()) {
        warnings.push(place().leniency(
            format!("is a second file in the language '{language}', in which {first} is"),
            "keep one of them",
        ));
    }
}
