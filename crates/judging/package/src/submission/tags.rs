//! The tags `@EXPECTED_RESULTS@:` and `@EXPECTED_SCORE@:` in a submission's source.

use crate::Expectation;
use crate::expectation::{Rule, TimeBound, widen};
use model::Verdict;
use std::collections::BTreeSet;

const RESULTS: &str = "@EXPECTED_RESULTS@:";
const SCORE: &str = "@EXPECTED_SCORE@:";
const MANUAL: &str = "CHECK-MANUALLY";

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tags {
    pub(super) results: Option<Results>,
    /// The lowest and the highest correct score.
    pub(super) score: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Results {
    /// A person has to decide.
    Manual,
    /// Any of these.
    AnyOf(BTreeSet<Verdict>),
}

/// A tag that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrongTag {
    pub(super) line: u64,
    /// The tag, without the colon.
    pub(super) tag: &'static str,
    pub(super) problem: String,
    pub(super) remedy: &'static str,
}

/// Finds the tags in a source; several names, in one tag or in several, mean any one of them.
pub(super) fn read(source: &[u8]) -> Result<Tags, WrongTag> {
    let source = String::from_utf8_lossy(source);
    let mut names = Vec::new();
    let mut tags = Tags::default();
    for (index, line) in source.lines().enumerate() {
        let number = index as u64 + 1;
        if let Some(text) = after(line, SCORE) {
            match read_score(text) {
                Some(score) if tags.score.is_none() => tags.score = Some(score),
                Some(_) => {
                    return Err(WrongTag {
                        line: number,
                        tag: SCORE.trim_end_matches(':'),
                        problem: "stands twice".to_owned(),
                        remedy: "keep one score",
                    });
                }
                // DOMjudge has also used this tag for results.
                None => names.extend(split(text).map(|name| (number, SCORE, name))),
            }
        } else if let Some(text) = after(line, RESULTS) {
            names.extend(split(text).map(|name| (number, RESULTS, name)));
        }
    }
    if names.iter().any(|(.., name)| name.replace('_', "-") == MANUAL) {
        tags.results = Some(Results::Manual);
        return Ok(tags);
    }
    let mut any_of = BTreeSet::new();
    for (line, tag, name) in names {
        any_of.insert(verdict_of(&name).ok_or_else(|| WrongTag {
            line,
            tag: tag.trim_end_matches(':'),
            problem: format!("is '{}', which is not a result", located::shorten(&name)),
            remedy: "use CORRECT, WRONG-ANSWER, TIMELIMIT, RUN-ERROR, NO-OUTPUT, OUTPUT-LIMIT, MEMORY-LIMIT, \
                     COMPILER-ERROR or CHECK-MANUALLY",
        })?);
    }
    if !any_of.is_empty() {
        tags.results = Some(Results::AnyOf(widen(&any_of)));
    }
    Ok(tags)
}

/// Returns the text after a tag on its line, without the end of the comment.
fn after<'l>(line: &'l str, tag: &str) -> Option<&'l str> {
    // DOMjudge ignores the case.
    let at = line.to_ascii_uppercase().find(tag)?;
    let text = line[at + tag.len()..].split(['*', '}', ')', '#']).next().unwrap_or_default();
    text.split("-->").next()
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split(',').map(|name| name.trim().to_uppercase())
}

/// Parses a score; one with decimals may be rounded to that many.
fn read_score(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let score = text.parse::<f64>().ok().filter(|score| score.is_finite())?;
    let Some((_, decimals)) = text.split_once('.') else { return Some((score, score)) };
    let half = 0.5 * 0.1_f64.powi(i32::try_from(decimals.len()).ok()?);
    Some((score - half, score + half))
}

impl Results {
    pub(super) fn expectation(self) -> Expectation {
        match self {
            Self::Manual => Expectation::Manual,
            Self::AnyOf(any_of) => Expectation::Verdict { any_of, partial_score: false },
        }
    }
}

/// Combines a score with the other expectation. In a scoring problem a verdict on the whole means little, so there it
/// applies to the cases: one that is not accepted must exist, or none.
pub(super) fn with_score(score: (f64, f64), besides: Option<Expectation>) -> Expectation {
    let mut rule = Rule { score: Some(score), ..Rule::default() };
    if let Some(besides) = &besides {
        rule.time_bound = Some(if besides.bounds_time_limit_from_below() {
            TimeBound::Lower
        } else if besides.bounds_time_limit_from_above() {
            TimeBound::Upper
        } else {
            TimeBound::Neither
        });
    }
    match besides {
        Some(Expectation::Manual) => return Expectation::Manual,
        Some(Expectation::Rules(mut rules)) => {
            if rules.iter().all(|rule| rule.score.is_none()) {
                rules.push(Rule { time_bound: Some(TimeBound::Neither), ..rule });
            }
            return Expectation::Rules(rules);
        }
        Some(Expectation::Verdict { any_of, partial_score: false }) => {
            if any_of == BTreeSet::from([Verdict::Accepted]) {
                rule.permitted = Some(any_of);
            } else if !any_of.contains(&Verdict::Accepted) {
                rule.required = Some(any_of);
            }
        }
        Some(Expectation::Verdict { .. }) | None => {}
    }
    Expectation::Rules(vec![rule])
}

/// Parses one name in DOMjudge's, the formats' or CLICS' spelling.
fn verdict_of(name: &str) -> Option<Verdict> {
    Some(match name.replace(['_', ' '], "-").as_str() {
        "CORRECT" | "ACCEPTED" | "AC" => Verdict::Accepted,
        "WRONG-ANSWER" | "WA" => Verdict::WrongAnswer,
        // Judges without a verdict for missing output call it a wrong answer.
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
