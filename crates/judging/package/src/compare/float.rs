//! Floating-point numbers as the formats define them.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FloatSyntax {
    /// Decimal with an optional exponent, as `2023-07-draft` and `2025-09` define it.
    #[default]
    Decimal,
    /// Hexadecimal as well (`0x1.8p3`): the legacy formats and their tools accept what C's `scanf` accepts.
    DecimalOrHex,
}

/// Longest token that is parsed as a number; the formats require 30 digits before and after the point.
const MAX_NUMBER_BYTES: usize = 4096;

/// Parses a whole token as a finite number; `inf`, `nan` and overflowing numbers count as texts.
pub fn parse_float(token: &[u8], syntax: FloatSyntax) -> Option<f64> {
    // The first byte rules out most tokens that are not numbers.
    let first = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token).first()?;
    if token.len() > MAX_NUMBER_BYTES || !(first.is_ascii_digit() || *first == b'.') {
        return None;
    }
    let text = std::str::from_utf8(token).ok()?;
    let value = if is_decimal(text) {
        text.parse().ok()
    } else if syntax == FloatSyntax::DecimalOrHex {
        parse_hex(text)
    } else {
        None
    };
    value.filter(|value: &f64| value.is_finite())
}

/// Checks the formats' grammar: sign, digits with at most one point, exponent.
fn is_decimal(text: &str) -> bool {
    let text = unsigned(text).1;
    let (significand, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_is_right = exponent.is_none_or(|exponent| {
        let digits_of = unsigned(exponent).1;
        !digits_of.is_empty() && digits(digits_of)
    });
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent_is_right
}

/// Parses `0x1.8p3` to the nearest value, as far as the formats require.
fn parse_hex(text: &str) -> Option<f64> {
    let (negative, text) = unsigned(text);
    let text = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let (significand, exponent) = match text.find(['p', 'P']) {
        Some(at) => {
            let (minus, digits) = unsigned(&text[at + 1..]);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            // Beyond this everything is 0 or infinite anyway.
            let size = digits.parse::<i64>().unwrap_or(i64::MAX).min(1 << 20);
            (&text[..at], if minus { -size } else { size })
        }
        None => (text, 0),
    };
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (mut mantissa, mut shift, mut sticky) = (0_u128, 0_i64, false);
    for (index, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = digit.to_digit(16)?;
        if mantissa >> 116 == 0 {
            mantissa = mantissa << 4 | u128::from(digit);
        } else {
            // 116 bits are kept; what follows only decides a tie.
            sticky |= digit != 0;
            shift += 4;
        }
        if index >= whole.len() {
            shift -= 4;
        }
    }
    let value = scale((mantissa | u128::from(sticky)) as f64, shift.saturating_add(exponent));
    Some(if negative { -value } else { value })
}

/// Multiplies by a power of two, in steps that neither overflow nor underflow too early.
fn scale(mut value: f64, mut exponent: i64) -> f64 {
    while exponent != 0 && value != 0.0 && value.is_finite() {
        let step = exponent.clamp(-1000, 1000);
        value *= 2_f64.powi(step as i32);
        exponent -= step;
    }
    value
}

fn unsigned(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}
