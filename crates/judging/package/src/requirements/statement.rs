//! The statements: one for each language, with nothing that a judging system adds or must not show.

use super::folders::check_document;
use crate::error::{Complaint, Warnings};
use crate::tree::{Item, Tree, read_limited};
use crate::{FileLocation, Package, PackageError};
use std::collections::BTreeMap;

const FOLDER: &str = "statement";
const DOCUMENTS: [&str; 3] = ["tex", "md", "pdf"];

pub(super) fn check(tree: &Tree, package: &Package) -> Result<(), PackageError> {
    let mut found = BTreeMap::new();
    let samples = package.data.find("sample").map_or(0, |samples| samples.all_cases().len());
    for item in tree.list(FOLDER)?.into_iter().filter(|item| !item.is_folder) {
        let parts: Vec<&str> = item.name.split('.').collect();
        match parts[..] {
            ["problem", language, ending] if DOCUMENTS.contains(&ending) => {
                check_document(&item, language, &mut found, &tree.warnings);
                check_text(&item, ending, samples, &tree.warnings)?;
            }
            ["problem", ..] => tree.warnings.push(FileLocation::file(item.relative).leniency(
                "is not read as a statement, expected problem.LANGUAGE.tex, .md or .pdf",
                "rename it, such as problem.en.md",
            )),
            [.., "svg"] => check_picture(&item, &tree.warnings)?,
            _ => {}
        }
    }
    Ok(())
}

/// Reads a text; another encoding is reported with all texts.
fn text_of(item: &Item) -> Result<String, PackageError> {
    let bytes = read_limited(&item.path, &item.relative, crate::tree::MAX_TEXT_BYTES)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn check_text(item: &Item, ending: &str, samples: usize, warnings: &Warnings) -> Result<(), PackageError> {
    if ending == "pdf" {
        return Ok(());
    }
    let text = text_of(item)?;
    let command = if ending == "tex" { "\\nextsample" } else { "{{nextsample}}" };
    let mut asked = 0;
    for (line, number) in text.lines().zip(1..) {
        let place = || FileLocation::file(&item.relative).line(number);
        let line = if ending == "tex" { without_comment(line) } else { line };
        asked += line.matches(command).count();
        if asked > samples {
            warnings.push(place().leniency(
                format!("asks with {command} for sample {asked}, but there are {samples}"),
                "remove it, or add the sample to data/sample",
            ));
            return Ok(());
        }
        let wrong = match ending {
            "tex" => ["\\documentclass", "\\begin{document}"]
                .into_iter()
                .find(|word| line.contains(word))
                .map(|word| {
                    (
                        format!("has {word}, expected the body of the statement only"),
                        "remove the preamble and the environment 'document'",
                    )
                }),
            _ => forbidden_in_markup(line),
        };
        warnings.extend(wrong.map(|(problem, remedy)| place().leniency(problem, remedy)));
    }
    Ok(())
}

/// Returns a line of LaTeX up to its comment.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    let comment = line.char_indices().find(|(_, c)| {
        let is_comment = *c == '%' && before != '\\';
        before = *c;
        is_comment
    });
    comment.map_or(line, |(at, _)| &line[..at])
}

/// Returns what a line of Markdown or SVG must not have: scripts, or pictures from elsewhere.
fn forbidden_in_markup(line: &str) -> Option<(String, &'static str)> {
    let line = line.to_ascii_lowercase();
    if line.contains("<script") || line.contains("javascript:") {
        return Some(("has a script, which a statement must not have".to_owned(), "remove it"));
    }
    let picture = |start: &str| {
        let after = line.split_once(start)?.1;
        let target = after.trim_start_matches([' ', '"', '\'', '<']);
        ["http:", "https:", "//"].iter().any(|scheme| target.starts_with(scheme)).then_some(())
    };
    let linked =
        line.split_once("![").and_then(|(_, rest)| rest.split_once("](")).is_some_and(|(_, target)| {
            ["http:", "https:", "//"]
                .iter()
                .any(|scheme| target.trim_start_matches(['<', ' ']).starts_with(scheme))
        });
    let is_image = line.contains("<img") && picture("src=").is_some();
    let is_svg = line.contains("<image") && picture("href=").is_some() || picture("url(").is_some();
    (linked || is_image || is_svg).then(|| {
        ("shows something from another place".to_owned(), "put the picture into statement/ and name it there")
    })
}

fn check_picture(item: &Item, warnings: &Warnings) -> Result<(), PackageError> {
    for (line, number) in text_of(item)?.lines().zip(1..) {
        warnings.extend(forbidden_in_markup(line).map(|(problem, remedy)| {
            FileLocation::file(&item.relative).line(number).leniency(problem, remedy)
        }));
    }
    Ok(())
}
