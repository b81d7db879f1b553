use super::*;
use crate::testing::{CURRENT, Folder, LEGACY};
use proptest::prelude::*;

/// Returns each submission's name and expectation.
fn expected(folder: &Folder) -> Vec<(String, String)> {
    let package = folder.open().unwrap();
    package.submissions.iter().map(|one| (one.name.clone(), one.expectation.to_string())).collect()
}

#[track_caller]
fn check(folder: &Folder, name: &str, expect: &str) {
    let all = expected(folder);
    let found = all.iter().find(|(one, _)| one == name).unwrap_or_else(|| panic!("{all:?}"));
    assert_eq!(found.1, expect);
}

#[test]
fn legacy_folders_name_verdicts() {
    for (name, expect) in [
        ("accepted", "AC"),
        ("partially_accepted", "AC with a partial score"),
        ("wrong_answer", "WA"),
        ("time_limit_exceeded", "one of TLE, WTL"),
        ("run_time_error", "one of RTE, MLE, OLE"),
        ("rejected", "one of WA, TLE, RTE, MLE, OLE, WTL"),
        ("compile_error", "CE"),
        ("mixed", "checked by hand"),
    ] {
        let file = format!("submissions/{name}/b.py");
        check(&Folder::package(LEGACY, &[(&file, "")]), &format!("{name}/b.py"), expect);
    }
}

#[test]
fn new_folders_make_rules_for_every_case() {
    for (name, expect) in [
        ("accepted", "every case AC"),
        ("rejected", "at least one case one of WA, TLE, RTE, MLE, OLE, WTL"),
        ("wrong_answer", "every case one of AC, WA, at least one case WA"),
        ("time_limit_exceeded", "every case one of AC, TLE, WTL, at least one case one of TLE, WTL"),
        ("run_time_error", "every case one of AC, RTE, MLE, OLE, at least one case one of RTE, MLE, OLE"),
        ("compile_error", "CE"),
        ("other", "checked by hand"),
    ] {
        let file = format!("submissions/{name}/b.py");
        check(&Folder::package(CURRENT, &[(&file, "")]), &format!("{name}/b.py"), expect);
    }
}

#[test]
fn tags_name_any_of_their_results() {
    for (source, expect) in [
        ("# @EXPECTED_RESULTS@: WRONG-ANSWER, TIMELIMIT\n", "one of WA, TLE, WTL"),
        ("/* @EXPECTED_RESULTS@: CORRECT */\n", "AC"),
        ("(* @EXPECTED_RESULTS@: run_time_error *)\n", "one of RTE, MLE, OLE"),
        ("{ @EXPECTED_RESULTS@: NO-OUTPUT }\n", "WA"),
        ("<!-- @EXPECTED_RESULTS@: COMPILER-ERROR -->\n", "CE"),
        ("// @EXPECTED_RESULTS@: OUTPUT-LIMIT\n// @EXPECTED_RESULTS@: MEMORY-LIMIT\n", "one of MLE, OLE"),
        ("# @EXPECTED_RESULTS@: CHECK-MANUALLY\n", "checked by hand"),
        ("# @EXPECTED_RESULTS@: CORRECT, CHECK-MANUALLY\n", "checked by hand"),
    ] {
        for base in [CURRENT, LEGACY] {
            let folder = Folder::package(base, &[("submissions/mixed/b.py", source)]);
            check(&folder, "mixed/b.py", expect);
            assert_eq!(folder.warnings(), [] as [&str; 0]);
        }
    }
}

#[test]
fn tags_are_found_in_any_file_and_wrong_ones_located() {
    let folder = Folder::package(
        LEGACY,
        &[("submissions/mixed/b/x.h", ""), ("submissions/mixed/b/y.c", "// @EXPECTED_RESULTS@: TLE\n")],
    );
    check(&folder, "mixed/b", "one of TLE, WTL");
    assert_eq!(folder.open().unwrap().submissions[1].files.len(), 2);
    let folder = Folder::package(LEGACY, &[("submissions/mixed/b.c", "\n// @EXPECTED_RESULTS@: FINE\n")]);
    check(&folder, "mixed/b.c", "checked by hand");
    assert!(
        folder.warnings()[0]
            .starts_with("submissions/mixed/b.c:2: @EXPECTED_RESULTS@: is 'FINE', which is not a result"),
        "{:?}",
        folder.warnings()
    );
}

#[test]
fn official_folders_stand_above_tags() {
    let folder =
        Folder::package(LEGACY, &[("submissions/wrong_answer/b.py", "# @EXPECTED_RESULTS@: TIMELIMIT\n")]);
    check(&folder, "wrong_answer/b.py", "WA");
    assert!(folder.warnings()[0].contains("is ignored in wrong_answer"));
    let agreeing =
        Folder::package(LEGACY, &[("submissions/wrong_answer/b.py", "# @EXPECTED_RESULTS@: WRONG-ANSWER\n")]);
    assert_eq!(agreeing.warnings(), [] as [&str; 0]);
    let folder =
        Folder::package(LEGACY, &[("submissions/rejected/b.py", "# @EXPECTED_RESULTS@: TIMELIMIT\n")]);
    check(&folder, "rejected/b.py", "one of TLE, WTL");
}

#[test]
fn submissions_yaml_adds_and_replaces_rules() {
    let folder = Folder::package(
        CURRENT,
        &[
            ("submissions/time_limit_exceeded/slow.py", ""),
            ("submissions/other/b.{py", ""),
            ("submissions/other/b.py", ""),
            (
                "submissions/submissions.yaml",
                "time_limit_exceeded:\n  permitted: [AC, WA, TLE]\n\
                 time_limit_exceeded/*:\n  language: pypy3\n  entrypoint: main.py\n  message: slow\n  sample: {permitted: [AC]}\n\
                 other/{b,c}.py:\n  authors: [A]\n  model_solution: true\n  use_for_time_limit: lower\n  secret/*-hard: {required: TLE}\n",
            ),
        ],
    );
    check(
        &folder,
        "time_limit_exceeded/slow.py",
        "every case one of AC, WA, TLE, WTL, at least one case one of TLE, WTL; message 'slow'; sample: every case AC",
    );
    check(
        &folder,
        "other/b.py",
        "every case one of AC, WA, RTE, MLE, OLE; secret/*-hard: at least one case one of TLE, WTL",
    );
    let package = folder.open().unwrap();
    let slow = package.submissions.iter().find(|one| one.name.starts_with("time")).unwrap();
    assert_eq!(
        (slow.language_hint.as_deref(), slow.entry_point_hint.as_deref()),
        (Some("pypy3"), Some("main.py"))
    );
}

#[test]
fn unknown_folders_have_the_rules_written_for_them() {
    for key in ["mixed", "mixed/", "mixed/*", "{mixed,other}"] {
        let text = format!("'{key}': {{permitted: [AC, WA], required: [WA]}}\n");
        let folder = Folder::package(
            CURRENT,
            &[("submissions/mixed/b.py", ""), ("submissions/submissions.yaml", &text)],
        );
        check(&folder, "mixed/b.py", "every case one of AC, WA, at least one case WA");
        assert_eq!(folder.warnings(), [] as [&str; 0], "{key}");
    }
}

#[test]
fn wrong_submissions_yaml_is_refused() {
    for (text, begin) in [
        (
            "accepted/a.py: {permited: [AC]}\n",
            "submissions/submissions.yaml:1: accepted/a.py.permited: is neither a key nor a group of test cases; did you mean 'permitted'?",
        ),
        (
            "accepted/a.py: {permitted: [OK]}\n",
            "submissions/submissions.yaml:1: accepted/a.py.permitted[0]: is 'OK', expected one of AC, WA, TLE, RTE",
        ),
        ("accepted/a.py: {permitted: []}\n", "submissions/submissions.yaml:1: accepted/a.py.permitted"),
        (
            "accepted/a.py: {score: 3}\n",
            "submissions/submissions.yaml:1: accepted/a.py.score: is given, but the problem is pass-fail",
        ),
        (
            "accepted/a.py: {use_for_time_limit: both}\n",
            "submissions/submissions.yaml:1: accepted/a.py.use_for_time_limit",
        ),
        (
            "accepted/a.py: {use_for_time_limit: upper, permitted: [AC]}\n",
            "submissions/submissions.yaml:1: accepted/a.py.use_for_time_limit: is 'upper', but",
        ),
        ("accepted/**: {}\n", "submissions/submissions.yaml:1: accepted/**: contains '**'"),
        ("accepted/{a: {}\n", "submissions/submissions.yaml:1: accepted/{a: has a brace"),
        ("- accepted\n", "submissions/submissions.yaml:1: is a list"),
    ] {
        let refused = Folder::package(CURRENT, &[("submissions/submissions.yaml", text)]).refused();
        assert!(refused.starts_with(begin), "{refused}");
    }
    let folder =
        Folder::package(CURRENT, &[("submissions/submissions.yaml", "accepted/b.py: {language: c}\n")]);
    assert!(
        folder.warnings()[0]
            .starts_with("submissions/submissions.yaml: accepted/b.py: matches no submission")
    );
}

#[test]
fn scores_may_be_expected_of_scoring_problems() {
    let folder = Folder::package(
        CURRENT,
        &[
            ("problem.yaml", "problem_format_version: 2025-09\nname: Sum\nuuid: 0\ntype: scoring\n"),
            ("submissions/part/b.py", ""),
            ("submissions/submissions.yaml", "part/b.py: {score: [20, 50], secret: {score: 30}}\n"),
        ],
    );
    check(&folder, "part/b.py", "score 20 to 50; secret: score 30 to 30");
    folder.write("submissions/submissions.yaml", "part/b.py: {score: [50, 20]}\n");
    assert!(
        folder.refused().contains("score: is a list, expected one number, or two with the smaller first")
    );
}

#[test]
fn scores_may_be_expected_by_tags() {
    const SCORING: [(&str, &str); 2] = [
        ("problem.yaml", "name: Sum\ntype: scoring\n"),
        ("problem.yaml", "problem_format_version: 2025-09\nname: Sum\nuuid: 0\ntype: scoring\n"),
    ];
    for (path, source, expect) in [
        ("mixed/b.py", "# @EXPECTED_SCORE@: 70\n", ["score 70 to 70"; 2]),
        ("mixed/b.py", "// @expected_score@: 12.5\n", ["score 12.45 to 12.55"; 2]),
        (
            "mixed/b.py",
            "# @EXPECTED_RESULTS@: WRONG-ANSWER\n# @EXPECTED_SCORE@: 30\n",
            ["at least one case WA, score 30 to 30"; 2],
        ),
        ("mixed/b.py", "# @EXPECTED_SCORE@: 3\n# @EXPECTED_RESULTS@: AC, WA\n", ["score 3 to 3"; 2]),
        (
            "mixed/b.py",
            "# @EXPECTED_RESULTS@: CORRECT\n# @EXPECTED_SCORE@: 9\n",
            ["every case AC, score 9 to 9"; 2],
        ),
        ("mixed/b.py", "# @EXPECTED_SCORE@: WRONG-ANSWER, TIMELIMIT\n", ["one of WA, TLE, WTL"; 2]),
        (
            "wrong_answer/b.py",
            "# @EXPECTED_SCORE@: 30\n",
            [
                "at least one case WA, score 30 to 30",
                "every case one of AC, WA, at least one case WA; score 30 to 30",
            ],
        ),
        ("partially_accepted/b.py", "# @EXPECTED_SCORE@: 30\n", ["score 30 to 30"; 2]),
    ] {
        for (base, problem, expect) in [(LEGACY, SCORING[0], expect[0]), (CURRENT, SCORING[1], expect[1])] {
            let folder = Folder::package(base, &[problem, (&format!("submissions/{path}"), source)]);
            check(&folder, path, expect);
        }
    }
    let path = "submissions/accepted/b.py";
    let folder = Folder::package(LEGACY, &[SCORING[0], (path, "# @EXPECTED_SCORE@: 60\n")]);
    let package = folder.open().unwrap();
    let expectation = &package.submissions[1].expectation;
    assert!(expectation.needs_all_cases() && expectation.bounds_time_limit_from_below(), "{expectation}");

    let folder = Folder::package(LEGACY, &[("submissions/mixed/b.py", "# @EXPECTED_SCORE@: 60\n")]);
    check(&folder, "mixed/b.py", "checked by hand");
    assert!(
        folder.warnings()[0]
            .starts_with("submissions/mixed/b.py: @EXPECTED_SCORE@: is given, but the problem is pass-fail")
    );
    let twice = "# @EXPECTED_SCORE@: 60\n# @EXPECTED_SCORE@: 61\n";
    let folder = Folder::package(LEGACY, &[SCORING[0], ("submissions/mixed/b.py", twice)]);
    check(&folder, "mixed/b.py", "checked by hand");
    assert!(folder.warnings()[0].starts_with("submissions/mixed/b.py:2: @EXPECTED_SCORE@: stands twice"));
}

#[test]
fn submissions_json_names_languages_and_entry_points() {
    let json = "{\n\t\"submissions/accepted/a.py\": {\"langid\": \"py3\", \"team\": \"Jury\"},\n\
                \t\"submissions/accepted/b/\": {\"entry_point\": \"start.py\", \"langid\": \"pypy3\"}\n}\n";
    let hints = |folder: &Folder, name: &str| {
        let package = folder.open().unwrap();
        let one = package.submissions.iter().find(|one| one.name == name).unwrap().clone();
        (one.language_hint, one.entry_point_hint)
    };
    let files = [("submissions.json", json), ("submissions/accepted/b/start.py", "")];
    for base in [LEGACY, CURRENT] {
        let folder = Folder::package(base, &files);
        assert_eq!(hints(&folder, "accepted/a.py"), (Some("py3".into()), None));
        assert_eq!(hints(&folder, "accepted/b"), (Some("pypy3".into()), Some("start.py".into())));
        assert_eq!(folder.warnings(), [] as [&str; 0]);
        folder.write("submissions/submissions.yaml", "accepted/a.py: {language: python3}\n");
        assert_eq!(hints(&folder, "accepted/a.py"), (Some("python3".into()), None));
    }
    for (json, begin) in [
        (
            "{\"submissions/accepted/c.py\": {}}",
            "submissions.json:1: submissions/accepted/c.py: is not a submission",
        ),
        ("[]", "submissions.json: is a list, as contests have it"),
        (
            "{\"submissions/accepted/a.py\": {\"langid\": \"c\", \"language\": \"c\"}}",
            "submissions.json:1: submissions/accepted/a.py.language: is not a known key",
        ),
    ] {
        let warnings = Folder::package(LEGACY, &[("submissions.json", json)]).warnings();
        assert!(warnings.iter().any(|one| one.starts_with(begin)), "{warnings:?}");
    }
    for json in ["{\"submissions/accepted/a.py\": 3}", "{", "3"] {
        let refused = Folder::package(LEGACY, &[("submissions.json", json)]).refused();
        assert!(refused.starts_with("submissions.json"), "{refused}");
    }
}

#[test]
fn empty_and_stray_submissions_are_reported() {
    let folder = Folder::package(LEGACY, &[("submissions/stray.py", ""), ("submissions/README.md", "")]);
    std::fs::create_dir_all(folder.path("submissions/accepted/empty")).unwrap();
    std::fs::create_dir_all(folder.path("submissions/rejected")).unwrap();
    let warnings = folder.warnings();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("submissions/accepted/empty: is an empty submission"));
    assert!(warnings[1].starts_with("submissions/stray.py: is in no folder of submissions"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_submissions_yaml_is_read_or_refused(
        key in "[a-z*/{},]{1,12}",
        inner in prop::sample::select(vec!["permitted", "required", "score", "message", "use_for_time_limit", "sample", "language"]),
        value in "[\\[\\]{}a-zA-Z0-9:, .'-]{0,16}",
    ) {
        let folder = Folder::package(CURRENT, &[("submissions/submissions.yaml", &format!("'{key}':\n  {inner}: {value}\n"))]);
        if let Err(error) = folder.open() {
            prop_assert!(error.to_string().starts_with("submissions/submissions.yaml"), "{}", error);
        }
    }

    #[test]
    fn any_source_is_searched(source: Vec<u8>, tail in "[A-Z,*@: -]{0,30}") {
        let mut source = source;
        source.extend(format!("\n@EXPECTED_RESULTS@:{tail}").bytes());
        let _ = tags::read(&source);
    }
}

#[test]
fn compiled_and_hidden_files_are_no_submissions() {
    for base in [CURRENT, LEGACY] {
        let folder = Folder::package(
            base,
            &[
                ("submissions/accepted/a.out", "x"),
                ("submissions/accepted/Main.class", "x"),
                ("submissions/accepted/__pycache__/a.pyc", "x"),
                ("submissions/accepted/.b.py", "x"),
                ("submissions/accepted/.gitkeep", ""),
                ("submissions/accepted/m/m.py", "x"),
                ("submissions/accepted/m/__pycache__/m.pyc", "x"),
                ("submissions/accepted/m/M.class", "x"),
            ],
        );
        let package = folder.open().unwrap();
        let names: Vec<_> = package.submissions.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["accepted/a.py", "accepted/m"]);
        assert_eq!(package.submissions[1].files.len(), 1);
        let places: Vec<_> = package.warnings.iter().map(|one| one.wrong.place.file.as_str()).collect();
        let left_out = [".b.py", "Main.class", "__pycache__", "a.out", "m/M.class"];
        assert_eq!(places, left_out.map(|name| format!("submissions/accepted/{name}")));
        assert!(package.warnings.iter().all(|one| !one.is_mistake));
    }
}
