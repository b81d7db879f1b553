//! Two judgehosts that judge the same submissions, one of them on a machine that is busy.

use crate::child::Busy;
use crate::figure::{Figure, figure};
use crate::judging::{Host, Site};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PROBLEMS: [&str; 5] = ["different", "guess", "sieve", "catenary", "harvest"];
/// Its interactor ends programs, which may be anywhere then.
const INTERACTIVE: &str = "guess";
const SUBMISSIONS: usize = 100;
const BUSY: usize = 4;
const PATIENCE: Duration = Duration::from_secs(1200);

/// A submission of a package: its problem, its language, its file.
struct Submission {
    problem: &'static str,
    language: String,
    path: PathBuf,
}

pub fn figures(tauto: &Path) -> Result<Vec<Figure>> {
    let submissions = submissions()?;
    let quiet = judged(tauto, &submissions)?;
    let busy = {
        let _busy = Busy::begin(BUSY)?;
        judged(tauto, &submissions)?
    };
    let mut different = 0;
    for (at, submission) in submissions.iter().enumerate() {
        if quiet[at] != busy[at] {
            different += 1;
            eprintln!("bench: {}: {:?} and {:?}", submission.path.display(), quiet[at], busy[at]);
        }
    }
    let counts = || quiet.iter().flat_map(|judged| &judged.counts);
    let (runs, ended) = (counts().count(), counts().filter(|count| count.is_none()).count());
    let verdicts: Vec<&str> = quiet.iter().map(|judged| judged.verdict.as_str()).collect();
    let kinds = ["AC", "WA", "TLE", "RTE"].map(|kind| {
        let count = verdicts.iter().filter(|verdict| **verdict == kind).count();
        format!("{count} {kind}")
    });
    let what = format!(
        "{SUBMISSIONS} submissions ({}, {runs} runs, {ended} of them ended by the judge) by two judgehosts, one while {BUSY} programs compute: those with another verdict or count",
        kinds.join(", ")
    );
    Ok(vec![figure("hosts", what, f64::from(different), "").under(0.5)])
}

/// Takes submissions of languages with one thread from each problem in turns.
fn submissions() -> Result<Vec<Submission>> {
    let mut of_problems = Vec::new();
    for problem in PROBLEMS {
        let folder = package(problem).join("submissions");
        let mut found = Vec::new();
        for kind in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            // What is expected may stand in a file next to the folders.
            let kind = kind?.path();
            if !kind.is_dir() {
                continue;
            }
            for entry in std::fs::read_dir(kind)? {
                let path = entry?.path();
                let language = match path.extension().and_then(|extension| extension.to_str()) {
                    Some("c") => "c",
                    Some("cpp") => "cpp",
                    Some("py") => "python3",
                    Some("rs") => "rust",
                    Some("pas") => "pascal",
                    Some("lua") => "lua",
                    Some("pl") => "perl",
                    Some("ml") => "ocaml",
                    Some("awk") => "awk",
                    Some("sh") => "bash",
                    Some("rb") => "ruby",
                    _ => continue,
                };
                found.push(Submission { problem, language: language.to_owned(), path });
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        of_problems.push(found);
    }
    let all: Vec<Submission> = of_problems.into_iter().flatten().collect();
    ensure!(!all.is_empty(), "the sample packages have no submissions");
    // The same one again is a submission like others.
    let mut chosen: Vec<Submission> = Vec::new();
    for at in 0..SUBMISSIONS {
        let Submission { problem, language, path } = &all[at % all.len()];
        chosen.push(Submission { problem, language: language.clone(), path: path.clone() });
    }
    Ok(chosen)
}

fn package(problem: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../problems").join(problem)
}

/// What a judgehost found: all that must not depend on the machine.
#[derive(Debug, PartialEq, Eq)]
struct Judged {
    verdict: String,
    /// Instructions of each run; `None` for one that the judge ended, since where it was then is chance.
    counts: Vec<Option<u64>>,
}

fn judged(tauto: &Path, submissions: &[Submission]) -> Result<Vec<Judged>> {
    let site = Site::start()?;
    site.contest("counted", None)?;
    for (problem, label) in PROBLEMS.into_iter().zip('B'..) {
        site.add_problem(problem, &label.to_string(), &test_support::zip_of(&package(problem)))?;
    }
    let folder = tempfile::tempdir()?;
    let terms = ["--pool", "counted", "--clock", "instructions", "--places", "1", "--shared"];
    let _host = Host::start(tauto, &site, &folder, &terms)?;
    let mut ids = Vec::new();
    for (at, submission) in submissions.iter().enumerate() {
        let source = std::fs::read(&submission.path)?;
        let name = submission.path.file_name().context("a name")?.to_string_lossy().into_owned();
        ids.push(site.submit_file(at, submission.problem, &submission.language, &name, &source)?);
    }
    let begin = Instant::now();
    let mut told = 0;
    let judgements = loop {
        let all = site.judgements()?;
        let done: BTreeMap<String, Value> = all
            .into_iter()
            .filter(|judgement| !judgement["judgement_type_id"].is_null())
            .filter_map(|judgement| Some((judgement["submission_id"].as_str()?.to_owned(), judgement)))
            .collect();
        if done.len() >= told + 20 {
            told = done.len();
            eprintln!("bench: {told} of {SUBMISSIONS} judged after {:.0} s", begin.elapsed().as_secs_f64());
        }
        if done.len() == ids.len() {
            break done;
        }
        ensure!(begin.elapsed() < PATIENCE, "{} of {SUBMISSIONS} are judged after {PATIENCE:?}", done.len());
        std::thread::sleep(Duration::from_secs(1));
    };
    ids.iter()
        .zip(submissions)
        .map(|(id, submission)| {
            let judgement = judgements.get(id).context("a judgement is missing")?;
            let number = judgement["id"].as_str().context("a judgement without an id")?;
            let record = site.record(number)?;
            Ok(Judged {
                verdict: judgement["judgement_type_id"].as_str().unwrap_or_default().to_owned(),
                counts: counts(&record, submission.problem),
            })
        })
        .collect()
}

/// Returns the instructions of each run in a record.
fn counts(record: &str, problem: &str) -> Vec<Option<u64>> {
    let lines = record.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let count = |line: Value| {
        let count = line["case"]["instructions"].as_u64()?;
        // At its limit of instructions a run has that limit as its count.
        let ended_itself = match line["case"]["verdict"].as_str() {
            Some("AC" | "TLE") => true,
            Some("WA" | "RTE") => problem != INTERACTIVE,
            _ => false,
        };
        Some(ended_itself.then_some(count))
    };
    lines.filter_map(count).collect()
}
