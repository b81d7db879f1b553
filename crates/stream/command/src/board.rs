//! `tauto stream board`: adds up a record.

use crate::arguments::StreamBoardArguments;
use anyhow::Context;
use arena::host::read_record;
use documents::StreamPhase;
use std::process::ExitCode;
use stream_rules::record::Line;
use terminal::failure::because;
use terminal::{Progress, print};

/// Longer than answers wait to be put into order.
const SETTLED_NS: u64 = 1_000_000_000;

pub fn run(arguments: &StreamBoardArguments, json: bool) -> anyhow::Result<ExitCode> {
    let progress = Progress::on_stderr(!json);
    progress.say("adding up the record");
    let mut begun =
        read_record(&arguments.record).with_context(|| because("the board cannot be made of this file"))?;
    drop(progress);
    // Answers are put into order before they are counted; nothing earlier can come any more.
    begun.contest.apply(Line::Continued { at_ns: begun.latest_ns + SETTLED_NS });
    // Whether it is over is not in the record.
    let board = begun.contest.board(StreamPhase::Over);
    print(&if json { documents::to_json(&board) } else { begun.contest.text(&board) })?;
    Ok(ExitCode::SUCCESS)
}
