//! `tauto stream bench`: the methods and the ways of reading, measured in turns.

mod chart;
mod figures;
mod ladder;
mod latency;
mod stage;

use crate::arguments::{StreamBenchArguments, StreamBenchPart};
use anyhow::Context;
use serde_json::json;
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
    let (mut rungs, mut rows, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    if wants(StreamBenchPart::Ladder) {
        rungs = ladder::measure(&stage, arguments.rounds, &interrupt, &progress)?;
        figures.extend(ladder::figures(&rungs, stage::l2_bytes()));
    }
    if wants(StreamBenchPart::Latency) {
        rows = latency::measure(&stage, arguments.answers, &interrupt, &progress)?;
        figures.extend(latency::figures(&rows));
    }
    drop(progress);
    if let Some(file) = &arguments.svg {
        let failed = || because(format!("cannot write {}", file.display()));
        std::fs::write(file, chart::draw(&rungs)).with_context(failed)?;
    }
    if json {
        let document = json!({
            "cpus": stage.description(),
            "warnings": stage.warnings(),
            "ladder": rungs.iter().map(ladder::Rung::document).collect::<Vec<_>>(),
            "latency": rows.iter().map(latency::Row::document).collect::<Vec<_>>(),
            "bars": figures,
        });
        print(&(document.to_string() + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = prose("", 0, &stage.description());
    for warning in stage.warnings() {
        text += &prose("warning: ", 2, warning);
    }
    for table in
        [ladder::table(&rungs), latency::table(&rows), figures::table(&figures)].into_iter().flatten()
    {
        text += "\n";
        text += &table;
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
