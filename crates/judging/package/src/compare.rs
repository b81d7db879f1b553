//! The default output validator: compares an output with the answer, token by token.
//!
//! Pure: two texts and options in, the first difference out. Tokens are separated by the six ASCII
//! whitespace characters; letters match up to ASCII case unless an option says otherwise; with a tolerance, tokens of
//! the answer that are floating-point numbers match numbers that are near enough.

mod decimal;
mod float;
mod options;
mod tokens;

pub use float::{FloatSyntax, parse_float};
pub use options::{CompareOptions, CompareOptionsError};

use decimal::Number;
use std::fmt;
use tokens::{Position, Reader};

/// Longest part of a token in a reported difference.
const MAX_SHOWN_BYTES: usize = 60;
/// What is shown before the first byte that differs, of a token that is too long.
const SHOWN_BEFORE_BYTES: usize = 20;

/// The first place where an output differs from the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// The line of the output, counted from 1.
    pub line: u64,
    /// The byte in that line, counted from 1.
    pub column: u64,
    /// The token of the output, counted from 1.
    pub token: u64,
    /// The line of the answer, counted from 1.
    pub answer_line: u64,
    /// The answer's text, shortened and with control characters made visible.
    pub expected: String,
    /// The output's text, likewise.
    pub got: String,
    /// Where long tokens differ, or by how much numbers do; empty if that is in the texts.
    pub detail: String,
}

/// How an output can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The tokens are not the same text.
    Text,
    /// The answer has a number, and the output does not.
    NotANumber,
    TooFarApart,
    EndsTooEarly,
    /// The output continues after the answer's end.
    GoesOn,
    /// The whitespace differs, and it matters.
    Whitespace,
}

/// Compares an output with the answer; `None` if they match.
pub fn compare(answer: &[u8], output: &[u8], options: &CompareOptions) -> Option<Difference> {
    let mut answer = Reader::new(answer);
    let mut output = Reader::new(output);
    for token in 1.. {
        if let Some(difference) = compare_whitespace(&mut answer, &mut output, options, token) {
            return Some(difference);
        }
        let (at, answer_at) = (output.position(), answer.position());
        let differ = |kind, expected: &[u8], got: &[u8]| {
            let (expected_shown, got_shown, detail) = describe(kind, expected, got, options);
            Some(Difference {
                kind,
                line: at.line,
                column: at.column,
                token,
                answer_line: answer_at.line,
                expected: expected_shown,
                got: got_shown,
                detail,
            })
        };
        match (answer.token(), output.token()) {
            (None, None) => return None,
            (Some(expected), None) => return differ(DifferenceKind::EndsTooEarly, expected, b""),
            (None, Some(got)) => return differ(DifferenceKind::GoesOn, b"", got),
            (Some(expected), Some(got)) => {
                if let Some(kind) = compare_tokens(expected, got, options) {
                    return differ(kind, expected, got);
                }
            }
        }
    }
    None
}

fn compare_whitespace(
    answer: &mut Reader<'_>,
    output: &mut Reader<'_>,
    options: &CompareOptions,
    token: u64,
) -> Option<Difference> {
    let Position { line: answer_line, .. } = answer.position();
    let start = output.position();
    let (expected, got) = (answer.whitespace(), output.whitespace());
    if !options.space_change_sensitive || expected == got {
        return None;
    }
    let same = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
    let at = start.after(&got[..same]);
    Some(Difference {
        kind: DifferenceKind::Whitespace,
        line: at.line,
        column: at.column,
        token,
        answer_line: Position { line: answer_line, column: 1 }.after(&expected[..same]).line,
        expected: show(expected, same),
        got: show(got, same),
        detail: String::new(),
    })
}

fn compare_tokens(expected: &[u8], got: &[u8], options: &CompareOptions) -> Option<DifferenceKind> {
    if options.uses_floats()
        && let Some(wanted) = Number::parse(expected, options.float_syntax)
    {
        let Some(value) = Number::parse(got, options.float_syntax) else {
            return Some(DifferenceKind::NotANumber);
        };
        return (!options.is_near(wanted, value)).then_some(DifferenceKind::TooFarApart);
    }
    let same = if options.case_sensitive { expected == got } else { expected.eq_ignore_ascii_case(got) };
    (!same).then_some(DifferenceKind::Text)
}

/// Returns both texts as they are shown, and what they do not show.
fn describe(
    kind: DifferenceKind,
    expected: &[u8],
    got: &[u8],
    options: &CompareOptions,
) -> (String, String, String) {
    let same_byte =
        |(a, b): &(&u8, &u8)| if options.case_sensitive { a == b } else { a.eq_ignore_ascii_case(b) };
    match kind {
        DifferenceKind::Text => {
            let same = expected.iter().zip(got).take_while(same_byte).count();
            let is_long = expected.len().max(got.len()) > MAX_SHOWN_BYTES;
            let detail = if is_long {
                format!(
                    "they differ at byte {} of the token, of {} expected and {} found",
                    same + 1,
                    expected.len(),
                    got.len()
                )
            } else {
                String::new()
            };
            (show(expected, same), show(got, same), detail)
        }
        DifferenceKind::TooFarApart => {
            let number = |token| Number::parse(token, options.float_syntax);
            let detail =
                number(expected).zip(number(got)).map(|(wanted, value)| options.error(wanted, value));
            (show(expected, 0), show(got, 0), detail.unwrap_or_default())
        }
        _ => (show(expected, 0), show(got, 0), String::new()),
    }
}

/// Makes a text visible; of a long one, the part around the byte at `at`.
fn show(bytes: &[u8], at: usize) -> String {
    let from = if bytes.len() <= MAX_SHOWN_BYTES {
        0
    } else {
        at.saturating_sub(SHOWN_BEFORE_BYTES).min(bytes.len() - MAX_SHOWN_BYTES)
    };
    let rest = crate::cut_start(bytes, from);
    let part = crate::cut(rest, MAX_SHOWN_BYTES);
    let text: String = String::from_utf8_lossy(part).chars().flat_map(char::escape_debug).collect();
    let dots = |is_cut: bool| if is_cut { "..." } else { "" };
    format!("{}{text}{}", dots(rest.len() < bytes.len()), dots(part.len() < rest.len()))
}

/// Prints `line 3, column 5 (token 7): expected '12', got '13'`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, token, expected, got, detail, .. } = self;
        write!(f, "line {line}, column {column} (token {token}): ")?;
        match self.kind {
            DifferenceKind::Text => write!(f, "expected '{expected}', got '{got}'"),
            DifferenceKind::NotANumber => write!(f, "expected the number '{expected}', got '{got}'"),
            DifferenceKind::TooFarApart => write!(f, "expected about '{expected}', got '{got}'"),
            DifferenceKind::EndsTooEarly => write!(f, "expected '{expected}', but the output ends"),
            DifferenceKind::GoesOn => write!(f, "expected the end, got '{got}'"),
            DifferenceKind::Whitespace => write!(f, "expected the whitespace '{expected}', got '{got}'"),
        }?;
        if detail.is_empty() { Ok(()) } else { write!(f, ": {detail}") }
    }
}

#[cfg(test)]
mod tests;
