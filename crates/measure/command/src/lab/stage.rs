//! The common parts of experiments: a testbed, loads, a folder for the results.

use crate::arguments::LoadOn;
use host_command::arguments::WaitArguments;
use host_command::here::stay_on;
use judging_command::languages::languages;
use labs::{LabError, LoadSet, PROGRAMS, Program, Size, Testbed, TestbedOptions, Workshop};
use model::Nanos;
use sandbox::{RootView, SandboxError};
use stats::Sample;
use std::path::{Path, PathBuf};
use terminal::failure::input;
use terminal::interrupt::Interrupt;
use terminal::{Progress, make_folder};
use timing::PlaceError;

/// A testbed and the programs.
pub struct Stage {
    /// The requested stop, if any.
    pub interrupt: Interrupt,
    pub testbed: Testbed,
    /// The programs.
    pub workshop: Workshop,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Stage {
    /// Leases a CPU and builds the programs.
    pub fn open(size: Size, lease: &WaitArguments, programs: &[Program]) -> anyhow::Result<Self> {
        let interrupt = Interrupt::listen()?;
        let extra = languages(None)?.iter().flat_map(|language| language.mounts.iter().cloned()).collect();
        let root = RootView::Host { extra };
        let mut testbed = Testbed::open(TestbedOptions {
            root,
            if_taken: lease.if_taken(&interrupt),
            stop: Some(interrupt.stop()),
        })
        .map_err(|error| interrupted(&interrupt, error))?;
        let mut warnings = testbed.warnings().to_vec();
        stay_on(testbed.helper_cpus())?;
        let workshop =
            Workshop::make(&mut testbed, size, programs).map_err(|error| interrupted(&interrupt, error))?;
        warnings.extend(workshop.left_out.iter().map(|(name, why)| format!("{name} is left out: {why}")));
        Ok(Self { interrupt, testbed, workshop, warnings })
    }

    /// Starts paused loads on CPUs that are leased for them.
    pub fn start_loads(&mut self, load: LoadOn) -> anyhow::Result<LoadSet> {
        let testbed = &mut self.testbed;
        let neighbours = testbed.neighbours();
        if neighbours.is_empty() {
            return Err(input(
                "this machine has one CPU, and an experiment needs another one for loads; run it on a larger one",
            ));
        }
        let free = testbed.take_neighbours()?;
        if free.is_empty() {
            return Err(anyhow::anyhow!(
                "other tauto processes time on {}, which the load of an experiment would spoil; wait for them",
                neighbours.named()
            ));
        }
        let spared = neighbours.difference(&free);
        if !spared.is_empty() {
            self.warnings
                .push(format!("there is no load on {}, where other tauto processes time", spared.named()));
        }
        let (cpus, floating) = match load {
            LoadOn::Everywhere => (free.iter().chain(testbed.cpus().iter()).collect(), true),
            LoadOn::Neighbours => (free, false),
        };
        // This very binary, even if the file was replaced since.
        Ok(LoadSet::start(&cpus, floating, Path::new("/proc/self/exe"), &["internal", "load"])?)
    }
}

/// Makes the error, with the signal that caused it, if one did.
pub fn interrupted(interrupt: &Interrupt, error: LabError) -> anyhow::Error {
    let is_interruption = match &error {
        LabError::Sandbox(SandboxError::Interrupted)
        | LabError::Place(PlaceError::Sandbox(SandboxError::Interrupted)) => true,
        LabError::Judge(error) => error.is_interruption(),
        _ => false,
    };
    match interrupt.check() {
        Err(signal) if is_interruption => signal.into(),
        _ => error.into(),
    }
}

/// Fails if a stop was requested.
pub fn go_on(interrupt: &Interrupt) -> Result<(), LabError> {
    interrupt.check().map_err(|_| LabError::Sandbox(SandboxError::Interrupted))
}

/// Returns the programs with these names, or all if no name is given.
pub fn chosen(names: &[String]) -> anyhow::Result<Vec<Program>> {
    if let Some(name) = names.iter().find(|name| PROGRAMS.iter().all(|program| program.name != *name)) {
        let known: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        return Err(input(format!("--program {name} is none of {}", known.join(", "))));
    }
    let is_chosen = |program: &Program| names.is_empty() || names.iter().any(|name| name == program.name);
    Ok(PROGRAMS.into_iter().filter(is_chosen).collect())
}

/// Makes the folder for the results, before anything is measured.
pub fn out_folder(out: Option<&Path>, name: &str) -> anyhow::Result<PathBuf> {
    let folder = out.map_or_else(|| PathBuf::from(format!("lab-{name}")), Path::to_owned);
    make_folder(&folder)?;
    Ok(folder)
}

/// Shows progress on a terminal.
pub fn progress(steps: u64) -> Progress {
    let progress = Progress::on_stderr(true);
    progress.expect(steps);
    progress
}

/// Describes the spread of times; `None` if there are none.
pub fn spread(times: &[Nanos]) -> Option<documents::LabSpread> {
    let sample = Sample::new(times.iter().map(|time| time.0 as f64).collect()).ok()?;
    let ns = |value: f64| value.round() as u64;
    Some(documents::LabSpread {
        mean_ns: ns(sample.mean()),
        median_ns: ns(sample.median()),
        min_ns: ns(sample.min()),
        max_ns: ns(sample.max()),
        spread_ns: ns(sample.spread()),
        share: if sample.mean() > 0.0 { sample.spread() / sample.mean() } else { 0.0 },
        variation: sample.variation(),
    })
}
