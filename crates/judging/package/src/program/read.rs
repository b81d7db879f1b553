//! Finds the programs of a package.

use super::{Includes, OutputValidator, PackageFile, Program, Protocol, protocol};
use crate::error::{Complaint, Warnings};
use crate::metadata::Metadata;
use crate::scoring::Grading;
use crate::tree::{Item, Tree};
use crate::{FileLocation, Group, PackageError};
use languages::{FILES_MAX, SourceFile, check_names};
use model::SOURCE_NAMES_BYTES_MAX;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Limits on the files that a package adds to a submission in one language, and on the length of their names: half of
/// those for a submission.
const INCLUDED_FILES_MAX: usize = FILES_MAX / 2;
const INCLUDED_NAMES_BYTES_MAX: usize = SOURCE_NAMES_BYTES_MAX / 2;

/// The folder in which Python keeps compiled modules; it belongs to no program.
pub(crate) const PYTHON_CACHE: &str = "__pycache__";

/// Reads a file or folder as a program; `None` with a warning if it contains no file.
fn read_program(tree: &Tree, item: &Item) -> Result<Option<Program>, PackageError> {
    let files = files_of(tree, item)?;
    if files.is_empty() {
        tree.warnings.push(
            FileLocation::file(&item.relative).warning("is an empty program", "remove the folder or fill it"),
        );
        return Ok(None);
    }
    let has = |name: &str| item.is_folder && files.iter().any(|file| file.name.as_os_str() == name);
    let (has_build_script, has_run_script) = (has("build"), has("run"));
    Ok(Some(Program {
        name: item.name.clone(),
        path: item.path.clone(),
        files,
        has_build_script,
        has_run_script,
    }))
}

/// Lists the files of a program: a single file is treated like a folder with just that file.
pub(crate) fn files_of(tree: &Tree, item: &Item) -> Result<Vec<PackageFile>, PackageError> {
    if item.is_folder {
        let mut files = tree.files(&item.relative)?;
        // Modules that Python compiled while the package was tried.
        files.retain(|file| file.name.components().all(|part| part.as_os_str() != PYTHON_CACHE));
        return Ok(files);
    }
    Ok(vec![PackageFile { name: PathBuf::from(&item.name), path: item.path.clone() }])
}

fn read_programs(tree: &Tree, folder: &str) -> Result<Vec<Program>, PackageError> {
    let mut programs = Vec::new();
    let items = tree.list(folder)?;
    if items.iter().any(is_script) {
        tree.warnings.push(FileLocation::file(folder).leniency(
            "has its own build or run script and is read as one program",
            "put the program into a folder below it",
        ));
        return Ok(read_program(tree, &whole(tree, folder)?)?.into_iter().collect());
    }
    for item in items {
        // Headers and notes that validators share are not programs.
        let is_note = item.name == PYTHON_CACHE
            || !item.is_folder
                && [".md", ".txt", ".h", ".hpp"].iter().any(|ending| item.name.ends_with(ending));
        if !is_note && let Some(program) = read_program(tree, &item)? {
            programs.push(program);
        }
    }
    Ok(programs)
}

/// Reads a folder that is one program, or that contains only a folder which is one.
fn read_only_program(tree: &Tree, folder: &str) -> Result<Option<Program>, PackageError> {
    let mut items = tree.list(folder)?;
    items.retain(|item| item.name != PYTHON_CACHE);
    match &items[..] {
        [] => Ok(None),
        // A single script is the folder's program, not a source file in some language.
        [only] if !is_script(only) => read_program(tree, only),
        _ => read_program(tree, &whole(tree, folder)?),
    }
}

/// Returns whether this is one of the two scripts that belong to the folder's program.
fn is_script(item: &Item) -> bool {
    !item.is_folder && ["build", "run"].contains(&item.name.as_str())
}

/// Makes a member for a whole folder.
fn whole(tree: &Tree, folder: &str) -> Result<Item, PackageError> {
    let path = tree.resolve(folder)?;
    Ok(Item { name: folder.to_owned(), relative: folder.to_owned(), path, is_folder: true })
}

pub(crate) fn output_validator(tree: &Tree, metadata: &Metadata) -> Result<OutputValidator, PackageError> {
    let (folder, other) = if metadata.format.is_legacy() {
        ("output_validators", "output_validator")
    } else {
        ("output_validator", "output_validators")
    };
    let mut folder = folder;
    if tree.exists(other) {
        let place = FileLocation::file(other);
        let remedy = format!("rename it to {folder}");
        if tree.exists(folder) || tree.exists("checker") {
            let unread = format!("is not read in the format {}", metadata.format);
            tree.warnings.push(place.warning(unread, remedy));
        } else {
            let name = format!("is not the name of the format {}, but read in its place", metadata.format);
            tree.warnings.push(place.leniency(name, remedy));
            folder = other;
        }
    }
    // This folder is not part of any format; its program uses testlib's protocol.
    let checker = read_only_program(tree, "checker")?;
    let custom = if folder == "output_validators" {
        lone_program(tree, folder)?
    } else {
        read_only_program(tree, folder)?
    };
    let validator = match (checker, custom) {
        (Some(_), Some(_)) => {
            return Err(FileLocation::file("checker")
                .invalid(format!("and {folder} both check outputs"), "remove one of them"));
        }
        (Some(checker), None) => OutputValidator::Custom(checker, Protocol::Testlib),
        (None, Some(program)) => {
            let protocol = protocol::detect(&program)?;
            OutputValidator::Custom(program, protocol)
        }
        (None, None) => OutputValidator::Default,
    };
    fit_to_metadata(validator, metadata, folder, &tree.warnings)
}

/// Finds the grader that replaces the default one.
pub(crate) fn grader(
    tree: &Tree,
    metadata: &Metadata,
    data: &Group,
) -> Result<Option<Program>, PackageError> {
    const FOLDER: &str = "graders";
    let place = FileLocation::file(FOLDER);
    if !metadata.format.is_legacy() {
        if tree.exists(FOLDER) {
            let unread = format!("is not read in the format {}", metadata.format);
            tree.warnings
                .push(place.warning(unread, "remove it, and say with score_aggregation what it did"));
        }
        return Ok(None);
    }
    let program = lone_program(tree, FOLDER)?;
    match (&program, graded_by_it(data)) {
        (None, Some(group)) => {
            let asking = if group.is_empty() { "data".to_owned() } else { format!("data/{group}") };
            Err(place.invalid(
                format!("is missing or empty, but {asking} has 'grading: custom'"),
                "add the program, or use 'grading: default' with grader_flags",
            ))
        }
        (Some(_), None) => {
            tree.warnings.push(place.warning(
                "is not used, since no group has 'grading: custom'",
                "add that to a testdata.yaml or remove the folder",
            ));
            Ok(None)
        }
        _ => Ok(program),
    }
}

/// Returns the name of the first group that the package's own grader grades.
fn graded_by_it(group: &Group) -> Option<&str> {
    match &group.grading {
        Grading::Legacy(grading) if grading.own_grader.is_some() => Some(&group.name),
        _ => group.groups.iter().find_map(graded_by_it),
    }
}

/// Reads a folder with at most one program, its headers and notes.
fn lone_program(tree: &Tree, folder: &str) -> Result<Option<Program>, PackageError> {
    let mut programs = read_programs(tree, folder)?;
    if programs.len() > 1 {
        let names: Vec<_> = programs.iter().map(|program| program.name.as_str()).collect();
        return Err(FileLocation::file(folder).invalid(
            format!("holds {} programs ({}), expected one", names.len(), names.join(", ")),
            "keep one, or put the files of one program into a folder",
        ));
    }
    Ok(programs.pop())
}

/// Checks that there is a validator if, and only if, the problem requires one.
fn fit_to_metadata(
    validator: OutputValidator,
    metadata: &Metadata,
    folder: &str,
    warnings: &Warnings,
) -> Result<OutputValidator, PackageError> {
    let is_custom = matches!(validator, OutputValidator::Custom(..));
    let missing = |problem: &str| {
        Err(FileLocation::file(folder).invalid(problem, "add the program, or change problem.yaml"))
    };
    match metadata.custom_validation {
        Some(true) if !is_custom => {
            return missing("is missing or empty, but problem.yaml asks for 'validation: custom'");
        }
        Some(false) if is_custom && folder_is_custom(&validator, folder) => {
            warnings.push(FileLocation::file(folder).warning(
                "is not used, since problem.yaml asks for the default validation",
                "set 'validation: custom' or remove the folder",
            ));
            return Ok(OutputValidator::Default);
        }
        _ => {}
    }
    if !is_custom && (metadata.kind.interactive || metadata.kind.multi_pass.is_some()) {
        return missing(
            "is missing or empty, but an interactive or multi-pass problem needs its own validator",
        );
    }
    Ok(validator)
}

/// Returns whether the validator is in the format's folder; a `checker` counts whatever the metadata are.
fn folder_is_custom(validator: &OutputValidator, folder: &str) -> bool {
    matches!(validator, OutputValidator::Custom(program, _)
        if program.path.components().any(|part| part.as_os_str() == folder))
}

pub(crate) fn input_validators(tree: &Tree) -> Result<Vec<Program>, PackageError> {
    let mut programs = read_programs(tree, "input_validators")?;
    programs.extend(read_programs(tree, "input_format_validators")?);
    programs.retain(|program| {
        let is_grammar = is_grammar(&program.name);
        if is_grammar {
            tree.warnings.push(FileLocation::file(tree.relative(&program.path)).warning(
                "is a grammar for another tool and is not run",
                "add a validator that is a program, or run the tool yourself",
            ));
        }
        !is_grammar
    });
    Ok(programs)
}

/// Returns whether there is a validator in a language of its own, which tauto does not run.
pub(crate) fn has_grammar(tree: &Tree) -> Result<bool, PackageError> {
    Ok(tree.list("input_validators")?.iter().any(|item| is_grammar(&item.name)))
}

fn is_grammar(name: &str) -> bool {
    [".ctd", ".viva"].iter().any(|ending| name.ends_with(ending))
}

pub(crate) fn static_validator(tree: &Tree) -> Result<Option<Program>, PackageError> {
    read_only_program(tree, "static_validator")
}

/// Reads the files that are added to submissions.
pub(crate) fn includes(tree: &Tree, metadata: &Metadata) -> Result<Includes, PackageError> {
    let mut by_language = BTreeMap::new();
    let mut default = Vec::new();
    for item in tree.list("include")? {
        if !item.is_folder {
            tree.warnings.push(FileLocation::file(item.relative).leniency(
                "is not in a language's folder and is left out",
                "move it to include/default or to the folder of its language",
            ));
            continue;
        }
        let files = tree.files(&item.relative)?;
        check_includes(&item.relative, &files)?;
        if files.is_empty() {
            tree.warnings
                .push(FileLocation::file(item.relative).leniency("is empty", "remove the folder or fill it"));
        } else if item.name == "default" && !metadata.format.is_legacy() {
            default = files;
        } else {
            by_language.insert(item.name, files);
        }
    }
    Ok(Includes { default, by_language })
}

/// Checks that the files can be added to submissions: later any problem would count as the submission's fault.
fn check_includes(folder: &str, files: &[PackageFile]) -> Result<(), PackageError> {
    let name_of = |file: &PackageFile| file.name.to_string_lossy().into_owned();
    let named: Vec<_> =
        files.iter().map(|file| SourceFile { name: name_of(file), bytes: Vec::new() }).collect();
    check_names(&named).map_err(|error| {
        FileLocation::file(folder).invalid(error.to_string(), "it is added to every submission")
    })?;
    let bytes: usize = named.iter().map(|file| file.name.len()).sum();
    if named.len() > INCLUDED_FILES_MAX || bytes > INCLUDED_NAMES_BYTES_MAX {
        return Err(FileLocation::file(folder).invalid(
            format!("holds {} files with {bytes} bytes of names", named.len()),
            format!("hold at most {INCLUDED_FILES_MAX} with {INCLUDED_NAMES_BYTES_MAX}, so that submissions have room for their own"),
        ));
    }
    Ok(())
}
