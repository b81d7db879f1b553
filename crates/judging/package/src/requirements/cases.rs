//! The files of one test case: what is shown, what is handed out, and illustrations.

use crate::data::Parts;
use crate::error::{Complaint, Warnings};
use crate::metadata::Metadata;
use crate::tree::{Item, Tree};
use crate::{FileLocation, PackageError};

/// A case of this name would share its configuration with its group.
const RESERVED_NAME: &str = "test_group";
const ILLUSTRATIONS: [&str; 4] = [".png", ".jpg", ".jpeg", ".svg"];

/// Checks the files of a case in `sample` or `secret`.
pub(crate) fn check(tree: &Tree, metadata: &Metadata, stem: &str, parts: &Parts) -> Result<(), PackageError> {
    check_name(stem, parts, &tree.warnings);
    let other = |ending: &'static str| {
        let item = parts.others.iter().find(|item| item.name.strip_suffix(ending) == Some(stem));
        item.map(|item| (ending, item))
    };
    let shown_input = [other(".in.statement"), other(".interaction")];
    let output = parts.output.as_ref().map(|item| (".out", item));
    let shown_output = [output, other(".ans.statement"), other(".interaction")];
    let saved_output = [output, other(".ans.download")];
    one_of(&shown_input, "shown in the statement", &tree.warnings);
    one_of(&shown_output, "shown in the statement", &tree.warnings);
    one_of(&saved_output, "handed out", &tree.warnings);
    both(&shown_input, &[other(".in.download")], (stem, ".in.download", ".in.statement"), &tree.warnings);
    both(&shown_output, &saved_output, (stem, ".ans.download", ".ans.statement"), &tree.warnings);
    let mut pictures = ILLUSTRATIONS.iter().filter_map(|ending| other(ending));
    if let (Some((_, first)), Some((_, second))) = (pictures.next(), pictures.next()) {
        tree.warnings.push(FileLocation::file(&second.relative).leniency(
            format!("is a second illustration of the case, which {} illustrates", first.name),
            "remove one of them",
        ));
    }
    for (item, key) in [(&parts.description, "description"), (&parts.hint, "hint"), (&parts.args, "args")] {
        if let Some(item) = item {
            tree.warnings.push(FileLocation::file(&item.relative).warning(
                "is a file of earlier formats, and is read",
                format!("write its content as {key} into {stem}.yaml"),
            ));
        }
    }
    match other(".interaction") {
        Some((_, item)) => check_interaction(tree, metadata, item),
        None => Ok(()),
    }
}

/// Checks the files of a case that tests a validator.
pub(crate) fn check_validator_case(stem: &str, parts: &Parts, has_output: bool, warnings: &Warnings) {
    check_name(stem, parts, warnings);
    if let Some(answer) = parts.answer.as_ref().filter(|_| !has_output) {
        warnings.push(
            FileLocation::file(&answer.relative)
                .leniency("is an answer to an input that is not valid", "remove it"),
        );
    }
}

fn check_name(stem: &str, parts: &Parts, warnings: &Warnings) {
    if let Some(input) = parts.input.as_ref().filter(|_| stem == RESERVED_NAME) {
        warnings.push(FileLocation::file(&input.relative).leniency(
            "has a name that a case must not have, since test_group.yaml belongs to its group",
            "rename the case",
        ));
    }
}

type File<'p> = Option<(&'static str, &'p Item)>;

/// Warns where several files would take one place.
fn one_of(files: &[File<'_>], place: &str, warnings: &Warnings) {
    let mut files = files.iter().flatten();
    if let (Some((_, first)), Some((ending, _))) = (files.next(), files.next()) {
        warnings.push(
            FileLocation::file(&first.relative)
                .leniency(format!("and its {ending} would both be {place}"), "remove one of them"),
        );
    }
}

/// Warns where only one of what is shown and what is handed out is replaced.
fn both(
    shown: &[File<'_>],
    saved: &[File<'_>],
    (stem, add_saved, add_shown): (&str, &str, &str),
    warnings: &Warnings,
) {
    let first = |files: &[File<'_>]| files.iter().flatten().next().map(|(_, item)| item.relative.clone());
    let (file, problem, add) = match (first(shown), first(saved)) {
        (Some(file), None) => (file, "replaces what is shown, but not what is handed out", add_saved),
        (None, Some(file)) => (file, "replaces what is handed out, but not what is shown", add_shown),
        _ => return,
    };
    warnings.push(FileLocation::file(file).leniency(problem, format!("add {stem}{add}, or remove it")));
}

/// Checks that each line belongs to one side.
fn check_interaction(tree: &Tree, metadata: &Metadata, item: &Item) -> Result<(), PackageError> {
    let text = tree.text(&item.relative)?;
    let is_pass = |line: &str| line == "---" && metadata.kind.multi_pass.is_some();
    let wrong = text.lines().zip(1..).find(|(line, _)| !line.starts_with(['<', '>']) && !is_pass(line));
    if let Some((line, number)) = wrong {
        let passes = if metadata.kind.multi_pass.is_some() { ", or '---' between passes" } else { "" };
        tree.warnings.push(FileLocation::file(&item.relative).line(number).leniency(
            format!("is '{}', expected a line that begins with '<' or '>'{passes}", located::shorten(line)),
            "begin what the judge writes with '<' and what the submission writes with '>'",
        ));
    }
    Ok(())
}
