//! `problem.yaml` in all its versions.

mod credits;
mod current;
mod legacy;
mod limits;
mod parts;

use crate::error::{Complaint, Warnings};
use crate::fields::FieldOfPackage;
use crate::tree::Tree;
use crate::{FileLocation, Format, PackageError, ProblemLimits, yaml};
use located::{Field, Wrong};
pub(crate) use parts::{Metadata, PROBLEM_YAML};

pub(crate) fn read(tree: &Tree, defaults: &ProblemLimits) -> Result<Metadata, PackageError> {
    if !tree.exists(PROBLEM_YAML) {
        return Err(FileLocation::file(PROBLEM_YAML).invalid(
            "is missing, expected in the package's top folder",
            "add it with at least 'name:', or name the folder that holds it",
        ));
    }
    parse(&tree.text(PROBLEM_YAML)?, defaults, &tree.warnings)
}

fn parse(text: &str, defaults: &ProblemLimits, warnings: &Warnings) -> Result<Metadata, PackageError> {
    let root = root(text, warnings)?;
    let mut fields = Field::document(PROBLEM_YAML, &root).fields()?;
    let format = match fields.take("problem_format_version") {
        Some(field) => read_format(&field)?,
        None => Format::Legacy,
    };
    if format.is_legacy() {
        legacy::read(format, fields, defaults, warnings)
    } else {
        current::read(format, fields, defaults, warnings)
    }
}

/// Reads the document. Older systems take the last of equal keys, so in the legacy formats they are only reported.
fn root(text: &str, warnings: &Warnings) -> Result<yaml::Node, PackageError> {
    let error = match yaml::parse(PROBLEM_YAML, text) {
        Ok(root) => return Ok(root),
        Err(error) => error,
    };
    let Ok(root) = located::yaml_of_last_keys(text) else { return Err(error) };
    let version = Field::document(PROBLEM_YAML, &root).fields()?.take("problem_format_version");
    match (error, version.map(|field| read_format(&field)).transpose()?) {
        (
            PackageError::Invalid(Wrong { place, problem, .. }),
            None | Some(Format::Legacy | Format::LegacyIcpc),
        ) => {
            warnings.push(place.leniency(problem, "the last one counts"));
            Ok(root)
        }
        (error, _) => Err(error),
    }
}

fn read_format(field: &Field<'_>) -> Result<Format, Wrong> {
    field.word(&[
        ("legacy", Format::Legacy),
        ("legacy-icpc", Format::LegacyIcpc),
        ("2023-07-draft", Format::V2023_07),
        ("2023-07", Format::V2023_07),
        ("2025-09", Format::V2025_09),
        ("2025-09-draft", Format::V2025_09),
        ("draft", Format::V2025_09),
    ])
}

#[cfg(test)]
mod tests;
