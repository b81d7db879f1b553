//! `tauto sim run`.

use super::files::{Trace, failed, millis, open, options};
use super::text;
use crate::arguments::SimRunArguments;
use crate::failure::{because, input};
use crate::output::{Colour, Progress, print};
use crate::policy_command::policy;
use anyhow::Context;
use api::{SimOptions, SimReport, SimRun};
use sched::fleet::policy::Policy;
use sim::run::{Checkpoint, Run, Written};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::ExitCode;

/// How much simulated time passes between two looks at the progress line.
const LOOK_MS: u64 = 60 * 60_000;

/// Where a run's lines go.
type Out = Box<dyn Write>;

/// Runs a trace under a policy.
///
/// # Errors
/// When trace, policy or checkpoint are wrong, or a file cannot be written.
pub fn run(arguments: &SimRunArguments, json: bool) -> anyhow::Result<ExitCode> {
    let policy = policy(&arguments.policy)?;
    let options = options(&arguments.options, arguments.seed, arguments.sample);
    let trace_path = arguments.trace.display().to_string();
    let trace = open(&arguments.trace)?;
    let described = SimRun {
        version: sim::run::VERSION,
        trace: trace.head().name.clone(),
        trace_path: trace_path.clone(),
        policy: sched::fleet::policy::write(&policy),
        options: options.clone(),
    };
    let wrong = |error| failed(&arguments.trace, error);
    let kept = arguments.checkpoint.as_deref().filter(|path| path.exists());
    let mut run = match kept {
        Some(path) => go_on(arguments, path, trace, &policy, &options)?,
        None => {
            let out: Out = match &arguments.output {
                Some(path) => {
                    Box::new(BufWriter::new(File::create(path).with_context(|| cannot_write(path))?))
                }
                None => Box::new(std::io::sink()),
            };
            Run::start(trace, policy, options, &trace_path, out).map_err(wrong)?
        }
    };
    let progress = Progress::on_stderr(true);
    let mut next_ms = run.now_ms();
    let mut kept_ms = next_ms;
    loop {
        next_ms += LOOK_MS;
        if run.advance(next_ms).map_err(wrong)? {
            break;
        }
        progress.say(format!("day {}, {:02}:00", next_ms / 86_400_000 + 1, next_ms / 3_600_000 % 24));
        if let Some(path) = &arguments.checkpoint
            && next_ms - kept_ms >= millis(arguments.checkpoint_every)
        {
            keep(path, &run.checkpoint().map_err(wrong)?)?;
            kept_ms = next_ms;
        }
    }
    let (summary, ..) = run.finish().map_err(wrong)?;
    drop(progress);
    if let Some(path) = &arguments.checkpoint
        && path.exists()
    {
        std::fs::remove_file(path).with_context(|| cannot_write(path))?;
    }
    let report = SimReport { run: described, summary };
    if json {
        print(&api::to_json(&report))?;
    } else {
        print(&text::summary(&report, Colour::for_stdout()))?;
        if let Some(path) = &arguments.output {
            print(&format!("\nNext: tauto sim report {} --html report.html\n", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn cannot_write(path: &Path) -> crate::failure::InputError {
    because(format!("cannot write {}", path.display()))
}

/// Goes on from a checkpoint; what the file has beyond it is written again.
fn go_on(
    arguments: &SimRunArguments,
    path: &Path,
    trace: Trace,
    policy: &Policy,
    options: &SimOptions,
) -> anyhow::Result<Run<Trace, Out>> {
    let wrong = || because(format!("cannot go on from {}; remove it to begin anew", path.display()));
    let bytes = std::fs::read(path).with_context(wrong)?;
    let checkpoint = Checkpoint::read(&bytes).with_context(wrong)?;
    let output = arguments.output.as_deref().unwrap_or(path);
    let file = take_up(output, checkpoint.written()).with_context(wrong)?;
    let out: Out = Box::new(BufWriter::new(file));
    Run::resume(checkpoint, trace, policy, options, out).with_context(wrong)
}

/// Opens a run's file behind what was written of it. Any other file stays as it is.
fn take_up(output: &Path, written: Written) -> anyhow::Result<File> {
    let failed = || cannot_write(output);
    let mut file = File::options().read(true).write(true).open(output).with_context(failed)?;
    if !written.is_in(BufReader::new(&file)).with_context(failed)? {
        let message = format!("{} does not begin with what the run had written", output.display());
        return Err(input(message));
    }
    file.set_len(written.bytes).with_context(failed)?;
    file.seek(SeekFrom::End(0)).with_context(failed)?;
    Ok(file)
}

/// Replaces a checkpoint, so that there is always a whole one.
fn keep(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let new = path.with_added_extension("new");
    std::fs::write(&new, bytes).with_context(|| cannot_write(&new))?;
    std::fs::rename(&new, path).with_context(|| cannot_write(path))
}
