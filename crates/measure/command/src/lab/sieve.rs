//! `tauto lab sieve`: the ladder.

mod document;
mod report;

use super::stage::{Stage, chosen, go_on, interrupted, out_folder, progress};
use crate::arguments::{LoadOn, SieveArguments};
use crate::run::report::deliver;
use document::Facts;
use host_command::wire::machine_identity;
use labs::Size;
use labs::sieve::{Climb, Event, Step, climb};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Times of each program at each step: as many as in the article.
const ROUNDS: u32 = 20;
/// The same for `--quick`.
const ROUNDS_QUICK: u32 = 6;
/// The report on disk is rarely older than this, however the program ends.
const SAVE_EVERY: Duration = Duration::from_secs(10);

pub fn run(arguments: &SieveArguments, json: bool) -> anyhow::Result<ExitCode> {
    let folder = out_folder(arguments.lab.out.as_deref(), "sieve")?;
    let (size, usual) = match (arguments.lab.quick, arguments.full) {
        (true, _) => (Size::Quick, ROUNDS_QUICK),
        (_, true) => (Size::Full, ROUNDS),
        _ => (Size::Usual, ROUNDS),
    };
    let rounds = arguments.rounds.unwrap_or(usual);
    let mut stage = Stage::open(size, &arguments.lab.lease, &chosen(&arguments.programs)?)?;
    let mut loads = stage.start_loads(LoadOn::Everywhere)?;
    let Stage { interrupt, mut testbed, workshop, warnings } = stage;
    let facts = Facts {
        machine: machine_identity(&system::Machine::here().identity()),
        cpus: testbed.cpus().to_string(),
        load: loads.words(),
        rounds,
        left_out: workshop.left_out.clone(),
        warnings,
    };
    let progress = progress(u64::from(rounds) * Step::ALL.len() as u64);
    let mut saved = Instant::now();
    let mut climbed = climb(
        &Climb { programs: &workshop.ready, rounds },
        &mut testbed,
        &mut loads,
        &mut |event, climbed| {
            go_on(&interrupt)?;
            match event {
                Event::Running(step, program) => progress.say(format!("{}: {program}", step.title())),
                Event::Done => {
                    progress.step();
                    if saved.elapsed() >= SAVE_EVERY {
                        let report = document::make(&facts, &workshop.ready, climbed);
                        // A write error is ignored here: at the end the report is written again, and an error reported.
                        let _ = deliver(&documents::to_json(&report), Some(&folder.join("report.json")));
                        saved = Instant::now();
                    }
                }
            }
            Ok(())
        },
    );
    drop(progress);
    let stopped = climbed.error.take().map(|error| interrupted(&interrupt, error));
    let report = document::make(&facts, &workshop.ready, &climbed);
    report::report(&report).deliver(&folder, &report, json, stopped)
}
