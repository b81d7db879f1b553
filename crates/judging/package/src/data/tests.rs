use crate::scoring::{AggregateGrading, Aggregation, Grading, OnReject, ScoreMode, VerdictMode};
use crate::testing::{CURRENT, Folder, LEGACY};

const SCORING: &str = "problem_format_version: 2025-09\nname: Sum\nuuid: 0\ntype: scoring\n";
const OLDER_SCORING: &str = "problem_format_version: 2023-07-draft\nname: Sum\nuuid: 0\ntype: scoring\n";

fn names(folder: &Folder) -> Vec<String> {
    folder.open().unwrap().cases().iter().map(|case| case.name.clone()).collect()
}

/// Makes a package with these cases instead of its own.
fn with_cases(base: &[(&str, &str)], cases: &[&str], more: &[(&str, &str)]) -> Folder {
    let folder = Folder::package(base, more);
    std::fs::remove_file(folder.path("data/secret/1.in")).unwrap();
    std::fs::remove_file(folder.path("data/secret/1.ans")).unwrap();
    for case in cases {
        folder.write(&format!("data/{case}.in"), "1\n");
        folder.write(&format!("data/{case}.ans"), "1\n");
    }
    folder
}

fn grading(folder: &Folder, group: &str) -> AggregateGrading {
    match folder.open().unwrap().data.find(group).unwrap().grading.clone() {
        Grading::Aggregate(grading) => grading,
        other => panic!("{other:?}"),
    }
}

#[test]
fn cases_come_by_name_and_samples_first() {
    let cases = ["secret/b/2", "secret/b/10", "secret/a-1", "secret/c", "sample/z", "sample/1"];
    assert_eq!(
        names(&with_cases(LEGACY, &cases, &[])),
        ["sample/1", "sample/z", "secret/a-1", "secret/b/10", "secret/b/2", "secret/c"]
    );
    let groups = ["secret/b/x/1", "secret/b/2", "secret/a/1", "sample/1"];
    assert_eq!(
        names(&with_cases(CURRENT, &groups, &[])),
        ["sample/1", "secret/a/1", "secret/b/2", "secret/b/x/1"]
    );
}

#[test]
fn missing_data_are_refused() {
    let folder = Folder::new(CURRENT);
    std::fs::remove_file(folder.path("data/secret/1.ans")).unwrap();
    assert_eq!(
        folder.refused(),
        "data/secret/1.in: has no answer, expected data/secret/1.ans next to it; add the answer"
    );
    std::fs::remove_file(folder.path("data/secret/1.in")).unwrap();
    assert!(folder.refused().starts_with("data/secret: holds no test case"));
    std::fs::remove_dir_all(folder.path("data")).unwrap();
    assert!(folder.refused().starts_with("data/secret: is missing"));
    folder.write("data", "");
    assert!(folder.refused().starts_with("data: is a file, expected a folder"));
}

#[test]
fn files_without_an_input_are_left_out() {
    let orphan = [("data/secret/2.ans", "")];
    for base in [CURRENT, LEGACY] {
        let package = Folder::package(base, &orphan).open().unwrap();
        let warning = &package.warnings[0];
        assert!(warning.to_string().starts_with("data/secret/2.ans: belongs to a test case without input"));
        assert!(warning.is_leniency && package.cases().len() == 1);
    }
    let harmless =
        [("data/sample/1.interaction", "<1\n"), ("data/secret/.gitignore", ""), ("data/secret/-x.in", "")];
    assert_eq!(Folder::package(LEGACY, &harmless).warnings(), [] as [&str; 0]);
    let odd =
        [("data/secret/notes", ""), ("data/secret/a b.in", ""), ("data/README.md", ""), ("data/7.in", "")];
    assert_eq!(Folder::package(CURRENT, &odd).warnings().len(), 4);
}

#[test]
fn a_case_is_described_by_its_own_files() {
    let folder = Folder::package(
        LEGACY,
        &[
            ("data/secret/1.desc", "The least.\n"),
            ("data/secret/1.hint", "Think.\n"),
            ("data/secret/1.args", "-n 3\n"),
            ("data/secret/1.files/in/x.txt", "x"),
            ("data/secret/1.png", ""),
        ],
    );
    let package = folder.open().unwrap();
    let case = package.cases()[0].clone();
    assert_eq!((case.description.as_deref(), case.hint.as_deref()), (Some("The least."), Some("Think.")));
    assert_eq!(case.args, ["-n", "3"]);
    assert_eq!(case.files[0].name.to_str(), Some("in/x.txt"));
    assert_eq!(package.warnings, []);
}

#[test]
fn settings_are_inherited_and_overridden() {
    let folder = with_cases(
        CURRENT,
        &["secret/a/1", "secret/a/2", "secret/b/1", "sample/1"],
        &[
            ("data/secret/test_group.yaml", "output_validator_args: [case_sensitive]\nargs: [x]\n"),
            ("data/secret/a/test_group.yaml", "args: [y, z]\ninput_validator_args: {check.py: [n]}\n"),
            (
                "data/secret/a/2.yaml",
                "args: []\nfull_feedback: true\nhint: h\ndescription: d\noutput_validator_args: []\n",
            ),
        ],
    );
    let package = folder.open().unwrap();
    let case = |name: &str| package.cases().into_iter().find(|case| case.name == name).unwrap().clone();
    let (a1, a2, b1) = (case("secret/a/1"), case("secret/a/2"), case("secret/b/1"));
    assert_eq!(
        (&a1.args[..], &a1.validator_args[..]),
        (&["y".to_owned(), "z".into()][..], &["case_sensitive".to_owned()][..])
    );
    assert_eq!(
        (a1.input_validator_args.of("check.py"), a1.input_validator_args.of("other.py")),
        (&["n".to_owned()][..], &[][..])
    );
    assert_eq!(
        (a2.args.len(), a2.validator_args.len(), a2.full_feedback, a2.hint.as_deref()),
        (0, 0, true, Some("h"))
    );
    assert_eq!(
        (b1.args, a1.full_feedback, case("sample/1").full_feedback),
        (vec!["x".to_owned()], false, true)
    );
}

#[test]
fn wrong_configurations_are_refused_with_line_and_field() {
    for (file, text, begin) in [
        ("data/secret/1.yaml", "\nargs: x\n", "data/secret/1.yaml:2: args: is 'x', expected a list"),
        (
            "data/secret/1.yaml",
            "arg: [x]\n",
            "data/secret/1.yaml:1: arg: is not a known key; did you mean 'args'?",
        ),
        ("data/secret/1.yaml", "args: [[a]]\n", "data/secret/1.yaml:1: args[0]: is a list, expected a text"),
        (
            "data/secret/test_group.yaml",
            "max_score: 3\n",
            "data/secret/test_group.yaml:1: max_score: is given, but the problem is pass-fail",
        ),
        ("data/secret/test_group.yaml", "- a\n", "data/secret/test_group.yaml:1: is a list, expected a map"),
        (
            "data/secret/test_group.yaml",
            "static_validation_score: pass-fail\n",
            "data/secret/test_group.yaml: asks for static validation",
        ),
        ("data/sample/g/test_group.yaml", "", "data/sample/g: is a group, but sample must not have groups"),
        ("data/secret/1/x.in", "", "data/secret/1: is a folder with the name of the case"),
    ] {
        let refused = Folder::package(CURRENT, &[(file, text)]).refused();
        assert!(refused.starts_with(begin), "{refused}");
    }
}

#[test]
fn groups_and_cases_do_not_mix_in_2025_09() {
    let group =
        [("data/secret/g/1.in", ""), ("data/secret/g/1.ans", ""), ("data/secret/g/test_group.yaml", "")];
    let refused = Folder::package(CURRENT, &group).refused();
    assert!(refused.starts_with("data/secret: holds both test cases and groups"), "{refused}");
    let folder = with_cases(CURRENT, &["secret/g/1"], &[("data/secret/h/test_group.yaml", "")]);
    assert!(folder.refused().starts_with("data/secret/h: is a group without a test case"));
    let folder = with_cases(CURRENT, &["secret/g/x/1"], &[("data/secret/g/x/test_group.yaml", "")]);
    assert!(folder.refused().starts_with("data/secret/g/x/test_group.yaml: is inside a group"));
}

#[test]
fn legacy_flags_are_joined_and_inherited_key_by_key() {
    let folder = with_cases(
        LEGACY,
        &["secret/a/1", "secret/b/1", "sample/1"],
        &[
            (
                "problem.yaml",
                "type: scoring\nvalidator_flags: case_sensitive\ngrading: {objective: min, accept_score: 7}\n",
            ),
            (
                "data/testdata.yaml",
                "on_reject: continue\ngrader_flags: first_error ignore_sample\nrange: -inf 100\n",
            ),
            (
                "data/secret/a/testdata.yaml",
                "grader_flags: always_accept min\naccept_score: '3'\noutput_validator_flags: float_tolerance 1e-6\n",
            ),
            (
                "data/secret/b/testdata.yaml",
                "on_reject: worst_error\ninput_validator_flags: {name: check.py, flags: -n 5}\n",
            ),
        ],
    );
    let package = folder.open().unwrap();
    let legacy = |name: &str| match &package.data.find(name).unwrap().grading {
        Grading::Legacy(grading) => grading.clone(),
        other => panic!("{other:?}"),
    };
    let root = legacy("");
    assert!(root.ignore_sample && root.minimise && root.range == (f64::NEG_INFINITY, 100.0));
    let (a, b) = (legacy("secret/a"), legacy("secret/b"));
    assert_eq!(
        (a.verdict_mode, a.score_mode, a.accept_score),
        (VerdictMode::AlwaysAccept, ScoreMode::Min, 3.0)
    );
    assert_eq!((a.on_reject, a.range.1, a.ignore_sample), (OnReject::Continue, 100.0, false));
    assert_eq!(
        (b.verdict_mode, b.on_reject, b.accept_score),
        (VerdictMode::FirstError, OnReject::Continue, 7.0)
    );
    let cases = package.cases();
    assert_eq!(cases[1].validator_args, ["case_sensitive", "float_tolerance", "1e-6"]);
    assert_eq!(cases[2].input_validator_args.of("check.py"), ["-n", "5"]);
    assert_eq!(package.warnings.len(), 1, "the old name worst_error: {:?}", package.warnings);
}

#[test]
fn an_ignored_sample_that_ends_the_judging_is_a_warning() {
    let cases = ["sample/1", "secret/1"];
    for (config, expected) in [
        ("grader_flags: ignore_sample\n", 1),
        ("grader_flags: ignore_sample\non_reject: continue\n", 0),
        ("grader_flags: first_error\n", 0),
    ] {
        let warnings = with_cases(LEGACY, &cases, &[("data/testdata.yaml", config)]).warnings();
        assert_eq!(warnings.len(), expected, "{config}: {warnings:?}");
        assert!(warnings.iter().all(|text| text.starts_with("data/testdata.yaml: sets ignore_sample, but")));
    }
}

#[test]
fn a_custom_grader_grades_the_groups_that_name_it() {
    let folder = with_cases(
        LEGACY,
        &["secret/a/1", "secret/b/1", "secret/c/1"],
        &[
            ("graders/grade.py", "print('AC 1')\n"),
            ("data/testdata.yaml", "grader_flags: first_error ignore_sample\n"),
            ("data/secret/testdata.yaml", "grading: custom\n"),
            ("data/secret/a/testdata.yaml", "grader_flags: at least half\n"),
            ("data/secret/b/testdata.yaml", "grading: default\n"),
        ],
    );
    let package = folder.open().unwrap();
    assert_eq!(package.grader.as_ref().unwrap().name, "grade.py");
    let legacy = |name: &str| match &package.data.find(name).unwrap().grading {
        Grading::Legacy(grading) => grading.clone(),
        other => panic!("{other:?}"),
    };
    let flags = |name| legacy(name).own_grader.map(|flags| flags.join(" "));
    assert_eq!(flags(""), None);
    assert_eq!(flags("secret").as_deref(), Some("first_error"), "ignore_sample is about the root alone");
    assert_eq!(flags("secret/a").as_deref(), Some("at least half"));
    assert_eq!(flags("secret/c").as_deref(), Some("first_error"));
    assert_eq!((flags("secret/b"), legacy("secret/b").verdict_mode), (None, VerdictMode::FirstError));
    folder.write("data/secret/testdata.yaml", "grading: custom\ngrader_flags: half\n");
    assert_eq!(
        folder.refused(),
        "data/secret/b/testdata.yaml:1: grading: gives the default grader the flag 'half', which it does not \
         know; set grader_flags to some of worst_error, first_error, always_accept, sum, avg, min, max, \
         ignore_sample and accept_if_any_accepted"
    );
}

#[test]
fn a_grader_is_there_if_and_only_if_a_group_asks_for_it() {
    let asking = ("data/secret/testdata.yaml", "grading: custom\n");
    assert_eq!(
        Folder::package(LEGACY, &[asking]).refused(),
        "graders: is missing or empty, but data/secret has 'grading: custom'; add the program, or use \
         'grading: default' with grader_flags"
    );
    let two = Folder::package(LEGACY, &[asking, ("graders/a.py", ""), ("graders/b.py", "")]);
    assert!(two.refused().starts_with("graders: holds 2 programs (a.py, b.py), expected one"));
    for (base, why) in [(LEGACY, "no group has 'grading: custom'"), (CURRENT, "in the format 2025-09")] {
        let unused = Folder::package(base, &[("graders/a.py", "")]);
        assert_eq!(unused.open().unwrap().grader, None);
        assert!(unused.warnings().iter().any(|warning| warning.contains(why)), "{:?}", unused.warnings());
    }
}

#[test]
fn wrong_legacy_configurations_are_refused() {
    for (text, begin) in [
        ("range: 1\n", "data/testdata.yaml:1: range: is 1, expected two numbers"),
        ("range: 5 1\n", "data/testdata.yaml:1: range: is '5 1'"),
        ("range: nan 1\n", "data/testdata.yaml:1: range"),
        ("accept_score: much\n", "data/testdata.yaml:1: accept_score: is 'much', expected a number"),
        ("on_reject: stop\n", "data/testdata.yaml:1: on_reject: is 'stop', expected one of break, continue"),
        (
            "grader_flags: best\n",
            "data/testdata.yaml:1: grader_flags: gives the default grader the flag 'best'",
        ),
        ("grading: own\n", "data/testdata.yaml:1: grading: is 'own', expected one of default, custom"),
    ] {
        let folder = Folder::package(LEGACY, &[("data/testdata.yaml", text)]);
        folder.write("problem.yaml", "type: scoring\n");
        let refused = folder.refused();
        assert!(refused.starts_with(begin), "{refused}");
    }
}

#[test]
fn scores_are_shared_evenly_in_2025_09() {
    let cases = ["sample/1", "secret/a/1", "secret/a/2", "secret/b/1"];
    let folder = with_cases(
        CURRENT,
        &cases,
        &[
            ("problem.yaml", SCORING),
            (
                "data/secret/a/test_group.yaml",
                "max_score: 30\nscore_aggregation: sum\nrequire_pass: sample\n",
            ),
            ("data/secret/b/test_group.yaml", "max_score: 70\n"),
        ],
    );
    let secret = grading(&folder, "secret");
    assert_eq!((secret.max_score, secret.aggregation), (Some(100.0), Aggregation::Sum));
    let a = grading(&folder, "secret/a");
    assert_eq!(
        (a.max_score, a.case_max_score, a.require_pass),
        (Some(30.0), Some(15.0), vec!["sample".to_owned()])
    );
    let b = grading(&folder, "secret/b");
    assert_eq!((b.max_score, b.case_max_score, b.aggregation), (Some(70.0), None, Aggregation::PassFail));
    folder.write("data/secret/b/test_group.yaml", "");
    assert!(folder.refused().starts_with("data/secret/b/test_group.yaml: leaves secret/b without max_score"));
    folder.write("data/secret/test_group.yaml", "max_score: unbounded\n");
    assert!(
        folder.refused().contains("leaves secret/b unbounded"),
        "a group that passes or fails needs a maximum"
    );
    folder.write("data/secret/b/test_group.yaml", "score_aggregation: min\n");
    assert_eq!(grading(&folder, "secret/b").case_max_score, None);
}

#[test]
fn a_flat_secret_shares_its_hundred_points() {
    let folder =
        with_cases(CURRENT, &["secret/1", "secret/2", "secret/3", "secret/4"], &[("problem.yaml", SCORING)]);
    assert_eq!(grading(&folder, "secret").case_max_score, Some(25.0));
    folder.write("data/secret/test_group.yaml", "score_aggregation: min\nmax_score: 10\n");
    assert_eq!(grading(&folder, "secret").case_max_score, Some(10.0));
}

#[test]
fn scores_are_inferred_in_2023_07() {
    let folder = with_cases(
        CURRENT,
        &["secret/a/1", "secret/b/1", "secret/b/x/1", "secret/3"],
        &[
            ("problem.yaml", OLDER_SCORING),
            ("data/secret/a/test_group.yaml", "scoring: {score: 40}\n"),
            ("data/secret/b/test_group.yaml", "scoring: {aggregation: sum, require_pass: [secret/a]}\n"),
        ],
    );
    assert_eq!(
        grading(&folder, "secret").case_max_score,
        Some(30.0),
        "40 of 100 are named, two share the rest"
    );
    let b = grading(&folder, "secret/b");
    assert_eq!((b.max_score, b.case_max_score), (Some(30.0), Some(15.0)));
    assert_eq!(grading(&folder, "secret/b/x").max_score, Some(15.0));
    folder.write("data/secret/test_group.yaml", "scoring: {score: 10}\n");
    assert!(folder.refused().contains("gives secret at most 10 points, but the parts of it have 40"));
}

#[test]
fn requirements_must_come_first_and_be_passable() {
    for (require, part) in [
        ("secret/x", "requires 'secret/x', which does not exist"),
        ("secret/b", "lets secret/b require 'secret/b', which does not come before it"),
        ("secret/c", "lets secret/b require 'secret/c', which does not come before it"),
        ("secret/a", "requires 'secret/a', which adds scores"),
    ] {
        let folder = with_cases(
            CURRENT,
            &["secret/a/1", "secret/b/1", "secret/c/1"],
            &[
                ("problem.yaml", SCORING),
                ("data/secret/a/test_group.yaml", "max_score: 10\nscore_aggregation: sum\n"),
                ("data/secret/b/test_group.yaml", &format!("max_score: 10\nrequire_pass: [{require}]\n")),
                ("data/secret/c/test_group.yaml", "max_score: 10\n"),
            ],
        );
        assert!(folder.refused().contains(part), "{}", folder.refused());
    }
}

#[test]
fn validators_have_their_own_cases() {
    let folder = Folder::package(
        CURRENT,
        &[
            ("data/invalid_input/a.in", "x"),
            ("data/invalid_output/b.in", "1 2\n"),
            ("data/invalid_output/b.ans", "3\n"),
            ("data/invalid_output/b.out", "4\n"),
            ("data/valid_output/sub/c.in", "1 2\n"),
            ("data/valid_output/sub/c.ans", "3\n"),
            ("data/valid_output/sub/c.out", "3.0\n"),
            ("data/valid_output/test_group.yaml", "output_validator_args: [float_tolerance, '0']\n"),
        ],
    );
    let package = folder.open().unwrap();
    assert_eq!(package.invalid_inputs[0].case.answer, None);
    assert_eq!(package.invalid_outputs[0].case.name, "invalid_output/b");
    assert!(package.invalid_outputs[0].output.is_some());
    assert_eq!(package.valid_outputs[0].case.validator_args, ["float_tolerance", "0"]);
    assert_eq!((package.cases().len(), package.warnings.len()), (1, 0));
    std::fs::remove_file(folder.path("data/invalid_output/b.out")).unwrap();
    assert!(folder.refused().starts_with("data/invalid_output/b: has no output to be checked"));
}

#[test]
fn constants_reach_group_configurations() {
    let folder = Folder::package(
        CURRENT,
        &[
            ("problem.yaml", "problem_format_version: 2025-09\nname: Sum\nuuid: 0\nconstants: {eps: 1e-3}\n"),
            ("data/secret/test_group.yaml", "output_validator_args: [float_tolerance, '{{eps}}']\n"),
        ],
    );
    assert_eq!(folder.open().unwrap().cases()[0].validator_args, ["float_tolerance", "1e-3"]);
}

#[test]
fn static_validation_is_read_where_its_points_can_count() {
    const PASS_FAIL: &str = "problem_format_version: 2025-09\nname: Sum\nuuid: 0\n";
    let with = |yaml: &str, config: &str| {
        Folder::package(
            CURRENT,
            &[
                ("problem.yaml", yaml),
                ("static_validator/check.py", "exit(42)\n"),
                ("data/secret/test_group.yaml", config),
            ],
        )
    };
    let folder = with(SCORING, "static_validation_score: 20\nstatic_validator_args: [a, b]\n");
    let check = folder.open().unwrap().data.find("secret").unwrap().static_validation.clone().unwrap();
    assert_eq!(
        (check.name.as_str(), check.score, check.args.len()),
        ("secret/static validation", Some(20.0), 2)
    );
    let folder = with(PASS_FAIL, "static_validation_score: pass-fail\n");
    assert_eq!(folder.open().unwrap().steps()[0].name(), "secret/static validation");
    for (yaml, config, part) in [
        (PASS_FAIL, "static_validation_score: 20\n", "expected 'pass-fail' where nothing but passing counts"),
        (SCORING, "static_validation_score: pass-fail\n", "expected a number in a group that adds scores"),
        (PASS_FAIL, "static_validator_args: [a]\n", "is given without static_validation_score"),
        (
            OLDER_SCORING,
            "scoring: {aggregation: pass-fail}\nstatic_validation: {score: 3}\n",
            "expected no score",
        ),
    ] {
        let refused = with(yaml, config).refused();
        assert!(refused.contains(part), "{refused}");
    }
}

#[test]
fn plain_folders_next_to_cases_hold_cases() {
    let folder = with_cases(
        CURRENT,
        &["secret/1", "secret/small/2", "secret/small/deep/3", "sample/x/1", "sample/0"],
        &[],
    );
    assert_eq!(
        names(&folder),
        ["sample/0", "sample/x/1", "secret/1", "secret/small/2", "secret/small/deep/3"]
    );
    let package = folder.open().unwrap();
    assert!(package.data.groups.iter().all(|group| group.groups.is_empty()));
    assert_eq!(folder.warnings(), [] as [&str; 0]);
    // Without a configuration folders are no groups, so they need no scores of their own.
    let folder = with_cases(CURRENT, &["secret/a/1", "secret/b/2"], &[("problem.yaml", SCORING)]);
    assert!(folder.open().unwrap().data.find("secret").unwrap().groups.is_empty());
}

#[test]
fn samples_show_right_outputs_and_no_two_of_them() {
    let shown = |more: &[(&str, &str)]| {
        let folder = with_cases(CURRENT, &["sample/1", "secret/1"], more);
        let package = folder.open().unwrap();
        let outputs: Vec<_> = package.sample_outputs.iter().filter_map(|case| case.output.clone()).collect();
        let names: Vec<_> =
            outputs.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        (names, folder.warnings())
    };
    assert_eq!(shown(&[]), (vec!["1.ans".to_owned()], vec![]));
    assert_eq!(shown(&[("data/sample/1.out", "")]), (vec!["1.out".to_owned()], vec![]));
    let replaced = [("data/sample/1.ans.statement", ""), ("data/sample/1.ans.download", "")];
    assert_eq!(shown(&replaced), (vec![], vec![]));
    let after_failure = [("data/secret/1.yaml", "full_feedback: true\n")];
    assert_eq!(shown(&after_failure).0, ["1.ans", "1.ans"]);
    let secret = [("data/secret/1.out", "")];
    assert_eq!(shown(&secret).0, ["1.ans", "1.out"], "what is shown as right must be right everywhere");
    let both = shown(&[("data/sample/1.out", ""), ("data/sample/1.ans.statement", "")]).1;
    assert!(both[0].starts_with("data/sample/1.out: and its .ans.statement would both"), "{both:?}");
    let both = shown(&[("data/sample/1.in.statement", ""), ("data/sample/1.interaction", "")]).1;
    assert!(both[0].starts_with("data/sample/1.in.statement: and its .interaction"), "{both:?}");
}

#[test]
fn samples_are_judged_where_there_are_no_secret_data() {
    for base in [CURRENT, LEGACY] {
        let folder = with_cases(base, &["sample/1"], &[]);
        let package = folder.open().unwrap();
        assert!(package.warnings[0].is_leniency);
        assert!(folder.warnings()[0].starts_with("data/secret: holds no test case; the samples are judged"));
        std::fs::remove_dir_all(folder.path("data/secret")).unwrap();
        assert_eq!(names(&folder), ["sample/1"]);
        assert!(folder.warnings()[0].starts_with("data/secret: is missing"));
    }
    let folder = with_cases(CURRENT, &["sample/1"], &[("problem.yaml", SCORING)]);
    assert!(folder.refused().starts_with("data/secret: holds no test case; add it"), "no points without it");
}

#[test]
fn byte_order_marks_are_warned_of() {
    let files = [("data/secret/2.in", "\u{feff}1\n"), ("data/secret/2.ans", "\u{feff}1\n")];
    let folder = Folder::package(CURRENT, &files);
    let package = folder.open().unwrap();
    assert_eq!(package.warnings.iter().map(|one| one.is_mistake).collect::<Vec<_>>(), [true, true]);
    let begins = [
        "data/secret/2.in: begins with a byte order mark (UTF-8), and a program would have to skip it; save it",
        "data/secret/2.ans: begins with a byte order mark (UTF-8), and no output has it; save it",
    ];
    for (warning, begin) in folder.warnings().iter().zip(begins) {
        assert!(warning.starts_with(begin), "{warning}");
    }
    std::fs::write(folder.path("data/secret/2.in"), b"\xff\xfe1\0").unwrap();
    assert!(folder.warnings()[0].contains("(UTF-16)"));
}

#[test]
fn an_answer_may_be_absent_where_a_program_decides() {
    let custom = [("output_validator/v.py", ""), ("data/secret/2.in", "")];
    let folder = Folder::package(CURRENT, &custom);
    let package = folder.open().unwrap();
    assert_eq!(package.cases()[1].answer, None);
    assert!(package.warnings[0].is_leniency);
    assert!(
        folder.warnings()[0].starts_with("data/secret/2.in: has no answer, expected data/secret/2.ans"),
        "{:?}",
        folder.warnings()
    );
    let folder = Folder::package(CURRENT, &custom[1..]);
    assert!(folder.refused().starts_with("data/secret/2.in: has no answer"));
}

#[test]
fn the_draft_has_its_first_names_too() {
    let older = OLDER_SCORING.replace("type: scoring\n", "");
    let more = [
        ("problem.yaml", older.as_str()),
        ("data/secret/testdata.yaml", "output_validator_args: float_tolerance 1e-6\n"),
        ("data/sample/statement/1.in", ""),
        ("data/sample/download/tool.py", ""),
    ];
    let folder = with_cases(CURRENT, &["sample/1", "secret/1"], &more);
    assert_eq!(folder.warnings(), [] as [&str; 0]);
    let package = folder.open().unwrap();
    assert_eq!(names(&folder), ["sample/1", "secret/1"]);
    assert_eq!(package.cases()[1].validator_args, ["float_tolerance", "1e-6"]);
    folder.write("data/secret/test_group.yaml", "");
    assert!(folder.warnings()[0].starts_with("data/secret/testdata.yaml: is not read"), "one of them counts");
    // The stable version has one name, but words in one text are still clear.
    let folder = Folder::package(
        CURRENT,
        &[
            ("data/secret/testdata.yaml", "full_feedback: true\n"),
            ("data/secret/test_group.yaml", "output_validator_args: float_tolerance 1e-6\n"),
        ],
    );
    let package = folder.open().unwrap();
    assert_eq!(package.cases()[0].validator_args, ["float_tolerance", "1e-6"]);
    let reported: Vec<_> = package.warnings.iter().map(|one| one.is_leniency).collect();
    assert_eq!(reported, [false, true], "{:?}", folder.warnings());
}

/// Each of these breaks a rule of its format, and is still read or skipped; what is merely unusual is not a dialect.
#[test]
fn forbidden_is_distinguished_from_unusual() {
    let cases = [
        (LEGACY, "data/secret/testdata.yaml", "on_reject: first_error\n", "has an old name", true),
        (LEGACY, "data/secret/testdata.yaml", "range: 0 1\n", "is given, but the problem is pass-fail", true),
        (
            LEGACY,
            "problem.yaml",
            "grading: {on_reject: break}\n",
            "is given, but the problem is pass-fail",
            true,
        ),
        (LEGACY, "problem.yaml", "license: cc by\n", "has no owner of the rights", true),
        (
            LEGACY,
            "problem.yaml",
            "license: public domain\nrights_owner: A\n",
            "is 'public domain', but",
            true,
        ),
        (LEGACY, "data/2.in", "", "is in neither sample nor secret", true),
        (LEGACY, "data/secret/2.in.statement", "", "belongs to no test case", true),
        (LEGACY, "include/a.h", "", "is not in a language's folder", true),
        (LEGACY, "submissions/a.py", "", "is in no folder of submissions", true),
        (CURRENT, "data/test_group.yaml", "full_feedback: true\n", "stands above sample and secret", false),
        (CURRENT, "data/secret/a b.in", "", "has a name that this format does not allow", false),
        (CURRENT, "attachments/a b.txt", "", "has a name that this format does not allow", false),
        (CURRENT, "submissions/accepted/a b.py", "", "has a name that this format does not allow", false),
        (LEGACY, "submissions/odd/b.py", "", "has no expected result", false),
        (CURRENT, "data/secret/notes.txt", "", "belongs to no test case", false),
        (CURRENT, "generator/a.py", "", "is not read by this format", false),
        (LEGACY, "domjudge-problem.ini", "colur = red\n", "is not a key of DOMjudge", false),
    ];
    for (base, file, text, problem, is_leniency) in cases {
        let folder = Folder::package(base, &[(file, text)]);
        let warnings = folder.open().unwrap().warnings;
        let reported = warnings.iter().find(|one| one.wrong.problem.starts_with(problem));
        assert_eq!(reported.map(|one| one.is_leniency), Some(is_leniency), "{file}: {warnings:?}");
    }
}

/// Packages that were moved from the legacy format to the first texts of the draft.
#[test]
fn the_draft_has_the_legacy_grading_too() {
    let yaml = "problem_format_version: 2023-07-draft\nname: Sum\nuuid: 0\ntype: scoring\n";
    let folder = with_cases(
        CURRENT,
        &["sample/1", "secret/a/1", "secret/b/1"],
        &[
            ("problem.yaml", yaml),
            ("data/testdata.yaml", "on_reject: continue\nrange: 0 100\ngrader_flags: ignore_sample\n"),
            ("data/secret/a/testdata.yaml", "accept_score: 50\ninput_validator_flags: five=1\n"),
            ("data/valid_output/testdata.yaml", "input_validator_flags: five=1\n"),
        ],
    );
    let package = folder.open().unwrap();
    let grading = |name: &str| match &package.data.find(name).unwrap().grading {
        Grading::Legacy(grading) => grading.clone(),
        other => panic!("{other:?}"),
    };
    assert!(grading("").ignore_sample);
    assert_eq!((grading("secret/a").accept_score, grading("secret/b").accept_score), (50.0, 1.0));
    assert_eq!(package.cases()[1].input_validator_args.of("check.py"), ["five=1"]);
    assert_eq!(folder.warnings(), [] as [&str; 0]);
}
