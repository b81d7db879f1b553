//! The contest server under load, part by part.

mod http;
mod judging;
mod store;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

/// One of the parts of this benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Jobs claimed and finished, events appended and read, beside the disk's own rate
    Store,
    /// A contest folded and its scoreboard asked for, beside a loop that sends the same bytes
    Http,
    /// From submission to verdict, with judgehosts that judge, and with ten that answer from a recording
    Judging,
}

impl Part {
    const ALL: [Self; 3] = [Self::Store, Self::Http, Self::Judging];
}

/// Runs a part, or all; fails if a bar is not reached.
///
/// # Errors
///
/// The binary fails, or prints something else.
pub fn run(root: &Path, tauto: &Path, part: Option<Part>, json: bool) -> Result<ExitCode> {
    let mut all_reached = true;
    for part in Part::ALL.into_iter().filter(|each| part.is_none_or(|part| part == *each)) {
        all_reached &= match part {
            Part::Store => store::run(&super::arms(root)?, json)?,
            Part::Http => http::run(&super::arms(root)?, json)?,
            Part::Judging => judging::run(&super::arms(root)?, tauto, json)?,
        };
    }
    Ok(if all_reached { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
