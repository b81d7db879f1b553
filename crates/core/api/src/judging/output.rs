//! Outputs of runs over the limit that differ from the accepted one.

use crate::run::End;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run over the limit, before the accepted one, that wrote something else or ended otherwise by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherOutput {
    /// The pass, from 1.
    pub pass: u32,
    /// The run of that pass, from 1; a repeated conversation goes on counting.
    pub run: u32,
    /// How it ended.
    pub end: End,
    /// What it wrote; in a conversation, what it sent.
    pub output: WrittenOutput,
}

/// What a run wrote to standard output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenOutput {
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of all of it, in hexadecimal digits.
    pub sha256: String,
    /// Its first 4 KiB. What is no UTF-8 is replaced.
    pub start: String,
}
