//! The tag `@EXPECTED_RESULTS@:` in a submission's source.

use crate::Expectation;
use crate::expectation::widen;
use model::Verdict;
use std::collections::BTreeSet;

const TAG: &str = "@EXPECTED_RESULTS@:";
const MANUAL: &str = "CHECK-MANUALLY";

/// Finds what the tags in a source say; several names, in one tag or in several, mean any one of them.
///
/// # Errors
///
/// Gives the line and the name that is not known.
pub(super) fn read(source: &[u8]) -> Result<Option<Expectation>, (u64, String)> {
    let source = String::from_utf8_lossy(source);
    let mut names = Vec::new();
    for (index, line) in source.lines().enumerate() {
        if let Some((_, list)) = line.split_once(TAG) {
            // The comment may end on the same line.
            let list = list.split(['*', '}', ')', '#']).next().unwrap_or_default();
            let list = list.split("-->").next().unwrap_or_default();
            names.extend(list.split(',').map(|name| (index as u64 + 1, name.trim().to_uppercase())));
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    if names.iter().any(|(_, name)| name.replace('_', "-") == MANUAL) {
        return Ok(Some(Expectation::Manual));
    }
    let mut any_of = BTreeSet::new();
    for (line, name) in names {
        any_of.insert(verdict_of(&name).ok_or((line, name))?);
    }
    Ok(Some(Expectation::Verdict { any_of: widen(&any_of), partial_score: false }))
}

/// Reads one name in DOMjudge's, the formats' or CLICS' spelling.
fn verdict_of(name: &str) -> Option<Verdict> {
    Some(match name.replace(['_', ' '], "-").as_str() {
        "CORRECT" | "ACCEPTED" | "AC" => Verdict::Accepted,
        "WRONG-ANSWER" | "WA" => Verdict::WrongAnswer,
        // Judges without a verdict for silence call it a wrong answer.
        "NO-OUTPUT" | "NO" => Verdict::WrongAnswer,
        "PRESENTATION-ERROR" | "PE" => Verdict::WrongAnswer,
        "TIMELIMIT" | "TIME-LIMIT" | "TIME-LIMIT-EXCEEDED" | "TLE" => Verdict::TimeLimitExceeded,
        "WALL-TIME-LIMIT-EXCEEDED" | "WTL" => Verdict::WallTimeLimitExceeded,
        "RUN-ERROR" | "RUNTIME-ERROR" | "RUN-TIME-ERROR" | "RTE" => Verdict::RunTimeError,
        "MEMORY-LIMIT" | "MEMORY-LIMIT-EXCEEDED" | "MLE" => Verdict::MemoryLimitExceeded,
        "OUTPUT-LIMIT" | "OUTPUT-LIMIT-EXCEEDED" | "OLE" => Verdict::OutputLimitExceeded,
        "COMPILER-ERROR" | "COMPILE-ERROR" | "CE" => Verdict::CompileError,
        _ => return None,
    })
}
