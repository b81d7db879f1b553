//! Numbers as they are written, for comparisons that doubles are too coarse to decide.

use super::float::{FloatSyntax, parse_float};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// A number as its token spells it, and its nearest double.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'t> {
    token: &'t [u8],
    double: f64,
}

/// `digits` times a power of ten.
#[derive(Clone, Debug)]
struct Decimal {
    digits: BigInt,
    exponent: i64,
}

/// Exponents beyond this are cut: a number that small differs from 0 only next to numbers that small.
const EXPONENT_MAX: i64 = 1 << 40;

impl<'t> Number<'t> {
    /// Parses a whole token, as [`parse_float`] does.
    pub(super) fn parse(token: &'t [u8], syntax: FloatSyntax) -> Option<Self> {
        Some(Self { token, double: parse_float(token, syntax)? })
    }

    /// Returns whether the distance to another number is at most `tolerance`.
    pub(super) fn is_within(self, tolerance: f64, other: Number<'_>) -> bool {
        self.is_within_doubles(tolerance, other)
            .unwrap_or_else(|| is_within(Decimal::shortest(tolerance), self.exact(), other.exact()))
    }

    /// Returns whether the distance to another number is at most this number's size times `tolerance`.
    pub(super) fn is_within_share(self, tolerance: f64, other: Number<'_>) -> bool {
        self.is_within_doubles(tolerance * self.double.abs(), other).unwrap_or_else(|| {
            let (share, own) = (Decimal::shortest(tolerance), self.exact());
            let bound = Decimal {
                digits: share.digits * BigInt::from(own.digits.magnitude().clone()),
                exponent: share.exponent + own.exponent,
            };
            is_within(bound, own, other.exact())
        })
    }

    /// Returns about how far another number is.
    pub(super) fn distance(self, other: Number<'_>) -> f64 {
        (self.double - other.double).abs()
    }

    /// Returns about how large it is without its sign.
    pub(super) fn size(self) -> f64 {
        self.double.abs()
    }

    /// As [`Self::is_within`], if the errors of doubles cannot change the answer.
    fn is_within_doubles(self, bound: f64, other: Number<'_>) -> Option<bool> {
        if self.token == other.token {
            return Some(true);
        }
        let distance = (self.double - other.double).abs();
        // Four operations and conversions with half an epsilon each, and the absolute error of tiny numbers.
        let size = self.double.abs() + other.double.abs() + bound;
        let error = 4.0 * f64::EPSILON * size + f64::MIN_POSITIVE;
        if distance + error < bound {
            Some(true)
        } else if distance - error > bound {
            Some(false)
        } else {
            None
        }
    }

    fn exact(self) -> Decimal {
        // A hexadecimal number counts as its nearest double.
        Decimal::parse(self.token).unwrap_or_else(|| Decimal::of_double(self.double))
    }
}

impl Decimal {
    /// Parses a token of decimal grammar.
    fn parse(token: &[u8]) -> Option<Self> {
        let (significand, exponent) = match token.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (&token[..at], std::str::from_utf8(&token[at + 1..]).ok()?),
            None => (token, "0"),
        };
        let exponent =
            exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
        let mut parts = significand.splitn(2, |byte| *byte == b'.');
        let (whole, fraction) = (parts.next()?, parts.next().unwrap_or(b""));
        let exponent = exponent.clamp(-EXPONENT_MAX, EXPONENT_MAX) - fraction.len() as i64;
        let digits = if whole.iter().chain(fraction).any(u8::is_ascii_digit) {
            BigInt::parse_bytes(&[whole, fraction].concat(), 10)?
        } else {
            return None;
        };
        Some(Self { digits, exponent })
    }

    /// Returns the shortest decimal that is read as this double: what was written, if that has at most 15 digits.
    fn shortest(double: f64) -> Self {
        Self::parse(format!("{double:e}").as_bytes()).unwrap_or_else(|| Self::of_double(double))
    }

    fn of_double(double: f64) -> Self {
        let bits = double.to_bits();
        let (biased, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
        let mantissa = BigInt::from(if biased == 0 { fraction } else { fraction | 1 << 52 });
        let power = biased.max(1) as i32 - 1075;
        let (digits, exponent) = match power {
            0.. => (mantissa << power, 0),
            // 2^-n is 5^n times 10^-n.
            _ => (mantissa * BigInt::from(5).pow(power.unsigned_abs()), i64::from(power)),
        };
        Self { digits: if double.is_sign_negative() { -digits } else { digits }, exponent }
    }

    fn negated(self) -> Self {
        Self { digits: -self.digits, ..self }
    }

    fn is_zero(&self) -> bool {
        self.digits == BigInt::ZERO
    }

    fn plus(self, other: Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let scaled = |term: Self| term.digits * BigInt::from(10).pow((term.exponent - exponent) as u32);
        Self { digits: scaled(self) + scaled(other), exponent }
    }

    /// Returns the exponent of a power of ten that is above the number's size.
    fn above(&self) -> i64 {
        // A bit is less than 0.31 decimal digits.
        self.exponent + self.digits.bits() as i64 * 31 / 100 + 1
    }
}

fn is_within(bound: Decimal, one: Decimal, other: Decimal) -> bool {
    let (low, high) = match sign_of_sum(vec![one.clone(), other.clone().negated()]) {
        Ordering::Less => (one, other),
        _ => (other, one),
    };
    sign_of_sum(vec![bound, low, high.negated()]) != Ordering::Less
}

/// Compares a sum of a few numbers with 0. The work is bounded by the numbers of digits, whatever the exponents are.
fn sign_of_sum(mut terms: Vec<Decimal>) -> Ordering {
    terms.retain(|term| !term.is_zero());
    terms.sort_by_key(|term| std::cmp::Reverse(term.above()));
    let mut sum = Decimal { digits: BigInt::ZERO, exponent: 0 };
    for term in terms {
        if sum.is_zero() {
            sum = term;
        } else if term.above() >= sum.exponent {
            sum = sum.plus(term);
        } else {
            // All that is left is smaller than one unit of the sum's last digit.
            break;
        }
    }
    sum.digits.cmp(&BigInt::ZERO)
}
