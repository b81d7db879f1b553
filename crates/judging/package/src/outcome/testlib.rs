//! testlib's protocol: the verdict is the exit code, the message comes on standard error.

use super::{CheckOutcome, CheckRules, message};
use crate::compare::{FloatSyntax, parse_float};
use model::{RunEnd, Verdict};

/// testlib's exit codes.
const OK: u8 = 0;
const WRONG_ANSWER: u8 = 1;
const PRESENTATION_ERROR: u8 = 2;
const FAIL: u8 = 3;
const DIRT: u8 = 4;
const POINTS: u8 = 7;
const UNEXPECTED_EOF: u8 = 8;

impl CheckOutcome {
    /// Reads the result of a checker with testlib's protocol; a wrong format of the output is a wrong answer.
    pub fn from_testlib(end: RunEnd, stderr: &[u8], rules: &CheckRules) -> Self {
        let mut outcome = Self { judge_message: message(stderr), ..Self::nothing() };
        match verdict(&outcome.judge_message, end, rules) {
            Ok((verdict, score)) => {
                outcome.verdict = verdict;
                outcome.score = score.filter(|_| !rules.is_sample);
            }
            Err(reason) => outcome.reason = Some(reason),
        }
        outcome
    }
}

fn verdict(message: &str, end: RunEnd, rules: &CheckRules) -> Result<(Verdict, Option<f64>), String> {
    match end {
        RunEnd::Exited(OK) => Ok((Verdict::Accepted, None)),
        RunEnd::Exited(WRONG_ANSWER | PRESENTATION_ERROR | DIRT | UNEXPECTED_EOF) => {
            Ok((Verdict::WrongAnswer, None))
        }
        RunEnd::Exited(FAIL) => Err(format!("the checker failed: {}", message.trim_end())),
        RunEnd::Exited(POINTS) => points(message, rules).map(|points| (Verdict::Accepted, Some(points))),
        other => Err(format!(
            "the checker ended with {other}, expected one of testlib's exit codes 0 to 4, 7 and 8"
        )),
    }
}

/// Reads `points 12.5 message`.
fn points(text: &str, rules: &CheckRules) -> Result<f64, String> {
    if !rules.kind.scoring {
        return Err("the checker gives points, but the problem is pass-fail".into());
    }
    let mut words = text.split_whitespace();
    let value = match words.next() {
        Some("points") => words.next(),
        other => other,
    };
    value
        .and_then(|word| parse_float(word.as_bytes(), FloatSyntax::Decimal))
        .filter(|value| rules.is_legacy || *value >= 0.0)
        .ok_or_else(|| {
            format!(
                "the checker gives points, but wrote '{}', expected 'points' and a number",
                located::shorten(text.trim_end())
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use Verdict::{Accepted, JudgingError, WrongAnswer};

    fn read(code: u8, stderr: &str, scoring: bool) -> (Verdict, Option<f64>, Option<String>) {
        let rules = CheckRules {
            kind: Kind { scoring, ..Kind::default() },
            is_legacy: false,
            is_sample: false,
            pass: 1,
        };
        let outcome = CheckOutcome::from_testlib(RunEnd::Exited(code), stderr.as_bytes(), &rules);
        assert_eq!(outcome.judge_message, stderr);
        (outcome.verdict, outcome.score, outcome.reason)
    }

    #[test]
    fn codes_are_testlibs() {
        for (code, verdict) in
            [(0, Accepted), (1, WrongAnswer), (2, WrongAnswer), (4, WrongAnswer), (8, WrongAnswer)]
        {
            assert_eq!(read(code, "ok 3 numbers\n", false), (verdict, None, None), "{code}");
        }
        assert_eq!(read(3, "FAIL no answer\n", false).2.unwrap(), "the checker failed: FAIL no answer");
        for code in [5, 6, 16, 42, 43, 255] {
            assert_eq!(read(code, "", true).0, JudgingError, "{code}");
        }
    }

    #[test]
    fn points_are_scores() {
        assert_eq!(read(7, "points 12.5 nearly\n", true), (Accepted, Some(12.5), None));
        assert_eq!(read(7, "30\n", true).1, Some(30.0));
        for (text, scoring) in
            [("points", true), ("points x", true), ("points -1", true), ("", true), ("points 5", false)]
        {
            assert_eq!(read(7, text, scoring).0, JudgingError, "{text}");
        }
    }
}
