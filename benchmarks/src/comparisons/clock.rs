//! The clock of counted instructions: whether counts are exact under load, and what counting costs.

mod counted;
mod exact;
mod hosts;
mod model;
mod programs;
mod slowdown;
mod valgrind;

use super::host::Host;
use super::tools::parts;
use crate::figure::table;
use anyhow::Result;
use std::path::Path;

/// One of the parts of this benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Twelve programs again and again while all CPUs are busy: counts, and limits slightly above and below
    Exact,
    /// A hundred submissions by a judgehost on a quiet machine, and by one while four programs compute
    Hosts,
    /// CPU time by counted instructions, under the emulator alone, and on the processor
    Slowdown,
    /// Counts compared with those of Valgrind
    Valgrind,
    /// How well instructions, alone and with simulated caches, predict CPU time
    Model,
}

pub fn run(tauto: &Path, part: Option<Part>, rounds: u32, json: bool) -> Result<bool> {
    let mut all_reached = true;
    for part in parts(part) {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(permissions).tempdir()?;
        let host = Host::read();
        let figures = match part {
            Part::Exact => exact::figures(tauto, folder.path(), &programs::make(folder.path())?, rounds),
            Part::Hosts => hosts::figures(tauto),
            Part::Slowdown => slowdown::figures(tauto, folder.path(), rounds.div_ceil(10)),
            Part::Valgrind => valgrind::figures(tauto, folder.path(), &programs::make(folder.path())?),
            Part::Model => model::figures(tauto, folder.path(), rounds.div_ceil(10)),
        }?;
        host.show(json, &figures, || table(&figures))?;
        all_reached &= figures.iter().all(|figure| figure.is_reached);
    }
    Ok(all_reached)
}
