//! `tauto judge --verify`: checks that a record is unchanged and that its verdicts follow from its runs.

use super::explain::{add_left_out, add_submission, is_left_out};
use crate::scratch::Scratch;
use documents::{RecordExplanation, RecordVerification};
use model::ScoreRules;
use package::{Package, PackageOptions};
use record::{PackageContent, PackageFacts, PackagePoints, RecordError, Submissions};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;
use terminal::{print, prose, visible};

/// Checks and reports, and explains the recorded verdicts if requested; the exit code is 1 if the record is not valid.
pub fn run(file: &Path, problem: Option<&Path>, is_explained: bool, json: bool) -> anyhow::Result<ExitCode> {
    let shown = file.display().to_string();
    let open = || File::open(file).map_err(|source| RecordError::Open { file: shown.clone(), source });
    let mut verification = record::verify(BufReader::new(open()?), &shown)?;
    let given = problem.map(content_of).transpose()?;
    record::compare_packages(&mut verification, BufReader::new(open()?), |recorded| match &given {
        Some(content) => Ok(content.clone()),
        None if !Path::new(recorded).exists() => Err("it is not there; give its place after FILE".to_owned()),
        None => content_of(Path::new(recorded)).map_err(|error| format!("{error:#}")),
    })?;
    let mut why = String::new();
    if is_explained {
        why = explain(&mut verification, Submissions::new(BufReader::new(open()?), &shown));
    }
    print(&if json { documents::to_json(&verification) } else { format!("{why}{}", text(&verification)) })?;
    Ok(ExitCode::from(u8::from(!verification.holds)))
}

/// Adds the explanations, and returns them for display. Parts that cannot be read are already findings, and are not
/// explained.
fn explain(verification: &mut RecordVerification, submissions: Submissions<'_, impl BufRead>) -> String {
    let (mut text, mut left_out) = (String::new(), 0);
    let count = usize::try_from(verification.submissions).unwrap_or(usize::MAX);
    for one in submissions.flatten() {
        let Ok(explanation) = one.explain() else { continue };
        let submission = &one.submission.submission;
        if is_left_out(count, submission.verdict.0) {
            left_out += 1;
        } else {
            add_submission(&mut text, &submission.name, submission.verdict.0, &explanation);
        }
        verification.explanations.push(RecordExplanation {
            line: one.line,
            submission: submission.name.clone(),
            verdict: submission.verdict,
            explanation: explanation.sentences(),
        });
    }
    add_left_out(&mut text, left_out);
    if text.is_empty() { text } else { format!("Why, as recorded:\n{text}\n") }
}

fn content_of(path: &Path) -> anyhow::Result<PackageContent> {
    let scratch = Scratch::new(&|| false)?;
    let package = Package::open(path, scratch.path())?;
    let mut points = PackagePoints::default();
    let has_two_readings = package.format.is_legacy() && package.scores.is_some();
    // A record may be by the rules that the package's files do not show, if it can have them.
    for rules in ScoreRules::ALL.into_iter().filter(|_| has_two_readings) {
        let options = PackageOptions { scores: Some(rules), ..PackageOptions::default() };
        let by_rules = Package::open_with(&package.root, scratch.path(), &options, &|| false);
        by_rules.iter().for_each(|package| points.add(package));
    }
    Ok(PackageContent {
        place: path.display().to_string(),
        hash: judge::package_hash(&package.root, None)?,
        facts: PackageFacts::of(&package),
        points,
    })
}

fn text(verification: &RecordVerification) -> String {
    let RecordVerification { lines, judgings, submissions, cases, runs, .. } = verification;
    let counts = format!(
        "{}: lines {lines}, judgings {judgings}, submissions {submissions}, cases {cases}, runs {runs}",
        visible(&verification.file)
    );
    let mut text = prose("", 2, &counts);
    for package in &verification.packages {
        let detail = format!("package {}: {}", visible(&package.path), visible(&package.detail));
        text.push_str(&prose("", 2, &detail));
    }
    if verification.decided_with_interactor > 0 {
        let why = "cases decided with the interactor or between passes, which runs cannot show";
        text.push_str(&prose("", 2, &format!("{why}: {}", verification.decided_with_interactor)));
    }
    for note in &verification.notes {
        text.push_str(&prose("note: ", 2, &visible(note)));
    }
    for finding in &verification.findings {
        text.push_str(&prose(&format!("line {}: ", finding.line), 2, &visible(&finding.message)));
    }
    text.push_str(&format!("last line: SHA-256 {}\n", verification.last_line_hash));
    let answer = if verification.holds {
        format!(
            "The record holds: each line follows the one before, and each verdict from its runs by rule {}.",
            rules(&verification.rules)
        )
    } else {
        "The record does not hold.".to_owned()
    };
    text + &prose("", 2, &answer)
}

fn rules(versions: &[u32]) -> String {
    versions.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_records_are_reported_with_their_rules() {
        let mut verification =
            RecordVerification { holds: true, rules: vec![5], ..RecordVerification::default() };
        assert!(text(&verification).contains("each verdict from its runs by rule 5."));
        verification.rules.push(6);
        assert!(text(&verification).contains("by rule 5 and 6."));
        verification.holds = false;
        assert!(text(&verification).ends_with("The record does not hold.\n"));
    }
}
