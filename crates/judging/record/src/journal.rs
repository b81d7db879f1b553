//! A record of results that survives a crash: a JSON line for each, on disk before the next step begins.

use crate::RecordError;
use crate::chain::{Chain, Tail, tail};
use documents::{NotJudged, RecordBegin, RecordCase, RecordEntry, RecordSubmission};
use std::fs::{File, TryLockError};
use std::io::{BufReader, Write};
use std::path::Path;

/// The file to which a judging is to be appended.
#[derive(Debug)]
pub struct RecordFile {
    /// Its name in errors.
    shown: String,
    file: File,
    chain: Chain,
    /// The warning about an incomplete line that a crash left and that was removed.
    pub warning: Option<String>,
}

/// The file to which a judging is being appended.
#[derive(Debug)]
pub struct Journal {
    file: RecordFile,
}

impl RecordFile {
    /// Opens the file, which may hold earlier judgings, and locks it against other writers. A child process of this one
    /// holds the lock too until it executes its program.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let shown = path.display().to_string();
        let file = File::options().create(true).read(true).append(true).open(path);
        let file = file.map_err(|source| RecordError::Open { file: shown.clone(), source })?;
        // If the file system has no locks, only this check is missing.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(RecordError::Locked { file: shown });
        }
        let mut record = Self { shown, file, chain: Chain::default(), warning: None };
        record.find_end()?;
        if record.chain.lines() == 0 {
            keep_name(path);
        }
        Ok(record)
    }

    /// Finds the last line, and removes an incomplete one that a crash left.
    fn find_end(&mut self) -> Result<(), RecordError> {
        let file = || self.shown.clone();
        let metadata = self.file.metadata().map_err(|source| RecordError::Open { file: file(), source })?;
        if !metadata.is_file() {
            let why = "it is not a regular file".to_owned();
            return Err(RecordError::NotContinued { file: file(), why });
        }
        let Tail { chain, whole_bytes, torn_bytes } = tail(BufReader::new(&self.file))
            .map_err(|why| RecordError::NotContinued { file: file(), why })?;
        if torn_bytes > 0 {
            let shortened = self.file.set_len(whole_bytes);
            shortened.map_err(|source| RecordError::Shorten { file: file(), source })?;
            self.warning = Some(format!(
                "the record {} ended within a line, as after a crash; these {torn_bytes} bytes were cut away",
                self.shown
            ));
        }
        self.chain = chain;
        Ok(())
    }

    fn add(&mut self, entry: RecordEntry) -> Result<(), RecordError> {
        let mut chain = self.chain.clone();
        let line = chain.line(entry);
        let length = self.file.metadata().map(|data| data.len());
        // One write, so that a crash leaves a line whole or cuts the last one only.
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if let (Err(_), Ok(length)) = (&written, length) {
            // A full disk accepts a part of the line; the error below reports the cause.
            let _ = self.file.set_len(length);
        }
        let file = || self.shown.clone();
        written.map_err(|source| RecordError::Write { file: file(), line: chain.lines(), source })?;
        self.chain = chain;
        Ok(())
    }
}

/// Syncs the folder of a new file: without its name on disk its lines are lost.
fn keep_name(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A folder without read permission cannot be opened, and some file systems sync names by themselves.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

impl Journal {
    pub fn begin(mut file: RecordFile, begin: RecordBegin) -> Result<Self, RecordError> {
        file.add(RecordEntry::Begin(Box::new(begin)))?;
        Ok(Self { file })
    }

    pub fn case(&mut self, case: RecordCase) -> Result<(), RecordError> {
        self.file.add(RecordEntry::Case(Box::new(case)))
    }

    /// Adds a finished submission; its runs are in the lines before.
    pub fn submission(&mut self, submission: RecordSubmission) -> Result<(), RecordError> {
        self.file.add(RecordEntry::Submission(Box::new(submission)))
    }

    /// Adds a submission that was skipped. The judging's last line lists it too, but may never be written.
    pub fn left_out(&mut self, one: NotJudged) -> Result<(), RecordError> {
        self.file.add(RecordEntry::LeftOut(one))
    }

    /// Ends the judging, with all submissions done.
    pub fn end(mut self) -> Result<(), RecordError> {
        self.file.add(self.file.chain.end())
    }
}
