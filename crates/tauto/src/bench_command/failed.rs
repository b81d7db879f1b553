//! Words for runs that failed.

use crate::interrupt::signal_name;
use model::RunEnd;

/// What is shown of what a failed command wrote.
const COMPLAINT_CHARACTERS_MAX: usize = 300;

/// Describes how a run ended, and what it wrote.
pub fn end_words(end: RunEnd, output: &[u8]) -> String {
    let end = match end {
        RunEnd::Signaled(signal) => format!("was killed by signal {signal} ({})", signal_name(signal)),
        RunEnd::Exited(code) => format!("ended with exit code {code}"),
        RunEnd::Limit(kind) => kind.passed(),
    };
    // What a program writes must not steer the terminal.
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let complaint = String::from_utf8_lossy(output);
    let complaint: String = complaint.trim().chars().take(COMPLAINT_CHARACTERS_MAX).map(plain).collect();
    if complaint.is_empty() { end } else { format!("{end}, saying '{complaint}'") }
}
