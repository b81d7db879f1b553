//! Checks that a record is unchanged, and that its verdicts follow from its runs.

use crate::RecordError;
use crate::chain::{RawLine, line_hash, next_line};
use crate::follows::Judging;
use documents::{
    NotJudged, PackageCheck, RecordBegin, RecordEntry, RecordFinding, RecordLine, RecordVerification,
};
use ruling::RuleNumbers;
use std::io::BufRead;

/// With more findings than this it is clear that the record is not valid.
const FINDINGS_MAX: usize = 100;
/// Each is unpacked and read as a whole; a record covers one package, or those of a contest.
const PACKAGES_MAX: usize = 64;

/// The state of reading.
struct Reader<'f> {
    file: &'f str,
    verification: RecordVerification,
    /// Whether the chain was intact so far; after its first break only the lines themselves are checked.
    is_chained: bool,
    judging: Option<(u64, Judging)>,
    /// Whether it was already reported that no judging has begun, which applies to each line until one does.
    is_lost: bool,
    /// How many skipped submissions of this judging were reported.
    left_out: usize,
}

/// Checks everything in the record itself; messages name it `file`.
///
/// # Errors
/// When it cannot be read, is not a record of this version, or this version does not know its rule. A record with
/// defects is not an error; the defects are findings.
pub fn verify(mut reader: impl BufRead, file: &str) -> Result<RecordVerification, RecordError> {
    let verification = RecordVerification { file: file.to_owned(), ..RecordVerification::default() };
    let mut reading =
        Reader { file, verification, is_chained: true, judging: None, is_lost: false, left_out: 0 };
    let failed = |lines, source| RecordError::Read { file: file.to_owned(), line: lines + 1, source };
    while let Some(line) =
        next_line(&mut reader).map_err(|error| failed(reading.verification.lines, error))?
    {
        reading.line(&line)?;
    }
    if reading.verification.lines == 0 {
        return Err(RecordError::Empty { file: file.to_owned() });
    }
    if let Some((line, judging)) = &reading.judging {
        let words = unfinished(*line, judging);
        let line = reading.verification.lines;
        reading.find(line, format!("the record ends here without an end: {words}, or lines were removed"));
    }
    reading.verification.holds = reading.verification.findings.is_empty();
    Ok(reading.verification)
}

fn unfinished(line: u64, judging: &Judging) -> String {
    let mut words = format!("the judging that begins in line {line} was interrupted");
    let open: Vec<&str> = judging.left_open().into_iter().map(|(_, name)| name).collect();
    if !open.is_empty() {
        words.push_str(&format!(" within {}", open.join(", ")));
    }
    words
}

/// Returns which submissions a judging skipped, if any.
fn left_out(line: u64, not_judged: &[NotJudged]) -> Option<String> {
    let each: Vec<_> = not_judged.iter().map(|one| format!("{} ({})", one.name, one.reason)).collect();
    let judging = format!("the judging that begins in line {line}");
    (!each.is_empty()).then(|| format!("left out of {judging}: {}", each.join(", ")))
}

impl Reader<'_> {
    fn find(&mut self, line: u64, message: String) {
        if self.verification.findings.len() < FINDINGS_MAX {
            self.verification.findings.push(RecordFinding { line, message });
        } else if self.verification.findings.len() == FINDINGS_MAX {
            let message = "there are more mismatches, which are not listed".to_owned();
            self.verification.findings.push(RecordFinding { line, message });
        }
    }

    fn line(&mut self, raw: &RawLine) -> Result<(), RecordError> {
        self.verification.lines += 1;
        let number = self.verification.lines;
        let before = std::mem::replace(&mut self.verification.last_line_hash, line_hash(&raw.bytes));
        let text = String::from_utf8_lossy(&raw.bytes);
        let line = match documents::from_json::<RecordLine>(&text) {
            Ok(line) => line,
            Err(error) => {
                let what = if raw.is_whole { "is damaged" } else { "is cut off" };
                let finding = format!("it {what}: {}", reason(&error));
                return match RecordError::of_line(self.file, number, &raw.bytes, error) {
                    RecordError::Damaged { .. } => {
                        self.find(number, finding);
                        Ok(())
                    }
                    something_else => Err(something_else),
                };
            }
        };
        if !raw.is_whole {
            self.find(number, "it is cut off at its last byte, the newline".to_owned());
        }
        self.check_chain(number, &line, &before);
        self.entry(number, &line.entry)
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

    fn entry(&mut self, number: u64, entry: &RecordEntry) -> Result<(), RecordError> {
        if let RecordEntry::Begin(begin) = entry {
            return self.begin(number, begin);
        }
        let Some((began, judging)) = &mut self.judging else {
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
                self.verification.cases += 1;
                self.verification.runs += case.runs.len() as u64;
                let check = judging.case(number, case);
                self.verification.decided_with_interactor += u64::from(check.with_interactor);
                found = check.findings;
            }
            RecordEntry::Submission(submission) => {
                self.verification.submissions += 1;
                found = judging.submission(submission);
            }
            RecordEntry::LeftOut(one) => {
                self.left_out += 1;
                self.verification.notes.extend(left_out(*began, std::slice::from_ref(one)));
            }
            RecordEntry::End(end) => {
                let unnamed = end.not_judged.get(self.left_out..).unwrap_or_default();
                self.verification.notes.extend(left_out(*began, unnamed));
                if (end.submissions, end.cases) != (judging.submissions, judging.cases) {
                    found.push(format!(
                        "the judging ends with {} submissions and {} cases, but recorded are {} and {}",
                        end.submissions, end.cases, judging.submissions, judging.cases
                    ));
                }
                for (line, name) in judging.left_open() {
                    found.push(format!("the judging ends, but {name} of line {line} has no verdict"));
                }
                self.judging = None;
            }
        }
        for message in found {
            self.find(number, message);
        }
        Ok(())
    }

    fn begin(&mut self, number: u64, begin: &RecordBegin) -> Result<(), RecordError> {
        let version = begin.rule.version;
        if RuleNumbers::of_version(version).is_none() {
            let known: Vec<u32> = RuleNumbers::VERSIONS.iter().map(|numbers| numbers.version).collect();
            return Err(RecordError::UnknownRule {
                file: self.file.to_owned(),
                line: number,
                version,
                known: numbered(&known),
            });
        }
        if let Err(at) = self.verification.rules.binary_search(&version) {
            self.verification.rules.insert(at, version);
        }
        if let Some((line, judging)) = &self.judging {
            self.verification.notes.push(unfinished(*line, judging));
        }
        self.verification.notes.extend(left_out(number, &begin.not_judged));
        self.verification.judgings += 1;
        self.left_out = 0;
        self.is_lost = false;
        let is_known =
            |known: &&PackageCheck| (&known.path, &known.hash) == (&begin.package.path, &begin.package.hash);
        if self.verification.packages.len() < PACKAGES_MAX
            && self.verification.packages.iter().find(is_known).is_none()
        {
            self.verification.packages.push(PackageCheck {
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
                self.find(number, why.to_string());
            }
        }
        Ok(())
    }
}

/// Returns the cause of an error if it has one: the rest is known from the context.
fn reason(error: &documents::ReadError) -> String {
    match error {
        documents::ReadError::Shape { source, .. } => source.to_string(),
        error @ documents::ReadError::Schema { .. } => error.to_string(),
    }
}

fn numbered(versions: &[u32]) -> String {
    versions.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests;
