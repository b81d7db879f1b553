//! How fast a contest is folded, and its scoreboard answered.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::bench::host::Host;
use crate::process;

/// What we promise, by key.
const BARS_MS: [(&str, f64); 3] = [("fold", 100.0), ("event", 1.0), ("p99", 10.0)];

#[derive(Debug, Deserialize)]
struct Row {
    key: String,
    teams: u32,
    what: String,
    ms: f64,
}

impl Row {
    fn bar_ms(&self) -> Option<f64> {
        BARS_MS.iter().find(|(key, _)| *key == self.key).map(|(_, bar)| *bar)
    }

    fn is_reached(&self) -> bool {
        self.bar_ms().is_none_or(|bar| self.ms < bar)
    }
}

/// Measures and prints; returns whether the bars are reached.
pub fn run(arms: &Path, json: bool) -> Result<bool> {
    let printed = process::read(Command::new(arms).arg("contest-http"))?;
    let rows: Vec<Row> = serde_json::from_str(&printed).context("tauto-bench contest-http")?;
    if json {
        print!("{printed}");
    } else {
        print!("{}\n\n{}", Host::read().sentence(), table(&rows));
    }
    Ok(rows.iter().all(Row::is_reached))
}

fn table(rows: &[Row]) -> String {
    let mut table = "| teams | what | ms | bar |\n|--:|---|--:|--:|\n".to_owned();
    for row in rows {
        let bar = row.bar_ms().map_or_else(String::new, |bar| {
            format!("{bar}, {}", if row.is_reached() { "reached" } else { "missed" })
        });
        table.push_str(&format!("| {} | {} | {:.3} | {bar} |\n", row.teams, row.what, row.ms));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Row, table};

    #[test]
    fn a_missed_bar_is_told() {
        let row = |ms| Row { key: "p99".to_owned(), teams: 200, what: "scoreboard".to_owned(), ms };
        assert!(row(9.9).is_reached() && !row(10.0).is_reached());
        assert!(table(&[row(12.0)]).contains("| 200 | scoreboard | 12.000 | 10, missed |"));
    }
}
