//! Traces, runs' files and options from the command line.

use crate::arguments::SimOptionArguments;
use anyhow::Context;
use documents::{SimJob, SimLine, SimMove, SimOptions, SimRun, SimSample, SimSummary};
use simulator::run::{LENGTH_MAX_MS, RunError};
use simulator::trace::Reader;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;
use terminal::failure::{because, input, input_with_hint};

pub type Trace = Reader<BufReader<File>>;

pub fn open(path: &Path) -> anyhow::Result<Trace> {
    let wrong = || because(format!("cannot read the trace {}", path.display()));
    let file = File::open(path).with_context(wrong)?;
    Reader::open(BufReader::with_capacity(1 << 18, file)).with_context(wrong)
}

/// Makes the error of a run, with the trace's path if the trace is wrong.
pub fn failed(trace: &Path, error: RunError) -> anyhow::Error {
    match error {
        RunError::Write(_) => error.into(),
        RunError::Trace(_) | RunError::Contradiction { .. } => anyhow::Error::from(error)
            .context(because(format!("the trace {} cannot be run", trace.display()))),
        RunError::Option { what, ms, expected } => {
            input(format!("--{what} is {}, expected {expected}", super::text::duration(ms)))
        }
        RunError::NoCheckpoint | RunError::OtherRun(_) => input(error.to_string()),
    }
}

/// A file of a command: the option or description, and the path.
pub type Given<'p> = (&'static str, &'p Path);

/// Refuses to write a file over one that is read, or over another one that is written.
pub fn refuse_same(written: &[Given<'_>], read: &[Given<'_>]) -> anyhow::Result<()> {
    for (at, (what, path)) in written.iter().enumerate() {
        let others = written[..at].iter().chain(read);
        if let Some((other, _)) = others.into_iter().find(|(_, other)| is_same(path, other)) {
            let message =
                format!("{what} and {other} are the same file, {}; name another one", path.display());
            return Err(input(message));
        }
    }
    Ok(())
}

/// Returns whether two paths are one file, also by links; devices can be shared.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino()),
        (Err(_), Err(_)) => one == other,
        _ => false,
    }
}

/// Returns the options of a run; a time that would be rounded to 0 is refused.
pub fn options(arguments: &SimOptionArguments, seed: u64, sample: Duration) -> anyhow::Result<SimOptions> {
    let least = |option: &str, time: Duration, unit: Duration| match time {
        time if time.is_zero() || time >= unit => Ok(time),
        time => Err(input(format!("--{option} is {time:?}, expected 0 or at least {unit:?}"))),
    };
    let (us, ms) = (Duration::from_micros(1), Duration::from_millis(1));
    let decision = least("decision-time", arguments.decision_time, us)?;
    Ok(SimOptions {
        seed,
        until_ms: arguments.until.map(millis),
        decision_us: u64::try_from(decision.as_micros()).unwrap_or(u64::MAX),
        stale_ms: millis(least("stale", arguments.stale, ms)?),
        outages_ms: arguments.outage.iter().map(|(from, until)| (millis(*from), millis(*until))).collect(),
        sample_ms: millis(sample),
        failures_per_1000_host_days: arguments.failures,
        repair_ms: millis(least("repair", arguments.repair, ms)?),
        ..simulator::run::plain_options()
    })
}

pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A run's file, as far as a page or an explanation needs it.
pub struct RunFile {
    pub run: SimRun,
    pub samples: Vec<SimSample>,
    pub summary: SimSummary,
}

/// A line of a run's file is far shorter, unless a policy's text is in it.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// A run has fewer: its lines become rarer the longer it lasts.
const SAMPLES_MAX: usize = 1_000_000;

impl RunFile {
    /// Reads a run's file, and calls `job` and `step` for each job and move in it.
    pub fn read(
        path: &Path,
        mut job: impl FnMut(SimJob),
        mut step: impl FnMut(SimMove),
    ) -> anyhow::Result<Self> {
        let name = path.display();
        let file = File::open(path).with_context(|| because(format!("cannot read the run {name}")))?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let (mut run, mut samples, mut summary) = (None, Vec::new(), None);
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let read = (&mut reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
            if read.with_context(|| because(format!("cannot read the run {name}")))? == 0 {
                break;
            }
            let wrong = |what: &str| {
                input_with_hint(
                    format!("{name}:{number}: {what}"),
                    "a run's file is made by 'tauto sim run TRACE --output FILE'",
                )
            };
            let late =
                |at_ms: u64| wrong(&format!("at_ms is {at_ms}, and no run lasts longer than 11 years"));
            match serde_json::from_slice::<SimLine>(&line) {
                Ok(SimLine::Run(first)) if number == 1 => {
                    if first.version != simulator::run::VERSION {
                        return Err(wrong(&format!(
                            "the file's version is {}, expected {}",
                            first.version,
                            simulator::run::VERSION
                        )));
                    }
                    run = Some(*first);
                }
                _ if run.is_none() => return Err(wrong("this is not the first line of a run's file")),
                Ok(SimLine::Run(_)) => return Err(wrong("a second run begins here")),
                Ok(SimLine::Sample(SimSample { at_ms, .. }) | SimLine::Move(SimMove { at_ms, .. }))
                    if at_ms > LENGTH_MAX_MS =>
                {
                    return Err(late(at_ms));
                }
                Ok(SimLine::Sample(sample)) if samples.len() < SAMPLES_MAX => samples.push(sample),
                Ok(SimLine::Sample(_)) => {}
                Ok(SimLine::Job(found)) => job(found),
                Ok(SimLine::Move(found)) => step(found),
                Ok(SimLine::Summary(found)) => summary = Some(*found),
                Err(error) => return Err(wrong(&format!("this is not a line of a run's file: {error}"))),
            }
        }
        let run = run.ok_or_else(|| input(format!("{name} is empty, expected a run's file")))?;
        let summary = summary.ok_or_else(|| {
            input_with_hint(
                format!("{name} has no last line: the run was stopped before its end"),
                "repeat it, or go on with its --checkpoint",
            )
        })?;
        Ok(Self { run, samples, summary })
    }
}
