//! `tauto completions` and `tauto man`: made from the definitions of the arguments.

use crate::failure::definitions;
use crate::output::print;
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;

/// Prints the completions for a shell.
///
/// # Errors
/// When standard output cannot be written.
pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut definitions(), "tauto", &mut script);
    show(script)
}

/// Writes one manual page for each command into a folder, or prints the main one.
///
/// # Errors
/// When a file or standard output cannot be written.
pub fn manual(folder: Option<&Path>) -> anyhow::Result<ExitCode> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(definitions()).render(&mut page).context("cannot make the manual page")?;
        return show(page);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(definitions(), folder)
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn show(bytes: Vec<u8>) -> anyhow::Result<ExitCode> {
    print(&String::from_utf8(bytes).context("the text is not UTF-8")?)?;
    Ok(ExitCode::SUCCESS)
}
