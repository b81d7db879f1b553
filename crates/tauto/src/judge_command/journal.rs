//! A record of results that outlives a crash: one JSON line each, on disk before the next begins.

use super::chain::{begins_a_line, line_hash, next_line};
use super::judged::Judged;
use super::recorded;
use crate::failure::{because, input_with_hint};
use anyhow::Context;
use api::{RecordBegin, RecordEnd, RecordEntry, RecordLine};
use judge::CaseJudgement;
use ruling::TimeRule;
use std::fs::{File, TryLockError};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

/// The file to which a judging is to be appended.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// The number of its last line, 0 if there is none.
    sequence: u64,
    /// The hash of that line, empty if there is none.
    hash: String,
    /// What a crash left of a line and was cut away.
    pub warning: Option<String>,
}

/// The file to which a judging is being appended.
#[derive(Debug)]
pub struct Journal {
    file: RecordFile,
    rule: TimeRule,
    written: RecordEnd,
}

impl RecordFile {
    /// Opens the file, which may hold earlier judgings, and keeps others from writing to it.
    ///
    /// # Errors
    /// When it cannot be written, or holds something else.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let file = File::options().create(true).read(true).append(true).open(path);
        let file = file.with_context(|| because(format!("cannot open the record {shown}")))?;
        // Where files cannot be locked, nothing is lost but this.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(input_with_hint(
                format!("another process is writing the record {shown}"),
                "wait for it, or name another file",
            ));
        }
        let mut record =
            Self { path: path.to_owned(), file, sequence: 0, hash: String::new(), warning: None };
        record.find_end()?;
        Ok(record)
    }

    /// Finds the last line, and cuts away what a crash left of another.
    fn find_end(&mut self) -> anyhow::Result<()> {
        let shown = self.path.display();
        let another = |why: String| {
            input_with_hint(
                format!("{shown} is no record of this version that can be continued: {why}"),
                "name another file",
            )
        };
        let metadata = self.file.metadata().with_context(|| because(format!("cannot look at {shown}")))?;
        if !metadata.is_file() {
            return Err(another("it is no regular file".to_owned()));
        }
        let mut reader = BufReader::new(&self.file);
        let (mut whole, mut whole_bytes, mut rest) = (None, 0, None);
        while let Some(line) = next_line(&mut reader).map_err(|error| another(error.to_string()))? {
            if line.is_whole {
                whole_bytes += line.bytes.len() as u64 + 1;
                whole = Some(line.bytes);
            } else {
                rest = Some(line.bytes);
            }
        }
        if let Some(last) = &whole {
            let text = String::from_utf8_lossy(last);
            let line = api::from_json::<RecordLine>(&text)
                .map_err(|error| another(format!("its last line is none of a record: {error}")))?;
            self.sequence = line.sequence;
            self.hash = line_hash(last);
        }
        if let Some(rest) = rest {
            if !begins_a_line(&rest) {
                return Err(another("what stands at its end is none of a record's lines".to_owned()));
            }
            self.file.set_len(whole_bytes).with_context(|| format!("cannot shorten {shown}"))?;
            self.warning = Some(format!(
                "the record {shown} ended within a line, as after a crash; these {} bytes were cut away",
                rest.len()
            ));
        }
        Ok(())
    }

    fn add(&mut self, entry: RecordEntry) -> anyhow::Result<()> {
        let line = RecordLine { sequence: self.sequence + 1, previous: self.hash.clone(), entry };
        let text = api::to_json_line(&line);
        let length = self.file.metadata().map(|data| data.len());
        // One write, so that a crash leaves a line whole or cuts the last one only.
        let written =
            self.file.write_all(format!("{text}\n").as_bytes()).and_then(|()| self.file.sync_data());
        if let (Err(_), Ok(length)) = (&written, length) {
            // A disk that is full takes a part of the line; the error below says what happened.
            let _ = self.file.set_len(length);
        }
        written.with_context(|| format!("cannot write the record {}", self.path.display()))?;
        self.sequence = line.sequence;
        self.hash = line_hash(text.as_bytes());
        Ok(())
    }
}

impl Journal {
    /// Begins a judging in which times become verdicts by `rule`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(mut file: RecordFile, begin: RecordBegin, rule: TimeRule) -> anyhow::Result<Self> {
        file.add(RecordEntry::Begin(Box::new(begin)))?;
        Ok(Self { file, rule, written: RecordEnd { submissions: 0, cases: 0 } })
    }

    /// Adds a case that is done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn case(&mut self, submission: &str, case: &CaseJudgement) -> anyhow::Result<()> {
        self.file.add(RecordEntry::Case(Box::new(recorded::case(&self.rule, submission, case))))?;
        self.written.cases += 1;
        Ok(())
    }

    /// Adds a submission that is done; its runs stand in the lines before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn submission(&mut self, judged: &Judged) -> anyhow::Result<()> {
        self.file.add(RecordEntry::Submission(Box::new(recorded::submission(judged))))?;
        self.written.submissions += 1;
        Ok(())
    }

    /// Ends the judging, with all submissions done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn end(mut self) -> anyhow::Result<()> {
        self.file.add(RecordEntry::End(self.written.clone()))
    }
}
