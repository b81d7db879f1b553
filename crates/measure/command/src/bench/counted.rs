//! `tauto bench --clock instructions` and `--clock model`: commands compared by what they execute.
//!
//! The same program has the same count in each run, so two runs are enough to see that; programs that have not are run more often.

mod compare;
mod functions;
mod text;

pub use compare::{compare_files, is_result};

use super::commands::{self, Command, letter};
use super::failed::end_words;
use super::{export, hooks};
use crate::arguments::{BenchArguments, BenchClock, LoadChoice, RunCount};
use crate::run::plan;
use crate::run::report::deliver;
use anyhow::Context;
use documents::{BenchCountsReport, CacheMisses, CacheModel, CountedResult};
use host_command::arguments::{ClockName, CounterName};
use judging_command::image::root_view;
use model::{Bytes, InstructionCount, Reading, RunEnd};
use sandbox::{Cache, Caches, Misses, Mount, Profile, Profiler, Ran, Role, RunPlan, SandboxError, Workspace};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{NegativeAnswer, input};
use terminal::interrupt::Interrupt;
use terminal::{Colour, Progress, print};
use timing::{Choice, PlaceOptions, TimedPlace};

/// Two that are equal show that there is no spread.
const RUNS: u32 = 2;
/// As many show what a spread is like.
const RUNS_MAX: u32 = 10;
/// The plugin, and a profile of a million blocks.
const PROFILE_SIZE: Bytes = Bytes::from_mib(80);
/// Where runs see the plugin and the file that it writes.
const PROFILE: &str = "/box/profile";
/// Usual ones: 32 KiB are on most processors of the last ten years, and 8 MiB are on small ones of today.
const CACHES: CacheModel = CacheModel {
    first_bytes: 32 << 10,
    first_ways: 8,
    last_bytes: 8 << 20,
    last_ways: 16,
    // As KCachegrind estimates cycles.
    first_miss_cycles: 10,
    last_miss_cycles: 100,
};

pub fn run(arguments: &BenchArguments, json: bool) -> anyhow::Result<ExitCode> {
    check(arguments)?;
    let report = measure(arguments)?;
    let page = text::report(&report);
    let words = if json { documents::to_json(&report) } else { page.text(Colour::for_stdout()) };
    let printed = print(&words).map_err(Into::into);
    let files = [
        (&arguments.export_json, documents::to_json(&report)),
        (&arguments.export_csv, export::counts_csv(&report)),
        (&arguments.export_markdown, page.markdown()),
        (&arguments.html, page.page()),
    ];
    let written = files.iter().filter_map(|(path, text)| Some(deliver(text, Some(path.as_ref()?))));
    written.fold(printed, anyhow::Result::and)?;
    compare::check_increase(&report.comparisons, arguments.fail_above)
}

/// Refuses what is about times.
fn check(arguments: &BenchArguments) -> anyhow::Result<()> {
    let BenchArguments { min_runs, max_runs, precision, max_time, patience, svg, load, runs, .. } = arguments;
    let of_times = [
        ("--runs auto", *runs == Some(RunCount::Auto)),
        ("--min-runs", min_runs.is_some()),
        ("--max-runs", max_runs.is_some()),
        ("--precision", precision.is_some()),
        ("--max-time", max_time.is_some()),
        ("--patience", patience.is_some()),
        ("--svg", svg.is_some()),
        ("--load", *load != LoadChoice::None),
    ];
    match of_times.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(input(format!(
            "{option} is for times, and counts have no noise; leave it out, or --clock {}",
            if arguments.clock == BenchClock::Model { "model" } else { "instructions" }
        ))),
        None => Ok(()),
    }
}

fn measure(arguments: &BenchArguments) -> anyhow::Result<BenchCountsReport> {
    let commands = commands::read(arguments)?;
    let reference = commands::reference(arguments, &commands)?;
    let (mut plan, mut warnings) = plan::make(&arguments.sandbox, &commands[0].argv)?;
    // The processor's own counter knows neither functions nor caches.
    plan.counter = host_command::counter(ClockName::Instructions, Some(CounterName::Emulated))?;
    let counter = plan.counter.as_ref().map(ToString::to_string).unwrap_or_default();
    let model = (arguments.clock == BenchClock::Model).then_some(CACHES);
    // The program can write to the profile, so that its memory is limited.
    sandbox::enter_private_mounts()?;
    let workspace = Workspace::new(PROFILE_SIZE, 16)?;
    let folder = workspace.folder("profile")?;
    let profiler = Profiler::new(&folder, model.map(caches)).context("cannot make the plugin")?;
    let interrupt = Interrupt::listen()?;
    let seen = arguments.sandbox.root.open(&interrupt)?;
    if seen.as_ref().is_some_and(|seen| seen.machines.is_some()) {
        return Err(input(
            "--isolation microvm is not for counts by function: the emulator's profile is a file of this machine; leave it out, or --clock",
        ));
    }
    let root = root_view(seen.as_ref());
    let mut place = TimedPlace::open(PlaceOptions {
        // Nothing is timed, so that no CPU is taken from others.
        cpus: Choice::Shared(host_command::here::allowed_cpus()?),
        isolate: false,
        roles: vec![Role::Contestant],
        stop: Some(interrupt.stop()),
        ..PlaceOptions::new(root)
    })?;
    let user = place.user(Role::Contestant);
    plan::check_start(&plan, user)?;
    warnings.extend(plan::unwritable_mounts(&plan, user));
    plan.mounts.push(Mount { source: folder, target: PROFILE.to_owned(), writable: true });
    let progress = Progress::on_stderr(!arguments.show_output);
    let mut runner = Runner {
        place: &mut place,
        plan: &plan,
        profiler: &profiler,
        model,
        arguments,
        root: seen.as_ref().map(|seen| seen.path.as_path()),
        interrupt: &interrupt,
    };
    let mut results = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        progress.say(command.label().to_owned());
        results.push(runner.count(at, command)?);
    }
    drop(progress);
    let compared_with = (commands.len() > 1).then(|| letter(reference));
    let others = results.iter().enumerate().filter(|(at, _)| *at != reference);
    let comparisons = others.map(|(_, result)| compare::compare(&results[reference], result)).collect();
    let machine = host_command::wire::machine_identity(&system::Machine::here().identity());
    Ok(BenchCountsReport { machine, counter, model, results, compared_with, comparisons, warnings })
}

fn caches(model: CacheModel) -> Caches {
    Caches {
        first: Cache { size: Bytes(model.first_bytes), ways: model.first_ways },
        last: Cache { size: Bytes(model.last_bytes), ways: model.last_ways },
    }
}

/// Returns the cycles of instructions with these misses.
fn cycles(model: &CacheModel, instructions: u64, misses: Misses) -> u64 {
    let first = misses.first_instructions.saturating_add(misses.first_data);
    let first = first.saturating_mul(model.first_miss_cycles);
    let last = misses.last.saturating_mul(model.last_miss_cycles);
    instructions.saturating_add(first).saturating_add(last)
}

struct Runner<'a> {
    place: &'a mut TimedPlace,
    plan: &'a RunPlan,
    profiler: &'a Profiler,
    model: Option<CacheModel>,
    arguments: &'a BenchArguments,
    /// The root that programs see, if it is not the host's.
    root: Option<&'a Path>,
    interrupt: &'a Interrupt,
}

impl Runner<'_> {
    /// Runs a command as often as it takes.
    fn count(&mut self, at: usize, command: &Command) -> anyhow::Result<CountedResult> {
        let hook = |place: &mut TimedPlace, hook: Option<&commands::Hook>, plan: &RunPlan| {
            hook.map_or(Ok(()), |hook| hooks::run(place, plan, hook, command))
        };
        let (wanted, is_fixed) = match self.arguments.runs {
            Some(RunCount::Fixed(runs)) => (runs, true),
            _ => (RUNS, false),
        };
        hook(self.place, command.hooks.setup.as_ref(), self.plan)?;
        let (mut runs, mut exit_codes) = (Vec::new(), Vec::new());
        let mut last = (InstructionCount(0), Profile::default());
        loop {
            self.interrupt.check()?;
            let done = runs.len() as u32;
            let has_spread = !is_fixed && runs.iter().any(|count| *count != runs[0]);
            if done >= wanted && !(has_spread && done < RUNS_MAX) {
                break;
            }
            // The plugin that profiles makes programs slower, and so only runs where it is used.
            let is_profiled = self.model.is_some() || done + 1 >= wanted;
            hook(self.place, command.hooks.prepare.as_ref(), self.plan)?;
            let (count, end, profile) = self.once(command, is_profiled)?;
            hook(self.place, command.hooks.conclude.as_ref(), self.plan)?;
            let misses = total(&profile);
            runs.push(self.model.map_or(count.0, |model| cycles(&model, count.0, misses)));
            exit_codes.push(match end {
                RunEnd::Exited(code) => Some(code),
                RunEnd::Signaled(_) | RunEnd::Limit(_) => None,
            });
            last = (count, profile);
        }
        hook(self.place, command.hooks.cleanup.as_ref(), self.plan)?;
        let (instructions, profile) = last;
        let weigh = |instructions: u64, misses: Misses| {
            self.model.map_or(instructions, |model| cycles(&model, instructions, misses))
        };
        let root = self.root;
        let files = functions::Files { root, mounts: &self.plan.mounts };
        let Misses { first_instructions, first_data, last } = total(&profile);
        Ok(CountedResult {
            letter: letter(at),
            command: command.label().to_owned(),
            argv: command.argv.clone(),
            parameters: command.parameters.iter().cloned().collect(),
            count: runs.iter().copied().min().unwrap_or(0),
            runs,
            exit_codes,
            instructions: instructions.0,
            misses: self.model.map(|_| CacheMisses { first_instructions, first_data, last }),
            functions: functions::attribute(&profile, &files, weigh),
        })
    }

    fn once(
        &mut self,
        command: &Command,
        is_profiled: bool,
    ) -> anyhow::Result<(InstructionCount, RunEnd, Profile)> {
        let mut plan = RunPlan { argv: command.argv.clone(), ..self.plan.clone() };
        if is_profiled {
            plan.plugins.push(self.profiler.begin(PROFILE).context("cannot make the profile's file")?);
        }
        let io = super::measuring::io(self.arguments, &plan)?;
        let ran = self.place.slot().run(&plan, io).map_err(|error| match error {
            SandboxError::Interrupted => self.interrupt.check().map_or_else(Into::into, |()| error.into()),
            _ => anyhow::Error::from(error),
        })?;
        let Ran { result, stderr, .. } = ran;
        if result.end != RunEnd::Exited(0) && !self.arguments.ignore_failure {
            let message = format!("{} {}", command.label(), end_words(result.end, &stderr));
            let hint = Some("--ignore-failure counts such runs like any others".to_owned());
            return Err(NegativeAnswer { message, hint }.into());
        }
        let count = match result.usage.instructions {
            Reading::Known(count) => count,
            Reading::Unavailable(why) => anyhow::bail!("{} was not counted: {why}", command.label()),
        };
        let profile = if is_profiled {
            self.profiler.read().context("cannot read the profile")?
        } else {
            Profile::default()
        };
        Ok((count, result.end, profile))
    }
}

fn total(profile: &Profile) -> Misses {
    profile.blocks.iter().fold(Misses::default(), |sum, block| sum + block.misses)
}
