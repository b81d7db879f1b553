//! What several commands need of the machine: its CPUs, its languages, a terminal's width.

use anyhow::Context;
use model::CpuSet;
use package::language::Languages;
use std::path::{Path, PathBuf};

/// Lists the CPUs that this process may use.
///
/// # Errors
/// When the kernel does not say.
pub fn allowed_cpus() -> anyhow::Result<CpuSet> {
    machine::allowed_cpus().context("cannot read which CPUs are allowed")
}

/// Keeps this process, and every thread it starts from now on, on these CPUs.
///
/// # Errors
/// When the kernel refuses.
pub fn stay_on(cpus: &CpuSet) -> anyhow::Result<()> {
    machine::stay_on(cpus).with_context(|| format!("cannot move to {}, away from timed runs", cpus.named()))
}

/// Returns the languages, with those of a folder put over them.
///
/// # Errors
/// When the folder cannot be read or a definition in it is wrong.
pub fn languages(folder: Option<&Path>) -> anyhow::Result<Languages> {
    match folder {
        Some(folder) => Ok(Languages::with_overrides(folder)?),
        None => Ok(Languages::builtin()),
    }
}

/// Lists where commands are looked for.
pub fn command_folders() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Returns how many columns standard output shows; none where it is no terminal.
pub fn stdout_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    // A terminal that does not know its size says 0.
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
