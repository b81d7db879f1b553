//! A progress line for terminals.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Fast enough to look alive; drawing uses CPU time, which a measurement should not share.
const REDRAW: Duration = Duration::from_millis(200);

/// Whether no progress is shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether no progress is shown.
pub fn keep_quiet(wanted: bool) {
    QUIET.store(wanted, Ordering::Relaxed);
}

/// Returns whether no progress is shown.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A line on standard error; nothing if that is not a terminal.
#[derive(Debug)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts the line if standard error is a terminal and `wanted` is set.
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

    /// Returns the same without animation, for measurements on all CPUs.
    pub fn still_on_stderr(wanted: bool) -> Self {
        let progress = Self::on_stderr(wanted);
        if let Some(bar) = &progress.0 {
            bar.disable_steady_tick();
        }
        progress
    }

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

    /// Counts one more finished step.
    pub fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Shows the current activity.
    pub fn say(&self, what: impl Into<String>) {
        if let Some(bar) = &self.0 {
            bar.set_message(what.into());
        }
    }

    /// Shows the current activities, a line each, cut at the width of the terminal.
    pub fn say_lines(&self, lines: Vec<String>) {
        /// The width of the text before the first line.
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

    /// Returns whether there is a line.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Hides the line while `print` writes.
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

/// Returns the end of a line that is too long: it contains what is waited for and how long.
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
