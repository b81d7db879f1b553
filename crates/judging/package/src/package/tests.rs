mod scores;

use super::*;
use crate::testing::{CURRENT, Folder, LEGACY};
use crate::{Protocol, TimeLimitRule};
use std::os::unix::fs::PermissionsExt;

fn current(yaml: &str, more: &[(&str, &str)]) -> Folder {
    let text = format!("problem_format_version: 2025-09\nname: Sum\nuuid: 0\n{yaml}");
    let folder = Folder::package(CURRENT, more);
    folder.write("problem.yaml", &text);
    folder
}

#[test]
fn the_smallest_packages_are_read_without_a_warning() {
    for (base, format) in [(CURRENT, Format::V2025_09), (LEGACY, Format::Legacy)] {
        let folder = Folder::new(base);
        let package = folder.open().unwrap();
        assert_eq!(package.warnings, [], "{format}");
        assert_eq!((package.format, package.short_name.as_str()), (format, "problem"));
        assert_eq!(package.names["en"], "Sum");
        assert_eq!(package.cases().len(), 1);
        assert_eq!(package.submissions[0].name, "accepted/a.py");
        assert_eq!(package.output_validator, OutputValidator::Default);
        assert_eq!(package.input_validators[0].name, "check.py");
        assert!(matches!(package.time_limit, TimeLimitRule::Derive { .. }));
        assert!(!package.allow_file_writing);
        assert_eq!(package.statements[0].language, "en");
    }
}

#[test]
fn package_limits_override_the_callers() {
    use model::Bytes;
    let defaults =
        ProblemLimits { memory: Bytes::from_mib(64), code: Bytes::from_kib(16), ..ProblemLimits::default() };
    for (limits, memory, code) in
        [("", 64, 16), ("limits: {memory: 512}\n", 512, 16), ("limits: {memory: 32, code: 3}\n", 32, 3)]
    {
        for base in [CURRENT, LEGACY] {
            let folder = Folder::new(base);
            folder.write("problem.yaml", &format!("{}{limits}", base[0].1));
            let options = PackageOptions { limits: defaults, scores: None };
            let package =
                Package::open_with(folder.root(), &folder.path("../s"), &options, &|| false).unwrap();
            assert_eq!(
                (package.limits.memory, package.limits.code),
                (Bytes::from_mib(memory), Bytes::from_kib(code))
            );
            assert_eq!(package.limits.output, ProblemLimits::default().output);
        }
    }
}

#[test]
fn non_packages_are_refused() {
    let folder = Folder::new(&[("readme.txt", "")]);
    assert_eq!(
        folder.refused(),
        "problem.yaml: is missing, expected in the package's top folder; \
         add it with at least 'name:', or name the folder that holds it"
    );
    let error = Package::open(&folder.path("nowhere"), &folder.path("s")).unwrap_err().to_string();
    assert!(error.starts_with("cannot open ") && error.ends_with("nowhere"), "{error}");
    assert!(
        Package::open(&folder.path("readme.txt"), &folder.path("s")).unwrap_err().to_string().contains("ZIP")
    );
}

#[test]
fn an_archive_is_read_like_its_folder() {
    let folder = Folder::package(
        LEGACY,
        &[("output_validators/v/run", "#!/bin/sh\n"), ("output_validators/v/build", "")],
    );
    folder.write("problem.yaml", "name: Sum\nvalidation: custom\n");
    std::fs::set_permissions(folder.path("output_validators/v/run"), PermissionsExt::from_mode(0o755))
        .unwrap();
    let out = tempfile::tempdir().unwrap();
    let archive = out.path().join("sum.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&archive).unwrap());
    let tree = Tree::open(folder.root(), &|| false).unwrap();
    for file in tree.files("").unwrap() {
        let mode = std::fs::metadata(&file.path).unwrap().permissions().mode();
        let options = zip::write::SimpleFileOptions::default().unix_permissions(mode);
        zip.start_file(format!("top/{}", file.name.display()), options).unwrap();
        std::io::copy(&mut std::fs::File::open(&file.path).unwrap(), &mut zip).unwrap();
    }
    zip.finish().unwrap();
    let scratch = out.path().join("scratch");
    let package = Package::open(&archive, &scratch).unwrap();
    assert_eq!(package.short_name, "sum");
    assert!(package.root.starts_with(scratch.canonicalize().unwrap()));
    let OutputValidator::Custom(program, Protocol::Kattis) = &package.output_validator else { panic!() };
    assert!(program.has_build_script && program.has_run_script);
    assert_eq!(std::fs::metadata(program.path.join("run")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(package.warnings, folder.open().unwrap().warnings);
}

#[test]
fn a_statement_may_be_at_the_top() {
    let is_other = |(name, _): &(&str, &str)| !name.starts_with("problem_statement");
    let folder = Folder::new(&LEGACY.iter().copied().filter(is_other).collect::<Vec<_>>());
    folder.write("problem.pdf", "%PDF-1.5\n");
    let statements = folder.open().unwrap().statements;
    assert_eq!(statements.iter().map(|one| one.language.as_str()).collect::<Vec<_>>(), ["en"]);
    assert!(!folder.warnings().iter().any(|warning| warning.contains("holds no statement")));
    folder.write("problem_statement/problem.de.tex", "x\n");
    let statements = folder.open().unwrap().statements;
    assert_eq!(statements.iter().map(|one| one.language.as_str()).collect::<Vec<_>>(), ["de"]);
}

#[test]
fn the_time_limit_has_one_source() {
    let limit = |folder: &Folder| match folder.open().unwrap().time_limit {
        TimeLimitRule::Given { limit, source } => (limit, source.to_string()),
        TimeLimitRule::Derive { margins } => panic!("{margins:?}"),
    };
    let folder = current("limits: {time_limit: 2}\n", &[]);
    assert_eq!(limit(&folder), (Nanos::from_millis(2000), "problem.yaml: limits.time_limit".into()));
    folder.write(DOMJUDGE_INI, "timelimit = 3\ncolor = red\n");
    assert_eq!(limit(&folder), (Nanos::from_millis(3000), "domjudge-problem.ini: timelimit".into()));
    folder.write(".timelimit", "0.5\n");
    assert_eq!(limit(&folder), (Nanos::from_millis(500), ".timelimit".into()));
    assert_eq!(
        folder.warnings(),
        [
            "domjudge-problem.ini: timelimit: is 3.000 s, but .timelimit has 500.0 ms, which counts; \
             remove one of the two or make them agree",
            "problem.yaml: limits.time_limit: is 2.000 s, but .timelimit has 500.0 ms, which counts; \
             remove one of the two or make them agree",
        ]
    );
    assert_eq!(folder.open().unwrap().colour.as_deref(), Some("red"));
    folder.write(".timelimit", "soon\n");
    assert!(folder.refused().starts_with(".timelimit: is 'soon\\n', expected a number of seconds"));
}

#[test]
fn custom_validators_are_found_and_must_be_there() {
    let custom = |folder: &Folder| match folder.open().unwrap().output_validator {
        OutputValidator::Custom(program, protocol) => (program.name, protocol),
        OutputValidator::Default => panic!("the default"),
    };
    let folder = current("", &[("output_validator/v.py", "exit(42)\n")]);
    assert_eq!(custom(&folder), ("v.py".into(), Protocol::Kattis));
    folder.write("output_validator/v.h", "");
    assert_eq!(custom(&folder), ("output_validator".into(), Protocol::Kattis));
    let folder = current("", &[("output_validator/v.cpp", "#include \"testlib.h\"\n")]);
    assert_eq!(custom(&folder), ("v.cpp".into(), Protocol::Testlib));
    let folder = current("", &[("checker/check.cpp", "int main() {}\n")]);
    assert_eq!(custom(&folder), ("check.cpp".into(), Protocol::Testlib));
    for kind in ["interactive", "multi-pass"] {
        let refused = current(&format!("type: {kind}\n"), &[]).refused();
        assert!(
            refused.starts_with("output_validator: is missing or empty, but an interactive"),
            "{refused}"
        );
    }
}

#[test]
fn legacy_validators_follow_the_metadata() {
    let folder = Folder::package(
        LEGACY,
        &[
            ("output_validators/v.py", ""),
            ("problem.yaml", "validation: custom score interactive\ntype: scoring\n"),
        ],
    );
    let package = folder.open().unwrap();
    assert!(package.kind.interactive && package.kind.scoring);
    assert!(matches!(package.output_validator, OutputValidator::Custom(..)));
    folder.write("output_validators/w.py", "");
    assert!(folder.refused().starts_with("output_validators: holds 2 programs (v.py, w.py), expected one"));
    let folder = Folder::package(LEGACY, &[("output_validators/v.py", "")]);
    assert_eq!(folder.open().unwrap().output_validator, OutputValidator::Default);
    assert!(folder.warnings()[0].starts_with("output_validators: is not used"));
    let folder = Folder::package(LEGACY, &[("problem.yaml", "validation: custom\n")]);
    assert!(folder.refused().contains("asks for 'validation: custom'"));
}

#[test]
fn a_validator_under_the_name_of_another_format_is_read() {
    let legacy = [("problem.yaml", "validation: custom\n"), ("output_validator/v.py", "")];
    let folders = [
        (Folder::package(LEGACY, &legacy), "output_validator"),
        (current("", &[("output_validators/v.py", "")]), "output_validators"),
    ];
    for (folder, name) in folders {
        let package = folder.open().unwrap();
        let OutputValidator::Custom(program, Protocol::Kattis) = &package.output_validator else {
            panic!("{name} is not read")
        };
        assert_eq!(program.name, "v.py");
        assert!(package.warnings[0].is_leniency && package.warnings[0].wrong.place.file == name);
    }
    let both = current("", &[("output_validators/v.py", ""), ("output_validator/w.py", "")]);
    assert!(both.warnings()[0].starts_with("output_validators: is not read in the format 2025-09"));
}

#[test]
fn keys_of_other_tools_are_put_aside() {
    let folder = current("verified: no\nans_is_output: false\n", &[]);
    assert_eq!(folder.open().unwrap().warnings.len(), 2);
    assert!(folder.warnings().iter().all(|warning| warning.contains("is a key of BAPCtools")));
    let url = [(
        "problem.yaml",
        "problem_format_version: 2023-07-draft\nname: Sum\nuuid: 0\nsource: A\nsource_url: https://a.example\n",
    )];
    assert!(
        Folder::package(CURRENT, &url).warnings()[0]
            .starts_with("problem.yaml:5: source_url: is a key of earlier")
    );
    assert!(current("source_url: https://a.example\n", &[]).refused().contains("is not a known key"));
}

#[test]
fn links_out_of_a_package_are_named_and_left_out() {
    let outside = Folder::new(&[("case.in", "1\n")]);
    let folder = current("", &[("data/secret/2.ans", "")]);
    std::os::unix::fs::symlink(outside.path("case.in"), folder.path("data/secret/2.in")).unwrap();
    std::os::unix::fs::symlink(outside.root(), folder.path("generators")).unwrap();
    let package = folder.open().unwrap();
    assert_eq!(package.cases().len(), 1);
    let reported: Vec<_> = package.warnings.iter().map(|one| one.wrong.place.file.as_str()).collect();
    assert_eq!(reported, ["generators", "data/secret/2.in", "data/secret/2.ans"]);
    assert!(package.warnings.iter().all(|one| one.is_leniency));
}

#[test]
fn arguments_of_the_default_validator_are_checked() {
    let folder = current("", &[("data/secret/1.yaml", "output_validator_args: [float_tolerance, x]\n")]);
    assert_eq!(
        folder.refused(),
        "data/secret/1: the output validator's arguments: float_tolerance has the value 'x', expected a number of \
         at least 0 such as 1e-6; fix them in problem.yaml or in the configuration of the group or the case"
    );
}

#[test]
fn excess_warnings_are_counted() {
    let folder = current("", &[]);
    for number in 0..1500 {
        std::os::unix::fs::symlink("nowhere", folder.path(&format!("data/secret/x{number}.in"))).unwrap();
    }
    let warnings = folder.warnings();
    assert_eq!(warnings.len(), 1001);
    assert_eq!(
        warnings[1000],
        "the package: has 500 further warnings, which are left out; see to the others first"
    );
}

#[test]
fn a_mistake_is_not_among_the_warnings_that_are_left_out() {
    // Texts are checked last.
    for (statement, has_mistake) in [("Add.\n", false), ("\u{feff}Add.\n", true)] {
        let folder = current("", &[("statement/problem.en.md", statement)]);
        for number in 0..1200 {
            folder.write(&format!("submissions/accepted/x{number}.class"), "");
        }
        let warnings = folder.open().unwrap().warnings;
        assert_eq!(warnings.len(), 1001);
        assert_eq!(warnings.iter().any(|warning| warning.is_mistake), has_mistake, "{statement}");
    }
}

#[test]
fn special_files_are_not_opened() {
    let folder = Folder::new(&[]);
    let refused = Package::open(Path::new("/dev/null"), &folder.path("scratch")).unwrap_err().to_string();
    assert!(refused.starts_with("/dev/null: is neither a folder nor an archive"), "{refused}");
}

#[test]
fn includes_are_chosen_by_language() {
    let folder =
        current("", &[("include/default/a.txt", "a"), ("include/cpp/sub/b.h", "b"), ("include/loose", "")]);
    let includes = folder.open().unwrap().includes;
    let names = |language| {
        includes.for_language(language).iter().map(|file| file.name.display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!((names("cpp"), names("c")), (vec!["sub/b.h".to_owned()], vec!["a.txt".to_owned()]));
    assert!(folder.warnings()[0].starts_with("include/loose: is not in a language's folder"));
}

#[test]
fn includes_that_no_compiler_takes_are_the_packages_fault() {
    for (name, reported) in [
        ("@x.py", "include/default: file name '@x.py': starts with '-' or '@'"),
        ("a\nb.py", "include/default: file name 'a\\nb.py': holds a control character"),
        ("a\\b.py", "include/default: file name 'a\\\\b.py': holds a backslash"),
    ] {
        let reported = reported.replace("default", "c");
        let refused = Folder::package(LEGACY, &[(&format!("include/c/{name}"), "")]).refused();
        assert!(refused.starts_with(&reported), "{refused}");
    }
    let many: Vec<_> = (0..129).map(|number| format!("include/c/{number}.h")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), "")).collect();
    let refused = current("", &many).refused();
    assert!(refused.starts_with("include/c: holds 129 files with"), "{refused}");
    assert_eq!(current("", &many[1..]).open().unwrap().includes.for_language("c").len(), 128);
}

#[test]
fn memory_of_a_judge_is_bounded() {
    for name in ["1.in", "1.ans"] {
        let folder = current("", &[]);
        let file = std::fs::File::options().write(true).open(folder.path(&format!("data/secret/{name}")));
        let file = file.unwrap();
        file.set_len(1 << 30).unwrap();
        folder.open().unwrap();
        file.set_len((1 << 30) + 1).unwrap();
        let reported = format!("data/secret/{name}: is larger than 1.00 GiB; ");
        assert!(folder.refused().starts_with(&reported), "{}", folder.refused());
    }
    for key in ["output", "validation_output"] {
        current(&format!("limits: {{{key}: 1024}}\n"), &[]).open().unwrap();
        let refused = current(&format!("limits: {{{key}: 1025}}\n"), &[]).refused();
        let reported = format!("limits.{key}: is 1025 MiB, expected at most 1024");
        assert!(refused.contains(&reported), "{refused}");
    }
}

#[test]
fn constants_are_put_into_sources() {
    let folder = current(
        "constants: {n: 10, s: x}\n",
        &[("submissions/accepted/a.py", "{{n}} {{{s}}} {{t}} {{n} {{\n")],
    );
    let package = folder.open().unwrap();
    let source = package.source_bytes(&package.submissions[0].files[0]).unwrap();
    assert_eq!(String::from_utf8(source).unwrap(), "10 {x} {{t}} {{n} {{\n");
}

#[test]
fn constants_may_be_written_in_several_ways() {
    let folder = current("constants:\n  n: {value: 1000, latex: '10^3'}\n", &[]);
    let package = folder.open().unwrap();
    let put = |text: &str| String::from_utf8(package.put_constants_in("a", text.into()).unwrap()).unwrap();
    assert_eq!(put("{{n}} {{n.value}} {{n.latex}} {{n.other}}"), "1000 1000 10^3 {{n.other}}");
    assert_eq!(package.warnings, []);
    assert_eq!(package.put_constants_in("a", vec![0xff, b'{']).unwrap(), [0xff, b'{']);
    let long = current(&format!("constants:\n  n: '{}'\n", "x".repeat(100_000)), &[]);
    let refused = long.open().unwrap().put_constants_in("a.py", "{{n}}".repeat(1000).into()).unwrap_err();
    assert!(refused.to_string().starts_with("a.py: has more than 16 MiB with its constants"), "{refused}");
    let folder = current("constants:\n  n: {latex: x}\n", &[]);
    assert!(
        folder.refused().starts_with("problem.yaml:5: constants.n.value: is missing"),
        "{}",
        folder.refused()
    );
}

#[test]
fn a_lone_script_is_the_program_of_its_folder() {
    for script in ["run", "build"] {
        let folder = current("", &[(&format!("output_validator/{script}"), "#!/bin/sh\n")]);
        let OutputValidator::Custom(program, _) = folder.open().unwrap().output_validator else {
            panic!("{script} is no program")
        };
        assert_eq!(program.name, "output_validator");
        assert_eq!((program.has_build_script, program.has_run_script), (script == "build", script == "run"));
    }
    let scripts = [("input_validators/build", ""), ("input_validators/check.cpp", "")];
    let package = current("", &scripts).open().unwrap();
    let names: Vec<_> = package.input_validators.iter().map(|program| program.name.as_str()).collect();
    assert_eq!(names, ["input_validators"]);
    assert!(package.warnings[0].is_leniency);
}

#[test]
fn unread_files_are_reported() {
    let folder = current(
        "limits: {time_limit: 1, time_resolution: 0.5}\n",
        &[("attachments/a b.txt", ""), ("attachments/x/y.zip", ""), ("handouts/x", ""), ("Makefile", "")],
    );
    assert_eq!(
        folder.warnings(),
        [
            "handouts: is a folder that this format does not have; remove it, or begin its name with '.'",
            "attachments/a b.txt: has a name that this format does not allow and is left out; \
             use letters, digits, '.', '-' and '_' only, and at most 255 of them",
            "attachments/x: is a folder, and only the folder templates may be attached; \
             attach its files, or a ZIP archive of it",
        ]
    );
    assert_eq!(folder.open().unwrap().attachments.len(), 1);
}

#[test]
fn names_come_from_where_they_are() {
    let folder = Folder::package(
        LEGACY,
        &[("problem.yaml", ""), ("problem_statement/problem.sv.tex", "\\problemname{Summa}\n")],
    );
    assert_eq!(folder.open().unwrap().names["sv"], "Summa");
    let folder = Folder::package(LEGACY, &[("problem.yaml", ""), (DOMJUDGE_INI, "name = Total\n")]);
    assert_eq!(folder.open().unwrap().names["en"], "Total");
    let folder = Folder::package(LEGACY, &[("problem.yaml", "")]);
    assert_eq!(folder.open().unwrap().names["en"], "problem");
}

#[test]
fn missing_and_unusual_parts_are_reported() {
    let folder = current("", &[("statement/problem.sv.md", "x\n"), ("graders/v.py", "")]);
    std::fs::remove_dir_all(folder.path("submissions")).unwrap();
    std::fs::remove_dir_all(folder.path("input_validators")).unwrap();
    folder.write("input_validators/check.ctd", "EOF\n");
    let begins = [
        "input_validators/check.ctd: is a grammar",
        "graders: is not read in the format 2025-09",
        "problem.yaml: name: has no name in 'sv'",
        "submissions/accepted: holds no submission",
    ];
    let warnings = folder.warnings();
    assert_eq!(warnings.len(), begins.len(), "{warnings:#?}");
    for (warning, begin) in warnings.iter().zip(begins) {
        assert!(warning.starts_with(begin), "{warning}");
    }
}

#[test]
fn misspelt_folders_are_reported() {
    let folder = current("", &[("output_validater/v.py", ""), (".notes/x", ""), ("notes.txt", "")]);
    assert_eq!(
        folder.warnings(),
        ["output_validater: is not read by this format; did you mean 'output_validator'?"]
    );
}

#[test]
fn a_pipe_is_not_waited_for() {
    let folder = Folder::new(LEGACY);
    std::fs::remove_file(folder.path("problem.yaml")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path("problem.yaml")).status().unwrap();
    assert!(made.success());
    assert_eq!(folder.refused(), "problem.yaml: is not an ordinary file; replace it by a file");
}

#[test]
fn bounds_on_the_time_limit_follow_from_the_folders() {
    for (base, folder, lower, upper) in [
        (CURRENT, "accepted", true, false),
        (CURRENT, "wrong_answer", true, false),
        (CURRENT, "time_limit_exceeded", false, true),
        (CURRENT, "brute_force", false, false),
        (LEGACY, "accepted", true, false),
        (LEGACY, "wrong_answer", false, false),
        (LEGACY, "time_limit_exceeded", false, true),
    ] {
        let file = format!("submissions/{folder}/b.py");
        let package = Folder::package(base, &[(&file, "")]).open().unwrap();
        let name = format!("{folder}/b.py");
        let one = &package.submissions.iter().find(|one| one.name == name).unwrap().expectation;
        assert_eq!(one.bounds_time_limit_from_below(), lower, "{folder}");
        assert_eq!(one.bounds_time_limit_from_above(), upper, "{folder}");
    }
}

#[test]
fn the_projects_own_problems_are_read() {
    let problems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems");
    let Ok(entries) = std::fs::read_dir(&problems) else {
        println!("no sample problems beside this crate; nothing to read");
        return;
    };
    for entry in entries.flatten().filter(|entry| entry.path().join("problem.yaml").exists()) {
        let package = Package::open(&entry.path(), &problems)
            .unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
        let warnings: Vec<_> = package.warnings.iter().map(ToString::to_string).collect();
        assert!(warnings.is_empty(), "{}: {warnings:#?}", package.short_name);
        assert!(!package.submissions.is_empty() && package.cases().len() > 1);
    }
}
