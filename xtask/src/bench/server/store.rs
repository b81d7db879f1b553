//! What the store does in a second. Each transaction is on the disk when it ends, so the disk's rate is the baseline of those that
//! share nothing.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::bench::host::Host;
use crate::process;

/// What we promise of PostgreSQL.
const PAIRS_MIN: f64 = 1_500.0;

#[derive(Debug, Deserialize)]
struct Row {
    store: String,
    key: Option<String>,
    what: Option<String>,
    per_second: Option<f64>,
    /// Why there are no figures.
    missing: Option<String>,
}

impl Row {
    fn is_promised(&self) -> bool {
        self.store == "PostgreSQL" && self.key.as_deref() == Some("pairs")
    }

    fn is_reached(&self) -> bool {
        !self.is_promised() || self.per_second.is_some_and(|rate| rate >= PAIRS_MIN)
    }
}

/// Measures and prints; returns whether the bar is reached. A store that is not installed misses none.
pub fn run(arms: &Path, json: bool) -> Result<bool> {
    let printed = process::read(Command::new(arms).arg("store-rates"))?;
    let rows: Vec<Row> = serde_json::from_str(&printed).context("tauto-bench store-rates")?;
    if json {
        print!("{printed}");
    } else {
        print!("{}\n\n{}", Host::read().sentence(), table(&rows));
    }
    Ok(rows.iter().all(Row::is_reached))
}

fn table(rows: &[Row]) -> String {
    let mut table = "| store | what | a second | bar |\n|---|---|--:|--:|\n".to_owned();
    for row in rows {
        let what = row.what.as_ref().or(row.missing.as_ref()).map_or("", String::as_str);
        let rate = row.per_second.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.0}"));
        let bar = match (row.is_promised(), row.is_reached()) {
            (false, _) => String::new(),
            (true, true) => format!("{PAIRS_MIN}, reached"),
            (true, false) => format!("{PAIRS_MIN}, missed"),
        };
        table.push_str(&format!("| {} | {what} | {rate} | {bar} |\n", row.store));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Row, table};

    #[test]
    fn a_missed_bar_is_told() {
        let rows = |rate: f64| -> Vec<Row> {
            serde_json::from_str(&format!(
                r#"[{{"store":"PostgreSQL","key":"pairs","what":"pairs","per_second":{rate}}},
                    {{"store":"SQLite","key":"pairs","what":"pairs","per_second":9}}]"#
            ))
            .unwrap()
        };
        assert!(rows(1_500.0).iter().all(Row::is_reached));
        assert!(!rows(1_499.0).iter().all(Row::is_reached));
        assert!(table(&rows(10.0)).contains("| PostgreSQL | pairs | 10 | 1500, missed |"));
    }
}
