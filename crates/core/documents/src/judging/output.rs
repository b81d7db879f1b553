//! Runs over the limit by which an acceptance may be luck.

use crate::run::End;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run over the limit, before the accepted one, that wrote something else or ended otherwise by itself, or took longer
/// than anything explains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherOutput {
    /// The pass, from 1.
    pub pass: u32,
    /// The run of that pass, from 1; where conversations were repeated, which of them.
    pub run: u32,
    /// What differs from the accepted run.
    #[serde(default)]
    pub differs: Differs,
    /// Its CPU time.
    #[serde(default)]
    pub cpu_time_ns: u64,
    /// How it ended.
    pub end: End,
    /// What it wrote; in a conversation, what it sent.
    pub output: WrittenOutput,
}

/// What differs between a run over the limit and the accepted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Differs {
    /// What it wrote, or how it ended by itself.
    #[default]
    Output,
    /// Only its time, by more than its evidence or any unseen disturbance accounts for.
    Time,
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
