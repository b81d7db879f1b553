//! Writing a trace.

use super::check::{self, Checker};
use super::line::{EndLine, HeadLine};
use super::{Head, Record, TraceError};
use serde::Serialize;
use std::io::Write;

/// Writes a trace a record at a time. It refuses what a reader would refuse.
pub struct Writer<W: Write> {
    target: W,
    buffer: Vec<u8>,
    line: u64,
    checker: Checker,
}

impl<W: Write> Writer<W> {
    pub fn create(target: W, head: &Head) -> Result<Self, TraceError> {
        check::head(head).map_err(|wrong| TraceError::at(1, wrong))?;
        let mut writer = Self { target, buffer: Vec::new(), line: 1, checker: Checker::default() };
        writer.put(&HeadLine::from(head))?;
        Ok(writer)
    }

    /// Writes a record.
    ///
    /// # Errors
    /// When it cannot be written, or may not come next. Nothing is written then, and another record may come.
    pub fn write(&mut self, record: &Record) -> Result<(), TraceError> {
        self.checker.check(record).map_err(|wrong| TraceError::at(self.line, wrong))?;
        match record {
            Record::Host(host) => self.put(host),
            Record::Change(change) => self.put(change),
            Record::Job(job) => self.put(job),
        }
    }

    /// Writes the last line, and gives the writer back.
    pub fn finish(mut self) -> Result<W, TraceError> {
        self.put(&EndLine { end: self.checker.records() })?;
        Ok(self.target)
    }

    fn put(&mut self, line: &impl Serialize) -> Result<(), TraceError> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, line).expect("memory takes all that is written");
        self.buffer.push(b'\n');
        self.target
            .write_all(&self.buffer)
            .map_err(|source| TraceError::Write { line: self.line, source })?;
        self.line += 1;
        Ok(())
    }
}
