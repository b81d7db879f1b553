//! The guest's kernel: the one that `tauto` uses for its own virtual machines.

use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// Where `tools/install test` unpacks Debian's cloud kernel.
const FOLDER: &str = "/var/lib/tauto/guest";

/// Returns the path of a bootable kernel image.
pub fn image() -> Result<PathBuf> {
    let folder = std::env::var_os("TAUTO_GUEST").map_or_else(|| PathBuf::from(FOLDER), PathBuf::from);
    let boot = folder.join("boot");
    let names = fs::read_dir(&boot).into_iter().flatten().flatten().map(|entry| entry.path());
    let kernels = names
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz-")));
    let newest = kernels.max_by_key(|path| fs::metadata(path).and_then(|found| found.modified()).ok());
    newest.with_context(|| format!("there is no kernel in {}; 'tools/install test' gets one", boot.display()))
}
