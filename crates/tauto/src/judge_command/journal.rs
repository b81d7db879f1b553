//! A record of results that outlives a crash: one JSON line each, on disk before the next begins.

use super::document;
use super::judged::Judged;
use anyhow::Context;
use judge::CaseJudgement;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of a line's schema with its version.
const SCHEMA: &str = "tautochrone/judge-record/1";

/// The file to which results are appended.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the file, which may hold earlier results.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::options().create(true).append(true).open(path);
        let file = file
            .with_context(|| crate::failure::because(format!("cannot open the record {}", path.display())))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Adds a case that is done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn case(&mut self, submission: &str, case: &CaseJudgement) -> anyhow::Result<()> {
        let run = serde_json::to_value(document::case_run(case)).context("cannot write a case as JSON")?;
        self.add(&json!({ "schema": SCHEMA, "kind": "case", "submission": submission, "case": run }))
    }

    /// Adds a submission that is done; its runs stand in the lines before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn submission(&mut self, judged: &Judged) -> anyhow::Result<()> {
        let mut submission = document::submission(judged);
        submission.runs.clear();
        let submission = serde_json::to_value(submission).context("cannot write a submission as JSON")?;
        self.add(&json!({ "schema": SCHEMA, "kind": "submission", "submission": submission }))
    }

    fn add(&mut self, line: &Value) -> anyhow::Result<()> {
        // One write, so that a crash leaves a line whole or cuts the last one only.
        let line = format!("{line}\n");
        let length = self.file.metadata().map(|data| data.len());
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        if let (Err(_), Ok(length)) = (&written, length) {
            // A disk that is full takes a part of the line; the error below says what happened.
            let _ = self.file.set_len(length);
        }
        written.with_context(|| format!("cannot write the record {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::Judgement;

    #[test]
    fn lines_are_added_to_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        for name in ["a", "b"] {
            let judged = Judged::new(Judgement::failed(name, "it broke".to_owned()), None);
            Journal::open(&path).unwrap().submission(&judged).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let names: Vec<_> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["submission"]["name"].clone())
            .collect();
        assert_eq!(names, ["a", "b"]);
    }
}
