//! What commands print: text, or for `--json` a document.

use serde::Serialize;
use std::process::ExitCode;
use terminal::{Align, Table, print};

/// Prints a sentence, or for `--json` what the server answered.
pub fn done(sentence: &str, answer: &[u8], json: bool) -> anyhow::Result<ExitCode> {
    let text = match (json, answer) {
        (true, []) => "{}\n".to_owned(),
        (true, answer) => format!("{}\n", String::from_utf8_lossy(answer).trim_end()),
        (false, _) => format!("{sentence}\n"),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a document for `--json`, else a text.
pub fn report(document: &impl Serialize, text: &str, json: bool) -> anyhow::Result<ExitCode> {
    let text = if json { serde_json::to_string(document)? } else { text.to_owned() };
    print(&format!("{}\n", text.trim_end_matches('\n')))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an empty table. Columns with a `>` before the name are aligned to the right.
pub fn table(columns: &[&str]) -> Table {
    let columns: Vec<(&str, Align)> = columns
        .iter()
        .map(|column| match column.strip_prefix('>') {
            Some(name) => (name, Align::Right),
            None => (*column, Align::Left),
        })
        .collect();
    Table::new(&columns)
}
