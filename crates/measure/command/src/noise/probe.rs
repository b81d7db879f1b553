//! `tauto noise probe`: measures each CPU, and says what was taken from it.

mod report;

use super::store::Profiles;
use super::{document, file, measuring};
use crate::arguments::NoiseProbeArguments;
use anyhow::Context;
use model::{Nanos, Reading};
use noise::{NodeLoad, Profile};
use noise_probe::{NO_CALLS, Plan, Priority};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::input;
use terminal::{AtomicFile, Colour, print};

/// Measures, writes what was asked for, and prints tables.
pub fn run(arguments: &NoiseProbeArguments, json: bool) -> anyhow::Result<ExitCode> {
    // Checked first: minutes of measurement must not be lost to a name that cannot be written.
    let place = |path: &Option<_>| path.as_deref().map(|path: &Path| AtomicFile::prepare(path)).transpose();
    let (output, csv, hdr) = (place(&arguments.output)?, place(&arguments.csv)?, place(&arguments.hdr)?);
    let loggopsim = place(&arguments.loggopsim)?;
    let baselines = if arguments.save { Some(baselines()?) } else { None };
    let profile = match &arguments.from {
        Some(path) => file::read(path)?,
        None => measuring::measure(&plan(arguments)?, &arguments.lease, json)?,
    };
    if let Some(output) = output {
        output.fill(&noise::format::encode(&profile))?;
    }
    if let Some(csv) = csv {
        csv.fill(noise::csv(&profile).as_bytes())?;
    }
    if let Some(hdr) = hdr {
        hdr.fill(noise::hdr_log(&profile).map_err(anyhow::Error::msg)?.as_bytes())?;
    }
    if let Some(loggopsim) = loggopsim {
        loggopsim.fill(noise::loggopsim(&profile).map_err(input)?.as_bytes())?;
    }
    let kept = baselines.as_ref().map(|baselines| baselines.keep(&profile)).transpose()?;
    if json {
        print(&documents::to_json(&document::profile(&profile)))?;
    } else {
        let file = arguments.output.as_deref().or(arguments.from.as_deref());
        print(&report::report_of(&profile, file, kept).text(Colour::for_stdout()))?;
    }
    let is_whole = |cpu: &noise::CpuProfile| matches!(cpu.gaps, Reading::Known(_));
    Ok(ExitCode::from(u8::from(!profile.cpus.iter().all(is_whole))))
}

/// Finds the folder of baselines, and that it can be written.
fn baselines() -> anyhow::Result<Profiles> {
    let baselines = Profiles::here().context("there is no folder for baselines: HOME is not set")?;
    baselines.prepare()?;
    Ok(baselines)
}

fn plan(arguments: &NoiseProbeArguments) -> anyhow::Result<Plan> {
    Ok(Plan {
        cpus: measuring::cpus(arguments.cpus.as_ref())?,
        load: if arguments.loaded { NodeLoad::AllCpus } else { NodeLoad::OneCpu },
        looking: Nanos::from_millis(u64::from(arguments.seconds) * 1_000),
        quantum: arguments.quantum,
        calls: arguments.calls,
        priority: if arguments.real_time { Priority::RealTime } else { Priority::Normal },
        events: !arguments.no_events,
    })
}

/// Returns a sentence for each reason why a CPU has no trace.
fn missing(profile: &Profile) -> impl Iterator<Item = String> {
    profile.cpus.iter().flat_map(|cpu| {
        let missing = |what: &str, why: &str| format!("CPU {}: no {what}: {why}", cpu.cpu);
        let quanta = match &cpu.quanta {
            // Not worth a warning where none was asked for.
            Reading::Unavailable(why) if why != NO_CALLS => Some(missing("calls", why)),
            _ => None,
        };
        let gaps = match &cpu.gaps {
            Reading::Unavailable(why) => Some(missing("detours", why)),
            Reading::Known(_) => None,
        };
        quanta.into_iter().chain(gaps)
    })
}
