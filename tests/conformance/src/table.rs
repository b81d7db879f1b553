//! The results of the cases.

use crate::case::Case;
use anyhow::Result;
use model::{Nanos, Verdict};
use serde::{Deserialize, Serialize};
use std::process::ExitCode;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    pub language: String,
    pub expected: Vec<String>,
    pub got: String,
    pub cpu_time_ns: Option<u64>,
    pub wall_time_ns: Option<u64>,
    pub memory_peak_bytes: Option<u64>,
    /// Why this is not as expected; `None` if it is.
    pub complaint: Option<String>,
}

impl Row {
    pub fn new(case: &Case, got: Verdict, complaint: Option<String>) -> Self {
        Self {
            name: case.name.clone(),
            language: case.language.clone(),
            expected: case.expect.clone(),
            got: got.clics_id().to_owned(),
            complaint,
            ..Self::default()
        }
    }

    pub fn with_usage(mut self, usage: &model::Usage) -> Self {
        self.cpu_time_ns = Some(usage.cpu_time.0);
        self.wall_time_ns = Some(usage.wall_time.0);
        self.memory_peak_bytes = usage.memory_peak.known().map(|bytes| bytes.0);
        self
    }

    pub fn print(&self) {
        let mark = if self.complaint.is_some() { "WRONG" } else { "ok" };
        let time = self.cpu_time_ns.map_or_else(String::new, |time| Nanos(time).to_string());
        let memory = self.memory_peak_bytes.map_or_else(String::new, |bytes| model::Bytes(bytes).to_string());
        println!(
            "{mark:5} {:44} {:11} {:9} {:4} {time:>9} {memory:>10}",
            self.name,
            self.language,
            self.expected.join("|"),
            self.got
        );
        if let Some(complaint) = &self.complaint {
            for line in complaint.lines().take(12) {
                println!("      {line}");
            }
        }
    }
}

/// Prints the line of a check without a program; without a complaint it passed.
pub fn check(name: &str, complaint: Option<String>) -> Row {
    let got = if complaint.is_some() { "some" } else { "none" }.to_owned();
    let row =
        Row { name: name.to_owned(), expected: vec!["none".to_owned()], got, complaint, ..Row::default() };
    row.print();
    row
}

/// Prints the line of a check that passed if it returned no error.
pub fn outcome(name: &str, outcome: Result<()>) -> Row {
    check(name, outcome.err().map(|error| format!("{error:#}")))
}

pub fn conclude(rows: &[Row]) -> ExitCode {
    let failed: Vec<&Row> = rows.iter().filter(|row| row.complaint.is_some()).collect();
    for row in &failed {
        println!("WRONG {}: expected {}, got {}", row.name, row.expected.join(" or "), row.got);
    }
    println!("{} passed, {} failed", rows.len() - failed.len(), failed.len());
    if failed.is_empty() && !rows.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
