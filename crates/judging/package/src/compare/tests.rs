use super::*;
use crate::Format;
use proptest::prelude::*;

mod decimals;

fn options(args: &str) -> CompareOptions {
    let args: Vec<_> = args.split_whitespace().map(str::to_owned).collect();
    CompareOptions::from_args(Format::V2025_09, &args).unwrap()
}

#[track_caller]
fn check(args: &str, answer: &str, output: &str, expect: &str) {
    let found = compare(answer.as_bytes(), output.as_bytes(), &options(args));
    let found = found.map_or_else(|| "same".to_owned(), |difference| difference.to_string());
    // By how much numbers differ has a test of its own.
    let found = found.split(": it is off by ").next().unwrap_or_default();
    assert_eq!(found, expect, "{args}: {answer:?} against {output:?}");
}

#[test]
fn tokens_match_whatever_lies_between() {
    check("", "1 2\n3\n", "1\t2\r\n\x0b\x0c3", "same");
    check("", "", " \n", "same");
    check("", "a b", "ab", "line 1, column 1 (token 1): expected 'a', got 'ab'");
}

#[test]
fn no_break_space_is_no_whitespace() {
    check("", "a b", "a\u{a0}b", "line 1, column 1 (token 1): expected 'a', got 'a\\u{a0}b'");
}

#[test]
fn differences_name_line_column_and_token() {
    check("", "1 2\n3 4\n", "1 2\n\n3  5\n", "line 3, column 4 (token 4): expected '4', got '5'");
    check("", "1 2\n", "1", "line 1, column 2 (token 2): expected '2', but the output ends");
    check("", "1\n", "1\n2\n", "line 2, column 1 (token 2): expected the end, got '2'");
    let difference = compare(b"a\nb\nc", b"a b d", &options("")).unwrap();
    assert_eq!((difference.line, difference.answer_line), (1, 3));
}

#[test]
fn ascii_case_matters_only_on_demand() {
    check("", "Yes", "yES", "same");
    check("case_sensitive", "Yes", "yes", "line 1, column 1 (token 1): expected 'Yes', got 'yes'");
    check("", "É", "é", "line 1, column 1 (token 1): expected 'É', got 'é'");
}

#[test]
fn whitespace_matters_on_demand() {
    let args = "space_change_sensitive";
    check(args, "1 2\n", "1 2\n", "same");
    check(args, "1 2\n", "1  2\n", "line 1, column 3 (token 2): expected the whitespace ' ', got '  '");
    check(args, "1\n", "1", "line 1, column 2 (token 2): expected the whitespace '\\n', got ''");
    check(args, "1", "1\n\n", "line 1, column 2 (token 2): expected the whitespace '', got '\\n\\n'");
    check(args, "1\n", "1\r\n", "line 1, column 2 (token 2): expected the whitespace '\\n', got '\\r\\n'");
    check(args, "1", " 1", "line 1, column 1 (token 1): expected the whitespace '', got ' '");
    check(args, "a", "A", "same");
}

#[test]
fn without_a_tolerance_numbers_are_texts() {
    check("", "1.0", "1", "line 1, column 1 (token 1): expected '1.0', got '1'");
}

#[test]
fn tolerances_hold_up_to_their_edge() {
    check("float_absolute_tolerance 0.5", "2", "2.5", "same");
    check(
        "float_absolute_tolerance 0.5",
        "2",
        "2.50001",
        "line 1, column 1 (token 1): expected about '2', got '2.50001'",
    );
    check("float_relative_tolerance 0.25", "-8", "-10", "same");
    check(
        "float_relative_tolerance 0.25",
        "-8",
        "-10.1",
        "line 1, column 1 (token 1): expected about '-8', got '-10.1'",
    );
    check(
        "float_relative_tolerance 0.25",
        "0",
        "1e-300",
        "line 1, column 1 (token 1): expected about '0', got '1e-300'",
    );
    check("float_tolerance 1e-6", "1000000", "1000001", "same");
    check("float_tolerance 1e-6", "0", "-0.000001", "same");
    check("float_tolerance 0", "0.0314", "3.14000000e-2", "same");
    check("float_relative_tolerance 1e308", "1e308", "-1e308", "same");
    check("float_relative_tolerance 2", "1.7e308", "-1.7e308", "same");
}

#[test]
fn a_number_in_the_answer_asks_for_a_number() {
    for got in ["nan", "inf", "-inf", "1e999", "0x1p0", "1,0", "1.0.0", "1e", "--1", "one"] {
        let expect = format!("line 1, column 1 (token 1): expected the number '1', got '{got}'");
        check("float_tolerance 1e9", "1", got, &expect);
    }
}

#[test]
fn other_tokens_of_the_answer_stay_texts() {
    check("float_tolerance 1", "INF nan 0x10 1e999", "inf NaN 0X10 1E999", "same");
    check("float_tolerance 1", "inf", "1", "line 1, column 1 (token 1): expected 'inf', got '1'");
}

#[test]
fn decimal_grammar_is_the_specifications() {
    for (text, value) in [
        ("1", 1.0),
        ("+1.", 1.0),
        (".5", 0.5),
        ("-.5e+1", -5.0),
        ("1E5", 1e5),
        ("00.10", 0.1),
        ("1e-999", 0.0),
        (
            "123456789012345678901234567890.123456789012345678901234567890",
            123_456_789_012_345_678_901_234_567_890.0,
        ),
    ] {
        assert_eq!(parse_float(text.as_bytes(), FloatSyntax::Decimal), Some(value), "{text}");
    }
    for text in
        ["", ".", "+", "e5", ".e5", "1e", "1e+", "1 ", "1f", "1_0", "infinity", "NaN", "1e400", "0x1", "٣"]
    {
        assert_eq!(parse_float(text.as_bytes(), FloatSyntax::Decimal), None, "{text}");
    }
}

#[test]
fn hexadecimal_numbers_are_legacy() {
    for (text, value) in [
        ("0x10", 16.0),
        ("-0x1.8p1", -3.0),
        ("0X.8P+0", 0.5),
        ("0x1p-1074", 5e-324),
        ("0x0p99999999999", 0.0),
        ("0x1.fffffffffffffp1023", f64::MAX),
        ("0x10000000000000000000000000000000000000001", 2_f64.powi(160)),
    ] {
        assert_eq!(parse_float(text.as_bytes(), FloatSyntax::DecimalOrHex), Some(value), "{text}");
    }
    for text in ["0x", "0x.", "0xp1", "0x1p", "0x1p+", "0x1g", "0x1p1024", "x1", "0x1.1.1"] {
        assert_eq!(parse_float(text.as_bytes(), FloatSyntax::DecimalOrHex), None, "{text}");
    }
}

#[test]
fn arguments_are_checked() {
    let read = |format, args: &str| {
        let args: Vec<_> = args.split(' ').map(str::to_owned).collect();
        CompareOptions::from_args(format, &args).map_err(|error| error.to_string())
    };
    for args in [
        "case_insensitive",
        "float_tolerance",
        "float_tolerance -1",
        "float_tolerance nan",
        "float_tolerance inf",
        "float_tolerance 1e-6 float_absolute_tolerance 1",
        "float_relative_tolerance 1 float_relative_tolerance 1",
    ] {
        assert!(read(Format::V2025_09, args).is_err(), "{args}");
    }
    assert_eq!(
        read(Format::Legacy, "float_tolerance x").unwrap_err(),
        "float_tolerance has the value 'x', expected a number of at least 0 such as 1e-6"
    );
    let later = read(Format::Legacy, "float_tolerance 1e-6 float_absolute_tolerance 1e-9").unwrap();
    assert_eq!((later.absolute_tolerance, later.relative_tolerance), (Some(1e-9), Some(1e-6)));
}

#[test]
fn long_tokens_are_shortened_and_made_visible() {
    let long = "x".repeat(1000);
    let difference = compare(long.as_bytes(), b"\x00\xff\x1b[31m", &options("")).unwrap();
    assert_eq!(difference.expected.len(), 63);
    assert_eq!(difference.got, "\\0\u{fffd}\\u{1b}[31m");
}

#[test]
fn long_tokens_are_shown_where_they_differ() {
    let stated = |answer: &str, output: &str| {
        compare(answer.as_bytes(), output.as_bytes(), &options("")).unwrap().to_string()
    };
    let same = "x".repeat(1000);
    assert_eq!(
        stated(&format!("{same}ab"), &format!("{same}ac")),
        format!(
            "line 1, column 1 (token 1): expected '...{0}ab', got '...{0}ac': they differ at byte 1002 of the token, of 1002 \
             expected and 1002 found",
            "x".repeat(58)
        )
    );
    let text = stated(&format!("{same}1{same}"), &format!("{same}2{same}"));
    let part = |digit| format!("'...{}{digit}{}...'", "x".repeat(20), "x".repeat(39));
    assert!(text.contains(&part('1')) && text.contains(&part('2')), "{text}");
    // No character is cut: every part is valid text.
    let wide = "ä".repeat(500);
    for shift in ["", "a"] {
        let text = stated(&format!("{shift}{wide}1{wide}"), &format!("{shift}{wide}2{wide}"));
        assert!(!text.contains('\u{fffd}') && text.contains("ä1ä") && text.contains("ä2ä"), "{text}");
    }
    assert_eq!(stated("ab", "ac"), "line 1, column 1 (token 1): expected 'ab', got 'ac'");
}

#[test]
fn numbers_say_how_far_apart_they_are() {
    let stated = |answer: &str, output: &str, args: &str| {
        let stated = compare(answer.as_bytes(), output.as_bytes(), &options(args)).unwrap().to_string();
        stated.split_once(": expected about ").unwrap().1.to_owned()
    };
    assert_eq!(
        stated("2", "2.5", "float_tolerance 1e-6"),
        "'2', got '2.5': it is off by 5.000000e-1, 2.500000e-1 of the number; 1e-6 (absolute) or 1e-6 (relative) are allowed"
    );
    assert_eq!(
        stated("0", "1e-3", "float_relative_tolerance 1e-9"),
        "'0', got '1e-3': it is off by 1.000000e-3; 1e-9 (relative) is allowed"
    );
    assert_eq!(
        stated("1", "1.00000000000000000001", "float_absolute_tolerance 0"),
        "'1', got '1.00000000000000000001': it is off by less than a double can show; 0e0 (absolute) is allowed"
    );
}

proptest! {
    #[test]
    fn equal_texts_match(text in proptest::collection::vec(any::<u8>(), 0..200), spaces: bool, case: bool) {
        let options = CompareOptions { space_change_sensitive: spaces, case_sensitive: case, ..options("") };
        prop_assert_eq!(compare(&text, &text, &options), None);
        let near = CompareOptions { relative_tolerance: Some(0.0), ..options };
        prop_assert_eq!(compare(&text, &text, &near), None);
    }

    #[test]
    fn other_whitespace_matches(tokens in proptest::collection::vec("[!-~]{1,5}", 0..20), gap in "[ \t\r\n\x0b\x0c]{1,4}") {
        let (answer, output) = (tokens.join(" "), format!("{gap}{}{gap}", tokens.join(&gap)));
        prop_assert_eq!(compare(answer.as_bytes(), output.as_bytes(), &options("")), None);
    }

    #[test]
    fn one_changed_token_is_found(tokens in proptest::collection::vec("[a-z]{1,5}", 1..20), index: prop::sample::Index) {
        let index = index.index(tokens.len());
        let mut changed = tokens.clone();
        changed[index].push('0');
        let found = compare(tokens.join("\n").as_bytes(), changed.join("\n").as_bytes(), &options("")).unwrap();
        prop_assert_eq!((found.token, found.line), (index as u64 + 1, index as u64 + 1));
    }

    #[test]
    fn numbers_within_the_tolerance_match(value in -1e15_f64..1e15, share in -0.999_f64..0.999) {
        let output = format!("{:e}", value + value.abs() * 1e-6 * share);
        prop_assert_eq!(compare(format!("{value}").as_bytes(), output.as_bytes(), &options("float_relative_tolerance 1e-6")), None);
    }

    #[test]
    fn any_bytes_are_read(answer: Vec<u8>, output: Vec<u8>) {
        compare(&answer, &output, &CompareOptions { float_syntax: FloatSyntax::DecimalOrHex, ..options("float_tolerance 1") });
    }
}
