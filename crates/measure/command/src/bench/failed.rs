//! Words for runs that failed.

use bench::Direction;
use documents::{BenchResult, Ratio};
use model::RunEnd;
use std::collections::BTreeMap;
use terminal::interrupt::signal_name;

/// What is shown of what a failed command wrote.
const COMPLAINT_CHARACTERS_MAX: usize = 300;

/// Describes how many of a command's runs failed and how; `None` if none did.
pub fn failures(result: &BenchResult) -> Option<String> {
    let mut ends: BTreeMap<Option<i32>, usize> = BTreeMap::new();
    for code in result.exit_codes.iter().filter(|code| **code != Some(0)) {
        *ends.entry(*code).or_default() += 1;
    }
    let failed: usize = ends.values().sum();
    let is_one = ends.len() == 1;
    let words = |(code, count): (&Option<i32>, &usize)| {
        let end = code.map_or("a signal or a limit".to_owned(), |code| format!("exit code {code}"));
        if is_one { end } else { format!("{end}: {count}") }
    };
    let ends: Vec<String> = ends.iter().map(words).collect();
    (failed > 0).then(|| format!("{failed} of {} runs failed ({})", result.exit_codes.len(), ends.join(", ")))
}

/// Leaves it undecided which of two commands is faster if runs of one failed: these did other work, or less.
pub fn leave_undecided<'r>(
    commands: [(&str, &BenchResult); 2],
    ratios: impl IntoIterator<Item = &'r mut Ratio>,
) {
    let mut found =
        commands.iter().filter_map(|(name, result)| Some(format!("of {name}, {}", failures(result)?)));
    let Some(why) = found.next() else { return };
    for ratio in ratios {
        direction(Direction::Undecided).clone_into(&mut ratio.verdict);
        ratio.undecided_because = Some(why.clone());
    }
}

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

/// Returns the word for a direction.
pub fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Faster => "faster",
        Direction::Slower => "slower",
        Direction::Undecided => "undecided",
    }
}
