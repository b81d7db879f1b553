//! Rules from a file.

use anyhow::Context;
use std::path::Path;
use stream_rules::Rules;
use terminal::failure::{because, input};

/// No rules are as long.
const BYTES_MAX: u64 = 1 << 20;

/// Reads rules that can be used; those of the source without a file.
pub fn read(file: Option<&Path>) -> anyhow::Result<Rules> {
    let Some(file) = file else { return Ok(Rules::default()) };
    let rules = read_published(file)?;
    rules.check().with_context(|| because(format!("{} has no rules of a stream contest", file.display())))?;
    Ok(rules)
}

/// Reads rules, of which some numbers may be hidden.
pub fn read_published(file: &Path) -> anyhow::Result<Rules> {
    let failed = || because(format!("{} has no rules of a stream contest", file.display()));
    let length = std::fs::metadata(file).with_context(failed)?.len();
    if length > BYTES_MAX {
        return Err(input(format!("{} has {length} bytes; rules have at most {BYTES_MAX}", file.display())));
    }
    let text = std::fs::read_to_string(file).with_context(failed)?;
    serde_json::from_str(&text).with_context(failed)
}
