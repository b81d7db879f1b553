//! Finds and starts other programs, and reports their failures in full.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// How much of a failed program's error output is repeated: enough to see the cause, without filling the screen.
const STDERR_TAIL_LINES: usize = 12;

/// Runs a command to its end, with its output on the terminal.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` ended with {status}");
    }
    Ok(())
}

/// Runs a command to its end and returns its standard output.
pub fn read(command: &mut Command) -> Result<String> {
    let output = capture(command)?;
    if !output.status.success() {
        bail!("`{}` ended with {}: {}", show(command), output.status, tail(&output.stderr));
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed text that is not UTF-8", show(command)))
}

/// Runs a command to its end and returns all of its output.
pub fn capture(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{}`", show(command)))
}

/// Returns the last lines of a program's error output, on one line.
pub fn tail(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(STDERR_TAIL_LINES)..].join(" | ")
}

pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|candidate| candidate.is_file())
}

pub fn shell_quote(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).map(|word| shell_quote(&word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_survives_a_shell() {
        for argument in ["", "plain", "two words", "it's", "$HOME `id` \"x\" \\", "a\nb"] {
            let script = format!("printf %s {}", shell_quote(argument));
            assert_eq!(read(Command::new("sh").args(["-c", &script])).unwrap(), argument);
        }
    }

    #[test]
    fn failure_includes_the_programs_error_output() {
        let error =
            read(Command::new("sh").args(["-c", "echo first >&2; echo second >&2; exit 4"])).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("exit status: 4") && text.contains("first | second"), "{text}");
    }
}
