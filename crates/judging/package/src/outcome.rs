//! The result of a custom validator, from its exit code and the files that it left.
//!
//! Pure: the input is how the validator's run ended and the content of its feedback folder, the result is a verdict.
//! Any deviation from the protocol is a judging error, never the submission's fault.

mod testlib;

use crate::Kind;
use crate::compare::{FloatSyntax, parse_float};
use model::{RunEnd, Verdict};
use std::collections::BTreeMap;

/// Maximum length of a validator's message that is kept.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;

const ACCEPTED_CODE: u8 = 42;
const WRONG_ANSWER_CODE: u8 = 43;

/// The files that a validator left in its feedback directory, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What a validator may do in this problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckRules {
    /// How submissions are run and judged.
    pub kind: Kind,
    /// Whether the package is of a legacy format, where validators may score rejected cases and use negative scores.
    pub is_legacy: bool,
    /// Whether the case is a sample, whose scores are ignored.
    pub is_sample: bool,
    /// The pass that has ended, counted from 1.
    pub pass: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CheckOutcome {
    /// Accepted, wrong answer, or judging error.
    pub verdict: Verdict,
    /// Why it is a judging error.
    pub reason: Option<String>,
    pub judge_message: String,
    pub team_message: String,
    /// From `score.txt`, or the points of a testlib checker.
    pub score: Option<f64>,
    pub score_multiplier: Option<f64>,
    pub next_pass: Option<Vec<u8>>,
}

impl CheckOutcome {
    /// Reads the result of a validator with Kattis' protocol.
    pub fn from_kattis(end: RunEnd, feedback: &Feedback, rules: &CheckRules) -> Self {
        let partial = Self {
            judge_message: feedback.text("judgemessage.txt"),
            team_message: feedback.text("teammessage.txt"),
            ..Self::nothing()
        };
        let mut outcome = partial.clone();
        match fill_in(&mut outcome, end, feedback, rules) {
            Ok(()) => outcome,
            Err(reason) => {
                let more = feedback.text("judgeerror.txt");
                let reason = if more.is_empty() { reason } else { format!("{reason}: {}", more.trim_end()) };
                Self { reason: Some(reason), ..partial }
            }
        }
    }

    fn nothing() -> Self {
        Self {
            verdict: Verdict::JudgingError,
            reason: None,
            judge_message: String::new(),
            team_message: String::new(),
            score: None,
            score_multiplier: None,
            next_pass: None,
        }
    }
}

fn fill_in(
    outcome: &mut CheckOutcome,
    end: RunEnd,
    feedback: &Feedback,
    rules: &CheckRules,
) -> Result<(), String> {
    outcome.verdict = match end {
        RunEnd::Exited(ACCEPTED_CODE) => Verdict::Accepted,
        RunEnd::Exited(WRONG_ANSWER_CODE) => Verdict::WrongAnswer,
        other => return Err(format!("the output validator ended with {other}, expected exit code 42 or 43")),
    };
    let accepted = outcome.verdict == Verdict::Accepted;
    if let (Some(passes), Some(input)) = (rules.kind.multi_pass, feedback.files.get("nextpass.in")) {
        if !accepted {
            return Err("the output validator rejected the output, but left a nextpass.in".into());
        }
        if rules.pass >= passes.get() {
            return Err(format!(
                "the output validator asks for pass {}, expected at most {passes}",
                rules.pass + 1
            ));
        }
        outcome.next_pass = Some(input.clone());
    }
    if rules.kind.scoring && !rules.is_sample {
        outcome.score = feedback.number("score.txt", rules)?;
        if !rules.is_legacy {
            outcome.score_multiplier = feedback.number("score_multiplier.txt", rules)?;
            check_scores(outcome)?;
        }
    }
    Ok(())
}

/// Checks the newer formats' requirements for scores.
fn check_scores(outcome: &CheckOutcome) -> Result<(), String> {
    if outcome.score.is_some() && outcome.score_multiplier.is_some() {
        return Err(
            "the output validator left both score.txt and score_multiplier.txt, expected one of them".into(),
        );
    }
    let names_score = outcome.score.is_some() || outcome.score_multiplier.is_some();
    if outcome.verdict != Verdict::Accepted && names_score {
        return Err("the output validator rejected the output, but left a score".into());
    }
    match outcome.score_multiplier {
        Some(multiplier) if multiplier > 1.0 => {
            Err(format!("the output validator's score_multiplier.txt holds {multiplier}, expected 0 to 1"))
        }
        _ => Ok(()),
    }
}

impl Feedback {
    /// Returns a file as text, cut to the maximum length; empty if there is none.
    pub fn text(&self, name: &str) -> String {
        self.files.get(name).map_or_else(String::new, |bytes| message(bytes))
    }

    /// Reads a file with a single number.
    fn number(&self, name: &str, rules: &CheckRules) -> Result<Option<f64>, String> {
        let Some(bytes) = self.files.get(name) else { return Ok(None) };
        let syntax = if rules.is_legacy { FloatSyntax::DecimalOrHex } else { FloatSyntax::Decimal };
        match parse_float(bytes.trim_ascii(), syntax) {
            Some(value) if rules.is_legacy || value >= 0.0 => Ok(Some(value)),
            _ => Err(format!(
                "the output validator's {name} holds '{}', expected one number of at least 0",
                located::shorten(message(bytes).trim_end())
            )),
        }
    }
}

/// Converts a program's output to text, cut to the maximum length.
fn message(bytes: &[u8]) -> String {
    let cut = crate::cut(bytes, MAX_MESSAGE_BYTES);
    let mut text = String::from_utf8_lossy(cut).into_owned();
    if cut.len() < bytes.len() {
        text.push_str("\n[cut]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::LimitKind;
    use std::num::NonZeroU32;

    const PLAIN: CheckRules = CheckRules {
        kind: Kind { scoring: false, interactive: false, multi_pass: None, submit_answer: false },
        is_legacy: false,
        is_sample: false,
        pass: 1,
    };
    const SCORING: CheckRules = CheckRules { kind: Kind { scoring: true, ..PLAIN.kind }, ..PLAIN };
    const PASSES: CheckRules =
        CheckRules { kind: Kind { multi_pass: NonZeroU32::new(2), ..PLAIN.kind }, ..PLAIN };

    fn read(code: u8, files: &[(&str, &str)], rules: CheckRules) -> CheckOutcome {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
        CheckOutcome::from_kattis(RunEnd::Exited(code), &Feedback { files }, &rules)
    }

    #[track_caller]
    fn failed(outcome: &CheckOutcome, part: &str) {
        assert_eq!(outcome.verdict, Verdict::JudgingError);
        let reason = outcome.reason.as_ref().unwrap();
        assert!(reason.contains(part), "{reason}");
        assert_eq!((outcome.score, &outcome.next_pass), (None, &None));
    }

    #[test]
    fn only_two_codes_are_verdicts() {
        assert_eq!(read(42, &[], PLAIN).verdict, Verdict::Accepted);
        assert_eq!(read(43, &[], PLAIN).verdict, Verdict::WrongAnswer);
        for code in [0, 1, 2, 41, 44, 255] {
            failed(&read(code, &[], PLAIN), &format!("exit code {code}"));
        }
        let feedback = Feedback::default();
        failed(&CheckOutcome::from_kattis(RunEnd::Signaled(11), &feedback, &PLAIN), "signal 11");
        failed(
            &CheckOutcome::from_kattis(RunEnd::Limit(LimitKind::CpuTime), &feedback, &PLAIN),
            "CPU time limit",
        );
    }

    #[test]
    fn messages_for_jury_and_team_are_kept_apart() {
        let outcome =
            read(43, &[("judgemessage.txt", "j"), ("teammessage.txt", "t"), ("score.txt", "?")], PLAIN);
        assert_eq!((outcome.judge_message.as_str(), outcome.team_message.as_str()), ("j", "t"));
        failed(
            &read(1, &[("judgeerror.txt", "no memory\n")], PLAIN),
            "expected exit code 42 or 43: no memory",
        );
        let long = "x".repeat(MAX_MESSAGE_BYTES + 1);
        assert!(read(43, &[("judgemessage.txt", &long)], PLAIN).judge_message.ends_with("[cut]"));
    }

    #[test]
    fn scores_are_numbers_from_nothing_up() {
        assert_eq!(read(42, &[("score.txt", " 12.5\n")], SCORING).score, Some(12.5));
        assert_eq!(read(42, &[("score_multiplier.txt", "0.5")], SCORING).score_multiplier, Some(0.5));
        for wrong in ["", "x", "-1", "nan", "inf", "1 2", "0x10"] {
            failed(&read(42, &[("score.txt", wrong)], SCORING), "score.txt");
        }
        failed(&read(42, &[("score_multiplier.txt", "1.5")], SCORING), "expected 0 to 1");
        failed(&read(42, &[("score.txt", "1"), ("score_multiplier.txt", "1")], SCORING), "both");
        failed(&read(43, &[("score.txt", "1")], SCORING), "rejected");
        assert_eq!(read(42, &[("score.txt", "x")], CheckRules { is_sample: true, ..SCORING }).score, None);
        assert_eq!(
            read(43, &[("score.txt", "-1")], CheckRules { is_legacy: true, ..SCORING }).score,
            Some(-1.0)
        );
    }

    #[test]
    fn passes_follow_until_the_last() {
        let files = [("nextpass.in", "3\n")];
        assert_eq!(read(42, &files, PASSES).next_pass.as_deref(), Some(&b"3\n"[..]));
        failed(&read(42, &files, CheckRules { pass: 2, ..PASSES }), "asks for pass 3, expected at most 2");
        failed(&read(43, &files, PASSES), "nextpass.in");
        assert_eq!(read(42, &files, PLAIN).next_pass, None);
    }
}
