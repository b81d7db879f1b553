//! `tauto lab stability`: the same submission again and again near its limit.

mod document;
mod page;
mod text;

use super::stage::{Stage, go_on, interrupted, known_program, out_folder, progress, write};
use crate::arguments::StabilityArguments;
use crate::failure::input;
use crate::output::wire::machine_identity;
use crate::output::{Colour, print};
use document::Facts;
use lab::labs::Size;
use lab::labs::stability::{Setting, run as judge_all};
use std::process::ExitCode;

/// Judgements of each arm.
const JUDGEMENTS: u32 = 100;
/// The same in a hurry.
const JUDGEMENTS_QUICK: u32 = 10;
/// What of the limit the program needs, in per cent.
const NEEDS_PERCENT: [u32; 2] = [97, 103];
const NAME: &str = "stability";

/// Does it.
pub fn run(arguments: &StabilityArguments, json: bool) -> anyhow::Result<ExitCode> {
    known_program(&arguments.program)?;
    let folder = out_folder(arguments.lab.out.as_deref(), NAME)?;
    let usual = if arguments.lab.quick { JUDGEMENTS_QUICK } else { JUDGEMENTS };
    let judgements = arguments.judgements.unwrap_or(usual);
    let Stage { interrupt, mut testbed, mut loads, workshop, warnings } =
        Stage::open(Size::Usual, arguments.load, &|program| program.name == arguments.program)?;
    let Some(program) = workshop.ready.first() else {
        let why = workshop.left_out.first().map(|(name, why)| format!("{name} is left out: {why}"));
        return Err(input(why.unwrap_or_else(|| "the program cannot be made".to_owned())));
    };
    let facts = Facts {
        machine: machine_identity(&probe::Machine::here().identity()),
        cpus: testbed.cpus().to_string(),
        load: loads.words(),
        program: program.program.name,
        argument: program.argument,
        judgements,
        warnings,
    };
    let progress = progress(1);
    let mut last = 0;
    let mut series = judge_all(
        &Setting { program, judgements, needs_percent: NEEDS_PERCENT },
        &mut testbed,
        &mut loads,
        &mut |done, all| {
            go_on(&interrupt)?;
            if done < last || done == 0 {
                progress.expect(all as u64);
                progress.say("calibrating");
            } else {
                (last..done).for_each(|_| progress.step());
                progress.say("judging");
            }
            last = done;
            Ok(())
        },
    );
    drop(progress);
    let stopped = series.error.take();
    let Some(report) = document::make(&facts, &series) else {
        return Err(stopped.map_or_else(
            || anyhow::anyhow!("there is no run to report"),
            |error| interrupted(&interrupt, error),
        ));
    };
    write(&folder, "stability.json", &api::to_json(&report))?;
    write(&folder, "stability.svg", &page::strips(&report))?;
    write(&folder, "stability.html", &page::page(&report))?;
    let words =
        if json { api::to_json(&report) } else { text::report(&report, &folder, Colour::for_stdout()) };
    print(&words)?;
    if let Some(error) = stopped {
        return Err(interrupted(&interrupt, error));
    }
    let wrong = report.sides.iter().any(|side| side.by == document::RULED && side.flips + side.undecided > 0);
    Ok(ExitCode::from(u8::from(wrong || report.void.is_some())))
}
