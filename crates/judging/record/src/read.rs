//! Reads the submissions of a record, one after the other. Whether the record is valid is not checked here.

use crate::chain::next_line;
use crate::{Basis, Explanation, RecordError, RuleError};
use documents::{NotARun, RecordBegin, RecordCase, RecordEntry, RecordLine, RecordSubmission};
use std::io::BufRead;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub struct RecordedSubmission {
    /// Its line, from 1.
    pub line: u64,
    /// The basis of its verdict.
    pub begin: Arc<RecordBegin>,
    /// Its cases, in judging order.
    pub cases: Vec<RecordCase>,
    pub submission: RecordSubmission,
}

/// A recorded verdict cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainError {
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error(transparent)]
    Run(#[from] NotARun),
}

impl RecordedSubmission {
    pub fn explain(&self) -> Result<Explanation, ExplainError> {
        Ok(Explanation::of(&Basis::of(&self.begin)?, &self.cases, &self.submission)?)
    }
}

/// Reads a record, one submission after the other. Of an interrupted judging it returns the finished submissions; after
/// a damaged line it continues.
#[derive(Debug)]
pub struct Submissions<'f, R> {
    reader: R,
    file: &'f str,
    line: u64,
    begin: Option<Arc<RecordBegin>>,
    /// Cases whose submission has not been read yet.
    open: Vec<RecordCase>,
    /// Whether the end was reached, or reading failed.
    has_ended: bool,
}

impl<'f, R: BufRead> Submissions<'f, R> {
    /// Reads from the first line on; errors name the record `file`.
    pub fn new(reader: R, file: &'f str) -> Self {
        Self { reader, file, line: 0, begin: None, open: Vec::new(), has_ended: false }
    }

    /// Reads up to the next submission, if there is one.
    fn read_next(&mut self) -> Result<Option<RecordedSubmission>, RecordError> {
        while let Some(entry) = self.read_entry()? {
            let (line, file) = (self.line, self.file);
            match entry {
                RecordEntry::Begin(begin) => {
                    self.begin = Some(Arc::from(begin));
                    self.open.clear();
                }
                RecordEntry::Case(case) => self.open.push(*case),
                RecordEntry::Submission(submission) => {
                    let Some(begin) = self.begin.clone() else {
                        return Err(RecordError::NoBegin { file: file.to_owned(), line });
                    };
                    let name = &submission.submission.name;
                    let (cases, open) =
                        std::mem::take(&mut self.open).into_iter().partition(|case| case.submission == *name);
                    self.open = open;
                    return Ok(Some(RecordedSubmission { line, begin, cases, submission: *submission }));
                }
                RecordEntry::LeftOut(_) | RecordEntry::End(_) => {}
            }
        }
        Ok(None)
    }

    fn read_entry(&mut self) -> Result<Option<RecordEntry>, RecordError> {
        let (line, file) = (self.line + 1, self.file);
        if std::mem::replace(&mut self.has_ended, true) {
            return Ok(None);
        }
        let failed = |source| RecordError::Read { file: file.to_owned(), line, source };
        // What a crash cut off was not finished.
        let Some(raw) = next_line(&mut self.reader).map_err(failed)?.filter(|raw| raw.is_whole) else {
            return Ok(None);
        };
        (self.line, self.has_ended) = (line, false);
        match documents::from_json::<RecordLine>(&String::from_utf8_lossy(&raw.bytes)) {
            Ok(line) => Ok(Some(line.entry)),
            Err(source) => Err(RecordError::of_line(file, line, &raw.bytes, source)),
        }
    }
}

impl<R: BufRead> Iterator for Submissions<'_, R> {
    type Item = Result<RecordedSubmission, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_next().transpose()
    }
}
