//! What a jury needs to look into a submission, in one archive; and all sources for a search for copies.

use crate::extract::Query;
use crate::handlers::{Id, InContest};
use crate::wire::{numbered, wire_details, wire_judgement, wire_problem, wire_run, wire_submission};
use crate::zips::{self, Zip};
use crate::{App, Problem};
use axum::response::Response;
use contest_rules::view::View;
use contest_rules::{BlobHash, SubmissionNumber, SubmittedFile, TeamId};
use documents::contest as api;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};

/// Longer lines of a record are in the record only.
const LINE_BYTES_MAX: u64 = 1 << 20;

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct DebugQuery {
    /// Whether the problem's package is in it.
    package: bool,
}

/// A judgement with what belongs to it.
struct Judged {
    judgement: api::Judgement,
    details: api::JudgementDetails,
    runs: Vec<api::Run>,
    compile_output: Option<BlobHash>,
    evidence: Option<BlobHash>,
}

struct Debugged {
    submission: api::Submission,
    problem: api::Problem,
    files: Vec<SubmittedFile>,
    package: Option<BlobHash>,
    judgements: Vec<Judged>,
}

/// Returns all about a submission as a zip.
pub async fn debug(
    at: InContest,
    Id(submission): Id,
    Query(query): Query<DebugQuery>,
) -> Result<Response, Problem> {
    let number = SubmissionNumber(numbered("submission", &submission)?);
    let debugged = at.view(|view| {
        let shown = view.submission(number)?;
        view.require_jury()?;
        let problem = view.problem(shown.problem)?;
        let judged = |found: &contest_rules::view::JudgementView<'_>| Judged {
            judgement: wire_judgement(found),
            details: wire_details(&at.contest, found),
            runs: view.runs(found.key).unwrap_or_default().iter().map(wire_run).collect(),
            compile_output: found.compile_output.cloned(),
            evidence: found.evidence.cloned(),
        };
        Ok(Debugged {
            submission: wire_submission(view, &shown),
            files: view.source(number)?.to_vec(),
            package: problem
                .jury
                .as_ref()
                .map(|jury| jury.settings.package.clone())
                .filter(|_| query.package),
            problem: wire_problem(&at.contest, &problem),
            judgements: view.judgements_of_submission(number)?.iter().map(judged).collect(),
        })
    })?;
    let name = format!("{}-submission-{number}.zip", at.contest);
    zips::answer(&at.app, &name, move |app, zip| write_debug(app, zip, &at.contest, &debugged)).await
}

fn write_debug(app: &App, zip: &mut Zip, contest: &str, debugged: &Debugged) -> Result<(), Problem> {
    let Debugged { submission, problem, files, package, judgements } = debugged;
    zip.bytes("README.md", readme(contest, debugged).as_bytes())?;
    zip.json("submission.json", submission)?;
    zip.json("problem.json", problem)?;
    for file in files {
        zip.blob(app, &format!("source/{}", file.name), &file.blob)?;
    }
    for judged in judgements {
        let folder = format!("judgements/{}", judged.judgement.id);
        zip.json(
            &format!("{folder}/judgement.json"),
            &json!({"judgement": judged.judgement, "details": judged.details}),
        )?;
        if let Some(hash) = &judged.compile_output {
            zip.blob(app, &format!("{folder}/compile-output.txt"), hash)?;
        }
        write_cases(app, zip, &format!("{folder}/cases.ndjson"), judged)?;
        if let Some(hash) = &judged.evidence {
            zip.blob(app, &format!("{folder}/record.jsonl"), hash)?;
        }
    }
    match package {
        Some(hash) => zip.blob(app, &format!("{}.zip", problem.id), hash),
        None => Ok(()),
    }
}

/// Writes a line for each case: what counts, and what the record says about the output.
fn write_cases(app: &App, zip: &mut Zip, name: &str, judged: &Judged) -> Result<(), Problem> {
    let mut recorded = match &judged.evidence {
        Some(hash) => recorded_cases(app, hash)?,
        None => Vec::new(),
    }
    .into_iter();
    let lines = zip.lines(name)?;
    for run in &judged.runs {
        let mut line = json!({
            "ordinal": run.ordinal, "verdict": run.judgement_type_id, "run_time": run.run_time,
            "contest_time": run.contest_time,
        });
        // Both are in the order of judging.
        if let (Some(Value::Object(case)), Some(line)) = (recorded.next(), line.as_object_mut()) {
            line.extend(case);
        }
        writeln!(lines, "{line}").map_err(Problem::internal)?;
    }
    Ok(())
}

/// Returns what a record says about each case's output.
fn recorded_cases(app: &App, hash: &BlobHash) -> Result<Vec<Value>, Problem> {
    let content = app.blobs.get(&hash.0.parse().map_err(Problem::internal)?, None)?;
    let mut content = BufReader::new(content);
    let mut cases = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = content.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.map_err(Problem::internal)? == 0 {
            return Ok(cases);
        }
        let Ok(entry) = serde_json::from_slice::<Value>(&line) else { continue };
        if entry["kind"] != "case" {
            continue;
        }
        let kept = [
            "case",
            "cpu_time_ns",
            "wall_time_ns",
            "memory_peak_bytes",
            "end",
            "score",
            "judge_message",
            "team_message",
            "stderr_excerpt",
            "first_difference",
        ];
        let case = &entry["case"];
        let kept = kept.iter().filter(|name| !case[**name].is_null());
        cases.push(Value::Object(kept.map(|name| ((*name).to_owned(), case[*name].clone())).collect()));
    }
}

fn readme(contest: &str, debugged: &Debugged) -> String {
    let Debugged { submission, problem, files, package, .. } = debugged;
    let (id, language) = (&submission.id, &submission.language_id);
    let team = submission.team_id.as_deref().unwrap_or("the jury");
    let names: Vec<String> = files.iter().map(|file| quoted(&format!("source/{}", file.name))).collect();
    let what = if names.len() == 1 { names[0].clone() } else { "source/".to_owned() };
    let entry = submission.entry_point.iter().flatten();
    let entry: String = entry.map(|name| format!(" --entry-point {}", quoted(name))).collect();
    let get = match package {
        Some(_) => String::new(),
        None => {
            format!("tauto problem package {} --contest {contest} --out {}.zip\n", problem.id, problem.id)
        }
    };
    format!(
        "# Submission {id} of contest {contest}\n\n\
         Problem {} ({}), language {language}, by {team}, at {} in the contest.\n\n\
         | file | content |\n|---|---|\n\
         | `source/` | what was submitted |\n\
         | `submission.json`, `problem.json` | the submission; the problem with its limits |\n\
         | `judgements/ID/judgement.json` | verdict, times, pool, judgehost |\n\
         | `judgements/ID/compile-output.txt` | what the compiler printed |\n\
         | `judgements/ID/cases.ndjson` | each case: verdict, times, where output and answer first differ, messages |\n\
         | `judgements/ID/record.jsonl` | the record of all runs: `tauto judge --verify FILE PACKAGE --explain` |\n\n\
         To judge it again:\n\n```sh\n{get}sudo tauto judge {}.zip {what} --lang {language}{entry} --all --keep\n```\n\n\
         `--keep` keeps each case's output and the checker's messages.\n",
        problem.id, problem.name, submission.contest_time, problem.id,
    )
}

/// Returns a word of a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/+".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Which submissions are searched for copies.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct MossQuery {
    /// `last` (the default) or `all` submissions of a team to a problem in a language.
    which: Option<String>,
    /// Only those that solve the problem.
    solved: bool,
    problem_id: Option<String>,
}

/// Returns the sources as the scripts of MOSS take them: a folder for each problem, language and submission.
pub async fn moss(at: InContest, Query(query): Query<MossQuery>) -> Result<Response, Problem> {
    let is_all = match query.which.as_deref() {
        None | Some("last") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::invalid_field("which", "it is 'last' or 'all'")),
    };
    let files = at.view(|view| {
        view.require_jury()?;
        Ok(sources(view, is_all, query.solved, query.problem_id.as_deref()))
    })?;
    let build = move |app: &App, zip: &mut Zip| {
        files.iter().try_for_each(|(folder, files)| {
            files.iter().try_for_each(|file| zip.blob(app, &format!("{folder}/{}", file.name), &file.blob))
        })
    };
    zips::answer(&at.app, &format!("{}-sources.zip", at.contest), build).await
}

/// Returns the files of submissions by their folders. Submissions that do not count and those after the end are left out.
fn sources(
    view: &View<'_>,
    is_all: bool,
    is_solved: bool,
    problem: Option<&str>,
) -> BTreeMap<String, Vec<SubmittedFile>> {
    let is_wanted = |shown: &contest_rules::view::SubmissionView<'_>| {
        let solves = || {
            let judgements = view.judgements_of_submission(shown.number).unwrap_or_default();
            judgements.iter().any(|judgement| {
                let accepted =
                    |outcome: contest_rules::Outcome| outcome.verdict.0 == model::Verdict::Accepted;
                judgement.is_current && judgement.outcome.is_some_and(accepted)
            })
        };
        shown.ignored.is_none()
            && !shown.is_practice
            && problem.is_none_or(|problem| shown.problem.as_str() == problem)
            && (!is_solved || solves())
    };
    let mut last: BTreeMap<(String, Option<&TeamId>), String> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for shown in view.submissions().filter(is_wanted) {
        let kind = format!("{}/{}", shown.problem, shown.language);
        let team = shown.team.map_or("jury", TeamId::as_str);
        let folder = format!("{kind}/{team}_{}", shown.number);
        if !is_all && let Some(before) = last.insert((kind, shown.team), folder.clone()) {
            found.remove(&before);
        }
        found.insert(folder, shown.files.unwrap_or_default().to_vec());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_for_a_shell_are_quoted() {
        assert_eq!(quoted("source/a.cpp"), "source/a.cpp");
        assert_eq!(quoted("it's; rm"), "'it'\\''s; rm'");
    }
}
