//! Help texts, and the answers to wrong usage and input. Needs no privileges.

#![allow(clippy::unwrap_used)]

mod common;

use common::{all_refused, document, put, refused, tauto, text, words};
use std::path::Path;

/// Returns a package with one case and one submission.
fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("p/problem.yaml", "name: P\nlimits:\n  code: 1\n"),
        ("p/domjudge-problem.ini", "timelimit = 1\n"),
        ("p/problem_statement/problem.en.md", "Say 1.\n"),
        ("p/data/secret/01-one.in", "\n"),
        ("p/data/secret/01-one.ans", "1\n"),
        ("p/submissions/accepted/a.py", "print(1)\n"),
        ("good.py", "print(1)\n"),
        ("empty.py", ""),
        ("notes.odt", "1"),
    ] {
        put(folder.path(), name, content);
    }
    std::fs::write(folder.path().join("large.py"), "#".repeat(2000)).unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    folder
}

#[test]
fn help_is_as_reviewed() {
    let here = Path::new(".");
    let commands = "run, bench, lab, lab throttling, lab placement, lab affinity, lab noise, judge, judgehost, \
         languages, doctor, machine topology, machine, machine check, machine tune, machine restore, \
         machine audit, noise, noise probe, noise report, noise check, noise compare, noise predict, \
         noise exchange, policy, policy check, schema, problem new, problem verify, problem add, \
         problem statement, contest, contest import, contest scoreboard, team, user, user add, login, \
         submit, rejudge, clarification, audit";
    // The name of a snapshot is that of its command; the first is `tauto` itself.
    for command in [""].into_iter().chain(commands.split(", ")) {
        let line = format!("{command} --help");
        let output = tauto(here, &words(line.trim_start()));
        assert_eq!(output.status.code(), Some(0), "{command}");
        let name = format!("help {command}").trim_end().replace(' ', "_");
        insta::assert_snapshot!(name, text(&output.stdout));
    }
    let version = text(&tauto(here, &["--version"]).stdout);
    assert_eq!(version, format!("tauto {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn colours_follow_the_environment() {
    for (variables, is_coloured) in [
        (&[][..], false),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&[("CLICOLOR", "0")], false),
        (&[("CLICOLOR", "1")], false),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tauto"));
        for name in ["CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR"] {
            command.env_remove(name);
        }
        let output = command.args(["doctor"]).envs(variables.iter().copied()).output().unwrap();
        assert_eq!(text(&output.stdout).contains("\x1b["), is_coloured, "{variables:?}");
    }
}

#[test]
fn a_plan_is_printed_without_any_rights() {
    let folder = tempfile::tempdir().unwrap();
    let line = "run --dry-run --cpu 2s --memory 64MiB --env SEED=7 --cpus 1 --";
    let arguments = [&words(line)[..], &["./a", "x y"]].concat();
    let output = tauto(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let here = folder.path().canonicalize().unwrap();
    let plan = text(&output.stdout).replace(&here.display().to_string(), "[HERE]");
    insta::assert_snapshot!("dry_run", plan);
}

#[test]
fn bad_limits_of_a_run_are_refused() {
    let here = Path::new(".");
    all_refused(
        here,
        &[
            ("run --cpu 0 -- true", "more than 0"),
            ("run --cpu=-1s -- true", "out of range"),
            ("run --cpu 2parsecs -- true", "'parsecs' is not a unit"),
            ("run --memory 9999999999GiB -- true", "no machine has that much"),
            ("run --memory 1KiB -- true", "at least 1.0 MiB"),
            ("run --processes 0 -- true", "--processes"),
            ("run --cpu-list 3-1 -- true", "'3-1' in the CPU list"),
            ("run --cpus 1 --cpu-list 1 -- true", "cannot be used with"),
            ("run --env SEED -- true", "NAME=VALUE"),
            ("run --root /proc/nonexistent -- true", "--root /proc/nonexistent is not a folder"),
            ("run --mount /proc/nonexistent -- true", "cannot open /proc/nonexistent"),
            ("run --mount /usr:/srv -- true", "does not lie below /box"),
            ("run --directory box -- true", "not absolute"),
            ("run true", "unexpected argument"),
            ("run", "CMD"),
        ],
    );
}

#[test]
fn mistakes_are_refused_with_what_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("a.c"), "").unwrap();
    std::fs::create_dir(here.join("p")).unwrap();
    std::fs::write(here.join("p/problem.yaml"), "name: P\n").unwrap();
    all_refused(
        here,
        &[
            ("judge a.c p", "the arguments seem swapped\nhint: tauto judge p a.c"),
            ("judge a.c", "a.c is no problem package, which is a folder or a ZIP archive"),
            ("judge p --root nowhere", "--root nowhere is not a folder"),
            ("run ls -l", "hint: put -- before the command: tauto run -- ls -l"),
            ("bench ./spin", "hint: put -- before the command: tauto bench -- ./spin"),
        ],
    );
    refused(here, &["judge", "--\u{7}\u{202e}x"], "--·x");
}

#[test]
fn bad_input_of_bench_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    all_refused(
        here,
        &[
            ("bench -n 1 -- true", "a spread needs at least 2 runs"),
            ("bench -n many -- true", "expected a number from 1 to 4096"),
            ("bench", "CMD"),
            ("bench --vs true -- true", "--vs names the same command again"),
            ("bench --vs 'tru -- true", "a quote without its partner"),
        ],
    );
    refused(here, &["bench", "--vs", " ", "--", "true"], "--vs names no command");
    all_refused(
        here,
        &[
            ("bench -L n 1,2 -- true", "no command has the parameter n"),
            ("bench -P n 1 99 -- x {n}", "that makes 99 commands, more than 64"),
            ("bench -n 5 --precision 2 -- true", "--runs 5 is a fixed number"),
            ("bench --min-runs 9 --max-runs 5 -- true", "--min-runs 9 is more than"),
            ("bench --precision 0 -- true", "expected per cent from 0.01 to 100"),
            ("bench --reference C -- true", "--reference C is none of the commands A"),
            ("bench --load gpu -- true", "possible values: none, cpu, memory, io"),
            ("bench --load-on x -- true", "neither neighbours, leased, nor a list of CPUs"),
            ("bench --input nowhere -- true", "cannot open the input nowhere"),
            ("bench --svg no/where.svg -- true", "cannot write no/where.svg"),
            ("bench --svg . -- true", "cannot write .: it is a folder"),
            ("bench --compare a.json b.json -- true", "cannot be used with"),
            ("bench --compare a.json b.json", "cannot read a.json"),
        ],
    );
    std::fs::write(here.join("a.json"), "{").unwrap();
    refused(here, &["bench", "--compare", "a.json", "a.json"], "a.json is not a result of tauto bench");
    let result = r#"{"schema": "tautochrone/bench/1", "results": [{"command": "a", "mean": "b"}]}"#;
    std::fs::write(here.join("a.json"), result).unwrap();
    refused(here, &["bench", "--compare", "a.json", "a.json"], "at 'results[0].mean': invalid type: string");
}

#[test]
fn bad_input_of_a_prediction_is_refused() {
    let here = Path::new(".");
    let predict = |more: &[&'static str], words: &str| {
        let usual = ["noise", "predict", "--source", "8Hz:160us", "--tc", "75us", "--closed"];
        refused(here, &[&usual, more].concat(), words);
    };
    predict(&["--nodes", "0"], "0 nodes cannot be simulated");
    predict(&["--nodes", "1e9"], "more than can be simulated");
    predict(&["--source", "1000Hz:2ms"], "of all time, so no work is ever done");
    predict(&["--source", "1000Hz"], "'1000Hz' is not a frequency and a length; write both");
    predict(&["--source", "8Hz:160"], "the length '160' has no unit; write 160us (or 160ns, 160ms)");
    predict(&["--message", "1KiB"], "how long a message of that size takes is not known");
    predict(&["--warm-up", "1000"], "leave nothing");
    let tc = |text: &'static str, words: &str| {
        refused(here, &["noise", "predict", "--source", "8Hz:160us", "--tc", text, "--closed"], words);
    };
    tc("0", "T_C of 0 ns is out of range");
    tc("2min", "out of range");
    tc("2parsecs", "the T_C '2parsecs' is not a time");
    tc("75", "the T_C '75' has no unit; write 75us");
}

#[test]
fn a_prediction_is_the_same_for_the_same_seed() {
    let arguments =
        ["noise", "predict", "--preset", "g7", "--nodes", "1,3,100", "--iterations", "200", "--json"];
    let first = tauto(Path::new("."), &arguments);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert_eq!(first.stdout, tauto(Path::new("."), &arguments).stdout);
    let report: documents::NoisePredictReport = documents::from_json(&text(&first.stdout)).unwrap();
    assert_eq!(report.points.len(), 3);
    assert!(report.points.iter().all(|point| point.simulated.is_some()));
}

#[test]
fn bad_arguments_of_an_audit_are_refused() {
    let here = Path::new(".");
    all_refused(
        here,
        &[
            ("machine audit --cpu-list 3-1", "'3-1' in the CPU list"),
            ("machine audit --cpu-list 65000", "--cpu-list 65000 names CPUs that are not online"),
            ("machine audit --cpu-list 65000 -- true", "no program can run there"),
            ("machine audit --seconds 0", "--seconds"),
            ("machine audit true", "unexpected argument"),
        ],
    );
}

#[test]
fn bad_input_of_judge_is_refused() {
    let folder = package();
    let at = folder.path();
    all_refused(
        at,
        &[
            ("judge nowhere", "nowhere"),
            ("judge p nowhere.py", "cannot open the submission nowhere.py"),
            ("judge p empty.py", "empty.py is empty"),
            ("judge p folder", "folder is empty"),
            ("judge p notes.odt", "no known language"),
            ("judge p large.py", "has 2.0 KiB, but the problem's limit on code is 1.0 KiB"),
            ("judge p good.py --lang pyton3", "did you mean python3?"),
            ("judge p --lang python3", "SUBMISSION"),
            ("judge p good.py --test secret/01-on", "did you mean secret/01-one?"),
            ("judge p good.py --time-limit 0s", "more than 0"),
            ("judge p good.py --checker testlib", "no output validator of its own"),
            ("judge p good.py --languages nowhere", "nowhere"),
            ("judge p good.py --record no/where", "cannot open the record no/where"),
            ("judge p good.py --record good.py", "good.py is not a record of this version"),
            ("judge p good.py --kill-factor 1", "expected a number from 1.1 to 10"),
            ("judge --verify nowhere", "cannot open the record nowhere"),
            ("judge --verify good.py", "good.py is not a record of 'tauto judge --record'"),
            ("judge --verify empty.py", "empty.py is empty"),
            ("judge --verify good.py --record r.jsonl", "cannot be used with"),
            ("judge", "PROBLEM"),
        ],
    );
}

#[test]
fn bad_input_of_machine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    all_refused(
        at,
        &[
            ("machine check --from nowhere", "nowhere has no folder proc"),
            ("machine check --housekeeping 60000", "but online are"),
            ("machine check --housekeeping one", "not a number or a range"),
            ("machine tune --dry-run --only turbi", "did you mean turbo?"),
            ("machine tune --dry-run --except zzz", "there is no setting 'zzz'"),
        ],
    );
}

#[test]
fn a_copy_of_a_machine_is_judged_without_any_rights() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("proc/sys/kernel/osrelease", "6.1.0\n"),
        ("proc/sys/kernel/core_pattern", "|/usr/bin/helper\n"),
        ("sys/devices/system/cpu/online", "0-3\n"),
    ] {
        put(folder.path(), path, text);
    }
    let arguments = ["machine", "check", "--from", ".", "--json", "--housekeeping", "0-1"];
    let output = tauto(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let report: documents::MachineCheckReport = documents::from_json(&text(&output.stdout)).unwrap();
    assert_eq!((report.status.as_str(), report.timed_cpus.as_deref()), ("fail", Some("2-3")));
    let failing: Vec<_> = report
        .settings
        .iter()
        .filter(|setting| setting.status == "fail")
        .map(|setting| &setting.id)
        .collect();
    assert_eq!(failing, ["crash-helper"]);
}

#[test]
fn a_plan_to_tune_needs_no_rights_and_changes_nothing() {
    let output = tauto(Path::new("."), &["machine", "tune", "--dry-run", "--json"]);
    let report: documents::MachineTuneReport = document(&output);
    assert!(report.dry_run && report.steps.iter().all(|step| step.outcome.is_none()));
}

#[test]
fn json_errors_are_documents() {
    let folder = package();
    for arguments in [&["judge", "nowhere", "--json"][..], &["judge", "--json"]] {
        let output = tauto(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let report: documents::ErrorReport = documents::from_json(&text(&output.stdout)).unwrap();
        assert!(!report.message.is_empty() && !report.message.contains('\n'), "{report:?}");
        assert!(text(&output.stderr).starts_with("error: "));
    }
    // Standard output belongs to the program, so the document is written where the report would be.
    let output = tauto(folder.path(), &["run", "--json", "--mount", "/proc/nonexistent", "--", "true"]);
    assert!(output.stdout.is_empty());
    documents::from_json::<documents::ErrorReport>(&text(&output.stderr)).unwrap();
}

#[test]
fn completions_and_manual_pages_are_made() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&tauto(folder.path(), &["completions", shell]).stdout);
        assert!(script.contains("time-limit"), "{shell}");
    }
    assert!(text(&tauto(folder.path(), &["man"]).stdout).contains(".TH tauto 1"));
    assert_eq!(tauto(folder.path(), &["man", "pages"]).status.code(), Some(0));
    assert!(folder.path().join("pages/tauto-judge.1").is_file());
}

#[test]
fn policies_are_explained_or_refused_with_all_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let shown = text(&tauto(here, &["policy", "show", "load-aware"]).stdout);
    std::fs::write(here.join("mine.yaml"), shown.replace("policy: load-aware", "policy: mine")).unwrap();
    let output = tauto(here, &["policy", "check", "mine.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    insta::assert_snapshot!("policy_check", text(&output.stdout));
    insta::assert_snapshot!("policy_list", text(&tauto(here, &["policy", "list"]).stdout));
    all_refused(
        here,
        &[
            ("policy check mine.yaml --policy yours", "mine.yaml has no policy 'yours'"),
            ("policy check nowhere.yaml", "cannot read nowhere.yaml"),
            ("policy show load-awre", "did you mean load-aware?"),
        ],
    );
    std::fs::write(here.join("wrong.yaml"), "policy: p\nlimits: { peek: 0.8 }\ncandidates: 0\n").unwrap();
    refused(
        here,
        &["policy", "check", "wrong.yaml"],
        "error: wrong.yaml cannot be used:\n  \
         wrong.yaml:2: limits.peek: is not a known key; did you mean 'peak'?\n  \
         wrong.yaml:3: candidates: is 0, expected a whole number from 1 to 10000; raise it\n",
    );
    let output = tauto(here, &["policy", "check", "wrong.yaml", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("\"field\": \"limits.peek\""), "{}", text(&output.stdout));
}
