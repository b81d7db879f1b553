//! One folder of test data: which files belong to which case.

use crate::error::{Complaint, Warnings};
use crate::tree::{Item, Tree};
use crate::{FileLocation, Format, PackageError};
use std::collections::BTreeMap;

/// The formats advise against larger files; judges and version control have trouble with them.
const LARGE_FILE_BYTES: u64 = 100 << 20;
/// Largest input, answer or output of a case: all are in memory while the case is judged.
const CASE_FILE_BYTES_MAX: u64 = 1 << 30;
/// The name of a group's configuration in the legacy formats.
pub(super) const LEGACY_CONFIG: &str = "testdata.yaml";
/// The name of a group's configuration in the newer formats.
const CURRENT_CONFIG: &str = "test_group.yaml";
/// All names of such a configuration: a draft of the newer formats kept the legacy one.
pub(super) const CURRENT_CONFIGS: [&str; 2] = [CURRENT_CONFIG, LEGACY_CONFIG];

#[derive(Debug, Default)]
pub(super) struct Folder {
    /// The parts of each case by its base name.
    pub(super) cases: BTreeMap<String, Parts>,
    /// Folders that belong to no case.
    pub(super) folders: Vec<Item>,
    pub(super) config: Option<Item>,
}

#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) input: Option<Item>,
    pub(crate) answer: Option<Item>,
    pub(crate) output: Option<Item>,
    pub(crate) config: Option<Item>,
    pub(crate) description: Option<Item>,
    pub(crate) hint: Option<Item>,
    pub(crate) args: Option<Item>,
    pub(crate) files: Option<Item>,
    /// Pictures and files for statements, which a judge does not need.
    pub(crate) others: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Input,
    Answer,
    Output,
    Config,
    Description,
    Hint,
    Args,
    Other,
}

/// By extension; longer ones come before their own endings.
const ROLES: [(&str, Role); 16] = [
    (".in.statement", Role::Other),
    (".ans.statement", Role::Other),
    (".in.download", Role::Other),
    (".ans.download", Role::Other),
    (".interaction", Role::Other),
    (".in", Role::Input),
    (".ans", Role::Answer),
    (".out", Role::Output),
    (".yaml", Role::Config),
    (".desc", Role::Description),
    (".hint", Role::Hint),
    (".args", Role::Args),
    (".png", Role::Other),
    (".jpg", Role::Other),
    (".jpeg", Role::Other),
    (".svg", Role::Other),
];

pub(super) fn scan(tree: &Tree, format: Format, relative: &str) -> Result<Folder, PackageError> {
    let (config_name, other_config) =
        if format.is_legacy() { (LEGACY_CONFIG, CURRENT_CONFIG) } else { (CURRENT_CONFIG, LEGACY_CONFIG) };
    // Early versions of the draft have the old name, later ones the new name.
    let has_both_names = format == Format::V2023_07;
    let mut folder = Folder::default();
    for item in tree.list(relative)? {
        if item.is_folder {
            match item.name.strip_suffix(".files").map(str::to_owned) {
                Some(stem) => folder.cases.entry(stem).or_default().files = Some(item),
                None => folder.folders.push(item),
            }
            continue;
        }
        if item.name == config_name {
            folder.config = Some(item);
            continue;
        }
        if has_both_names && item.name == other_config && !tree.exists(&format!("{relative}/{config_name}")) {
            folder.config = Some(item);
            continue;
        }
        if item.name == other_config {
            tree.warnings.push(FileLocation::file(item.relative).warning(
                format!("is not read in the format {format}"),
                format!("rename it to {config_name} and check its keys"),
            ));
            continue;
        }
        let role = ROLES.iter().find_map(|(ending, role)| Some((item.name.strip_suffix(ending)?, *role)));
        let Some((stem, role)) = role.filter(|(stem, _)| !stem.is_empty()) else {
            tree.warnings.push(
                FileLocation::file(item.relative)
                    .warning("belongs to no test case", "move it out of the test data"),
            );
            continue;
        };
        let size = std::fs::metadata(&item.path).map_or(0, |data| data.len());
        if size > CASE_FILE_BYTES_MAX && matches!(role, Role::Input | Role::Answer | Role::Output) {
            return Err(FileLocation::file(item.relative).invalid(
                format!("is larger than {}", model::Bytes(CASE_FILE_BYTES_MAX)),
                "make the case smaller: a judge has it in memory",
            ));
        }
        if size > LARGE_FILE_BYTES {
            tree.warnings.push(FileLocation::file(&item.relative).warning(
                format!("is larger than {}", model::Bytes(LARGE_FILE_BYTES)),
                "make the case smaller if it tests the same",
            ));
        }
        let parts = folder.cases.entry(stem.to_owned()).or_default();
        match role {
            Role::Input => parts.input = Some(item),
            Role::Answer => parts.answer = Some(item),
            Role::Output => parts.output = Some(item),
            Role::Config => parts.config = Some(item),
            Role::Description => parts.description = Some(item),
            Role::Hint => parts.hint = Some(item),
            Role::Args => parts.args = Some(item),
            Role::Other => parts.others.push(item),
        }
    }
    drop_orphans(&mut folder, format, &tree.warnings);
    for (stem, parts) in &folder.cases {
        if let Some(item) = folder.folders.iter().find(|item| item.name == *stem)
            && let Some(input) = &parts.input
            && !format.is_legacy()
        {
            return Err(FileLocation::file(&item.relative).invalid(
                format!("is a folder with the name of the case {}", input.relative),
                "rename one of them",
            ));
        }
    }
    Ok(folder)
}

/// Removes files without an input, and warns about them.
fn drop_orphans(folder: &mut Folder, format: Format, warnings: &Warnings) {
    for (stem, parts) in &folder.cases {
        if parts.input.is_some() {
            continue;
        }
        let needed = [&parts.answer, &parts.output, &parts.config, &parts.files];
        if let Some(orphan) = needed.into_iter().flatten().next() {
            warnings.push(FileLocation::file(&orphan.relative).leniency(
                format!(
                    "belongs to a test case without input and is left out, expected {stem}.in next to it"
                ),
                "add the input or remove the file",
            ));
        }
        for orphan in &parts.others {
            // In earlier formats an interaction may be shown in the statement without being a test case.
            if format == Format::V2025_09 || !orphan.name.ends_with(".interaction") {
                warnings.push(
                    FileLocation::file(&orphan.relative)
                        .leniency("belongs to no test case", "add the input or remove the file"),
                );
            }
        }
    }
    folder.cases.retain(|_, parts| parts.input.is_some());
}
