//! `tauto stream bench`: the methods and the ways of reading, measured in turns.

mod chart;
mod figures;
mod ladder;
mod latency;
mod stage;

use crate::arguments::{StreamBenchArguments, StreamBenchPart};
use anyhow::Context;
use documents::{StreamBenchReport, to_json};
use stage::Stage;
use std::process::ExitCode;
use terminal::failure::because;
use terminal::interrupt::Interrupt;
use terminal::{Progress, print, prose};

pub fn run(arguments: &StreamBenchArguments, json: bool) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let stage = Stage::take(&arguments.lease.if_taken(&interrupt))?;
    let progress = Progress::on_stderr(!json);
    let wants = |part| arguments.part.is_none_or(|only| only == part);
    let (mut ladder, mut latency, mut bars) = (Vec::new(), Vec::new(), Vec::new());
    if wants(StreamBenchPart::Ladder) {
        ladder = ladder::measure(&stage, arguments.rounds, &interrupt, &progress)?;
        bars.extend(ladder::bars(&ladder, stage::l2_bytes()));
    }
    if wants(StreamBenchPart::Latency) {
        latency = latency::measure(&stage, arguments.answers, &interrupt, &progress)?;
        bars.extend(latency::bars(&latency));
    }
    drop(progress);
    if let Some(file) = &arguments.svg {
        let failed = || because(format!("cannot write {}", file.display()));
        std::fs::write(file, chart::draw(&ladder)).with_context(failed)?;
    }
    let (cpus, warnings) = (stage.description(), stage.warnings().to_vec());
    let report = StreamBenchReport { cpus, warnings, ladder, latency, bars };
    if json {
        print(&to_json(&report))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = prose("", 0, &report.cpus);
    for warning in &report.warnings {
        text += &prose("warning: ", 2, warning);
    }
    let tables =
        [ladder::table(&report.ladder), latency::table(&report.latency), figures::table(&report.bars)];
    for table in tables.into_iter().flatten() {
        text += "\n";
        text += &table;
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
