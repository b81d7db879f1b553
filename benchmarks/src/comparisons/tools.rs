//! The words and programs that comparisons call other tools with.

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::process;

/// Runs a command that prints JSON, and reads that.
pub fn read_json<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let printed = process::read(command)?;
    serde_json::from_str(&printed).with_context(|| format!("{command:?} did not print what was expected"))
}

/// Returns the one part that is named, otherwise all.
pub fn parts<P: ValueEnum + Copy>(named: Option<P>) -> Vec<P> {
    named.map_or_else(|| P::value_variants().to_vec(), |part| vec![part])
}

/// A path as an argument of a command line that is kept as text.
pub fn argument(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A program of a Python package that `tools/install bench` puts into a directory of its own.
pub fn benchexec(program: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME")?;
    let path = Path::new(&home).join(".cache/tautochrone/benchexec/bin").join(program);
    path.is_file().then_some(path)
}
