//! `tauto stream`: live stream contests.
//!
//! # Files
//!
//! `tauto stream`: serves, practises, solves, compares solvers, publishes a board to a contest server.
#![forbid(unsafe_code)]

pub mod arguments;
mod bench;
mod board;
mod contestants;
mod publish;
mod rules;
mod serve;
mod solve;

use crate::arguments::StreamCommand;
use std::process::ExitCode;

pub fn run(command: &StreamCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        StreamCommand::Serve(arguments) => serve::serve(arguments, json),
        StreamCommand::Mock(arguments) => serve::mock(arguments, json),
        StreamCommand::Solve(arguments) => solve::run(arguments, json),
        StreamCommand::Bench(arguments) => bench::run(arguments, json),
        StreamCommand::Board(arguments) => board::run(arguments, json),
    }
}
