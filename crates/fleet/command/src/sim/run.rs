//! `tauto sim run`: one trace under one policy, with checkpoints.

use super::files::{Trace, failed, millis, open, options, refuse_same};
use super::text;
use crate::arguments::SimRunArguments;
use crate::policy::{parts, policy};
use anyhow::Context;
use documents::{SimOptions, SimReport, SimRun};
use placement::policy::Policy;
use simulator::run::{Checkpoint, Run, RunError, Written, check};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom, Sink, Write};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{because, input, input_with_hint};
use terminal::{AtomicFile, Cell, Progress, print_result};

/// The longest simulated time between two updates of the progress line.
const PROGRESS_MS: u64 = 60 * 60_000;

/// The target of a run's lines.
enum Out {
    Nowhere(Sink),
    /// Without checkpoints the file appears when the run has ended.
    Whole(BufWriter<AtomicFile>),
    /// With checkpoints it grows with the run.
    Growing(BufWriter<File>),
}

pub fn run(arguments: &SimRunArguments, json: bool) -> anyhow::Result<ExitCode> {
    let policy = policy(&arguments.policy)?;
    let options = options(&arguments.options, arguments.seed, arguments.sample)?;
    let wrong = |error| match error {
        RunError::Write(error) => {
            let path = arguments.output.as_deref().unwrap_or(Path::new("the run"));
            anyhow::Error::from(error).context(format!("cannot write {}", path.display()))
        }
        error => failed(&arguments.trace, error),
    };
    check(&options).map_err(wrong)?;
    let read = [("the trace", &*arguments.trace), ("the policy", Path::new(parts(&arguments.policy).0))];
    let written = [("--output", &arguments.output), ("--checkpoint", &arguments.checkpoint)];
    let written: Vec<_> = written.iter().filter_map(|(what, path)| Some((*what, path.as_deref()?))).collect();
    refuse_same(&written, &read)?;
    let trace_path = arguments.trace.display().to_string();
    let trace = open(&arguments.trace)?;
    let described = SimRun {
        version: simulator::run::VERSION,
        trace: trace.head().name.clone(),
        trace_path: trace_path.clone(),
        policy: placement::policy::write(&policy),
        options: options.clone(),
    };
    let kept = arguments.checkpoint.as_deref().filter(|path| path.exists());
    let mut run = match kept {
        Some(path) => resume(arguments, path, trace, &policy, &options)?,
        None => Run::start(trace, policy, options, &trace_path, Out::prepare(arguments)?).map_err(wrong)?,
    };
    let progress = Progress::on_stderr(true);
    let step_ms = millis(arguments.checkpoint_every).clamp(1, PROGRESS_MS);
    let mut next_ms = run.now_ms();
    let mut kept_ms = next_ms;
    loop {
        next_ms += step_ms;
        if run.advance(next_ms).map_err(wrong)? {
            break;
        }
        progress.say(format!("day {}, {:02}:00", next_ms / 86_400_000 + 1, next_ms / 3_600_000 % 24));
        if let Some(path) = &arguments.checkpoint
            && next_ms - kept_ms >= millis(arguments.checkpoint_every)
        {
            AtomicFile::prepare(path)?.fill(&run.checkpoint().map_err(wrong)?)?;
            kept_ms = next_ms;
        }
    }
    let (summary, _, out) = run.finish().map_err(wrong)?;
    out.keep()?;
    drop(progress);
    if let Some(path) = &arguments.checkpoint
        && path.exists()
    {
        std::fs::remove_file(path).with_context(|| cannot_write(path))?;
    }
    let report = SimReport { run: described, summary };
    print_result(&report, json, |report| {
        let mut report = text::summary(report);
        if let Some(path) = &arguments.output {
            let next = format!("Next: tauto sim report {} --html report.html", path.display());
            report.lines(vec![vec![Cell::unbroken(&next)]]);
        }
        report
    })?;
    Ok(ExitCode::SUCCESS)
}

impl Out {
    fn prepare(arguments: &SimRunArguments) -> anyhow::Result<Self> {
        match (&arguments.output, &arguments.checkpoint) {
            (None, _) => Ok(Self::Nowhere(std::io::sink())),
            (Some(path), None) => Ok(Self::Whole(BufWriter::new(AtomicFile::prepare(path)?))),
            (Some(path), Some(checkpoint)) => {
                // An error now is better than one after hours.
                AtomicFile::prepare(checkpoint)?;
                Ok(Self::Growing(BufWriter::new(File::create(path).with_context(|| cannot_write(path))?)))
            }
        }
    }

    fn target(&mut self) -> &mut dyn Write {
        match self {
            Self::Nowhere(sink) => sink,
            Self::Whole(file) => file,
            Self::Growing(file) => file,
        }
    }

    fn keep(self) -> anyhow::Result<()> {
        match self {
            Self::Whole(file) => file.into_inner().map_err(|error| error.into_error())?.keep(),
            Self::Nowhere(_) | Self::Growing(_) => Ok(()),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.target().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.target().flush()
    }
}

fn cannot_write(path: &Path) -> terminal::failure::InputError {
    because(format!("cannot write {}", path.display()))
}

/// Resumes from a checkpoint; lines of the file after it are written again.
fn resume(
    arguments: &SimRunArguments,
    path: &Path,
    trace: Trace,
    policy: &Policy,
    options: &SimOptions,
) -> anyhow::Result<Run<Trace, Out>> {
    let wrong = || because(format!("cannot resume from {}; remove it to start again", path.display()));
    let bytes = std::fs::read(path).with_context(|| because(format!("cannot read {}", path.display())))?;
    let checkpoint = Checkpoint::read(&bytes).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        input_with_hint(message, "name another file, or remove it if it is a checkpoint that is not needed")
    })?;
    let written = checkpoint.written();
    let output = arguments.output.as_deref().unwrap_or(path);
    let file = open_written(output, written).with_context(wrong)?;
    let failed = || cannot_write(output);
    let same = file.try_clone().with_context(failed)?;
    let out = Out::Growing(BufWriter::new(file));
    let run = Run::resume(checkpoint, trace, policy, options, out).with_context(wrong)?;
    same.set_len(written.bytes).with_context(failed)?;
    Ok(run)
}

/// Opens a run's file at the end of what the checkpoint covers. Any other file is refused.
fn open_written(output: &Path, written: Written) -> anyhow::Result<File> {
    let failed = || cannot_write(output);
    let mut file = File::options().read(true).write(true).open(output).with_context(failed)?;
    if !written.is_in(BufReader::new(&file)).with_context(failed)? {
        let message = format!("{} does not begin with what the run had written", output.display());
        return Err(input(message));
    }
    file.seek(SeekFrom::Start(written.bytes)).with_context(failed)?;
    Ok(file)
}
