//! `tauto judge` on a package in an archive. Needs root; without it the test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::document;
use common::real::{sandbox_folder, tauto};
use documents::JudgeReport;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use walkdir::WalkDir;

/// Some submissions of the sample package, enough for each kind of score.
const SUBMISSIONS: [&str; 3] =
    ["accepted/rolling.py", "partially_accepted/greedy.py", "wrong_answer/one_apple_more.c"];

/// Packs the sample package with a few of its submissions as a user would: a folder in an archive.
fn pack_sample(archive: &Path) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems/harvest");
    let mut zip = zip::ZipWriter::new(fs::File::create(archive).unwrap());
    for entry in WalkDir::new(&sample).sort_by_file_name() {
        let entry = entry.unwrap();
        let name = entry.path().strip_prefix(&sample).unwrap().to_str().unwrap();
        let left_out =
            name.strip_prefix("submissions/").is_some_and(|submission| !SUBMISSIONS.contains(&submission));
        if entry.file_type().is_file() && !left_out {
            zip.start_file(format!("harvest/{name}"), zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(&fs::read(entry.path()).unwrap()).unwrap();
        }
    }
    zip.finish().unwrap();
}

/// Unpacks an archive with the library alone, into a folder of the same name.
fn unpack(archive: &Path) {
    let mut zip = zip::ZipArchive::new(fs::File::open(archive).unwrap()).unwrap();
    zip.extract(archive.parent().unwrap()).unwrap();
}

fn judge(folder: &Path, package: &str) -> JudgeReport {
    document(&tauto(folder, &["judge", package, "--json"]))
}

/// Everything that does not depend on the machine's present speed.
fn result(report: &JudgeReport) -> String {
    let mut lines = vec![format!("{:?} {:?}", report.package.hash, report.time_limit.value_ns)];
    for submission in &report.submissions {
        let runs: Vec<_> = submission.runs.iter().map(|run| (&run.case, run.verdict)).collect();
        let groups: Vec<_> = submission.groups.iter().map(|group| (&group.name, group.score)).collect();
        lines.push(format!(
            "{} {:?} {:?} {:?} {groups:?} {runs:?}",
            submission.name, submission.verdict, submission.as_expected, submission.score
        ));
    }
    lines.join("\n")
}

#[test]
fn an_archive_is_judged_like_its_folder() {
    let Some(folder) = sandbox_folder() else { return };
    let archive = folder.path().join("harvest.zip");
    pack_sample(&archive);
    unpack(&archive);
    let (packed, unpacked) = (judge(folder.path(), "harvest.zip"), judge(folder.path(), "harvest"));
    assert_eq!(result(&packed), result(&unpacked));
    assert_eq!((packed.package.name.as_str(), packed.package.path.as_str()), ("harvest", "harvest.zip"));
    assert_eq!((packed.summary.submissions, packed.summary.as_expected), (3, 3));
    let scores: Vec<_> = packed.submissions.iter().map(|submission| submission.score).collect();
    assert!(scores[0] == Some(100.0) && scores[1] < scores[0] && scores[1] > scores[2], "{scores:?}");
    // The archive is only read.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn files_unpacked_by_a_killed_judge_are_removed_at_the_next_start() {
    let Some(folder) = sandbox_folder() else { return };
    pack_sample(&folder.path().join("harvest.zip"));
    fs::write(folder.path().join("idle.sh"), "#!/bin/sh\nsleep 1000\n").unwrap();
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let judge = |submissions: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
        command.args(["judge", "--wait", "harvest.zip"]).args(submissions).current_dir(folder.path());
        command.env("TMPDIR", &temporary).stdout(Stdio::null());
        command
    };
    let answers = || {
        let files = WalkDir::new(&temporary).into_iter().flatten();
        files.filter(|file| file.path().extension().is_some_and(|extension| extension == "ans")).count()
    };
    let quick = folder.path().join("quick.py");
    fs::write(&quick, "print()\n").unwrap();
    let mut killed = judge(&["quick.py", "idle.sh"]).stderr(Stdio::piped()).spawn().unwrap();
    // When the first submission is reported, the second one sleeps. A line about CPUs held by others may come first.
    let mut lines = BufReader::new(killed.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| !line.starts_with("waiting:") && line.contains("quick.py")));
    assert!(answers() > 0);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(answers() > 0, "a killed process removes nothing");
    judge(&["quick.py"]).stderr(Stdio::null()).status().unwrap();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}
