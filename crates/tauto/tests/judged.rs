//! Real runs of `tauto judge`. Needs root; without it each test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{command, sandbox_package, tauto};
use common::{document, failed, put, text};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

#[test]
fn a_package_is_judged_against_its_expectations() {
    let Some(folder) = sandbox_package() else { return };
    let output = tauto(folder.path(), &["judge", "p", "--json", "--record", "record.jsonl", "--keep"]);
    let report: documents::JudgeReport = document(&output);
    assert_eq!((report.summary.submissions, report.summary.as_expected), (2, 2));
    assert_eq!(report.submissions[0].runs.len(), 2);
    assert_eq!(report.submissions[1].runs.len(), 1, "the first wrong answer decides");
    let difference = report.submissions[1].runs[0].first_difference.as_ref().unwrap();
    assert_eq!((difference.expected.as_str(), difference.got.as_str()), ("1", "2"));
    assert_eq!(report.package.hash.as_ref().map(String::len), Some(64));

    let record = fs::read_to_string(folder.path().join("record.jsonl")).unwrap();
    assert_eq!(record.lines().count(), 1 + 3 + 2 + 1, "begin, three cases, two submissions, end");
    let verify = |arguments: &[&str]| {
        let output =
            tauto(folder.path(), &[&["judge", "--verify", "record.jsonl", "--json"], arguments].concat());
        let verification: Result<documents::RecordVerification, _> =
            documents::from_json(&text(&output.stdout));
        (output.status.code(), verification.unwrap())
    };
    let (code, verification) = verify(&[]);
    assert_eq!(
        (code, verification.holds, verification.packages[0].same),
        (Some(0), true, Some(true)),
        "{verification:?}"
    );
    let submission: serde_json::Value = serde_json::from_str(record.lines().nth(3).unwrap()).unwrap();
    assert_eq!(submission["source_hash"].as_str().map(str::len), Some(64), "{submission}");
    assert_eq!(submission["program_hash"].as_str().map(str::len), Some(64), "{submission}");
    // Continued, with an explanation, and then with another package.
    let arguments =
        ["judge", "p", "--json", "--record", "record.jsonl", "--explain", "--kill-factor", "3", "-q"];
    let report: documents::JudgeReport =
        documents::from_json(&text(&tauto(folder.path(), &arguments).stdout)).unwrap();
    assert_eq!(report.time_limit.kill_limit_ns, Some(30_000_000_000));
    let explained = report.submissions[1].explanation.join("\n");
    assert!(explained.contains("since secret/01-one is the first case that is not accepted"), "{explained}");
    let (code, verification) = verify(&["p"]);
    assert_eq!((code, verification.judgings, verification.lines), (Some(0), 2, 14), "{verification:?}");
    let (_, verification) = verify(&["--explain"]);
    let recorded: Vec<_> =
        verification.explanations.iter().map(|one| (&one.submission, &one.explanation)).collect();
    let live: Vec<_> = report.submissions.iter().map(|one| (&one.name, &one.explanation)).collect();
    assert_eq!(recorded[2..], live, "the record says the same as the report");
    fs::write(folder.path().join("p/data/secret/02-two.ans"), "2\n").unwrap();
    let (code, verification) = verify(&["p"]);
    assert_eq!((code, verification.packages[0].same), (Some(1), Some(false)), "{verification:?}");
    let kept = folder.path().join("tauto-keep/wrong_answer/b.sh/secret/01-one");
    assert_eq!(fs::read_to_string(kept.join("output")).unwrap(), "2\n");
    assert_eq!(fs::read_to_string(kept.join("answer")).unwrap(), "1\n");
    assert!(kept.join("judgemessage.txt").is_file());
}

#[test]
fn continued_run_is_not_reported_as_ended() {
    let Some(folder) = sandbox_package() else { return };
    let large = "#!/bin/bash\nhead -c 9000000 /dev/zero\n";
    fs::write(folder.path().join("large.sh"), large).unwrap();
    for what in ["late", "stop"] {
        let output = tauto(folder.path(), &["judge", "p", "large.sh", "--over-output", what]);
        let table = text(&output.stdout);
        assert!(table.contains("wrote more than its output limit"), "{what}: {table}");
        assert!(!table.contains("ended at"), "{what}: {table}");
    }
}

#[test]
fn a_record_has_no_submission_whose_cases_are_not_all_in_it() {
    let Some(folder) = sandbox_package() else { return };
    // A file blocks the folder of the first case: its result is recorded, and then the rest fails.
    fs::create_dir_all(folder.path().join("kept/accepted/a.sh")).unwrap();
    fs::write(folder.path().join("kept/accepted/a.sh/secret"), "").unwrap();
    let output = tauto(folder.path(), &["judge", "p", "--record", "record.jsonl", "--keep=kept"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let record = fs::read_to_string(folder.path().join("record.jsonl")).unwrap();
    let kinds = |kind: &str| record.matches(&format!(r#""kind":"{kind}""#)).count();
    assert_eq!([kinds("begin"), kinds("case"), kinds("submission"), kinds("end")], [1, 1, 0, 0], "{record}");
}

#[test]
fn unexpected_verdict_gives_exit_code_1() {
    let Some(folder) = sandbox_package() else { return };
    fs::rename(
        folder.path().join("p/submissions/wrong_answer/b.sh"),
        folder.path().join("p/submissions/accepted/b.sh"),
    )
    .unwrap();
    let output = tauto(folder.path(), &["judge", "p"]);
    assert_eq!(output.status.code(), Some(1));
    let table = text(&output.stdout);
    assert!(table.contains("UNEXPECTED: is WA, expected AC"), "{table}");
    assert!(table.contains("2 submissions, 1 as expected, 1 UNEXPECTED"), "{table}");
    // The same file without an expectation; it is not accepted.
    fs::rename(folder.path().join("p/submissions/accepted/b.sh"), folder.path().join("b.sh")).unwrap();
    assert_eq!(tauto(folder.path(), &["judge", "p", "b.sh", "-q"]).status.code(), Some(1));
    assert_eq!(tauto(folder.path(), &["judge", "p", "p/submissions/accepted/a.sh"]).status.code(), Some(0));
}

#[test]
fn a_byte_order_mark_is_a_warning_and_fails_a_verification() {
    let Some(folder) = sandbox_package() else { return };
    let code = |arguments: &[&str]| tauto(folder.path(), arguments).status.code();
    assert_eq!(code(&["problem", "verify", "p", "--fast", "--wait"]), Some(0));
    fs::write(folder.path().join("p/data/secret/02-two.in"), "\u{feff}\n").unwrap();
    assert_eq!(code(&["problem", "verify", "p", "--fast", "--wait"]), Some(1));
    let output = tauto(folder.path(), &["judge", "p", "--quick"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output_text = text(&output.stdout) + &text(&output.stderr);
    let printed = output_text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        printed.contains("data/secret/02-two.in: begins with a byte order mark (UTF-8)"),
        "{output_text}"
    );
}

#[test]
fn a_derived_limit_is_stored_and_used_again() {
    let Some(folder) = sandbox_package() else { return };
    fs::remove_file(folder.path().join("p/domjudge-problem.ini")).unwrap();
    fs::create_dir(folder.path().join("languages")).unwrap();
    let judged = |more: &[&str]| {
        let mut judge = command(
            folder.path(),
            &["judge", "p", "p/submissions/accepted/a.sh", "--json", "--patience", "0"],
        );
        let output = judge.args(more).env("XDG_STATE_HOME", folder.path().join("state")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (report["time_limit"].clone(), report["warnings"].to_string())
    };
    let (first, _) = judged(&[]);
    assert_eq!((&first["value_ns"], &first["reused"]), (&1_000_000_000_u64.into(), &false.into()));
    assert_eq!(first["derivation"]["slowest_submission"], "accepted/a.sh");
    let file = PathBuf::from(first["stored_in"].as_str().unwrap());
    // Another value shows that it is read, and not derived again.
    let record =
        fs::read_to_string(&file).unwrap().replace("\"limit_ns\": 1000000000", "\"limit_ns\": 7000000000");
    fs::write(&file, record).unwrap();
    let (again, _) = judged(&[]);
    assert_eq!((&again["value_ns"], &again["reused"]), (&7_000_000_000_u64.into(), &true.into()));
    let (for_once, _) = judged(&["--languages", "languages"]);
    assert_eq!(
        (&for_once["value_ns"], &for_once["stored_in"]),
        (&1_000_000_000_u64.into(), &serde_json::Value::Null)
    );
    let (anew, warnings) = judged(&["--derive"]);
    assert_eq!((&anew["value_ns"], &anew["reused"]), (&1_000_000_000_u64.into(), &false.into()));
    assert!(warnings.contains("--derive replaces the limit 7.000 s"), "{warnings}");
    // A changed jury submission may take a different time.
    fs::write(folder.path().join("p/submissions/accepted/c.sh"), "#!/bin/bash\necho 1\n").unwrap();
    assert_eq!(judged(&[]).0["reused"], false);
}

#[test]
fn own_language_and_given_protocol_are_used() {
    let Some(folder) = sandbox_package() else { return };
    for (name, content) in [
        (
            "languages/words.yaml",
            "id: words\nname: Words\nextensions: [words]\nentry: {main_file: {}}\n\
             run: [/bin/cat, \"{path}/{mainfile}\"]\nversion: {command: [/bin/cat, --version]}\ndebian: [coreutils]\n\
             seccomp: native\n",
        ),
        ("one.words", "1\n"),
        ("p/problem.yaml", "name: P\nvalidation: custom\n"),
        ("p/output_validators/check.py", "import sys\nsys.exit(0 if len(sys.argv) == 4 else 3)\n"),
    ] {
        put(folder.path(), name, content);
    }
    let judge = ["judge", "p", "one.words", "--languages", "languages", "--checker"];
    for (protocol, code) in [("testlib", 0), ("kattis", 3)] {
        let output = tauto(folder.path(), &[&judge[..], &[protocol]].concat());
        assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
    }
    assert_eq!(tauto(folder.path(), &["judge", "p", "one.words"]).status.code(), Some(2), "no such language");
}

#[test]
fn unusable_submission_does_not_stop_the_others() {
    let Some(folder) = sandbox_package() else { return };
    fs::write(folder.path().join("empty.sh"), "").unwrap();
    let judge = |submissions: &[&str]| {
        let output = tauto(folder.path(), &[&["judge", "p", "-q", "--json"], submissions].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, _) = judge(&["no-such.sh", "p/submissions/accepted/a.sh", "empty.sh"]);
    let report: documents::JudgeReport = documents::from_json(&stdout).unwrap();
    assert_eq!((code, report.summary.as_expected), (Some(2), 1));
    let names: Vec<_> = report.not_judged.iter().map(|one| (one.name.as_str(), one.cause.as_str())).collect();
    assert_eq!(names, [("no-such.sh", "unusable"), ("empty.sh", "unusable")]);
    // If none is left, nothing is begun.
    let (code, _, stderr) = judge(&["no-such.sh", "empty.sh"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.starts_with("error: none of the 2 submissions can be judged: no-such.sh: cannot open"),
        "{stderr}"
    );
}

#[test]
fn missing_languages_are_left_out_with_skip_missing() {
    let Some(folder) = sandbox_package() else { return };
    fs::create_dir(folder.path().join("languages")).unwrap();
    for (name, content) in [
        (
            "languages/rare.yaml",
            "id: rare\nname: Rare\nextensions: [rare]\nentry: {main_file: {}}\n\
             run: [/usr/bin/no-such-program, \"{path}/{mainfile}\"]\n\
             version: {command: [/usr/bin/no-such-program]}\ndebian: [rare]\nseccomp: native\n",
        ),
        ("p/submissions/accepted/c.rare", "1\n"),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let judge = |more: &[&str]| {
        let arguments = [&["judge", "p", "-q", "--languages", "languages"], more].concat();
        let output = tauto(folder.path(), &arguments);
        (output.status.code(), text(&output.stdout))
    };
    let (code, table) = judge(&[]);
    assert_eq!(code, Some(3));
    assert!(table.contains("warning: --skip-missing leaves out"), "{table}");
    let (code, table) = judge(&["--skip-missing", "--record", "record.jsonl"]);
    assert_eq!(code, Some(0), "{table}");
    let printed = tauto(folder.path(), &["judge", "--verify", "record.jsonl"]);
    let printed = text(&printed.stdout);
    let note =
        "note: left out of the judging that begins in line 1: accepted/c.rare (Rare is not installed here";
    assert!(printed.contains(note), "{printed}");
    // A file that cannot be read is reported before the first line is written.
    judge(&["--record", "bad.jsonl", "p/submissions/accepted/a.sh", "no-such.sh"]);
    let record = fs::read_to_string(folder.path().join("bad.jsonl")).unwrap();
    let begin: serde_json::Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    assert_eq!(begin["not_judged"][0]["name"], "no-such.sh", "{begin}");
    assert!(table.contains("2 submissions, 2 as expected"), "{table}");
    let printed = "not judged: accepted/c.rare: Rare is not installed here (/usr/bin/no-such-program is absent); \
                install it with: apt-get install rare\n";
    assert!(table.contains(printed), "{table}");
    let (code, table) = judge(&["--skip-missing", "p/submissions/accepted/c.rare"]);
    assert_eq!(code, Some(3), "nothing was judged: {table}");
}

#[test]
fn files_next_to_a_package_do_not_change_it() {
    let Some(folder) = sandbox_package() else { return };
    let inside = folder.path().join("p");
    let hash = |arguments: &[&str]| {
        let output = tauto(&inside, &[&["judge", ".", "--json"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        documents::from_json::<documents::JudgeReport>(&text(&output.stdout)).unwrap().package.hash
    };
    let first = hash(&["--keep", "--record", "record.jsonl"]);
    assert!(inside.join("tauto-keep").is_dir() && inside.join("record.jsonl").is_file());
    assert_eq!(hash(&[]), first);
    let verified = tauto(&inside, &["judge", "--verify", "record.jsonl", "."]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stdout));
    // In a place where it would count as a part of the package.
    for arguments in
        [["--record", "data/record.jsonl"], ["--keep=submissions/kept", "-q"], ["--keep=.", "-q"]]
    {
        let output = tauto(&inside, &[&["judge", "."], &arguments[..]].concat());
        failed(&output, 2, "would write into the package");
    }
    assert!(!inside.join("data/record.jsonl").exists() && !inside.join("submissions/kept").exists());
}

#[test]
fn a_package_that_only_its_owner_may_read_is_judged_as_any() {
    let Some(folder) = sandbox_package() else { return };
    let check = "#!/bin/sh\ncat \"$1\" \"$2\" helper >> \"$3/judgemessage.txt\" && read said && [ \"$said\" = 1 ] && exit 42\nexit 43\n";
    for (name, content) in [
        ("p/problem.yaml", "name: P\nvalidation: custom\n"),
        ("p/output_validators/check/run", check),
        ("p/output_validators/check/helper", "helps\n"),
        ("p/input_validators/all/build", "#!/bin/sh\numask 077\ncp source run && chmod u+x run\n"),
        ("p/input_validators/all/source", "#!/bin/sh\n[ \"$(cat data.txt)\" = x ] && exit 42\n"),
        ("p/data/secret/01-one.files/data.txt", "x"),
        ("p/data/secret/02-two.files/data.txt", "x"),
        ("p/submissions/accepted/a.sh", "#!/bin/bash\n[ \"$(cat data.txt)\" = x ] && echo 1\n"),
    ] {
        put(folder.path(), name, content);
    }
    for entry in walkdir::WalkDir::new(folder.path().join("p")) {
        let path = entry.unwrap().into_path();
        let is_script = path.ends_with("run") || path.ends_with("build");
        let mode = if path.is_dir() || is_script { 0o700 } else { 0o600 };
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    }
    // Files made meanwhile must be readable for others, whatever the caller's umask is.
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "umask 077; exec \"$0\" judge --wait p --json", env!("CARGO_BIN_EXE_tauto")]);
    let output = command.current_dir(folder.path()).output().unwrap();
    let report: documents::JudgeReport = documents::from_json(&text(&output.stdout)).unwrap();
    assert_eq!((output.status.code(), report.summary.as_expected), (Some(0), 2), "{report:?}");
    assert!(!report.warnings.iter().any(|warning| warning.starts_with("test data")), "{:?}", report.warnings);
    let message = report.submissions[0].runs[0].judge_message.as_deref();
    assert_eq!(message, Some("\n1\nhelps\n"));
}

/// The launchers of all slots are killed while a submission runs, as by a machine that is out of memory.
#[test]
fn a_run_that_loses_its_slot_is_done_again() {
    let Some(folder) = sandbox_package() else { return };
    // Which process of the machine it is can be seen by its arguments.
    let time = format!("2.{}", std::process::id());
    fs::write(folder.path().join("slow.sh"), format!("#!/bin/bash\nsleep {time}\necho 1\n")).unwrap();
    let mut child = command(folder.path(), &["judge", "p", "slow.sh", "--json"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let tauto = child.id().to_string();
    let with_argument = |argument: &str| -> Vec<(u32, String)> {
        let processes = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let arguments = fs::read_to_string(entry.path().join("cmdline")).ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.to_owned();
            arguments.split('\0').any(|word| word == argument).then_some((id, parent))
        });
        processes.collect()
    };
    while with_argument(&time).is_empty() {
        std::thread::yield_now();
    }
    let launchers = with_argument("__launcher").into_iter().filter(|(_, parent)| *parent == tauto);
    let launchers: Vec<u32> = launchers.map(|(id, _)| id).collect();
    assert!(!launchers.is_empty());
    for launcher in launchers {
        let launcher = rustix::process::Pid::from_raw(launcher.cast_signed()).unwrap();
        rustix::process::kill_process(launcher, rustix::process::Signal::KILL).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let report: documents::JudgeReport = document(&output);
    let [slow] = report.submissions.as_slice() else { panic!("{:?}", report.submissions) };
    assert_eq!((slow.verdict.0.to_string().as_str(), slow.runs.len()), ("AC", 2), "{slow:?}");
}
