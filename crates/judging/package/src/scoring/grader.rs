//! The questions to a legacy package's grader, and its answers.

use model::Verdict;
use std::collections::BTreeMap;

/// Maximum length of an invalid answer in a message.
const ANSWER_CHARS_SHOWN_MAX: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) verdict: Verdict,
    pub(super) score: f64,
}

/// One question to the package's own grader. Equal questions have equal answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GraderCall {
    /// The group that is graded; empty for `data` itself.
    pub group: String,
    /// Its arguments.
    pub flags: Vec<String>,
    /// Its standard input: a line for each part of the group, such as `AC 1`.
    pub results: String,
}

/// A grader's answer for a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grade {
    verdict: Verdict,
    score: f64,
}

/// The answers so far: a grade, or why there is none.
pub type Grades = BTreeMap<GraderCall, Result<Grade, String>>;

impl GraderCall {
    pub(super) fn new(group: &str, flags: &[String], parts: &[Part]) -> Self {
        let line = |part: &Part| format!("{} {}\n", told_as(part.verdict).clics_id(), part.score);
        let results = parts.iter().map(line).collect();
        Self { group: group.to_owned(), flags: flags.to_vec(), results }
    }
}

impl Grade {
    /// Parses a grader's output: a code and a score in one line.
    ///
    /// # Errors
    /// When the output is anything else; the error quotes it.
    pub fn read(stdout: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(stdout);
        let words: Vec<_> = text.split_whitespace().collect();
        let grade = match words[..] {
            [code, score] if text.trim().lines().count() == 1 => verdict_of(code)
                .zip(score.parse().ok().filter(|score: &f64| score.is_finite()))
                .map(|(verdict, score)| Self { verdict, score }),
            _ => None,
        };
        grade.ok_or_else(|| {
            let answer: String = text.trim_end().chars().take(ANSWER_CHARS_SHOWN_MAX).collect();
            format!(
                "wrote {answer:?}, expected one line with a verdict and a score, such as 'AC 10' or 'WA 0'"
            )
        })
    }

    /// Makes the group's result of it. If the grader passes on a code that stands for several verdicts, the first part
    /// with this code decides.
    pub(super) fn over(self, parts: &[Part]) -> Part {
        let verdicts = parts.iter().map(|part| part.verdict);
        let verdict = verdicts.into_iter().find(|verdict| told_as(*verdict) == self.verdict);
        Part { verdict: verdict.unwrap_or(self.verdict), score: self.score }
    }
}

/// Returns one of the four codes of the format's table for graders.
fn told_as(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Accepted | Verdict::WrongAnswer | Verdict::RunTimeError | Verdict::JudgingError => verdict,
        Verdict::TimeLimitExceeded | Verdict::WallTimeLimitExceeded => Verdict::TimeLimitExceeded,
        Verdict::MemoryLimitExceeded | Verdict::OutputLimitExceeded | Verdict::CompileError => {
            Verdict::RunTimeError
        }
    }
}

/// Parses a code: one of the four, or one of the additional ones in the default grader's description.
fn verdict_of(code: &str) -> Option<Verdict> {
    match code.parse().ok()? {
        Verdict::CompileError | Verdict::WallTimeLimitExceeded | Verdict::JudgingError => None,
        verdict => Some(verdict),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_line_with_verdict_and_score() {
        for (text, verdict, score) in [
            ("AC 10\n", Verdict::Accepted, 10.0),
            ("WA 0", Verdict::WrongAnswer, 0.0),
            (" TLE\t-1.5 \r\n\n", Verdict::TimeLimitExceeded, -1.5),
            ("RTE 1e2\n", Verdict::RunTimeError, 100.0),
            ("MLE 0\n", Verdict::MemoryLimitExceeded, 0.0),
        ] {
            assert_eq!(Grade::read(text.as_bytes()), Ok(Grade { verdict, score }), "{text:?}");
        }
        for text in [
            "",
            "AC",
            "AC\n10\n",
            "10 AC\n",
            "AC 10 20\n",
            "AC 10\nAC 10\n",
            "ac 10\n",
            "AC much\n",
            "AC nan\n",
            "AC inf\n",
            "JE 0\n",
            "CE 0\n",
        ] {
            let refused = Grade::read(text.as_bytes()).unwrap_err();
            assert!(refused.contains("expected one line with a verdict and a score"), "{text:?}: {refused}");
        }
        let long = Grade::read(&[b'x'; 100_000]).unwrap_err();
        assert!(long.len() < 400, "{}", long.len());
        assert!(Grade::read(b"\xff\x1b[0m").unwrap_err().contains("\\u{1b}"));
    }
}
