//! Submissions that are judged at the same time on a shared place.

use crate::table::{Row, check};
use anyhow::{Context, Result};
use judge::{
    Engine, JudgeError, JudgeOptions, Judgement, JudgingNotice, Notice, Order, Problem, Quiet,
    SubmissionSource,
};
use languages::SourceFile;
use model::{Nanos, RunResult, Verdict};
use package::Package;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Longer than anything here takes, unless something is wrong.
const TIME_MAX: Duration = Duration::from_secs(60);
/// It never ends by itself.
const FOR_EVER: &str = "int main(void) { for (;;) {} }\n";
/// It is over the limit by a third, and below K.
const SLOW: &str = "#include <time.h>
int main(void) {
    struct timespec now;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); while (now.tv_sec == 0 && now.tv_nsec < 400000000);
}
";
/// It is accepted if it sees a file that the host's toolchains do not need.
const SEES_ALL: &str = "#include <stdio.h>
#include <unistd.h>
int main(void) { puts(access(\"/root\", F_OK) == 0 ? \"1\" : \"0\"); }
";
const RIGHT: &str = "#include <stdio.h>\nint main(void) { puts(\"1\"); }\n";

pub fn run(engine: &Engine) -> Result<Vec<Row>> {
    Ok(vec![
        check("engine-cancels-one-alone", cancelled_alone(engine)?),
        check("engine-uses-rests", rests_are_used(engine)?),
        check("engine-shows-each-its-root", each_sees_its_root(engine)?),
    ])
}

/// Cancels one judging while it runs; another open one continues to its end.
fn cancelled_alone(engine: &Engine) -> Result<Option<String>> {
    let (problem, _folder) = problem(engine, Nanos::from_millis(100_000))?;
    let (sender, notices) = channel();
    let endless = open(engine, &problem, FOR_EVER, &sender)?;
    let right = open(engine, &problem, RIGHT, &sender)?;
    let mut ended: BTreeMap<u64, Result<Judgement, JudgeError>> = BTreeMap::new();
    while ended.len() < 2 {
        let JudgingNotice { judging, notice } =
            notices.recv_timeout(TIME_MAX).context("nothing happens any more")?;
        match notice {
            // By then it is in its first run, or about to begin it.
            Notice::Preparing if judging == right.number => endless.cancel(),
            Notice::Done(result) => drop(ended.insert(judging, *result)),
            _ => {}
        }
    }
    let is_cancelled = matches!(ended.get(&endless.number), Some(Err(JudgeError::Cancelled)));
    let is_judged =
        matches!(ended.get(&right.number), Some(Ok(judged)) if judged.verdict == Verdict::Accepted);
    Ok((!is_cancelled || !is_judged).then(|| format!("{ended:?}")))
}

/// Submissions that are open at once are compiled and run each with its own root.
fn each_sees_its_root(engine: &Engine) -> Result<Option<String>> {
    let (problem, _folder) = problem(engine, Nanos::from_millis(100_000))?;
    let (sender, notices) = channel();
    let mut numbers = Vec::new();
    for root in [None, Some("/".into()), None] {
        let source = SubmissionSource { root, ..source(SEES_ALL) };
        numbers.push(engine.judge(&problem, source, Order::default(), sender.clone())?.number);
    }
    let mut verdicts: BTreeMap<u64, String> = BTreeMap::new();
    while verdicts.len() < numbers.len() {
        let JudgingNotice { judging, notice } =
            notices.recv_timeout(TIME_MAX).context("nothing happens any more")?;
        if let Notice::Done(result) = notice {
            let verdict =
                result.map_or_else(|error| error.to_string(), |judged| judged.verdict.clics_id().to_owned());
            verdicts.insert(judging, verdict);
        }
    }
    let verdicts: Vec<&str> = verdicts.values().map(String::as_str).collect();
    Ok((verdicts != ["WA", "AC", "WA"]).then(|| format!("{verdicts:?}")))
}

/// While a slow one rests between its runs others are judged; while it runs again helpers are paused.
fn rests_are_used(engine: &Engine) -> Result<Option<String>> {
    let (problem, _folder) = problem(engine, Nanos::from_millis(300))?;
    let (sender, notices) = channel();
    let slow = open(engine, &problem, SLOW, &sender)?;
    let others: Vec<u64> =
        (0..3).map(|_| Ok(open(engine, &problem, RIGHT, &sender)?.number)).collect::<Result<_>>()?;
    let mut done = Vec::new();
    let mut verdicts = Vec::new();
    let mut repeats: Vec<RunResult> = Vec::new();
    while done.len() < 4 {
        let JudgingNotice { judging, notice } =
            notices.recv_timeout(TIME_MAX).context("nothing happens any more")?;
        match notice {
            Notice::Ran { attempt, run, .. } if attempt > 1 => repeats.push(*run),
            Notice::Done(result) => {
                done.push(judging);
                verdicts
                    .push((judging, result.map(|judged| judged.verdict).map_err(|error| error.to_string())));
            }
            _ => {}
        }
    }
    // By the rule at least two more runs; if times vary, it may also be undecided.
    let is_repeated = repeats.len() >= 2;
    let are_right = verdicts.iter().all(|(judging, verdict)| match verdict {
        Ok(verdict) if *judging == slow.number => {
            matches!(verdict, Verdict::TimeLimitExceeded | Verdict::JudgingError)
        }
        Ok(verdict) => others.contains(judging) && *verdict == Verdict::Accepted,
        Err(_) => false,
    });
    let has_freezer = ["/sys/fs/cgroup/cgroup.controllers", "/sys/fs/cgroup/unified/cgroup.controllers"]
        .iter()
        .any(|file| fs::exists(file).unwrap_or(false));
    let is_alone = |run: &RunResult| {
        run.evidence.neighbours.known().is_some_and(|neighbours| neighbours.helpers.is_empty())
    };
    let are_alone = !has_freezer || repeats.iter().all(is_alone);
    let is_good = is_repeated && are_right && are_alone && done.last() == Some(&slow.number);
    Ok((!is_good).then(|| format!("slow {}, done {done:?}, {verdicts:?}, repeats {repeats:?}", slow.number)))
}

/// Makes a problem of one case; its folder has to outlive it.
fn problem(engine: &Engine, limit: Nanos) -> Result<(Arc<Problem>, TempDir)> {
    let folder = tempfile::tempdir()?;
    fs::create_dir_all(folder.path().join("data/secret"))?;
    let text = "problem_format_version: 2025-09\nname: One\nuuid: 0b5e32ae-b5a6-4b3c-9f0e-2d5a8c2b7d11\n";
    fs::write(folder.path().join("problem.yaml"), text)?;
    fs::write(folder.path().join("data/secret/1.in"), "1\n")?;
    fs::write(folder.path().join("data/secret/1.ans"), "1\n")?;
    let scratch = tempfile::tempdir()?;
    let package = Arc::new(Package::open(folder.path(), scratch.path())?);
    let options =
        JudgeOptions { time_limit: Some(limit), patience: Some(Nanos::ZERO), ..JudgeOptions::default() };
    let (problem, _) = Problem::prepare(engine, package, options, &mut Quiet)?;
    Ok((problem, folder))
}

fn open(
    engine: &Engine,
    problem: &Arc<Problem>,
    text: &str,
    sender: &Sender<JudgingNotice>,
) -> Result<judge::JudgingHandle> {
    Ok(engine.judge(problem, source(text), Order::default(), sender.clone())?)
}

fn source(text: &str) -> SubmissionSource {
    let files = vec![SourceFile { name: "a.c".to_owned(), bytes: text.as_bytes().to_vec() }];
    SubmissionSource { name: "a.c".to_owned(), files, ..SubmissionSource::default() }
}
