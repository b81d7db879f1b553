//! From submission to verdict.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::bench::host::Host;
use crate::process;

#[derive(Debug, Deserialize)]
struct Row {
    what: String,
    value: f64,
    unit: String,
    bar: Option<String>,
    is_reached: bool,
}

/// Measures and prints; returns whether all bars are reached.
pub fn run(arms: &Path, tauto: &Path, json: bool) -> Result<bool> {
    let printed = process::read(Command::new(arms).args(["judging", "--tauto"]).arg(tauto))?;
    let rows: Vec<Row> = serde_json::from_str(&printed).context("tauto-bench judging")?;
    if json {
        print!("{printed}");
    } else {
        print!("{}\n\n{}", Host::read().sentence(), table(&rows));
    }
    Ok(rows.iter().all(|row| row.is_reached))
}

fn table(rows: &[Row]) -> String {
    let mut table = "| what | value | bar |\n|---|--:|--:|\n".to_owned();
    for Row { what, value, unit, bar, is_reached } in rows {
        let told = if *is_reached { "reached" } else { "missed" };
        let bar = bar.as_ref().map_or_else(String::new, |bar| format!("{bar}, {told}"));
        table.push_str(&format!("| {what} | {value:.3} {unit} | {bar} |\n"));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Row, table};

    #[test]
    fn a_missed_bar_is_told() {
        let row = Row {
            what: "all else".to_owned(),
            value: 61.25,
            unit: "ms".to_owned(),
            bar: Some("under 50".to_owned()),
            is_reached: false,
        };
        assert!(table(&[row]).ends_with("| all else | 61.250 ms | under 50, missed |\n"));
    }
}
