//! The whole suite on this machine.

use crate::case::{self, Case, Kind, OverOutput, language_cases, read_all, suite_folder};
use crate::leftovers::{self, Snapshot};
use crate::table::Row;
use crate::{core_suite, ends, guarded, own_cpus, own_tools, quiet_cpus, run_after_run, shared};
use anyhow::{Context, Result, bail};
use judge::{
    BuildLimits, BuildOutcome, Built, Engine, JudgeOptions, Problem, Quiet, Station, StationOptions,
};
use languages::{Entry, Languages, SourceFile};
use model::{Bytes, LimitKind, Nanos, RunEnd, Usage, Verdict};
use package::Package;
use sandbox::{Counter, Emulator, Output, Ran, RunIo, input_in_memory};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;
use timing::IfTaken;

/// The groups of cases that hold whichever clock is used.
const COUNTED_GROUPS: [&str; 5] = ["cpu", "waiting", "memory", "kernel", "isolation"];
/// How many programs are compiled ahead of the one that runs.
const BUILT_AHEAD: usize = 3;

#[derive(Default)]
pub struct RunOutcome {
    verdict: Option<Verdict>,
    end: Option<RunEnd>,
    usage: Option<Usage>,
    stdout: Vec<u8>,
    score: Option<f64>,
    messages: String,
}

impl From<Ran> for RunOutcome {
    fn from(ran: Ran) -> Self {
        let verdict = match ran.result.end {
            RunEnd::Exited(0) => None,
            RunEnd::Exited(_) | RunEnd::Signaled(_) => Some(Verdict::RunTimeError),
            RunEnd::Limit(LimitKind::CpuTime | LimitKind::Instructions) => Some(Verdict::TimeLimitExceeded),
            RunEnd::Limit(LimitKind::WallTime) => Some(Verdict::WallTimeLimitExceeded),
            RunEnd::Limit(LimitKind::Memory) => Some(Verdict::MemoryLimitExceeded),
            RunEnd::Limit(LimitKind::Output) => Some(Verdict::OutputLimitExceeded),
        };
        Self {
            verdict,
            end: Some(ran.result.end),
            usage: Some(ran.result.usage),
            stdout: ran.stdout,
            messages: String::from_utf8_lossy(&ran.stderr).into_owned(),
            ..Self::default()
        }
    }
}

impl RunOutcome {
    pub fn failed(error: &anyhow::Error) -> Self {
        Self::without_run(Verdict::JudgingError, format!("{error:#}"))
    }

    fn without_run(verdict: Verdict, messages: String) -> Self {
        Self { verdict: Some(verdict), messages, ..Self::default() }
    }
}

pub fn judge_run(case: &Case, done: &RunOutcome) -> Result<Row> {
    let right_output = case.stdout.as_ref().is_none_or(|expected| expected.as_bytes() == done.stdout);
    let got = match done.verdict {
        Some(verdict) => verdict,
        None if right_output => Verdict::Accepted,
        None => Verdict::WrongAnswer,
    };
    let as_asked = case.exit_code.is_none_or(|code| done.end == Some(RunEnd::Exited(code)))
        && case.signal.is_none_or(|signal| done.end == Some(RunEnd::Signaled(signal)))
        && case.score.is_none_or(|score| done.score == Some(score));
    let complaint = if case.expected()?.contains(&got) && as_asked {
        None
    } else {
        let end = done.end.map_or_else(String::new, |end| format!("end: {end}\n"));
        let score = done.score.map_or_else(String::new, |score| format!("score: {score}\n"));
        let stdout = String::from_utf8_lossy(&done.stdout[..done.stdout.len().min(1000)]);
        Some(format!("{end}{score}stdout: {}\nstderr: {}", stdout.trim_end(), done.messages.trim_end()))
    };
    let row = Row::new(case, got, complaint);
    Ok(match &done.usage {
        Some(usage) => row.with_usage(usage),
        None => row,
    })
}

/// Runs every case, or those whose name contains one of `only`. By `counted` instructions under the emulator, cases of some groups run.
pub fn run(only: &[String], counted: bool) -> Result<Vec<Row>> {
    let folder = suite_folder();
    let mut cases = read_all(&folder)?;
    let languages = Languages::builtin();
    cases.extend(language_cases(&folder)?.into_iter().filter(|case| is_installed(case, &languages)));
    cases.retain(|case| is_wanted(&case.name, only));
    let emulator = counted.then(|| Emulator::find().map(Counter::Emulated)).transpose()?;
    if counted {
        cases.retain(|case| case.kind == Kind::Run && COUNTED_GROUPS.contains(&case.group.as_str()));
        for case in cases.iter_mut().filter(|case| !case.counted.is_empty()) {
            case.expect = std::mem::take(&mut case.counted);
        }
    }
    let wants = |name: &str| !counted && is_wanted(name, only);
    let counter = emulator.as_ref();
    if cases.is_empty()
        && ![
            "own-cpus",
            "own-tools",
            "run-after-run",
            "guard",
            "quiet-cpus",
            "in-machines",
            "end-of",
            "engine-",
        ]
        .iter()
        .any(|name| wants(name))
    {
        bail!("no case has a name that contains {}", only.join(" or "));
    }
    // The caller may have any umask; the strictest one reveals files made without an explicit mode.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    sandbox::enter_private_mounts()?;
    let _scratch = leftovers::scratch()?;
    let before = Snapshot::take()?;
    let mut rows = {
        let engine = Engine::start(Station::open(
            StationOptions { if_taken: IfTaken::Share, ..StationOptions::default() },
            languages,
        )?)?;
        for warning in engine.station().warnings() {
            println!("warning: {warning}");
        }
        let mut rows = run_all(&engine, &folder, &cases, counter)?;
        if wants("engine-") {
            rows.extend(shared::run(&engine)?);
        }
        if wants("own-tools") {
            rows.extend(own_tools::run(engine.station()));
        }
        rows
    };
    if wants("end-of") {
        rows.extend(ends::run()?);
    }
    let place = || {
        let place = tempfile::tempdir()?;
        std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        anyhow::Ok(place)
    };
    if wants("own-cpus") {
        let program = place()?;
        own_cpus::build(&folder, program.path())?;
        rows.extend(own_cpus::run(program.path())?);
    }
    if wants("run-after-run") {
        rows.extend(run_after_run::run(&folder, place()?.path())?);
    }
    if wants("guard") {
        let program = place()?;
        guarded::build(&folder, program.path())?;
        rows.extend(guarded::run(program.path())?);
    }
    if wants("in-machines") {
        rows.extend(core_suite::run_some_in_machines()?);
    }
    if wants("quiet-cpus") {
        rows.extend(quiet_cpus::run());
    }
    rows.extend(before.compare_with_now()?);
    Ok(rows)
}

/// Returns whether the language of a case is installed, and prints it if not: not every system has packages of each.
fn is_installed(case: &Case, languages: &Languages) -> bool {
    let missing = languages.get(&case.language).and_then(|language| language.missing(Path::exists));
    if let Some(missing) = &missing {
        let what = format!("{} ({})", missing.program.display(), missing.install_hint);
        test_support::count(&case.name, &what);
    }
    missing.is_none()
}

pub fn is_wanted(name: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|part| name.contains(part.as_str()))
}

/// Runs the cases one after the other in one slot, while the next ones are compiled.
fn run_all(engine: &Engine, folder: &Path, cases: &[Case], counter: Option<&Counter>) -> Result<Vec<Row>> {
    let station = engine.station();
    thread::scope(|scope| {
        let (send, receive) = sync_channel(BUILT_AHEAD);
        scope.spawn(move || {
            for case in cases {
                let built = match case.kind {
                    Kind::Package => None,
                    Kind::Run | Kind::Compile => Some(build(station, folder, case)),
                };
                if send.send((case, built)).is_err() {
                    return;
                }
            }
        });
        let mut rows = Vec::new();
        for (case, built) in receive {
            let done = match built {
                Some(built) => built.and_then(|outcome| run_built(station, case, outcome, counter)),
                None => judge_package(engine, folder, case),
            };
            let done = done.unwrap_or_else(|error| RunOutcome::failed(&error));
            let row = judge_run(case, &done)?;
            row.print();
            rows.push(row);
        }
        Ok(rows)
    })
}

fn build(station: &Station, folder: &Path, case: &Case) -> Result<BuildOutcome> {
    let mut files = Vec::new();
    for path in case.source_paths() {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let bytes =
            std::fs::read(folder.join(path)).with_context(|| format!("case {}: {path}", case.name))?;
        files.push(SourceFile { name, bytes });
    }
    if let Some(tree) = &case.tree {
        collect(tree, "", &mut files)?;
    }
    let language = station
        .languages()
        .get(&case.language)
        .with_context(|| format!("case {}: no language '{}'", case.name, case.language))?;
    let limits = BuildLimits {
        time: Nanos::from_millis(10_000),
        memory: Bytes::from_mib(2048),
        program_memory: case.limits().memory.unwrap_or_default(),
    };
    Ok(station.helper().build(language, &files, Entry::default(), &limits)?)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push(SourceFile { name, bytes: std::fs::read(entry.path())? });
        }
    }
    Ok(())
}

fn run_built(
    station: &Station,
    case: &Case,
    outcome: BuildOutcome,
    counter: Option<&Counter>,
) -> Result<RunOutcome> {
    let built: Built = match outcome {
        BuildOutcome::Built(built, _) => built,
        BuildOutcome::Failed(compilation) => {
            let messages = format!("{}\n{}", compilation.failure.unwrap_or_default(), compilation.output);
            return Ok(RunOutcome::without_run(Verdict::CompileError, messages));
        }
    };
    let mut plan = built.plan(&[]);
    let language_processes = plan.limits.processes;
    plan.limits = case.limits();
    if let Some(counter) = counter {
        plan.limits = case::counted(&plan.limits);
        plan.counter = Some(counter.clone());
    }
    // Language runtimes need additional threads, beyond the suite's limit for programs.
    plan.limits.processes = plan.limits.processes.max(language_processes.filter(|_| case.language != "c"));
    plan.work_writable = case.allow_file_writing;
    let input = input_in_memory(&case.input())?;
    let stdout = match case.over_output {
        OverOutput::Stop => Output::Capture,
        OverOutput::Late => Output::Cut { fails: true },
        OverOutput::Cut => Output::Cut { fails: false },
    };
    let io = RunIo { stdout, ..RunIo::captured(input.open()?) };
    Ok(RunOutcome::from(station.places()[0].run_program(&plan, io, Nanos::ZERO)?))
}

fn judge_package(engine: &Engine, folder: &Path, case: &Case) -> Result<RunOutcome> {
    let (Some(path), Some(submission)) = (&case.package, &case.submission) else {
        bail!("case {}: a package case names a package and a submission", case.name);
    };
    let scratch = tempfile::tempdir()?;
    let package = Arc::new(Package::open(&folder.join(path), scratch.path())?);
    let name = submission.trim_start_matches("submissions/");
    let jury = package
        .submissions
        .iter()
        .find(|jury| jury.name == name)
        .with_context(|| format!("case {}: the package has no submission '{name}'", case.name))?;
    let (problem, _) = Problem::prepare(engine, Arc::clone(&package), options(), &mut Quiet)?;
    let mut judged = engine.judgements(&problem, [problem.jury_source(jury)], &mut |_| {})?;
    let judgement = judged.pop().context("nothing was judged")??;
    let mut messages = judgement.judging_error.clone().unwrap_or_default();
    for case in &judgement.cases {
        messages.push_str(&format!("\n{}: {} {}", case.name, case.verdict, case.reasons.join("; ")));
    }
    let usage = judgement.cases.iter().filter_map(|case| case.decisive_run()).next_back();
    Ok(RunOutcome {
        verdict: Some(judgement.verdict),
        usage: usage.map(|run| run.usage.clone()),
        score: judgement.score,
        messages,
        ..RunOutcome::default()
    })
}

/// The activity of the machine's neighbours is not tested here, so runs do not wait for a calm core.
fn options() -> JudgeOptions {
    JudgeOptions { patience: Some(Nanos::ZERO), ..JudgeOptions::default() }
}
