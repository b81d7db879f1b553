//! What the text of `2025-09` requires beyond what is needed to read a package: a judge warns, and a package that
//! violates it is not verified.

pub(crate) mod cases;
pub(crate) mod codes;
mod folders;
pub(crate) mod natural;
mod programs;
mod statement;
mod texts;

#[cfg(test)]
mod tests;

use crate::metadata::Metadata;
use crate::tree::Tree;
use crate::{Format, Package, PackageError};

/// Checks a package that was read; the package of another format is not checked.
pub(crate) fn check(tree: &Tree, metadata: &Metadata, package: &Package) -> Result<(), PackageError> {
    if metadata.format != Format::V2025_09 {
        return Ok(());
    }
    folders::check(tree, package)?;
    statement::check(tree, package)?;
    programs::check(tree, package)?;
    texts::check(tree, package)
}
