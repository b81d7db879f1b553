//! `tauto internal time-round`: what the project's bench of times measures, as raw numbers.

use super::stage::{Stage, interrupted};
use crate::arguments::{LoadOn, WaitArguments};
use crate::output::print;
use anyhow::{Context, bail};
use lab::labs::{PROGRAMS, Ready, Size, spread};
use model::{Nanos, RunResult};
use ruling::RuleNumbers;
use sandbox::PROGRAM;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// How long all runs of our rule in a round may wait for a calm core together.
const PATIENCE: Nanos = Nanos::from_millis(60_000);
const PATIENCE_IN_A_HURRY: Nanos = Nanos::from_millis(5_000);

/// Measures some rounds under load and prints a line of JSON about the place, and one for each round as soon as it is
/// done.
///
/// # Errors
/// When we fail, or a program does.
pub fn time_round(
    quick: bool,
    rounds: u32,
    load_everywhere: bool,
    runexec: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let patience = if quick { PATIENCE_IN_A_HURRY } else { PATIENCE };
    let size = if quick { Size::Quick } else { Size::Usual };
    let load = if load_everywhere { LoadOn::Everywhere } else { LoadOn::Neighbours };
    let mut stage = Stage::open(size, &WaitArguments::default(), &PROGRAMS)?;
    let mut loads = stage.start_loads(load)?;
    let Stage { interrupt, mut testbed, workshop, warnings } = stage;
    loads.work(true)?;
    let cpu = testbed.cpus().to_string();
    let place = json!({ "cpus": cpu, "load": loads.words(), "warnings": warnings });
    print(&format!("{place}\n"))?;
    // A virtual machine's memory changes under the first round: the lowest times of `chase` spread by 8.4 % with it and by
    // 3.5 % without.
    let settling = u32::from(!quick);
    for round in 0..settling + rounds {
        interrupt.check()?;
        let samples = spread::round(&workshop.ready, &mut testbed, patience)
            .map_err(|error| interrupted(&interrupt, error))?;
        if round < settling {
            continue;
        }
        // Another tool cannot have a CPU that a slot of ours holds.
        testbed.close();
        let mut programs = Vec::new();
        for (sampled, ready) in samples.iter().zip(&workshop.ready) {
            let calm = |run: &RunResult| {
                run.evidence
                    .core_slowdown
                    .known()
                    .is_some_and(|slowdown| *slowdown < RuleNumbers::CURRENT.slow_core)
            };
            let peer = match runexec {
                Some(path) => match peer_time(path, ready, &cpu) {
                    Ok(time_ns) => json!({ "cpu_time_ns": time_ns }),
                    Err(error) => json!({ "failed": format!("{error:#}") }),
                },
                None => Value::Null,
            };
            programs.push(json!({
                "name": sampled.name,
                "plain_ns": sampled.plain.iter().map(|time| time.0).collect::<Vec<_>>(),
                "ours_ns": sampled.ours.iter().map(|run| run.usage.cpu_time.0).collect::<Vec<_>>(),
                "calm": sampled.ours.iter().filter(|run| calm(run)).count(),
                "agreed": sampled.agreed,
                "runexec": peer,
            }));
        }
        print(&format!("{}\n", json!({ "programs": programs })))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Times a program by BenchExec's runner, on the leased CPU; gives the CPU time that it reports.
fn peer_time(runexec: &Path, ready: &Ready, cpu: &str) -> anyhow::Result<u64> {
    let folder = ready
        .plan
        .mounts
        .iter()
        .find(|mount| mount.target == PROGRAM)
        .context("the program has no folder")?;
    let here = folder.source.display().to_string();
    let argv = ready.plan.argv.iter().map(|word| match word.strip_prefix(PROGRAM) {
        Some(rest) => format!("{here}{rest}"),
        None => word.clone(),
    });
    let output = Command::new(runexec)
        .args(["--no-container", "--cores", cpu, "--output", "/dev/null", "--"])
        .args(argv)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", runexec.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    if field("returnvalue") != Some("0") {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{}", words.lines().next_back().unwrap_or("it says nothing"));
    }
    let seconds = field("cputime").and_then(|text| text.trim_end_matches('s').parse::<f64>().ok());
    Ok((seconds.context("runexec printed no cputime")? * 1e9) as u64)
}
