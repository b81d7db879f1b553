//! One line that says what is being done, where a person waits.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Fast enough to look alive; drawing costs CPU time, which measuring does not want to share.
const REDRAW: Duration = Duration::from_millis(200);

/// Whether no progress is wanted.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether no progress is wanted.
pub fn keep_quiet(wanted: bool) {
    QUIET.store(wanted, Ordering::Relaxed);
}

/// Returns whether no progress is wanted.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A line on standard error; nothing at all if that is no terminal.
#[derive(Debug)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts the line where standard error is a terminal and `wanted` says so.
    pub fn on_stderr(wanted: bool) -> Self {
        if !wanted || is_quiet() || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(REDRAW);
        Self(Some(bar))
    }

    /// Returns the same without anything that moves by itself, for who measures on all CPUs.
    pub fn still_on_stderr(wanted: bool) -> Self {
        let progress = Self::on_stderr(wanted);
        if let Some(bar) = &progress.0 {
            bar.disable_steady_tick();
        }
        progress
    }

    /// Shows of how many steps each is done, from now on.
    pub fn expect(&self, steps: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(steps);
            if let Ok(style) =
                ProgressStyle::with_template("{spinner} {elapsed} {bar:24} {pos}/{len} {wide_msg}")
            {
                bar.set_style(style);
            }
        }
    }

    /// Counts one more step is done.
    pub fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Shows what is being done now.
    pub fn say(&self, what: impl Into<String>) {
        if let Some(bar) = &self.0 {
            bar.set_message(what.into());
        }
    }

    /// Shows what is being done now, a line each, cut where the terminal ends.
    pub fn say_lines(&self, lines: Vec<String>) {
        /// What stands before the first line.
        const BEFORE: usize = 8;
        let Some(bar) = &self.0 else { return };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        let columns = rustix::termios::tcgetwinsize(rustix::stdio::stderr()).map_or(80, |size| size.ws_col);
        let width = usize::from(columns.max(40)) - BEFORE;
        let cut: Vec<String> = lines.iter().map(|line| end_of(line, width)).collect();
        bar.set_message(cut.join(&format!("\n{:BEFORE$}", "")));
    }

    /// Returns whether there is a line at all.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Takes the line away while `print` writes, and puts it back.
    pub fn around<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Returns the end of a line that is too long: what is waited for and how long stands there.
fn end_of(line: &str, columns: usize) -> String {
    let count = line.chars().count();
    if count <= columns {
        return line.to_owned();
    }
    std::iter::once('…').chain(line.chars().skip(count - columns + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_the_end_is_shown() {
        assert_eq!(end_of("folder/name.c: run 2, 1.0 s of 2.0 s", 20), "…n 2, 1.0 s of 2.0 s");
        assert_eq!(end_of("short", 5), "short");
    }

    #[test]
    fn without_a_terminal_nothing_is_drawn_and_all_is_done() {
        let progress = Progress::on_stderr(false);
        progress.say("working");
        assert!(progress.0.is_none());
        assert_eq!(progress.around(|| 17), 17);
    }
}
