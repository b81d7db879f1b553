//! `tauto submit`: sends a program, and shows its verdict as it comes.

use super::names::{Problems, refuse_unknown};
use super::watch::pause;
use crate::arguments::SubmitArguments;
use crate::client::{Client, base64, segment};
use crate::output::done;
use anyhow::Context;
use documents::contest::{
    FileUpload, Judgement, JudgementDetails, Language, NewSubmission, Problem, Run, Submission,
};
use languages::{FILES_MAX, Languages, SourceFile};
use model::Verdict;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use terminal::failure::{because, cannot, input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::{Colour, Progress, print, verdict_style, visible};

/// No contest takes larger programs.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Judging a case takes about as long.
const ASK_EVERY: Duration = Duration::from_millis(250);
/// While nothing happens: a queue.
const ASK_SLOWLY: Duration = Duration::from_secs(2);

pub fn run(arguments: &SubmitArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let files = read(&arguments.files)?;
    let problems = Problems::of(&client)?;
    let problem = match &arguments.problem {
        Some(problem) => problems.require(problem)?,
        None => infer(&arguments.files[0], &problems)?,
    };
    let language = match &arguments.language {
        Some(language) => known_language(&client, language)?,
        None => Languages::builtin()
            .detect(&files)
            .context(because("cannot detect the language; name it with --lang"))?
            .id
            .clone(),
    };
    let uploads = files.iter().map(|file| FileUpload {
        data: base64(&file.bytes),
        filename: Some(file.name.clone()),
        mime: None,
    });
    let wanted = NewSubmission {
        reaction: None,
        id: None,
        language_id: language.clone(),
        problem_id: problem.id.clone(),
        team_id: arguments.team.clone(),
        account_id: None,
        time: None,
        contest_time: None,
        entry_point: arguments.entry_point.clone(),
        files: uploads.collect(),
    };
    let path = client.in_contest("submissions")?;
    let answer = client.send("POST", &path, &wanted)?;
    let submission: Submission = serde_json::from_slice(&answer)?;
    if !arguments.wait || !json {
        done(&format!("submission {}: {} in {language}", submission.id, problem.label), &answer, json)?;
    }
    if !arguments.wait {
        return Ok(ExitCode::SUCCESS);
    }
    wait(&client, &submission, problem, json)
}

/// Refuses a language that the contest does not have.
fn known_language(client: &Client, id: &str) -> anyhow::Result<String> {
    let languages: Vec<Language> = client.get(&client.in_contest("languages")?)?;
    refuse_unknown("the contest", "language", id, languages.iter().map(|language| language.id.as_str()))?;
    Ok(id.to_owned())
}

fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<SourceFile>> {
    if paths.len() > FILES_MAX {
        return Err(input(format!("{} files, at most {FILES_MAX} are allowed", paths.len())));
    }
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let failed = || cannot("read", path);
        let data = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && is_label(path) => {
                return Err(input_with_hint(
                    format!("there is no file {}", path.display()),
                    format!("if it is the problem: --problem {}", path.display()),
                ));
            }
            data => data.with_context(failed)?,
        };
        if !data.is_file() {
            return Err(input(format!("{} is not a file; name each file of the submission", path.display())));
        }
        if data.len() > FILE_BYTES_MAX {
            return Err(input(format!(
                "{} has {} bytes; programs have at most {FILE_BYTES_MAX}",
                path.display(),
                data.len()
            )));
        }
        let name = path.file_name().unwrap_or_default();
        files.push(SourceFile::from_os(name, fs::read(path).with_context(failed)?)?);
    }
    Ok(files)
}

/// Returns whether a name looks like the label of a problem, such as `B` or `B2`, rather than like a file.
fn is_label(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    name.len() <= 2
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(u8::is_ascii_alphanumeric)
}

/// Finds the problem by the name of the file, or of a folder around it.
fn infer<'p>(path: &Path, problems: &'p Problems) -> anyhow::Result<&'p Problem> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let stem = real.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let first = stem.split(['-', '_', '.']).next().unwrap_or_default().to_owned();
    let folders =
        real.ancestors().skip(1).filter_map(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let found = [stem, first].into_iter().chain(folders).find_map(|name| problems.find(&name));
    found.ok_or_else(|| {
        input_with_hint(
            format!("cannot infer the problem from '{}'", path.display()),
            format!("name it with --problem; the contest has {}", problems.list()),
        )
    })
}

/// Shows each test as it is judged, and returns the verdict as an exit code.
fn wait(client: &Client, submission: &Submission, problem: &Problem, json: bool) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let progress = Progress::on_stderr(!json);
    let of_submission =
        client.in_contest(&format!("judgements?submission_id={}", segment(&submission.id)))?;
    let mut shown = 0;
    let mut last_id = String::new();
    let mut quiet = 0_u32;
    loop {
        let judgements: Vec<Judgement> = client.get(&of_submission)?;
        let current = judgements.iter().find(|one| one.current).or(judgements.first());
        if let Some(judgement) = current {
            if judgement.id != last_id {
                last_id.clone_from(&judgement.id);
                shown = 0;
            }
            let runs = client.in_contest(&format!("runs?judgement_id={}", segment(&judgement.id)))?;
            let mut runs: Vec<Run> = client.get(&runs)?;
            runs.sort_by_key(|run| run.ordinal);
            for run in runs.iter().skip(shown).filter(|_| !json) {
                let id = run.judgement_type_id.as_str();
                let words = id.parse::<Verdict>().map_or("", Verdict::words);
                let (number, cases) = (run.ordinal, problem.test_data_count);
                let line = format!("  test {number}/{cases}: {id:<3} {words}, {:.3} s\n", run.run_time);
                progress.around(|| print(&visible(&line)))?;
            }
            quiet = if runs.len() > shown { 0 } else { quiet + 1 };
            shown = runs.len();
            if judgement.judgement_type_id.is_some() {
                drop(progress);
                return finish(client, judgement, problem, json);
            }
            progress.say(if shown == 0 { "waiting" } else { "judging" });
        }
        pause(&interrupt, if quiet > 40 { ASK_SLOWLY } else { ASK_EVERY })?;
    }
}

fn finish(client: &Client, judgement: &Judgement, problem: &Problem, json: bool) -> anyhow::Result<ExitCode> {
    let id = judgement.judgement_type_id.as_deref().unwrap_or_default();
    if json {
        print(&client.get_text(&client.in_contest(&format!("judgements/{}", segment(&judgement.id)))?)?)?;
    } else {
        let slowest =
            judgement.max_run_time.map_or_else(String::new, |time| format!(", slowest {time:.3} s"));
        let limit = problem.time_limit.filter(|_| id == "TLE");
        let limit = limit.map_or_else(String::new, |limit| format!(", limit {limit:.3} s"));
        let score = judgement.score.map_or_else(String::new, |score| format!(", {score} points"));
        let words = match id.parse::<Verdict>() {
            Ok(verdict) => {
                let text = format!("{} ({id})", verdict.words());
                Colour::for_stdout().paint(verdict_style(verdict), &text)
            }
            Err(_) => visible(id),
        };
        let mut text = format!("verdict: {words}{score}{slowest}{limit}\n");
        if id == "CE" {
            let path = client.in_contest(&format!("judgements/{}/details", segment(&judgement.id)))?;
            let details: JudgementDetails = client.get(&path)?;
            text.push_str(&visible(details.compile_output.as_deref().unwrap_or_default()));
        }
        print(&text)?;
    }
    Ok(ExitCode::from(match id {
        "AC" => 0,
        "JE" => 3,
        _ => 1,
    }))
}
