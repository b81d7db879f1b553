//! Each requirement with a package that violates it and nothing else.

use crate::testing::{CURRENT, Folder};
use std::os::unix::fs::{PermissionsExt, symlink};

/// The smallest package in a folder with a name that the format allows, with more lines in `problem.yaml`, and files.
fn package(lines: &str, more: &[(&str, &str)]) -> Folder {
    let yaml = format!("problem_format_version: 2025-09\nname: Sum\nuuid: 0\n{lines}");
    let folder = Folder::package(CURRENT, &[("problem.yaml", yaml.as_str())]);
    for (file, text) in more {
        folder.write(file, text);
    }
    folder
}

/// Checks that the package has one mistake, which begins like this.
#[track_caller]
fn one_mistake(folder: &Folder, begin: &str) {
    let warnings = folder.open().unwrap().warnings;
    let reported = folder.warnings();
    assert!(warnings.len() == 1 && warnings[0].is_mistake, "{reported:#?}");
    assert!(reported[0].starts_with(begin), "{reported:#?}");
}

#[track_caller]
fn fine(folder: &Folder) {
    assert_eq!(folder.warnings(), [] as [&str; 0]);
}

#[test]
fn the_smallest_package_is_right() {
    fine(&package("", &[]));
}

#[test]
fn limits_are_multiples_of_their_resolution() {
    fine(&package("limits: {time_limit: 2}\n", &[]));
    fine(&package("limits: {time_limit: 0.3, time_resolution: 0.1}\n", &[]));
    one_mistake(
        &package("limits: {time_limit: 1.5}\n", &[]),
        "problem.yaml:4: limits.time_limit: is 1.500 s, expected a multiple of time_resolution, which is 1.000 s",
    );
    one_mistake(
        &package("limits: {time_limit: 1, time_resolution: 0.3}\n", &[]),
        "problem.yaml:4: limits.time_limit: is 1.000 s, expected a multiple of time_resolution, which is 300.0 ms",
    );
}

#[test]
fn codes_of_programming_languages_are_known() {
    fine(&package("languages: [python3, cobol, cpp]\n", &[("include/cpp/a.h", "")]));
    one_mistake(
        &package("languages: [pyton3, cpp]\n", &[]),
        "problem.yaml:4: languages: names the language 'pyton3', which does not exist; did you mean 'python3'?",
    );
    one_mistake(
        &package("languages: [cpp, python3]\n", &[("include/java/A.java", "")]),
        "include/java: is for the language 'java', which problem.yaml does not allow; remove it",
    );
    one_mistake(
        &package("", &[("include/klingon/a.h", "")]),
        "include/klingon: names the language 'klingon'",
    );
    fine(&package("", &[("attachments/templates/default/a.txt", ""), ("attachments/templates/c/a.c", "")]));
    one_mistake(
        &package("", &[("attachments/templates/klingon/a", "")]),
        "attachments/templates/klingon: names the language 'klingon'",
    );
    one_mistake(
        &package("", &[("attachments/templates/a.c", "")]),
        "attachments/templates/a.c: is in no language's",
    );
    let empty = package("", &[]);
    std::fs::create_dir_all(empty.path("attachments/templates/c")).unwrap();
    one_mistake(&empty, "attachments/templates/c: is empty");
    let empty = package("", &[]);
    std::fs::create_dir_all(empty.path("include/c")).unwrap();
    one_mistake(&empty, "include/c: is empty");
    one_mistake(
        &package("", &[("submissions/submissions.yaml", "accepted/a.py:\n  language: snake\n")]),
        "submissions/submissions.yaml:2: accepted/a.py.language: names the language 'snake'",
    );
}

#[test]
fn codes_of_natural_languages_are_the_shortest() {
    let eng = package("", &[("statement/problem.eng.md", "Add.\n")]);
    std::fs::remove_file(eng.path("statement/problem.en.md")).unwrap();
    eng.write("problem.yaml", "problem_format_version: 2025-09\nname: {eng: Sum}\nuuid: 0\n");
    let reported = eng.warnings();
    assert!(
        reported[0]
            .starts_with("problem.yaml:2: name.eng: has the language code 'eng', expected the two-letter")
    );
    assert!(
        reported[1].starts_with("statement/problem.eng.md: has the language code 'eng'"),
        "{reported:#?}"
    );
    one_mistake(
        &package("credits: {translators: {dan: Mads}}\n", &[]),
        "problem.yaml:4: credits.translators.dan: has the language code 'dan'",
    );
    one_mistake(
        &package("", &[("solution/solution.ger.md", "So.\n")]),
        "solution/solution.ger.md: has the language",
    );
}

#[test]
fn each_language_has_one_statement_and_one_solution() {
    one_mistake(
        &package("", &[("statement/problem.en.tex", "Add.\n")]),
        "statement/problem.en.tex: is a second file in the language 'en', in which problem.en.md is",
    );
    one_mistake(
        &package("", &[("statement/problem.en.txt", "Add.\n")]),
        "statement/problem.en.txt: is not read as",
    );
    fine(&package("", &[("solution/solution.md", "So.\n"), ("solution/solution.sv.tex", "Så.\n")]));
    let twice = [("solution/solution.md", "So.\n"), ("solution/solution.en.tex", "So.\n")];
    one_mistake(&package("", &twice), "solution/solution.md: is a second file in the language 'en'");
    one_mistake(&package("", &[("solution/a.png", "")]), "solution: holds no solution");
}

#[test]
fn statements_have_nothing_that_a_judge_adds_or_must_not_show() {
    let md = |text: &str| package("", &[("statement/problem.en.md", text)]);
    fine(&md("{{remainingsamples}}\n![a](a.png) [b](https://b.example)\n"));
    one_mistake(
        &md("a\n{{nextsample}}\n"),
        "statement/problem.en.md:2: asks with {{nextsample}} for sample 1, but there are 0",
    );
    one_mistake(&md("<script>x</script>\n"), "statement/problem.en.md:1: has a script");
    one_mistake(
        &md("![a](https://a.example/a.png)\n"),
        "statement/problem.en.md:1: shows something from another place",
    );
    one_mistake(&md("<img alt='' src='http://a.example/a'>\n"), "statement/problem.en.md:1: shows something");
    one_mistake(
        &package("", &[("statement/a.svg", "<svg>\n<image href=\"https://a.example/a\"/>\n</svg>\n")]),
        "statement/a.svg:2: shows something from another place",
    );
    let tex = |text: &str| {
        let folder = package("", &[("statement/problem.en.tex", text)]);
        std::fs::remove_file(folder.path("statement/problem.en.md")).unwrap();
        folder
    };
    fine(&tex("% \\nextsample\n50\\% \\remainingsamples\n"));
    one_mistake(
        &tex("50\\% \\nextsample\n"),
        "statement/problem.en.tex:1: asks with \\nextsample for sample 1",
    );
    one_mistake(&tex("\\begin{document}\n"), "statement/problem.en.tex:1: has \\begin{document}");
}

#[test]
fn texts_are_utf_8_with_line_feeds() {
    let statement = |bytes: &[u8]| {
        let folder = package("", &[]);
        std::fs::write(folder.path("statement/problem.en.md"), bytes).unwrap();
        folder
    };
    one_mistake(&statement(b"Adr\xe9.\n"), "statement/problem.en.md:1: is not UTF-8");
    one_mistake(&statement(b"\xef\xbb\xbfAdd.\n"), "statement/problem.en.md: begins with a byte order mark");
    one_mistake(&statement(b"a\nb\r\n"), "statement/problem.en.md:2: ends a line with a carriage return");
    one_mistake(&statement(b"Add."), "statement/problem.en.md: ends without a line feed");
    fine(&statement(b""));
    let data = [("data/secret/2.in", "1\r\n"), ("data/secret/2.ans", "1\r\n")];
    one_mistake(
        &package("", &data),
        "data/secret/2.in:1: ends a line with a carriage return and a line feed, as do 1",
    );
    let data = [("data/secret/2.in", "1"), ("data/secret/2.ans", "")];
    one_mistake(&package("", &data), "data/secret/2.in: ends without a line feed; end its last line");
    // What is no text has no lines.
    fine(&package("", &[("data/secret/2.in", "\0\r\n1"), ("data/secret/2.ans", "1\n")]));
}

#[test]
fn packages_have_plain_names() {
    let folder = package("", &[]);
    let other = folder.root().with_file_name("Sum-2");
    std::fs::rename(folder.root(), &other).unwrap();
    let read = crate::Package::open(&other, &other.with_file_name("scratch")).unwrap();
    assert!(read.warnings.len() == 1 && read.warnings[0].is_mistake);
    assert!(read.warnings[0].to_string().starts_with("Sum-2: is the package's name, expected small letters"));
}

#[test]
fn embargoes_end_at_a_time_in_utc() {
    for right in ["2026-05-31", "2024-02-29", "2026-05-31T12:00:00Z"] {
        fine(&package(&format!("embargo_until: {right}\n"), &[]));
    }
    for wrong in [
        "2026-05-31T12:00:00",
        "2026-05-31T12:00:00+02:00",
        "2026-02-29",
        "31.5.2026",
        "2026-05-31 12:00:00Z",
    ] {
        one_mistake(
            &package(&format!("embargo_until: {wrong}\n"), &[]),
            "problem.yaml:4: embargo_until: is '",
        );
    }
}

#[test]
fn groups_and_plain_folders_do_not_mix() {
    let group = "data/secret/b/test_group.yaml";
    let folder = package(
        "",
        &[
            ("data/secret/a/1.in", ""),
            ("data/secret/a/1.ans", ""),
            ("data/secret/b/1.in", ""),
            ("data/secret/b/1.ans", ""),
            (group, ""),
        ],
    );
    for file in ["1.in", "1.ans"] {
        std::fs::remove_file(folder.path(&format!("data/secret/{file}"))).unwrap();
    }
    one_mistake(&folder, "data/secret/a: is no group, but data/secret/b is one");
    std::fs::remove_file(folder.path(group)).unwrap();
    fine(&folder);
    let other = package("", &[("data/secrets/1.in", "")]);
    assert_eq!(
        other.warnings(),
        ["data/secrets: is a folder that this format does not have; did you mean 'secret'?"]
    );
}

#[test]
fn a_case_is_not_named_like_the_configuration_of_groups() {
    let files = [("data/secret/test_group.in", ""), ("data/secret/test_group.ans", "")];
    one_mistake(&package("", &files), "data/secret/test_group.in: has a name that a case must not have");
}

#[test]
fn shown_and_downloaded_files_are_replaced_together() {
    let with = |files: &[&str]| {
        let files: Vec<_> = files.iter().map(|ending| (format!("data/secret/1.{ending}"), "")).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        package("", &files)
    };
    fine(&with(&["in.statement", "in.download", "ans.statement", "ans.download"]));
    fine(&with(&["out"]));
    fine(&with(&["interaction", "in.download", "ans.download"]));
    one_mistake(
        &with(&["in.statement"]),
        "data/secret/1.in.statement: replaces what is shown, but not what is handed out; add 1.in.download",
    );
    one_mistake(
        &with(&["in.download"]),
        "data/secret/1.in.download: replaces what is handed out, but not what is shown",
    );
    one_mistake(&with(&["ans.statement"]), "data/secret/1.ans.statement: replaces what is shown");
    one_mistake(&with(&["ans.download"]), "data/secret/1.ans.download: replaces what is handed out");
    one_mistake(&with(&["interaction", "ans.download"]), "data/secret/1.interaction: replaces what is shown");
    one_mistake(
        &with(&["out", "ans.download"]),
        "data/secret/1.out: and its .ans.download would both be handed out",
    );
    one_mistake(
        &with(&["out", "ans.statement"]),
        "data/secret/1.out: and its .ans.statement would both be shown",
    );
    one_mistake(&with(&["png", "svg"]), "data/secret/1.svg: is a second illustration of the case");
    fine(&with(&["jpeg"]));
    let lines = |text: &str| {
        let files =
            ["interaction", "in.download", "ans.download"].map(|ending| format!("data/secret/1.{ending}"));
        package("", &[(&files[0], text), (&files[1], ""), (&files[2], "")])
    };
    fine(&lines("< 1\n> 2\n"));
    one_mistake(
        &lines("< 1\n2\n"),
        "data/secret/1.interaction:2: is '2', expected a line that begins with '<' or '>'",
    );
    one_mistake(&lines("---\n"), "data/secret/1.interaction:1: is '---'");
    one_mistake(
        &package("", &[("data/sample/2.interaction", "< 1\n")]),
        "data/sample/2.interaction: belongs to no",
    );
}

#[test]
fn files_of_a_case_do_not_replace_those_of_a_validator() {
    let files = [("data/secret/1.files/check.py", ""), ("data/secret/1.files/a.txt", "")];
    one_mistake(
        &package("", &files),
        "data/secret/1.files: holds check.py, which is the name of a file of the input validator",
    );
    fine(&package("", &files[1..]));
}

#[test]
fn arguments_are_for_validators_that_exist() {
    let named = |name: &str| {
        package("", &[("data/secret/1.yaml", &format!("input_validator_args: {{{name}: [a]}}\n"))])
    };
    for right in ["check.py", "check"] {
        fine(&named(right));
        let package = named(right).open().unwrap();
        assert_eq!(package.cases()[0].input_validator_args.of("check.py"), ["a"]);
    }
    one_mistake(&named("chekc"), "data/secret/1: input_validator_args: names the input validator 'chekc'");
    one_mistake(
        &package("", &[("input_validators/check.cpp", "")]),
        "input_validators/check.py: has the same name as",
    );
}

#[test]
fn programs_have_a_form_that_every_judge_can_run() {
    for right in [
        &["output_validator/a.py"][..],
        &["output_validator/a/__init__.py", "output_validator/a/__main__.py", "output_validator/a/b.py"],
        &["output_validator/a.cpp", "output_validator/b.h", "output_validator/notes.txt"],
        &["output_validator/a.c", "output_validator/b.cc"],
    ] {
        let files: Vec<_> = right.iter().map(|file| (*file, "")).collect();
        fine(&package("", &files));
    }
    let modules = [("output_validator/a.py", ""), ("output_validator/b.py", "")];
    one_mistake(&package("", &modules), "output_validator: has several Python files, but not __init__.py");
    one_mistake(
        &package("", &[("output_validator/V.java", "")]),
        "output_validator/V.java: is not in C, C++ or Python 3",
    );
    let scripts = package("", &[("output_validator/run", "#!/bin/sh\n")]);
    one_mistake(&scripts, "output_validator/run: is not executable");
    std::fs::set_permissions(scripts.path("output_validator/run"), PermissionsExt::from_mode(0o755)).unwrap();
    fine(&scripts);
}

#[test]
fn only_templates_are_attached_as_a_folder() {
    one_mistake(
        &package("", &[("attachments/tools/a.py", "")]),
        "attachments/tools: is a folder, and only the folder",
    );
}

#[test]
fn outputs_are_for_problems_that_are_not_interactive() {
    let files = [
        ("output_validator/v.py", ""),
        ("data/invalid_output/1.in", ""),
        ("data/invalid_output/1.ans", ""),
        ("data/invalid_output/1.out", ""),
    ];
    one_mistake(
        &package("type: interactive\n", &files),
        "data/invalid_output: has outputs, but an interactive problem",
    );
    fine(&package("", &files));
    let answer = [("data/invalid_input/1.in", ""), ("data/invalid_input/1.ans", "")];
    one_mistake(
        &package("", &answer),
        "data/invalid_input/1.ans: is an answer to an input that is not valid",
    );
}

#[test]
fn violations_are_mistakes_in_packages_that_claim_the_format() {
    let outside = Folder::new(&[("a.md", "")]);
    let folder = package("", &[]);
    symlink(outside.path("a.md"), folder.path("statement/a.md")).unwrap();
    one_mistake(&folder, "statement/a.md: is a symbolic link that leads out of the package");
    one_mistake(&package("license: cc by\n", &[]), "problem.yaml:4: license: has no owner of the rights");
    let without = |file: &str, begin: &str| {
        let folder = package("", &[]);
        std::fs::remove_file(folder.path(file)).unwrap();
        one_mistake(&folder, begin);
    };
    without("statement/problem.en.md", "statement: holds no statement");
    without("input_validators/check.py", "input_validators: holds no program");
    without("submissions/accepted/a.py", "submissions/accepted: holds no submission");
}

#[test]
fn forms_of_a_constant_agree() {
    fine(&package(
        "constants: {n: {value: 5000, tex: '5\\,000', words: many, power: '5 \\cdot 10^3'}}\n",
        &[],
    ));
    let reported = package("constants: {n: {value: 50000, tex: '5,000'}}\n", &[]).warnings();
    assert!(
        reported[0].starts_with("problem.yaml:4: constants.n.tex: is '5,000', which looks like another"),
        "{reported:?}"
    );
}

#[test]
fn groups_require_other_groups() {
    let group = |config: &str| {
        let files = ["a/1.in", "a/1.ans", "b/1.in", "b/1.ans"].map(|file| format!("data/secret/{file}"));
        let mut all: Vec<_> = files.iter().map(|file| (file.as_str(), "")).collect();
        all.extend([
            ("data/secret/test_group.yaml", "max_score: 2\nscore_aggregation: pass-fail\n"),
            ("data/secret/a/test_group.yaml", "max_score: 1\n"),
            ("data/secret/b/test_group.yaml", config),
        ]);
        let folder = package("type: scoring\n", &all);
        for file in ["1.in", "1.ans"] {
            std::fs::remove_file(folder.path(&format!("data/secret/{file}"))).unwrap();
        }
        folder
    };
    fine(&group("max_score: 1\nrequire_pass: secret/a\n"));
    for wrong in ["secret/a/1", "secret"] {
        let refused = group(&format!("max_score: 1\nrequire_pass: {wrong}\n")).refused();
        let begin =
            format!("data/secret/b/test_group.yaml:2: require_pass: requires '{wrong}', expected sample or");
        assert!(refused.starts_with(&begin), "{refused}");
    }
}

#[test]
fn a_submission_bounds_the_time_limit_from_below() {
    let rules = "accepted: {use_for_time_limit: false}\n";
    one_mistake(
        &package("", &[("submissions/submissions.yaml", rules)]),
        "submissions: has none that bounds the time limit from below",
    );
}
