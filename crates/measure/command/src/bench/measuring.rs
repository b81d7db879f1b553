//! Taking the turns: place, load, runs, and what is written meanwhile.

use super::commands::{self, Command, Hook};
use super::document::{self, Done};
use super::failed::end_words;
use super::{hooks, loading};
use crate::arguments::{BenchArguments, RunCount};
use crate::run::plan;
use crate::run::report::deliver;
use anyhow::Context;
use bench::{LoadShare, Measured, Metric, Series, StopReason, StopRule, Stopped, Turn, take_turns, turns};
use host_command::baseline::usual_here;
use host_command::here::stay_on;
use judging_command::image::root_view;
use labs::load::{Load, LoadPlan};
use model::{CpuSet, Nanos, RunEnd};
use rustix::fd::AsFd;
use sandbox::{Input, Output, Ran, ReferenceTime, Role, RunIo, RunPlan, SandboxError};
use std::cell::RefCell;
use std::fs::File;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use terminal::Progress;
use terminal::failure::{NegativeAnswer, because, input};
use terminal::interrupt::Interrupt;
use timing::{Choice, PlaceOptions, TimedPlace};

/// How often a command runs by default.
const RUNS: u32 = 20;
/// As hyperfine has it.
const AUTOMATIC_RUNS_MIN: u32 = 10;
/// More would hardly make an interval narrower that is still too wide.
const AUTOMATIC_RUNS_MAX: u32 = 200;
/// How wide an interval may be in per cent.
const PRECISION: f64 = 1.0;
/// How long the runs of one command may go on.
const AUTOMATIC_TIME_MAX: Nanos = Nanos::from_millis(60_000);
/// What is on disk is seldom older than this, however the program ends.
const EXPORT_EVERY: Duration = Duration::from_secs(1);
/// Describing thousands of runs takes a while; it takes no more than such a part of the time.
const EXPORT_REST: u32 = 10;

/// What was measured, whole or not.
pub struct Benchmark {
    /// How it was made.
    pub setting: Setting,
    /// The runs of each command.
    pub series: Vec<Series>,
    /// What the fixed work took before each round.
    pub reference: Vec<ReferenceTime>,
    /// Why there were no more runs, if that was not given.
    pub stopped: Option<StopReason>,
    /// Why it stopped before its time.
    pub error: Option<anyhow::Error>,
}

/// How a benchmark is made.
pub struct Setting {
    pub commands: Vec<Command>,
    /// The shell that runs them, if one does.
    pub shell: Option<String>,
    /// Which time is compared.
    pub metric: Metric,
    /// Which command the others are compared with.
    pub reference: usize,
    pub machine: documents::MachineIdentity,
    pub cpus: CpuSet,
    /// Whether others may time there as well.
    pub is_shared: bool,
    /// Runs of each command before the first that counts.
    pub warm_ups: u32,
    /// Runs of each command, or the most.
    pub runs: u32,
    /// When there are enough, if that is not given.
    pub stop: Option<StopRule>,
    /// What else was kept busy.
    pub load: Option<LoadPlan>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl Benchmark {
    /// Makes the document; none where a command has no run.
    pub fn report(&self) -> Option<documents::BenchReport> {
        let done = Done { series: &self.series, reference: &self.reference, stopped: self.stopped };
        document::make(&self.setting, &done)
    }
}

/// Measures until all runs are done, one fails, or we are asked to stop.
pub fn measure(arguments: &BenchArguments) -> anyhow::Result<Benchmark> {
    let commands = commands::read(arguments)?;
    let reference = commands::reference(arguments, &commands)?;
    let metric = Metric::from(arguments.metric);
    let stop = stop_rule(arguments, metric, reference, commands.len())?;
    let (plan, mut warnings) = plan::make(&arguments.sandbox, &commands[0].argv)?;
    if let Some(path) = &arguments.input {
        open_input(path)?;
    }
    let interrupt = Interrupt::listen()?;
    plan::enter_mounts(&arguments.sandbox)?;
    let seen = arguments.sandbox.root.open(&interrupt)?;
    let root = root_view(seen.as_ref());
    let mut place = TimedPlace::open(PlaceOptions {
        cpus: match &arguments.sandbox.cpu_list {
            Some(cpus) => Choice::Shared(cpus.clone()),
            None => Choice::Leased(arguments.sandbox.cpus.unwrap_or(NonZeroU32::MIN)),
        },
        if_taken: arguments.lease.if_taken(&interrupt),
        roles: vec![Role::Contestant],
        stop: Some(interrupt.stop()),
        machines: plan::machines(&plan, seen.as_ref())?,
        ..PlaceOptions::new(root)
    })?;
    warnings.extend(place.warnings().iter().cloned());
    let usual = usual_here(place.cpus());
    place.compare_with(usual);
    let user = place.user(Role::Contestant);
    plan::check_start(&plan, user)?;
    warnings.extend(plan::unwritable_mounts(&plan, user));
    stay_on(place.helpers().cpus())?;
    let load = loading::plan(arguments, &mut place, &mut warnings)?;
    let setting = Setting {
        shell: commands::shell(arguments).map(str::to_owned),
        commands,
        metric,
        reference,
        machine: host_command::wire::machine_identity(&system::Machine::here().identity()),
        cpus: place.cpus().clone(),
        is_shared: place.is_shared(),
        warm_ups: arguments.warmup,
        runs: match (arguments.runs, &stop) {
            (_, Some(rule)) => rule.runs_max,
            (Some(RunCount::Fixed(runs)), None) => runs,
            (Some(RunCount::Auto) | None, None) => RUNS,
        },
        stop,
        load,
        warnings,
    };
    let load = match &setting.load {
        // This very binary, even when the file was replaced since.
        Some(plan) => Some(Load::start(plan.clone(), Path::new("/proc/self/exe"), &["internal", "load"])?),
        None => None,
    };
    let mut runner = Runner {
        place,
        plan,
        load,
        arguments,
        commands: &setting.commands,
        begun: vec![false; setting.commands.len()],
        round: None,
    };
    let (stopped, reference, reason) = take(&mut runner, &setting, &interrupt);
    let Stopped { series, error } = stopped;
    // A file that a failed command left is to go all the same, but what stops us stops this as well.
    let cleaned = interrupt.check().map_err(Into::into).and_then(|()| runner.clean_up());
    let error = error.or(cleaned.err());
    Ok(Benchmark { series, reference, stopped: reason, error, setting })
}

/// Takes the turns, and writes meanwhile what there is.
fn take(
    runner: &mut Runner<'_>,
    setting: &Setting,
    interrupt: &Interrupt,
) -> (Stopped<anyhow::Error>, Vec<ReferenceTime>, Option<StopReason>) {
    let arguments = runner.arguments;
    let progress = Progress::on_stderr(!arguments.show_output);
    let count = setting.commands.len();
    progress.expect((u64::from(setting.warm_ups) + u64::from(setting.runs)) * count as u64);
    let mut export =
        Export { path: arguments.export_json.as_deref(), last: Instant::now(), rest: EXPORT_EVERY };
    let reference = RefCell::new(Vec::new());
    let mut begin = None;
    let mut reason = None;
    let stopped = take_turns(
        count,
        turns(count, setting.warm_ups, setting.runs),
        |turn| {
            interrupt.check()?;
            progress.say(doing(turn, &setting.commands));
            let measured = runner.turn(turn, &mut reference.borrow_mut());
            let measured = measured.map_err(|error| match error.downcast_ref() {
                Some(SandboxError::Interrupted) => interrupt.check().map_or_else(Into::into, |()| error),
                _ => error,
            })?;
            progress.step();
            Ok(measured)
        },
        |turn, series| {
            let begin = *begin.get_or_insert_with(Instant::now);
            let is_round = series.iter().all(|series| series.runs.len() == turn.run as usize + 1);
            if let Some(rule) = setting.stop.as_ref().filter(|_| is_round) {
                reason = rule.decide(series, Nanos::from(begin.elapsed()));
            }
            export
                .write_if_due(setting, &Done { series, reference: &reference.borrow(), stopped: reason })?;
            Ok(if reason.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        },
    );
    (stopped, reference.into_inner(), reason)
}

fn stop_rule(
    arguments: &BenchArguments,
    metric: Metric,
    reference: usize,
    commands: usize,
) -> anyhow::Result<Option<StopRule>> {
    let BenchArguments { runs, min_runs, max_runs, precision, max_time, .. } = arguments;
    let is_refined = min_runs.is_some() || max_runs.is_some() || precision.is_some() || max_time.is_some();
    match runs {
        Some(RunCount::Fixed(runs)) if is_refined => {
            return Err(input(format!(
                "--runs {runs} is a fixed number; --min-runs, --max-runs, --precision and --max-time are for --runs auto"
            )));
        }
        Some(RunCount::Fixed(1)) => {
            return Err(input(
                "--runs 1: a spread needs at least 2 runs; for counts, add --clock instructions",
            ));
        }
        Some(RunCount::Fixed(_)) => return Ok(None),
        None if !is_refined => return Ok(None),
        Some(RunCount::Auto) | None => {}
    }
    let runs_max = max_runs.unwrap_or(AUTOMATIC_RUNS_MAX.max(min_runs.unwrap_or(0)));
    let runs_min = min_runs.unwrap_or(AUTOMATIC_RUNS_MIN.min(runs_max));
    if runs_min > runs_max {
        return Err(input(format!("--min-runs {runs_min} is more than --max-runs {runs_max}")));
    }
    Ok(Some(StopRule {
        metric,
        reference,
        runs_min,
        runs_max,
        precision: precision.unwrap_or(PRECISION) / 100.0,
        time_max: Nanos(max_time.unwrap_or(AUTOMATIC_TIME_MAX).0.saturating_mul(commands as u64)),
    }))
}

/// What it takes to run a command.
struct Runner<'a> {
    place: TimedPlace,
    /// The plan of every command, but for its arguments.
    plan: RunPlan,
    load: Option<Load>,
    arguments: &'a BenchArguments,
    commands: &'a [Command],
    /// Which commands have been set up.
    begun: Vec<bool>,
    /// The round of the last run that counted.
    round: Option<u32>,
}

impl Runner<'_> {
    /// Runs a command in its turn, with all that belongs around it.
    fn turn(&mut self, turn: &Turn, reference: &mut Vec<ReferenceTime>) -> anyhow::Result<Measured> {
        let command = &self.commands[turn.command];
        let hooks = &command.hooks;
        if !self.begun[turn.command] {
            self.begun[turn.command] = true;
            self.hook(hooks.setup.as_ref(), command)?;
        }
        if !turn.is_warm_up && self.round != Some(turn.run) {
            self.round = Some(turn.run);
            reference.extend(self.place.reference()?);
        }
        self.hook(hooks.prepare.as_ref(), command)?;
        let plan = RunPlan { argv: command.argv.clone(), ..self.plan.clone() };
        let done = run_once(&mut self.place, &plan, self.load.as_mut(), self.arguments)?;
        let measured = accept(done, turn, command, self.arguments.ignore_failure)?;
        self.hook(hooks.conclude.as_ref(), command)?;
        Ok(measured)
    }

    fn hook(&mut self, hook: Option<&Hook>, command: &Command) -> anyhow::Result<()> {
        hook.map_or(Ok(()), |hook| hooks::run(&mut self.place, &self.plan, hook, command))
    }

    /// Runs what comes after a command's last run, of all that were set up. The first error is returned after all were run.
    fn clean_up(&mut self) -> anyhow::Result<()> {
        let commands = self.commands;
        let begun = self.begun.clone();
        let mut first = Ok(());
        for (command, _) in commands.iter().zip(begun).filter(|(_, begun)| *begun) {
            let cleaned = self.hook(command.hooks.cleanup.as_ref(), command);
            first = first.and(cleaned);
        }
        first
    }
}

fn run_once(
    place: &mut TimedPlace,
    plan: &RunPlan,
    mut load: Option<&mut Load>,
    arguments: &BenchArguments,
) -> anyhow::Result<(Measured, Vec<u8>)> {
    let io = io(arguments, plan)?;
    let before = load.as_mut().map(|load| load.work_at()).transpose()?;
    let Ran { result, stderr, .. } = place.run(plan, io, arguments.patience.unwrap_or_default())?;
    let after = load.as_mut().map(|load| load.work_at()).transpose()?;
    let share = before.zip(after).map(|((work_before, then), (work_after, now))| LoadShare {
        work: work_after.total().saturating_sub(work_before.total()),
        during: now.saturating_sub(then).max(Nanos(1)),
    });
    Ok((Measured { result, load: share }, stderr))
}

/// Returns the input and output of a run.
pub fn io(arguments: &BenchArguments, plan: &RunPlan) -> anyhow::Result<RunIo> {
    Ok(RunIo {
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
    })
}

/// Takes a run's result, unless the run failed and that matters.
fn accept(
    (measured, stderr): (Measured, Vec<u8>),
    turn: &Turn,
    command: &Command,
    ignore_failure: bool,
) -> anyhow::Result<Measured> {
    let end = measured.result.end;
    if end == RunEnd::Exited(0) || ignore_failure {
        return Ok(measured);
    }
    let which = if turn.is_warm_up { "warm-up" } else { "run" };
    let message = format!("{which} {} of {} {}", turn.run + 1, command.label(), end_words(end, &stderr));
    let hint = Some("--ignore-failure counts such runs like any others".to_owned());
    Err(NegativeAnswer { message, hint }.into())
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
    fn write_if_due(&mut self, setting: &Setting, done: &Done<'_>) -> anyhow::Result<()> {
        let Some(path) = self.path.filter(|_| self.last.elapsed() >= self.rest) else { return Ok(()) };
        let begun = Instant::now();
        if let Some(report) = document::make(setting, done) {
            deliver(&documents::to_json(&report), Some(path))?;
        }
        self.last = Instant::now();
        self.rest = EXPORT_EVERY.max(begun.elapsed() * EXPORT_REST);
        Ok(())
    }
}

fn doing(turn: &Turn, commands: &[Command]) -> String {
    let command = commands[turn.command].label();
    if turn.is_warm_up { format!("warm-up of {command}") } else { command.to_owned() }
}

fn open_input(path: &PathBuf) -> anyhow::Result<File> {
    File::open(path).with_context(|| because(format!("cannot open the input {}", path.display())))
}

fn own(descriptor: impl AsFd) -> anyhow::Result<rustix::fd::OwnedFd> {
    descriptor.as_fd().try_clone_to_owned().context("cannot pass a descriptor on to the program")
}
