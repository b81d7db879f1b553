//! `tauto judge`: judges submissions against a package and reports the results.

mod advice;
mod document;
mod exit_code;
mod explain;
mod footer;
mod keep;
mod left_out;
mod limit;
mod margins;
mod reporter;
mod selection;
mod session;
mod spreads;
mod tables;
mod verdicts;
mod verify;

use crate::arguments::{CheckerProtocol, JudgeArguments, OverLimit};
use crate::languages::languages;
use crate::scratch::Scratch;
use crate::toolchains;
use anyhow::Context;
use exit_code::exit_code;
use host_command::arguments::ClockName;
use host_command::baseline::usual_here;
use host_command::here::stay_on;
use judge::{
    Engine, JudgeError, JudgeOptions, Judged, Judgement, Notice, Observer, OpenJudging, OverOutput, Problem,
    Station, StationOptions,
};
use keep::Keeper;
use margins::{CaseCounts, limit_misfits};
use model::without_error_numbers;
use package::{
    OutputValidator, Package, PackageError, PackageOptions, ProblemLimits, Protocol, TimeLimitRule,
    is_part_of_package,
};
use record::{Basis, Journal, RecordFile};
use reporter::Reporter;
use selection::Item;
pub use selection::no_package;
pub use session::Session;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use terminal::failure::{Failure, input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::{Colour, print};
use timing::Places;

/// Judges and reports; the exit code says whether everything is as expected.
pub fn run(arguments: &JudgeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let problem = arguments.problem.as_deref();
    match (&arguments.verify, problem) {
        (Some(file), problem) => verify::run(file, problem, arguments.explain, json),
        (None, Some(problem)) => judge_problem(arguments, problem, (None, json)),
        (None, None) => Err(input("no problem package is named")),
    }
}

/// How a package is verified, beyond judging its submissions.
#[derive(Clone, Copy, Debug)]
pub struct Verifying {
    /// Whether warnings are failures.
    pub strict: bool,
}

/// Judges all submissions of a package, checks all its data and answers, and reports what is missing.
pub fn verify_package(
    arguments: &JudgeArguments,
    problem: &Path,
    verifying: Verifying,
    json: bool,
) -> anyhow::Result<ExitCode> {
    judge_problem(arguments, problem, (Some(verifying), json))
}

fn judge_problem(
    arguments: &JudgeArguments,
    problem: &Path,
    (verifying, json): (Option<Verifying>, bool),
) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let root = arguments.root.open(&interrupt)?;
    let is_stopped = || interrupt.check().is_err();
    let scratch = Scratch::new(&is_stopped)?;
    let defaults = ProblemLimits {
        memory: arguments.default_memory,
        code: arguments.default_code,
        ..ProblemLimits::default()
    };
    let options = PackageOptions { limits: defaults, scores: arguments.scores };
    let mut package = match Package::open_with(problem, scratch.path(), &options, &is_stopped) {
        Err(error @ PackageError::Stopped { .. }) => {
            interrupt.check()?;
            return Err(error.into());
        }
        Err(error) => {
            return Err(selection::not_a_package(arguments, problem, &error).unwrap_or(error.into()));
        }
        Ok(package) => package,
    };
    choose_protocol(&mut package, arguments.checker)?;
    let limits = &mut package.limits;
    limits.memory = arguments.memory_limit.unwrap_or(limits.memory);
    limits.output = arguments.output_limit.unwrap_or(limits.output);
    limits.code = arguments.code_limit.unwrap_or(limits.code);
    let package = Arc::new(package);
    check_derive(arguments, &package)?;
    if arguments.error.is_some() && package.kind.scoring {
        return Err(input_with_hint(
            "--error was given, but the problem has scores, and verdict and score go together",
            "leave it out",
        ));
    }
    let counted = arguments.clock.counted()?;
    if counted.is_some() && arguments.kill_factor.is_some() {
        return Err(input("--kill-factor is for CPU time; by instructions a run is ended at its limit"));
    }
    let languages = languages(arguments.languages.as_deref())?;
    let (items, left_out) = selection::items(arguments, &package, &languages)?;
    let cases = selection::cases(&arguments.tests, &package)?;
    check_place("--record", arguments.record.as_deref(), &package)?;
    check_place("--keep", arguments.keep.as_deref(), &package)?;
    let record = arguments.record.as_deref().map(RecordFile::open).transpose()?;
    let keeper = arguments.keep.as_deref().map(|folder| Keeper::open(folder, &package)).transpose()?;
    interrupt.check()?;
    let machine = system::Machine::here().identity();
    let description = describe(arguments, &package, problem, json, &interrupt)?;
    let mut store = limit::store(arguments, &package, description.clone(), &machine);

    // Until the station is open, the process must have only one thread.
    sandbox::enter_private_mounts()?;
    let station_options = StationOptions {
        timed_cpus: arguments.cpu_list.clone(),
        if_taken: arguments.lease.if_taken(&interrupt),
        places: match arguments.cpu_list {
            Some(_) => Places::Number(NonZeroUsize::MIN),
            None => arguments.places,
        },
        places_max: NonZeroUsize::new(items.len()),
        root: root.as_ref().map(toolchains),
        stop: Some(interrupt.stop()),
    };
    let station = match Station::open(station_options, languages) {
        Err(error) if error.is_interruption() => {
            interrupt.check()?;
            return Err(error.into());
        }
        other => other?,
    };
    station.compare_with(usual_here);
    stay_on(&station.helper_cpus())?;
    let engine = Engine::start(station)?;
    let case_count = if cases.is_empty() { package.steps().len() } else { cases.len() };
    let options = JudgeOptions {
        all: arguments.all,
        cases,
        time_limit: arguments.time_limit,
        stored_limit: store.as_ref().and_then(|store| store.stored()).map(Into::into),
        keep_outputs: keeper.is_some(),
        hash_programs: record.is_some(),
        kill_permille: arguments.kill_factor,
        patience: arguments.patience,
        quick: arguments.quick,
        wall_limit: arguments.wall_limit,
        counted,
        tolerates_rejected: true,
        error: arguments.error.clone(),
        over_output: match arguments.over_output {
            OverLimit::Stop => OverOutput::Stop,
            OverLimit::Late => OverOutput::Late,
            OverLimit::Cut => OverOutput::Cut,
        },
    };
    let mut reporter = Reporter::new(items.len(), case_count, keeper);
    left_out.iter().for_each(|one| reporter.left_out(one));
    let prepared = Problem::prepare(&engine, Arc::clone(&package), options, &mut reporter);
    let (problem, derived) = match prepared {
        Err(error) if error.is_interruption() => {
            interrupt.check()?;
            return Err(error.into());
        }
        other => other?,
    };
    let limit_record = limit::keep(store.as_mut(), &problem);
    reporter.judge_by(&problem);
    let mut session = Session {
        arguments,
        package: &package,
        description,
        case_count,
        judged: Vec::with_capacity(items.len()),
        left_out,
        time_limit: problem.time_limit().clone(),
        limit_record,
        rule: *problem.rule(),
        counter: problem.counter(),
        machine,
        image: engine.station().image().map(str::to_owned),
        cut_short: None,
        warnings: engine.station().warnings().to_vec(),
    };
    if let Some(record) = record {
        session.warnings.extend(record.warning.clone());
        let journal = Journal::begin(record, document::begin(&session, engine.station()))?;
        reporter.record_into(journal, &package, session.rule);
    }
    // They say nothing about the package.
    let warnings_of_machine = session.warnings.len();
    let whole_package = arguments.submissions.is_empty() && arguments.tests.is_empty();
    let faults = if whole_package { problem.check_data(&engine, &mut reporter) } else { Ok(Vec::new()) };
    let faults = faults.and_then(|mut faults| {
        if verifying.is_some() {
            faults.extend(problem.check_answers(&engine, &mut reporter)?);
        }
        Ok(faults)
    });
    let faults = match faults {
        Err(error) if error.is_interruption() => {
            interrupt.check()?;
            return Err(error.into());
        }
        other => other?,
    };
    session.warnings.extend(problem.warnings().iter().cloned());
    session.warnings.extend(store.map(|store| store.warnings).unwrap_or_default());
    session.warnings.extend(package.warnings.iter().map(ToString::to_string));
    if verifying.is_some() {
        session.warnings.extend(advice::advice(&package));
    }
    session.warnings.extend(faults.iter().map(|fault| format!("test data: {fault}")));
    let ended = judge_all((&engine, &problem), derived, &items, &mut reporter, &mut session);
    // A requested stop is reported as such, and not as the error that it caused.
    let ended = ended.or_else(|error| {
        interrupt.check()?;
        Err(error)
    });
    let ended = ended.and_then(|()| reporter.finish());
    let counts = CaseCounts { selected: case_count, all: package.steps().len() };
    let limit = session.time_limit.limit;
    let mixed_scores = judge::mixed_scores(&session.judged);
    let has_mixed_scores = mixed_scores.is_some();
    session.warnings.extend(mixed_scores);
    let slowest = session.limit_record.derivation.as_ref().map(|derived| derived.slowest_submission.as_str());
    let spreads = spreads::warnings(&session.judged, limit, slowest);
    session.warnings.extend(limit_misfits(&session.judged, counts, limit, &package.time_margins));
    let is_warned = session.warnings.len() > warnings_of_machine;
    // They are about languages and not about the package.
    session.warnings.extend(spreads);
    let failure = ended.err().map(|error| Failure::of(&error));
    session.cut_short = failure.as_ref().map(Failure::reason);
    // Finished results are reported even if the rest failed.
    session.show(json)?;
    if let Some(failure) = failure {
        // Standard output already has a document and must not get a second one.
        return Ok(failure.print(false));
    }
    let is_mistaken = verifying.is_some()
        && (has_mixed_scores || package.warnings.iter().any(|warning| warning.is_mistake));
    let is_refused =
        !faults.is_empty() || is_mistaken || verifying.is_some_and(|how| how.strict) && is_warned;
    let judged = (!session.judged.is_empty()).then(|| exit_code(&session.judged).max(u8::from(is_refused)));
    Ok(ExitCode::from(left_out::exit_code(judged, &session.left_out)))
}

/// Rejects --derive if there is nothing to derive.
fn check_derive(arguments: &JudgeArguments, package: &Package) -> anyhow::Result<()> {
    let is_counted = arguments.clock.clock == ClockName::Instructions;
    if let Some(count) = package.limits.instructions.filter(|_| is_counted && arguments.derive) {
        return Err(input_with_hint(
            format!("--derive was given, but problem.yaml: limits.instructions names the limit {count}"),
            "leave it out, or remove the limit from the package",
        ));
    }
    match &package.time_limit {
        TimeLimitRule::Given { limit, source } if arguments.derive => Err(input_with_hint(
            format!("--derive was given, but {source} names the time limit {limit}"),
            "leave it out, or remove the limit from the package",
        )),
        _ => Ok(()),
    }
}

/// Rejects output files inside the package: they would change it.
fn check_place(option: &str, place: Option<&Path>, package: &Package) -> anyhow::Result<()> {
    let Some(place) = place else { return Ok(()) };
    let place = std::path::absolute(place).context("cannot find the present folder")?;
    // A path that does not exist yet is resolved by its existing parent folders.
    let around = place.ancestors().find_map(|around| Some((around, around.canonicalize().ok()?)));
    let real = match around {
        Some((around, real)) => real.join(place.strip_prefix(around).unwrap_or(Path::new(""))),
        None => place.clone(),
    };
    let Ok(below) = real.strip_prefix(&package.root) else { return Ok(()) };
    match below.components().next() {
        Some(top) if !is_part_of_package(top.as_os_str()) => Ok(()),
        _ => Err(input_with_hint(
            format!("{option} would write into the package: {}", place.display()),
            "name a place that is no part of it, such as its folder tauto-keep or one next to it",
        )),
    }
}

/// Describes the package. Its content is hashed only if that is needed: it may be large.
fn describe(
    arguments: &JudgeArguments,
    package: &Package,
    problem: &Path,
    json: bool,
    interrupt: &Interrupt,
) -> anyhow::Result<documents::Package> {
    let derives =
        matches!(package.time_limit, TimeLimitRule::Derive { .. }) && arguments.time_limit.is_none();
    let is_needed = json || derives || arguments.record.is_some();
    let hash = match is_needed.then(|| judge::package_hash(&package.root, Some(&interrupt.stop()))) {
        Some(Err(error)) if error.is_interruption() => {
            interrupt.check()?;
            return Err(error.into());
        }
        hash => hash.transpose()?,
    };
    Ok(judge::package_document(package, problem.display().to_string(), hash))
}

fn choose_protocol(package: &mut Package, asked: Option<CheckerProtocol>) -> anyhow::Result<()> {
    let Some(asked) = asked else { return Ok(()) };
    match &mut package.output_validator {
        OutputValidator::Custom(_, protocol) => {
            *protocol = match asked {
                CheckerProtocol::Testlib => Protocol::Testlib,
                CheckerProtocol::Kattis => Protocol::Kattis,
            };
            Ok(())
        }
        OutputValidator::Default => Err(input_with_hint(
            "--checker was given, but the package has no output validator of its own",
            "leave it out: outputs are compared with the answers",
        )),
    }
}

/// Judges all submissions, several at once, until all are done or a stop is requested.
fn judge_all(
    (engine, problem): (&Engine, &Arc<Problem>),
    derived: Vec<Judgement>,
    items: &[Item<'_>],
    reporter: &mut Reporter<'_>,
    session: &mut Session<'_>,
) -> anyhow::Result<()> {
    let mut progress =
        Progress { items, to_judge: Vec::new(), reporter, session, judged: BTreeMap::new(), failure: None };
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let is_same = |judgement: &&Judgement| item.jury().is_some_and(|jury| jury.name == judgement.name);
        if let Some(judgement) = derived.iter().find(is_same) {
            progress.reporter.adopt(at, judgement);
            progress.done(at, Ok(judgement.clone()))?;
            continue;
        }
        // A record identifies open submissions by name, so equal names are judged one after the other.
        let has_no_other =
            |round: &&mut Vec<usize>| round.iter().all(|other| items[*other].name() != item.name());
        match rounds.iter_mut().find(has_no_other) {
            Some(round) => round.push(at),
            None => rounds.push(vec![at]),
        }
    }
    for round in rounds {
        progress.to_judge.clone_from(&round);
        engine.judge_all(problem, round.iter().map(|at| items[*at].source(problem)), &mut progress)?;
        if progress.failure.is_some() {
            break;
        }
    }
    let Progress { judged, failure, session, .. } = progress;
    session.judged.extend(judged.into_values());
    failure.map_or(Ok(()), Err)
}

/// Receives the progress of submissions while they are judged.
struct Progress<'h, 'p, 'r, 's> {
    items: &'h [Item<'p>],
    /// Which items are being judged.
    to_judge: Vec<usize>,
    reporter: &'h mut Reporter<'r>,
    session: &'h mut Session<'s>,
    judged: BTreeMap<usize, Judged>,
    /// Why no further submission is judged.
    failure: Option<anyhow::Error>,
}

impl Progress<'_, '_, '_, '_> {
    /// Stores a submission's result; after an error no further one is judged.
    fn done(&mut self, at: usize, result: Result<Judgement, JudgeError>) -> anyhow::Result<()> {
        let item = &self.items[at];
        let mut judgement = match result {
            Ok(judgement) => judgement,
            Err(error) if error.is_interruption() => return Err(error.into()),
            Err(error) => match left_out::not_judgeable(item.name(), &error) {
                Some(one) if self.session.arguments.skip_missing => {
                    self.reporter.left_out(&one);
                    self.session.left_out.push(one);
                    return Ok(());
                }
                left_out => {
                    let hint = "--skip-missing leaves out submissions whose language is not installed here";
                    if left_out.is_some() && !self.session.warnings.iter().any(|known| known == hint) {
                        self.session.warnings.push(hint.to_owned());
                    }
                    Judgement::failed(item.name(), reason(&error))
                }
            },
        };
        // If they are kept at all, they are on disk.
        for case in &mut judgement.cases {
            case.stdout = Vec::new();
        }
        let one = Judged::new(judgement, item.expectation());
        self.reporter.done(at, &one)?;
        self.judged.insert(at, one);
        Ok(())
    }
}

impl Observer for Progress<'_, '_, '_, '_> {
    fn is_alive(&mut self, open: &[OpenJudging]) {
        self.reporter.is_alive(open);
    }

    fn receive(&mut self, number: usize, notice: Notice) -> ControlFlow<()> {
        let at = self.to_judge[number];
        let failed = match notice {
            Notice::Done(result) => self.done(at, *result).err(),
            notice => {
                self.reporter.receive(at, self.items[at].name(), &notice);
                None
            }
        };
        match failed {
            Some(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }
}

/// Joins an error with its causes, and what to do about it.
fn reason(error: &JudgeError) -> String {
    let mut text = without_error_numbers(&error.to_string());
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let words = without_error_numbers(&inner.to_string());
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    match error.hint() {
        Some(hint) => format!("{text}; {hint}"),
        None => text,
    }
}

impl Session<'_> {
    fn basis(&self) -> Basis {
        let is_selection = !self.arguments.tests.is_empty();
        Basis { rule: self.rule, case_count: self.case_count, is_selection }
    }

    fn show(&self, json: bool) -> anyhow::Result<()> {
        let text = if json {
            documents::to_json(&document::report(self)?)
        } else {
            tables::text(self, Colour::for_stdout())?
        };
        Ok(print(&text)?)
    }
}
