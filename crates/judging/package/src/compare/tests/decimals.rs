//! Numbers at the edge of a tolerance, compared with integers that count a tiny unit.

use super::{check, options};
use crate::compare::{CompareOptions, compare};
use num_bigint::BigInt;
use proptest::prelude::*;

/// Digits after the point of the unit.
const DIGITS: usize = 160;

fn power(exponent: usize) -> BigInt {
    BigInt::from(10).pow(exponent as u32)
}

fn written(units: &BigInt) -> String {
    let digits = format!("{:0>width$}", units.magnitude().to_string(), width = DIGITS + 1);
    let (whole, fraction) = digits.split_at(digits.len() - DIGITS);
    let sign = if *units < BigInt::ZERO { "-" } else { "" };
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

fn size(units: &BigInt) -> BigInt {
    units.magnitude().clone().into()
}

proptest! {
    #[test]
    fn numbers_at_the_edge_are_compared_exactly(
        (mantissa, places) in (-10_i64.pow(18)..10_i64.pow(18), 0_usize..40),
        (tolerance, tolerance_places) in (0_i64..1_000_000, 0_usize..20),
        is_relative: bool,
        is_above: bool,
        (nudge, nudge_places) in (-2_i64..=2, 0_usize..DIGITS),
    ) {
        let wanted = BigInt::from(mantissa) * power(DIGITS - places);
        let bound = if is_relative {
            BigInt::from(tolerance) * size(&wanted) / power(tolerance_places)
        } else {
            BigInt::from(tolerance) * power(DIGITS - tolerance_places)
        };
        let shift = if is_above { bound.clone() } else { -bound.clone() };
        let value = &wanted + shift + BigInt::from(nudge) * power(DIGITS - nudge_places);
        let expected = size(&(&wanted - &value)) <= bound;
        let kind = if is_relative { "relative" } else { "absolute" };
        let options = options(&format!("float_{kind}_tolerance {tolerance}e-{tolerance_places}"));
        let (answer, output) = (written(&wanted), written(&value));
        let found = compare(answer.as_bytes(), output.as_bytes(), &options);
        prop_assert_eq!(found.is_none(), expected, "{} {} {}", answer, output, bound);
        let short = format!("{mantissa}e-{places}");
        let found = compare(short.as_bytes(), output.as_bytes(), &options);
        prop_assert_eq!(found.is_none(), expected, "{} {} {}", short, output, bound);
    }
}

#[track_caller]
fn is_near(args: &str, answer: &str, output: &str) -> bool {
    compare(answer.as_bytes(), output.as_bytes(), &options(args)).is_none()
}

#[test]
fn decimals_finer_than_a_double_decide() {
    let absolute = "float_absolute_tolerance 2e-6";
    check(absolute, "987654321098.000033", "987654321098.000031", "same");
    check(absolute, "987654321098.000033", "987654321098.000035", "same");
    assert!(!is_near(absolute, "987654321098.000033", "987654321098.0000309999"));
    assert!(!is_near(absolute, "987654321098.000033", "987654321098.000038"));
    let relative = "float_relative_tolerance 1e-9";
    for (answer, output, expected) in [
        ("3000000000000000000000", "3000000003000000000000", true),
        ("3000000000000000000000", "3000000003000000000001", false),
        ("-0.7", "-0.7000000007", true),
        ("-0.7", "-0.70000000070000000000000000000000001", false),
        ("0", "0e5", true),
        ("0", "1e-999", false),
    ] {
        assert_eq!(is_near(relative, answer, output), expected, "{answer} {output}");
    }
}

/// Exponents of a thousand million cost no more than others: this test would not end.
#[test]
fn exponents_of_any_size_are_compared() {
    let long = format!("1e-{}", "9".repeat(4000));
    for (args, answer, output, expected) in [
        ("float_tolerance 0", "0", "1e-1000000000", false),
        ("float_tolerance 0", "0", "0e1000000000", true),
        ("float_tolerance 0", "0.0", "-0e-1000000000", true),
        ("float_absolute_tolerance 1e-6", "0.000001", "1e-1000000000", true),
        ("float_absolute_tolerance 1e-6", "0.000001", "-1e-1000000000", false),
        ("float_absolute_tolerance 1e-6", "0.000001", &long, true),
        ("float_absolute_tolerance 5e-324", &long, "1e-1000000000", true),
        ("float_relative_tolerance 0.5", "1e-1000000000", "1.5e-1000000000", true),
        ("float_relative_tolerance 0.5", "1e-1000000000", "1.50001e-1000000000", false),
        ("float_relative_tolerance 0.5", "1e-1000000000", "-1e-2000000000", false),
        ("float_relative_tolerance 1", "1e-1000000000", "1e-2000000000", true),
        ("float_relative_tolerance 1", "1e-1000000000", "-1e-2000000000", false),
        ("float_tolerance 1e-6", "1.7e308", "1.70000169e308", true),
        ("float_tolerance 1e-6", "1.7e308", "1.700001700000000000001e308", false),
    ] {
        assert_eq!(is_near(args, answer, output), expected, "{args}: {answer} {output}");
    }
    let digits = "1".repeat(2000);
    let (answer, output) = (format!("0.{digits}1"), format!("0.{digits}2"));
    assert!(is_near("float_tolerance 1e-300", &answer, &output));
    assert!(!is_near("float_tolerance 0", &answer, &output));
}

#[test]
fn hexadecimal_numbers_are_compared_exactly() {
    let near = |args: &str, answer: &str, output: &str| {
        let options =
            CompareOptions { float_syntax: crate::compare::FloatSyntax::DecimalOrHex, ..options(args) };
        compare(answer.as_bytes(), output.as_bytes(), &options).is_none()
    };
    for (answer, output, expected) in [
        ("0x1.8p1", "3", true),
        ("0x1.8p1", "3.0000000000000000000001", false),
        ("-0x1p-3", "-0.125", true),
        // A tenth has no exact double.
        ("0x1.999999999999ap-4", "0.1", false),
        ("0x0p0", "-0", true),
    ] {
        assert_eq!(near("float_tolerance 0", answer, output), expected, "{answer} {output}");
    }
    assert!(near("float_tolerance 1e-300", "0x1p-1074", "0"));
}
