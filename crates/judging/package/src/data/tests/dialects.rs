//! Test data as other systems write them.

use super::*;

#[test]
fn plain_folders_beside_cases_hold_cases() {
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
    let told: Vec<_> = package.warnings.iter().map(|one| one.is_leniency).collect();
    assert_eq!(told, [false, true], "{:?}", folder.warnings());
}

/// Each of these breaks a rule of its format, and is still read or skipped; what is merely unusual is not a dialect.
#[test]
fn what_a_format_forbids_is_distinguished_from_what_is_odd() {
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
        (LEGACY, "submissions/odd/b.py", "", "says nowhere", false),
        (CURRENT, "data/secret/notes.txt", "", "belongs to no test case", false),
        (CURRENT, "generator/a.py", "", "is not read by this format", false),
        (LEGACY, "domjudge-problem.ini", "colur = red\n", "is not a key of DOMjudge", false),
    ];
    for (base, file, text, problem, is_leniency) in cases {
        let folder = Folder::package(base, &[(file, text)]);
        let warnings = folder.open().unwrap().warnings;
        let told = warnings.iter().find(|one| one.problem.starts_with(problem));
        assert_eq!(told.map(|one| one.is_leniency), Some(is_leniency), "{file}: {warnings:?}");
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
