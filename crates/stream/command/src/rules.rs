//! Rules from a file.

use anyhow::Context;
use std::path::Path;
use stream_rules::Rules;
use terminal::failure::{because, input};

/// No rules are as long.
const BYTES_MAX: u64 = 1 << 20;

/// Reads rules; those of the source without a file.
///
/// # Errors
/// When the file cannot be read, or has no usable rules.
pub fn read(file: Option<&Path>) -> anyhow::Result<Rules> {
    let Some(file) = file else { return Ok(Rules::default()) };
    let failed = || because(format!("{} has no rules of a stream contest", file.display()));
    let length = std::fs::metadata(file).with_context(failed)?.len();
    if length > BYTES_MAX {
        return Err(input(format!("{} has {length} bytes; rules have at most {BYTES_MAX}", file.display())));
    }
    let text = std::fs::read_to_string(file).with_context(failed)?;
    let rules: Rules = serde_json::from_str(&text).with_context(failed)?;
    rules.check().with_context(failed)?;
    Ok(rules)
}
