//! Taking the turns: place, load, runs, and what is written meanwhile.

use super::{commands, document};
use crate::arguments::{BenchArguments, LoadCpus};
use crate::failure::{NegativeAnswer, because, input};
use crate::interrupt::{Interrupt, signal_name};
use crate::machine_use::stay_on;
use crate::noise_command::store::usual_here;
use crate::output::Progress;
use crate::run_command::plan;
use crate::run_command::report::deliver;
use anyhow::Context;
use lab::load::{Load, LoadPlan};
use lab::measure::{LoadShare, Measured, Series, Turn, take_turns, turns};
use model::{CpuSet, Nanos, RunEnd};
use rustix::fd::AsFd;
use sandbox::{Input, Output, Ran, Role, RootView, RunIo, RunPlan, SandboxError};
use std::fs::File;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use timing::{Choice, PlaceOptions, TimedPlace};

/// What is on disk is seldom older than this, however the program ends.
const EXPORT_EVERY: Duration = Duration::from_secs(1);
/// Describing thousands of runs takes a while; it takes no more than such a part of the time.
const EXPORT_REST: u32 = 10;
/// What is shown of what a failed command wrote to standard error.
const COMPLAINT_CHARACTERS_MAX: usize = 300;
/// The kernel's mark of a file system in memory (`TMPFS_MAGIC` in linux/magic.h).
const TMPFS: i64 = 0x0102_1994;

/// What was measured, whole or not.
pub struct Benchmark {
    /// How it was made.
    pub setting: Setting,
    /// The runs of each command.
    pub series: Vec<Series>,
    /// Why it stopped before its time.
    pub error: Option<anyhow::Error>,
}

/// How a benchmark is made.
pub struct Setting {
    /// The commands, as argument lists.
    pub commands: Vec<Vec<String>>,
    /// The machine.
    pub machine: api::MachineIdentity,
    /// The CPUs of the runs.
    pub cpus: CpuSet,
    /// Whether others may time there as well.
    pub is_shared: bool,
    /// Runs of each command before the first that counts.
    pub warm_ups: u32,
    /// Runs of each command.
    pub runs: u32,
    /// What else was kept busy.
    pub load: Option<LoadPlan>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl Benchmark {
    /// Makes the document; none where a command has no run.
    pub fn report(&self) -> Option<api::BenchReport> {
        document::make(&self.setting, &self.series)
    }
}

/// Measures until all runs are done, one fails, or we are asked to stop.
///
/// # Errors
/// When nothing can be measured.
pub fn measure(arguments: &BenchArguments) -> anyhow::Result<Benchmark> {
    let commands = commands::read(arguments)?;
    let (plan, mut warnings) = plan::make(&arguments.sandbox, &arguments.command)?;
    let plans: Vec<RunPlan> =
        commands.iter().map(|argv| RunPlan { argv: argv.clone(), ..plan.clone() }).collect();
    if let Some(path) = &arguments.input {
        open_input(path)?;
    }
    let interrupt = Interrupt::listen()?;
    let root = match &arguments.sandbox.root {
        Some(tree) => RootView::Tree(tree.clone()),
        None => RootView::Host { extra: Vec::new() },
    };
    let mut place = TimedPlace::open(PlaceOptions {
        cpus: match &arguments.sandbox.cpu_list {
            Some(cpus) => Choice::Shared(cpus.clone()),
            None => Choice::Leased(arguments.sandbox.cpus.unwrap_or(NonZeroU32::MIN)),
        },
        if_taken: arguments.lease.if_taken(&interrupt),
        roles: vec![Role::Contestant],
        stop: Some(interrupt.stop()),
        ..PlaceOptions::new(root)
    })?;
    warnings.extend(place.warnings().iter().cloned());
    let usual = usual_here(place.cpus());
    place.compare_with(usual);
    let user = place.user(Role::Contestant);
    plan::check_start(&plan, user)?;
    warnings.extend(plan::unwritable_mounts(&plan, user));
    stay_on(place.helpers().cpus())?;
    let load = load_plan(arguments, &mut place, &mut warnings)?;
    let setting = Setting {
        commands,
        machine: crate::output::wire::machine_identity(&probe::Machine::here().identity()),
        cpus: place.cpus().clone(),
        is_shared: place.is_shared(),
        warm_ups: arguments.warmup,
        runs: arguments.runs,
        load,
        warnings,
    };
    let mut load = match &setting.load {
        // This very binary, even when the file was replaced since.
        Some(plan) => Some(Load::start(plan.clone(), Path::new("/proc/self/exe"), &["internal", "load"])?),
        None => None,
    };
    let progress = Progress::on_stderr(!arguments.show_output);
    let steps = (setting.warm_ups + setting.runs) as usize * plans.len();
    progress.expect(steps as u64);
    let mut export =
        Export { path: arguments.export_json.as_deref(), last: Instant::now(), rest: EXPORT_EVERY };
    let stopped = take_turns(
        plans.len(),
        turns(plans.len(), setting.warm_ups, setting.runs),
        |turn| {
            interrupt.check()?;
            progress.say(doing(turn, &setting.commands));
            let measured =
                run_once(&mut place, &plans[turn.command], load.as_mut(), arguments).map_err(|error| {
                    match error.downcast_ref() {
                        Some(SandboxError::Interrupted) => {
                            interrupt.check().map_or_else(Into::into, |()| error)
                        }
                        _ => error,
                    }
                })?;
            progress.step();
            accept(measured, turn, &setting.commands, arguments.ignore_failure)
        },
        |_, series| export.write_if_due(&setting, series),
    );
    Ok(Benchmark { series: stopped.series, error: stopped.error, setting })
}

fn run_once(
    place: &mut TimedPlace,
    plan: &RunPlan,
    mut load: Option<&mut Load>,
    arguments: &BenchArguments,
) -> anyhow::Result<(Measured, Vec<u8>)> {
    let io = RunIo {
        stdin: match &arguments.input {
            Some(path) => Input::Descriptor(open_input(path)?.into()),
            None => Input::Empty,
        },
        stdout: match (arguments.show_output, plan.limits.output) {
            (true, _) => Output::Forward(own(rustix::stdio::stdout())?),
            // What is thrown away at once is not counted.
            (false, Some(_)) => Output::Capture,
            (false, None) => Output::Discard,
        },
        stderr: if arguments.show_output {
            Output::Forward(own(rustix::stdio::stderr())?)
        } else {
            Output::Capture
        },
        end_when: None,
    };
    let before = load.as_mut().map(|load| load.work_at()).transpose()?;
    let Ran { result, stderr, .. } = place.run(plan, io, arguments.patience.unwrap_or_default())?;
    let after = load.as_mut().map(|load| load.work_at()).transpose()?;
    let share = before.zip(after).map(|((work_before, then), (work_after, now))| LoadShare {
        work: work_after.total().saturating_sub(work_before.total()),
        during: now.saturating_sub(then).max(Nanos(1)),
    });
    Ok((Measured { result, load: share }, stderr))
}

/// Takes a run's result, unless the run failed and that matters.
fn accept(
    (measured, stderr): (Measured, Vec<u8>),
    turn: &Turn,
    commands: &[Vec<String>],
    ignore_failure: bool,
) -> anyhow::Result<Measured> {
    if measured.result.end == RunEnd::Exited(0) || ignore_failure {
        return Ok(measured);
    }
    let end = match measured.result.end {
        RunEnd::Signaled(signal) => format!("was killed by signal {signal} ({})", signal_name(signal)),
        RunEnd::Exited(code) => format!("ended with exit code {code}"),
        RunEnd::Limit(kind) => kind.passed(),
    };
    let which = if turn.is_warm_up { "warm-up" } else { "run" };
    let command = commands::quoted(&commands[turn.command]);
    // What a program writes must not steer the terminal.
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let complaint = String::from_utf8_lossy(&stderr);
    let complaint: String = complaint.trim().chars().take(COMPLAINT_CHARACTERS_MAX).map(plain).collect();
    let mut message = format!("{which} {} of {command} {end}", turn.run + 1);
    if !complaint.is_empty() {
        message.push_str(&format!(", saying '{complaint}'"));
    }
    let hint = Some("--ignore-failure counts such runs like any others".to_owned());
    Err(NegativeAnswer { message, hint }.into())
}

/// Decides where the load runs.
fn load_plan(
    arguments: &BenchArguments,
    place: &mut TimedPlace,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Option<LoadPlan>> {
    let Some(kind) = arguments.load.kind() else { return Ok(None) };
    let cpus = match &arguments.load_on {
        LoadCpus::Leased => place.cpus().clone(),
        LoadCpus::Neighbours => neighbours(place, warnings)?,
        LoadCpus::List(list) => list.clone(),
    };
    if !cpus.is_subset(place.allowed()) {
        let allowed = place.allowed();
        return Err(input(format!(
            "--load-on {cpus} is not within what is allowed here, {}",
            allowed.named()
        )));
    }
    let folder = arguments.load_folder.clone();
    if kind == lab::load::LoadKind::Io {
        let volume = rustix::fs::statfs(&folder)
            .with_context(|| because(format!("cannot use --load-folder {}", folder.display())))?;
        if volume.f_type as i64 == TMPFS {
            warnings.push(format!("{} is in memory, so the io load reaches no device", folder.display()));
        }
    }
    Ok(Some(LoadPlan { kind, cpus, floating: false, folder }))
}

/// Takes the CPUs beside the runs for a load.
fn neighbours(place: &mut TimedPlace, warnings: &mut Vec<String>) -> anyhow::Result<CpuSet> {
    let all = place.neighbours();
    if all.is_empty() {
        return Err(input(format!(
            "there is no CPU for the load besides {}, where the runs are; --load-on leased puts it there",
            place.cpus().named()
        )));
    }
    let free = place.take_neighbours()?;
    let spared = all.difference(&free);
    if free.is_empty() {
        return Err(input(format!(
            "other tauto processes time on {}, which a load would spoil; wait for them, or name CPUs by \
             --load-on",
            spared.named()
        )));
    }
    if !spared.is_empty() {
        warnings.push(format!("there is no load on {}, where other tauto processes time", spared.named()));
    }
    Ok(free)
}

/// Writes what there is while more is measured, so that nothing is lost however this ends.
struct Export<'p> {
    path: Option<&'p Path>,
    /// When it was written.
    last: Instant,
    /// How long to wait from then on.
    rest: Duration,
}

impl Export<'_> {
    fn write_if_due(&mut self, setting: &Setting, series: &[Series]) -> anyhow::Result<()> {
        let Some(path) = self.path.filter(|_| self.last.elapsed() >= self.rest) else { return Ok(()) };
        let begun = Instant::now();
        if let Some(report) = document::make(setting, series) {
            deliver(&api::to_json(&report), Some(path))?;
        }
        self.last = Instant::now();
        self.rest = EXPORT_EVERY.max(begun.elapsed() * EXPORT_REST);
        Ok(())
    }
}

fn doing(turn: &Turn, commands: &[Vec<String>]) -> String {
    let command = commands::quoted(&commands[turn.command]);
    if turn.is_warm_up { format!("warm-up of {command}") } else { command }
}

fn open_input(path: &PathBuf) -> anyhow::Result<File> {
    File::open(path).with_context(|| because(format!("cannot open the input {}", path.display())))
}

fn own(descriptor: impl AsFd) -> anyhow::Result<rustix::fd::OwnedFd> {
    descriptor.as_fd().try_clone_to_owned().context("cannot pass a descriptor on to the program")
}
