//! Rules of the tree that the compiler does not check.
//!
//! Each rule is a pure function from a [`Tree`] to findings, so that synthetic trees test it.

mod circles;
mod crates;
mod finding;
mod links;
mod merges;
mod size;
mod table;
mod tree;
mod words;

use finding::{Finding, Level};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use tree::Tree;

pub fn run(root: &Path) -> Result<ExitCode> {
    let tree = Tree::read(root)?;
    let members = crates::members(root)?;
    let mut findings = Vec::new();
    findings.extend(crates::check_edges(&tree, &members));
    findings.extend(crates::check_descriptions(&tree, &members));
    findings.extend(crates::check_unsafe(&tree, &members));
    findings.extend(crates::check_unused(&tree, &members));
    findings.extend(circles::check(&tree, crates::roots(&members)));
    findings.extend(table::check(&tree));
    findings.extend(links::check(&tree));
    findings.extend(size::check(&tree));
    findings.extend(merges::check(&tree));
    findings.extend(words::check(&tree));
    findings.sort();
    for finding in &findings {
        eprintln!("{finding}");
    }
    let errors = findings.iter().filter(|finding| finding.level == Level::Error).count();
    eprintln!(
        "tidy: {} files, {} crates: {errors} errors, {} warnings",
        tree.files().count(),
        members.len(),
        findings.len() - errors
    );
    Ok(ExitCode::from(u8::from(errors > 0)))
}
