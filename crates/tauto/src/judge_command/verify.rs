//! `tauto judge --verify`: whether a record is unchanged and its verdicts follow from its runs.

use super::chain::{RawLine, begins_a_line, line_hash, next_line};
use super::follows::Judging;
use crate::failure::{because, input, input_with_hint};
use crate::output::{print, visible};
use crate::scratch::Scratch;
use anyhow::Context;
use api::{Document, PackageCheck, RecordBegin, RecordEntry, RecordFinding, RecordLine, RecordVerification};
use package::Package;
use ruling::RuleNumbers;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;

/// Who reads more has seen that the record does not hold.
const FINDINGS_MAX: usize = 100;
/// Each is unpacked and read as a whole; a record is of one, or of a contest's.
const PACKAGES_MAX: usize = 64;

/// Checks and tells; the exit code is 1 if something does not hold.
///
/// # Errors
/// When the file is no record of this version, or `problem` cannot be read.
pub fn run(file: &Path, problem: Option<&Path>, json: bool) -> anyhow::Result<ExitCode> {
    let shown = file.display();
    let opened = File::open(file).with_context(|| because(format!("cannot open the record {shown}")))?;
    let mut verification = check(BufReader::new(opened), &shown.to_string())?;
    compare_packages(&mut verification, problem)?;
    verification.holds = verification.findings.is_empty();
    let text = if json { api::to_json(&verification) } else { text(&verification) };
    print(&text)?;
    Ok(ExitCode::from(u8::from(!verification.holds)))
}

/// What was read so far.
struct Reading<'f> {
    file: &'f str,
    told: RecordVerification,
    /// Whether the chain held so far; after its first break only the lines themselves are checked.
    is_chained: bool,
    judging: Option<(u64, Judging)>,
    /// Whether it was told that no judging has begun, which holds for each line until one does.
    is_lost: bool,
}

/// Checks everything that is in the record itself.
fn check(mut reader: impl BufRead, file: &str) -> anyhow::Result<RecordVerification> {
    let told = RecordVerification {
        file: file.to_owned(),
        holds: false,
        lines: 0,
        judgings: 0,
        submissions: 0,
        cases: 0,
        runs: 0,
        decided_with_interactor: 0,
        rules: Vec::new(),
        last_line_hash: String::new(),
        packages: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
    };
    let mut reading = Reading { file, told, is_chained: true, judging: None, is_lost: false };
    let failed = || because(format!("cannot read the record {file}"));
    while let Some(line) = next_line(&mut reader).with_context(failed)? {
        reading.line(&line)?;
    }
    if reading.told.lines == 0 {
        return Err(input(format!("{file} is empty; a record begins with a line of 'tauto judge --record'")));
    }
    if let Some((line, judging)) = &reading.judging {
        let words = unfinished(*line, judging);
        let line = reading.told.lines;
        reading.find(line, format!("the record ends here without an end: {words}, or lines were removed"));
    }
    Ok(reading.told)
}

fn unfinished(line: u64, judging: &Judging) -> String {
    let mut words = format!("the judging that begins in line {line} was interrupted");
    if let Some((_, name)) = judging.left_open() {
        words.push_str(&format!(" within {name}"));
    }
    words
}

impl Reading<'_> {
    fn find(&mut self, line: u64, message: String) {
        if self.told.findings.len() < FINDINGS_MAX {
            self.told.findings.push(RecordFinding { line, message });
        } else if self.told.findings.len() == FINDINGS_MAX {
            let message = "there is more that does not hold; it is not told".to_owned();
            self.told.findings.push(RecordFinding { line, message });
        }
    }

    fn line(&mut self, raw: &RawLine) -> anyhow::Result<()> {
        self.told.lines += 1;
        let number = self.told.lines;
        let before = std::mem::replace(&mut self.told.last_line_hash, line_hash(&raw.bytes));
        let text = String::from_utf8_lossy(&raw.bytes);
        let line = match api::from_json::<RecordLine>(&text) {
            Ok(line) => line,
            Err(error) => {
                if number == 1 {
                    self.check_is_record(&raw.bytes, &error)?;
                }
                let what = if raw.is_whole { "is damaged" } else { "is cut off" };
                self.find(number, format!("it {what}: {}", reason(&error)));
                return Ok(());
            }
        };
        if !raw.is_whole {
            self.find(number, "it is cut off at its last byte, the newline".to_owned());
        }
        self.check_chain(number, &line, &before);
        self.entry(number, &line.entry)
    }

    /// Refuses a file that is something else altogether.
    fn check_is_record(&self, bytes: &[u8], error: &api::ReadError) -> anyhow::Result<()> {
        let Self { file, .. } = self;
        if let api::ReadError::Schema { found, expected } = error
            && found.starts_with("tautochrone/judge-record/")
        {
            return Err(input_with_hint(
                format!(
                    "{file} is a record of another version: its first line is {found}, expected {expected}"
                ),
                "verify it with a tauto of that version; version 1 had nothing that could be verified",
            ));
        }
        if begins_a_line(bytes) {
            return Ok(());
        }
        let schema = RecordLine::SCHEMA;
        Err(input(format!(
            "{file} is no record of 'tauto judge --record': its first line is none of {schema}"
        )))
    }

    fn check_chain(&mut self, number: u64, line: &RecordLine, before: &str) {
        if !self.is_chained || (line.sequence == number && line.previous == before) {
            return;
        }
        self.is_chained = false;
        let message = if line.sequence > number {
            let gap = line.sequence - number;
            format!(
                "it was written as line {}: before it {gap} lines were removed, or lines were swapped",
                line.sequence
            )
        } else if line.sequence < number {
            format!("it was written as line {}: lines were put in, doubled or swapped", line.sequence)
        } else {
            format!("line {} is not the line after which it was written: that one was changed", number - 1)
        };
        self.find(number, format!("the chain breaks: {message}"));
    }

    fn entry(&mut self, number: u64, entry: &RecordEntry) -> anyhow::Result<()> {
        if let RecordEntry::Begin(begin) = entry {
            return self.begin(number, begin);
        }
        let Some((_, judging)) = &mut self.judging else {
            if !std::mem::replace(&mut self.is_lost, true) {
                let message =
                    "from here on lines belong to no judging: the line that begins it is absent or damaged";
                self.find(number, message.to_owned());
            }
            return Ok(());
        };
        let mut found = Vec::new();
        match entry {
            RecordEntry::Begin(_) => {}
            RecordEntry::Case(case) => {
                self.told.cases += 1;
                self.told.runs += case.runs.len() as u64;
                let check = judging.case(number, case);
                self.told.decided_with_interactor += u64::from(check.with_interactor);
                found = check.findings;
            }
            RecordEntry::Submission(submission) => {
                self.told.submissions += 1;
                found = judging.submission(submission);
            }
            RecordEntry::End(end) => {
                if (end.submissions, end.cases) != (judging.submissions, judging.cases) {
                    found.push(format!(
                        "the judging ends with {} submissions and {} cases, but recorded are {} and {}",
                        end.submissions, end.cases, judging.submissions, judging.cases
                    ));
                }
                if let Some((line, name)) = judging.left_open() {
                    found
                        .push(format!("the judging ends, but {name} of line {line} never came to a verdict"));
                }
                self.judging = None;
            }
        }
        for message in found {
            self.find(number, message);
        }
        Ok(())
    }

    fn begin(&mut self, number: u64, begin: &RecordBegin) -> anyhow::Result<()> {
        let version = begin.rule.version;
        if RuleNumbers::of_version(version).is_none() {
            let known: Vec<u32> = RuleNumbers::VERSIONS.iter().map(|numbers| numbers.version).collect();
            return Err(input_with_hint(
                format!(
                    "{}, line {number}: it was judged by rule {version}, this tauto knows rule {}",
                    self.file,
                    numbered(&known)
                ),
                "verify it with a tauto that knows that rule",
            ));
        }
        if let Err(at) = self.told.rules.binary_search(&version) {
            self.told.rules.insert(at, version);
        }
        if let Some((line, judging)) = &self.judging {
            self.told.notes.push(unfinished(*line, judging));
        }
        self.told.judgings += 1;
        self.is_lost = false;
        let is_known =
            |known: &&PackageCheck| (&known.path, &known.hash) == (&begin.package.path, &begin.package.hash);
        if self.told.packages.len() < PACKAGES_MAX && self.told.packages.iter().find(is_known).is_none() {
            self.told.packages.push(PackageCheck {
                line: number,
                path: begin.package.path.clone(),
                hash: begin.package.hash.clone(),
                same: None,
                detail: String::new(),
            });
        }
        match Judging::begin(begin) {
            Ok(judging) => self.judging = Some((number, judging)),
            Err(why) => {
                self.judging = None;
                self.find(number, why);
            }
        }
        Ok(())
    }
}

/// Gives the cause of an error where there is one: the rest says what the reader knows.
fn reason(error: &api::ReadError) -> String {
    match error {
        api::ReadError::Shape { source, .. } => source.to_string(),
        error @ api::ReadError::Schema { .. } => error.to_string(),
    }
}

/// Compares recorded packages with the one given, or with what lies where they lay.
fn compare_packages(told: &mut RecordVerification, problem: Option<&Path>) -> anyhow::Result<()> {
    let given = problem.map(|path| content_of(path).map(|hash| (path, hash))).transpose()?;
    let mut findings = Vec::new();
    for package in &mut told.packages {
        let Some(recorded) = &package.hash else {
            package.detail = "not compared: no hash is recorded".to_owned();
            continue;
        };
        let recorded_path = Path::new(&package.path);
        let (path, hash) = match &given {
            Some((path, hash)) => (*path, hash.clone()),
            None if !recorded_path.exists() => {
                package.detail = "not compared: it is not there; name where it is after FILE".to_owned();
                continue;
            }
            None => match content_of(recorded_path) {
                Ok(hash) => (recorded_path, hash),
                Err(error) => {
                    package.detail = format!("not compared: {error:#}");
                    continue;
                }
            },
        };
        package.same = Some(hash == *recorded);
        package.detail = if hash == *recorded {
            format!("{} has the recorded content", path.display())
        } else {
            findings.push(RecordFinding {
                line: package.line,
                message: format!(
                    "the package {} has another content than when it was judged",
                    path.display()
                ),
            });
            format!("{} has another content", path.display())
        };
    }
    told.findings.extend(findings);
    Ok(())
}

fn content_of(path: &Path) -> anyhow::Result<String> {
    let scratch = Scratch::new()?;
    let package = Package::open(path, scratch.path())?;
    Ok(judge::package_hash(&package.root, None)?)
}

/// Lists versions.
fn numbered(versions: &[u32]) -> String {
    versions.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")
}

/// Says it for people.
fn text(told: &RecordVerification) -> String {
    let RecordVerification { lines, judgings, submissions, cases, runs, .. } = told;
    let mut text = format!(
        "{}: lines {lines}, judgings {judgings}, submissions {submissions}, cases {cases}, runs {runs}\n",
        visible(&told.file)
    );
    for package in &told.packages {
        text.push_str(&format!("package {}: {}\n", visible(&package.path), visible(&package.detail)));
    }
    if told.decided_with_interactor > 0 {
        text.push_str(&format!(
            "{} cases were decided with the interactor or between passes, which runs cannot show\n",
            told.decided_with_interactor
        ));
    }
    for note in &told.notes {
        text.push_str(&format!("note: {}\n", visible(note)));
    }
    for finding in &told.findings {
        text.push_str(&format!("line {}: {}\n", finding.line, visible(&finding.message)));
    }
    text.push_str(&format!("last line: SHA-256 {}\n", told.last_line_hash));
    text.push_str(&if told.holds {
        format!(
            "The record holds: each line follows the one before, and each verdict from its runs by rule {}.\n",
            numbered(&told.rules)
        )
    } else {
        "The record does not hold.\n".to_owned()
    });
    text
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
