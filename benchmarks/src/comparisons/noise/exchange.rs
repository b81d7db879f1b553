//! What injected noise adds to processes that wait for their neighbours over MPI, against what the model computes for the
//! very phases that were drawn.

use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::comparisons::tools::read_json;

/// The article's timer, longer, so that it stands above a machine's own noise; and its scheduler. Blocks are as short as
/// the frequency allows: then what a machine does to a few of them does not move the median.
const INJECTED: [(&str, &str); 2] = [("1000Hz:40us", "250"), ("8Hz:160us", "1000")];
/// With both sources and four processes these take about a minute.
const ITERATIONS: &str = "10000";
/// More processes take longer and show nothing that these do not.
const RANKS_MAX: usize = 4;
/// The kind of work whose model must hold.
const HELD: &str = "blocking";

/// What we read of the document of `tauto noise exchange`.
#[derive(Debug, Deserialize)]
struct Document {
    sizes: Vec<Size>,
}

#[derive(Debug, Deserialize)]
struct Size {
    ranks: u32,
    added: Vec<Added>,
}

#[derive(Debug, Deserialize)]
struct Added {
    work: String,
    measured: Option<Spread>,
    computed: Spread,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Spread {
    median_ns: f64,
    low_ns: f64,
    high_ns: f64,
}

/// One row: one source, one number of processes, one kind of work.
#[derive(Debug, Serialize)]
struct Row {
    injected: String,
    ranks: u32,
    work: String,
    measured: Spread,
    computed: Spread,
}

impl Row {
    fn agrees(&self) -> bool {
        (self.measured.low_ns..=self.measured.high_ns).contains(&self.computed.median_ns)
    }

    fn is_reached(&self) -> bool {
        self.work != HELD || self.agrees()
    }

    fn line(&self) -> String {
        let us = |ns: f64| format!("{:.2}", ns / 1e3);
        format!(
            "| {} | {} | {} | {} | {} to {} | {} | {} | {} |\n",
            self.injected,
            self.ranks,
            self.work,
            us(self.measured.median_ns),
            us(self.measured.low_ns),
            us(self.measured.high_ns),
            us(self.computed.median_ns),
            if self.agrees() { "yes" } else { "no" },
            match (self.work == HELD, self.is_reached()) {
                (false, _) => "-",
                (true, true) => "reached",
                (true, false) => "MISSED",
            }
        )
    }
}

/// Measures, and prints what was measured next to what was computed; returns whether all bars are reached.
pub fn run(tauto: &Path, json: bool) -> Result<bool> {
    let ranks = available_parallelism().map_or(1, usize::from).min(RANKS_MAX);
    let mut rows = Vec::new();
    for (injected, block) in INJECTED {
        let mut command = Command::new(tauto);
        command.args(["noise", "exchange", "--quiet", "--json", "--np", &ranks.to_string()]);
        command.args(["--iterations", ITERATIONS, "--block", block, "--inject", injected]);
        rows.extend(of(injected, read_json(&mut command)?));
    }
    let all_reached = rows.iter().all(Row::is_reached);
    if json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(all_reached);
    }
    print!("{}", table(&rows));
    Ok(all_reached)
}

fn of(injected: &str, document: Document) -> Vec<Row> {
    let each = document.sizes.into_iter().flat_map(|size| {
        size.added.into_iter().filter_map(move |added| {
            let Added { work, measured, computed } = added;
            Some(Row {
                injected: injected.to_owned(),
                ranks: size.ranks,
                work,
                measured: measured?,
                computed,
            })
        })
    });
    each.collect()
}

fn table(rows: &[Row]) -> String {
    let mut table = "| injected | ranks | work | added us | 95 % | computed us | within | bar |\n\
                     |---|--:|---|--:|--:|--:|---|---|\n"
        .to_owned();
    table.extend(rows.iter().map(Row::line));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocking_exchange_has_to_agree() {
        let document: Document = serde_json::from_str(
            r#"{"sizes": [{"ranks": 2, "added": [
                {"work": "alone", "measured": null, "computed": {"median_ns": 1, "low_ns": 1, "high_ns": 1}},
                {"work": "blocking", "measured": {"median_ns": 6000, "low_ns": 5500, "high_ns": 6500},
                 "computed": {"median_ns": 6400, "low_ns": 6300, "high_ns": 6500}},
                {"work": "blocking", "measured": {"median_ns": 6000, "low_ns": 5500, "high_ns": 6500},
                 "computed": {"median_ns": 6600, "low_ns": 6300, "high_ns": 6700}},
                {"work": "overlapped", "measured": {"median_ns": 3000, "low_ns": 2500, "high_ns": 3500},
                 "computed": {"median_ns": 4000, "low_ns": 3900, "high_ns": 4100}}]}]}"#,
        )
        .unwrap();
        let rows = of("1000Hz:40us", document);
        let lines: Vec<String> = table(&rows).lines().skip(2).map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "| 1000Hz:40us | 2 | blocking | 6.00 | 5.50 to 6.50 | 6.40 | yes | reached |",
                "| 1000Hz:40us | 2 | blocking | 6.00 | 5.50 to 6.50 | 6.60 | no | MISSED |",
                "| 1000Hz:40us | 2 | overlapped | 3.00 | 2.50 to 3.50 | 4.00 | no | - |",
            ]
        );
        assert_eq!(rows.iter().map(Row::is_reached).collect::<Vec<_>>(), [true, false, true]);
    }
}
