use super::*;
use crate::Kind;
use model::{Bytes, InstructionCount, Nanos};
use proptest::prelude::*;

fn read_text(text: &str) -> Result<(Metadata, Vec<String>), String> {
    let warnings = Warnings::default();
    match parse(text, &ProblemLimits::default(), &warnings) {
        Ok(metadata) => Ok((metadata, warnings.take().iter().map(ToString::to_string).collect())),
        Err(error) => Err(error.to_string()),
    }
}

fn current(text: &str) -> Result<(Metadata, Vec<String>), String> {
    read_text(&format!("problem_format_version: 2025-09\nname: Sum\nuuid: 0\n{text}"))
}

#[track_caller]
fn refused(result: Result<(Metadata, Vec<String>), String>, expect: &str) {
    let error = result.unwrap_err();
    assert!(error.starts_with(expect), "{error}");
}

#[test]
fn keys_of_pc2_are_read() {
    let text = "name: P\nname: Q\nlimits: {timeout: 120}\nvalidator: {usingInternal: false, validatorProg: yes.sh}\n";
    let (metadata, stated) = read_text(text).unwrap();
    assert_eq!(metadata.time_limit.unwrap().0, Nanos::from_millis(120_000));
    assert_eq!(metadata.names["en"], "Q");
    assert!(stated[0].starts_with("problem.yaml:2: has the key 'name' twice"), "{stated:?}");
    assert!(
        stated.iter().any(|text| text.contains("problem.yaml:4: validator: names a validator in PC^2's way")),
        "{stated:?}"
    );
    let (_, stated) = read_text("name: P\nvalidator: {usingInternal: true, validatorOption: 1}\n").unwrap();
    assert_eq!(stated, [""; 0]);
    assert!(read_text("problem_format_version: 2025-09\nname: P\nname: Q\n").is_err());
}

#[test]
fn nothing_is_a_legacy_problem_with_default_limits() {
    let (metadata, warnings) = read_text("").unwrap();
    assert_eq!((metadata.format, warnings), (Format::Legacy, Vec::new()));
    assert_eq!(metadata.limits, ProblemLimits::default());
    assert_eq!(metadata.limits.memory, Bytes::from_mib(2048));
    assert_eq!(
        (metadata.time_margins.accepted_to_limit, metadata.time_margins.limit_to_too_slow),
        (5.0, 2.0)
    );
    assert!(!metadata.allow_file_writing);
}

#[test]
fn versions_are_distinguished() {
    for (version, format) in [
        ("legacy", Format::Legacy),
        ("legacy-icpc", Format::LegacyIcpc),
        ("2023-07-draft", Format::V2023_07),
        ("2025-09", Format::V2025_09),
        ("draft", Format::V2025_09),
    ] {
        let text = format!("problem_format_version: {version}\nname: Sum\nuuid: 0\n");
        assert_eq!(read_text(&text).unwrap().0.format, format, "{version}");
    }
    refused(
        read_text("problem_format_version: 2025-9\n"),
        "problem.yaml:1: problem_format_version: is '2025-9', expected one of",
    );
}

#[test]
fn unknown_keys_are_errors_in_new_and_warnings_in_old_formats() {
    refused(current("limit: {}\n"), "problem.yaml:4: limit: is not a known key; did you mean 'limits'?");
    refused(current("limits:\n  memry: 1\n"), "problem.yaml:5: limits.memry: is not a known key");
    let (_, warnings) = read_text("name: Sum\nlimits:\n  memry: 1\nvalidater_flags: x\n").unwrap();
    assert_eq!(
        warnings,
        [
            "problem.yaml:3: limits.memry: is not a known key; did you mean 'memory'?",
            "problem.yaml:4: validater_flags: is not a known key; did you mean 'validator_flags'?",
        ]
    );
}

#[test]
fn required_keys_are_required() {
    refused(read_text("problem_format_version: 2025-09\nuuid: 0\n"), "problem.yaml:1: name: is missing");
    refused(
        read_text("problem_format_version: 2023-07-draft\nname: x\n"),
        "problem.yaml:1: uuid: is missing",
    );
}

#[test]
fn types_combine_as_the_specification_says() {
    let kind = |text: &str| current(text).map(|(metadata, _)| metadata.kind);
    assert_eq!(kind("").unwrap(), Kind::default());
    let kind_of_all =
        kind("type: [scoring, interactive, multi-pass]\nlimits: {validation_passes: 7}\n").unwrap();
    assert!(kind_of_all.scoring && kind_of_all.interactive && !kind_of_all.submit_answer);
    assert_eq!(kind_of_all.multi_pass.map(u32::from), Some(7));
    assert_eq!(kind("type: multi-pass\n").unwrap().multi_pass.map(u32::from), Some(2));
    for wrong in [
        "[]",
        "[scoring, scoring]",
        "[scoring, pass-fail]",
        "[interactive, submit-answer]",
        "fun",
        "3",
        "{a: b}",
    ] {
        refused(current(&format!("type: {wrong}\n")), "problem.yaml:4: type");
    }
    refused(
        current("limits: {validation_passes: 3}\n"),
        "problem.yaml:4: limits.validation_passes: is given, but",
    );
    refused(
        current("type: multi-pass\nlimits: {validation_passes: 1}\n"),
        "problem.yaml:5: limits.validation_passes",
    );
}

#[test]
fn limits_are_read_in_their_units() {
    let (metadata, _) = current(
        "limits:\n  memory: 256\n  output: 1\n  code: 64\n  compilation_time: 10\n  validation_time: 5\n  \
         time_limit: 1.5\n  time_resolution: 0.1\n  time_multipliers: {ac_to_time_limit: 3, time_limit_to_tle: 1.25}\n",
    )
    .unwrap();
    let limits = metadata.limits;
    assert_eq!(
        (limits.memory, limits.output, limits.code),
        (Bytes(256 << 20), Bytes(1 << 20), Bytes(64 << 10))
    );
    assert_eq!(limits.compilation_time, Nanos::from_millis(10_000));
    assert_eq!(metadata.time_limit.unwrap().0, Nanos::from_millis(1500));
    let margins = metadata.time_margins;
    assert_eq!((margins.accepted_to_limit, margins.limit_to_too_slow), (3.0, 1.25));
    assert_eq!(margins.resolution, Nanos::from_millis(100));
}

#[test]
fn a_limit_on_instructions_is_read_in_all_formats() {
    let text = "limits: {instructions: 2000000000}\n";
    for (metadata, _) in [current(text).unwrap(), read_text(&format!("name: Sum\n{text}")).unwrap()] {
        assert_eq!(metadata.limits.instructions, Some(InstructionCount(2_000_000_000)));
        assert_eq!(metadata.time_limit, None, "it is no time limit");
    }
    for (count, why) in [
        ("0", "a whole number of at least 1"),
        ("1.5", "a whole number of at least 1"),
        (
            "10000000000001",
            "is 10,000,000,000,001, expected at most 10,000,000,000,000; lower it: 1,000,000,000 are about a second",
        ),
    ] {
        let error = current(&format!("limits: {{instructions: {count}}}\n")).unwrap_err();
        assert!(error.contains("limits.instructions") && error.contains(why), "{error}");
    }
    let warnings = |count| {
        let (_, warnings) =
            current(&format!("limits: {{instructions: {count}, time_limit: 1.0}}\n")).unwrap();
        warnings.join("; ")
    };
    assert_eq!(warnings(16_000_000_000_u64), "");
    let more = warnings(16_000_000_001);
    assert!(more.contains("limits.instructions") && more.contains("more than the 16,000,000,000"), "{more}");
}

#[test]
fn senseless_limits_are_refused() {
    for wrong in [
        "memory: 0",
        "memory: -1",
        "memory: 1.5",
        "memory: 1e300",
        "memory: .nan",
        "memory: '1'",
        "memory: []",
        "time_limit: 0",
        "time_limit: .inf",
        "time_limit: -.5",
        "time_resolution: 0",
        "compilation_time: 1.5",
        "time_multipliers: 2",
        "time_multipliers: {ac_to_time_limit: 0.5}",
        "time_multipliers: {ac: 2}",
    ] {
        let error = current(&format!("limits:\n  {wrong}\n")).unwrap_err();
        assert!(error.starts_with("problem.yaml:5: limits."), "{error}");
    }
    refused(current("limits: 3\n"), "problem.yaml:4: limits: is 3, expected a map");
}

#[test]
fn legacy_validation_says_how_the_problem_is_run() {
    let (metadata, _) =
        read_text("validation: custom interactive multi-pass\nvalidator_flags: a  b\n").unwrap();
    assert!(metadata.kind.interactive && metadata.kind.multi_pass.is_some());
    assert_eq!(
        (metadata.custom_validation, metadata.validator_flags),
        (Some(true), vec!["a".into(), "b".into()])
    );
    for wrong in ["interactive", "default interactive", "custom fun", "''"] {
        refused(read_text(&format!("validation: {wrong}\n")), "problem.yaml:1: validation");
    }
}

#[test]
fn names_and_credits_have_many_forms() {
    let (metadata, _) = current(
        "credits:\n  authors: A <a@b.example>\n  testers: [B, {name: C, orcid: 0}]\n  translators: {da: D}\n\
         source: [{name: X, url: y}, Z]\nlicense: cc by-sa\nlanguages: [c, cpp]\nconstants: {max: 1.50, _x: a}\n",
    )
    .unwrap();
    assert_eq!(metadata.languages, Some(vec!["c".into(), "cpp".into()]));
    assert_eq!(metadata.constants["max"], "1.50", "the spelling stays");
    for wrong in [
        "credits: {author: A}",
        "credits: {authors: []}",
        "credits: {authors: {email: x}}",
        "source: {url: x}",
        "license: gpl",
        "languages: []",
        "constants: {1x: 2}",
        "constants: [a]",
        "allow_file_writing: yes",
    ] {
        refused(current(&format!("{wrong}\n")), "problem.yaml:4: ");
    }
    let names =
        read_text("problem_format_version: 2025-09\nname: {en: Sum, sv: Summa}\nuuid: 0\n").unwrap().0.names;
    assert_eq!(names["sv"], "Summa");
}

#[test]
fn old_keys_are_read_in_many_forms() {
    let (metadata, warnings) =
        read_text("keywords: []\nauthor: [A, B]\nlanguages: c cpp\nlibraries: gmp\nsource: 2024\n").unwrap();
    assert_eq!(metadata.languages, Some(vec!["c".into(), "cpp".into()]));
    assert_eq!(warnings, [] as [&str; 0]);
    assert_eq!(read_text("languages: all\n").unwrap().0.languages, None);
    refused(read_text("source: {a: b}\n"), "problem.yaml:1: source: is a map, expected a text");
}

#[test]
fn licenses_without_owner_are_reported() {
    assert_eq!(read_text("license: cc by\n").unwrap().1.len(), 1);
    assert_eq!(read_text("license: cc by\nauthor: A\n").unwrap().1.len(), 0);
    assert_eq!(read_text("license: public domain\nrights_owner: A\n").unwrap().1.len(), 1);
}

proptest! {
    #[test]
    fn any_value_of_any_key_is_read_or_refused(
        key in prop::sample::select(vec!["type", "name", "limits", "credits", "source", "languages", "constants", "validation",
            "grading", "validator_flags", "keywords", "license", "problem_format_version", "allow_file_writing"]),
        value in "[\\[\\]{}a-z0-9:, .'-]{0,24}",
        version in prop::sample::select(vec!["legacy", "2023-07-draft", "2025-09"]),
    ) {
        if let Err(error) = read_text(&format!("problem_format_version: {version}\nuuid: 0\n{key}: {value}\n")) {
            prop_assert!(error.starts_with("problem.yaml"), "{}", error);
            prop_assert!(error.contains("; "), "{}", error);
        }
    }
}
