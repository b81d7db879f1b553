//! The problem statements.

use crate::error::{Complaint, Warnings};
use crate::metadata::Metadata;
use crate::tree::Tree;
use crate::{FileLocation, PackageError};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its language, such as `en` or `pt-BR`.
    pub language: String,
    /// The file: `.tex`, `.md` or `.pdf`.
    pub path: PathBuf,
}

/// Where packages of DOMjudge keep their only statement.
pub(super) const TOP_STATEMENT: &str = "problem.pdf";
const ENDINGS: [&str; 3] = ["tex", "md", "pdf"];

/// Lists the statements and compares their languages with those of the names.
pub(super) fn read(tree: &Tree, metadata: &Metadata) -> Result<Vec<Statement>, PackageError> {
    let folder = if metadata.format.is_legacy() { "problem_statement" } else { "statement" };
    let mut statements = Vec::new();
    for item in tree.list(folder)? {
        let mut parts = item.name.split('.');
        let (first, rest): (_, Vec<_>) = (parts.next(), parts.collect());
        let language = match rest[..] {
            [ending] if ENDINGS.contains(&ending) && metadata.format.is_legacy() => "en",
            [language, ending] if ENDINGS.contains(&ending) => language,
            _ => continue,
        };
        if first == Some("problem") && !item.is_folder {
            statements.push(Statement { language: language.to_owned(), path: item.path });
        }
    }
    let at_top = tree.root().join(TOP_STATEMENT);
    if statements.is_empty() && at_top.symlink_metadata().is_ok_and(|data| data.is_file()) {
        statements.push(Statement { language: "en".to_owned(), path: at_top });
    }
    if statements.is_empty() {
        tree.warnings.push(
            FileLocation::file(folder)
                .leniency("holds no statement", "add one, such as problem.en.md or problem.en.tex"),
        );
    } else if !metadata.format.is_legacy() {
        compare_languages(metadata, &statements, &tree.warnings);
    }
    Ok(statements)
}

fn compare_languages(metadata: &Metadata, statements: &[Statement], warnings: &Warnings) {
    let place = || FileLocation::file(crate::metadata::PROBLEM_YAML).field("name");
    for language in metadata.names.keys() {
        if !statements.iter().any(|statement| statement.language == *language) {
            warnings.push(place().leniency(
                format!("has a name in '{language}', but there is no statement in it"),
                "add the statement or remove the name",
            ));
        }
    }
    for statement in statements {
        if !metadata.names.contains_key(&statement.language) {
            warnings.push(place().leniency(
                format!("has no name in '{}', but there is a statement in it", statement.language),
                "add the name or remove the statement",
            ));
        }
    }
}

/// Finds names in LaTeX statements, where the legacy formats keep them.
pub(super) fn names(tree: &Tree, statements: &[Statement]) -> Result<BTreeMap<String, String>, PackageError> {
    let mut names = BTreeMap::new();
    for statement in
        statements.iter().filter(|statement| statement.path.extension().is_some_and(|e| e == "tex"))
    {
        let text = tree.text(&tree.relative(&statement.path))?;
        let plain = text.lines().find_map(|line| line.trim().strip_prefix("%% plainproblemname:"));
        let name = plain.or_else(|| {
            let (_, after) = text.split_once("\\problemname{")?;
            after.split_once('}').map(|(name, _)| name)
        });
        if let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) {
            names.insert(statement.language.clone(), name.to_owned());
        }
    }
    Ok(names)
}
