//! `tauto judge`: submissions against a package, from its files to the last table.

mod document;
mod exit_code;
mod explain;
mod keep;
mod left_out;
mod limit;
mod margins;
mod recorded;
mod reporter;
mod selection;
mod tables;
mod verify;

use crate::arguments::{CheckerProtocol, JudgeArguments, OverLimit};
use crate::failure::{input, input_with_hint};
use crate::interrupt::Interrupt;
use crate::machine_use::{languages, stay_on, stdout_columns};
use crate::noise_command::store::usual_here;
use crate::output::{Colour, print};
use crate::scratch::Scratch;
use anyhow::Context;
use exit_code::exit_code;
use judge::{Judge, JudgeError, JudgeOptions, Judged, Judgement, OverOutput, Station, StationOptions};
use keep::Keeper;
use left_out::LeftOut;
use margins::{CaseCounts, limit_misfits};
use package::{
    OutputValidator, Package, PackageError, ProblemLimits, Protocol, TimeLimitRule, is_part_of_package,
};
use record::{Basis, Journal, LimitRecord, RecordFile};
use reporter::Reporter;
use ruling::TimeRule;
use selection::Item;
use std::path::Path;
use std::process::ExitCode;

/// All that is told at the end.
pub struct Session<'s> {
    /// What was asked for.
    arguments: &'s JudgeArguments,
    package: &'s Package,
    /// The package as the report names it.
    description: api::Package,
    /// How many cases each submission has to pass.
    case_count: usize,
    judged: Vec<Judged>,
    left_out: Vec<LeftOut>,
    time_limit: judge::TimeLimit,
    /// What is stored of the limit.
    limit_record: LimitRecord,
    /// How times become verdicts.
    rule: TimeRule,
    machine: probe::MachineIdentity,
    /// Each is told once.
    warnings: Vec<String>,
}

/// Judges and tells; the exit code says whether all is as expected.
///
/// # Errors
/// When the input is not usable, we fail before the first submission, or someone asks us to end.
pub fn run(arguments: &JudgeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let problem = arguments.problem.as_deref();
    match (&arguments.verify, problem) {
        (Some(file), problem) => verify::run(file, problem, arguments.explain, json),
        (None, Some(problem)) => judge_problem(arguments, problem, json),
        (None, None) => Err(input("no problem package is named")),
    }
}

fn judge_problem(arguments: &JudgeArguments, problem: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let scratch = Scratch::new()?;
    let defaults = ProblemLimits {
        memory: arguments.default_memory,
        code: arguments.default_code,
        ..ProblemLimits::default()
    };
    let is_stopped = || interrupt.check().is_err();
    let mut package = match Package::open_with(problem, scratch.path(), &defaults, &is_stopped) {
        Err(error @ PackageError::Stopped { .. }) => {
            interrupt.check()?;
            return Err(error.into());
        }
        other => other?,
    };
    choose_protocol(&mut package, arguments.checker)?;
    check_derive(arguments, &package)?;
    if arguments.error.is_some() && package.kind.scoring {
        return Err(input_with_hint(
            "--error was given, but the problem has scores, and verdict and score go together",
            "leave it out",
        ));
    }
    let languages = languages(arguments.languages.as_deref())?;
    let (items, left_out) = selection::items(arguments, &package, &languages)?;
    let cases = selection::cases(&arguments.tests, &package)?;
    check_place("--record", arguments.record.as_deref(), &package)?;
    check_place("--keep", arguments.keep.as_deref(), &package)?;
    let record = arguments.record.as_deref().map(RecordFile::open).transpose()?;
    let keeper = arguments.keep.as_deref().map(|folder| Keeper::open(folder, &package)).transpose()?;
    interrupt.check()?;
    let machine = probe::Machine::here().identity();
    let description = describe(arguments, &package, problem, json, &interrupt)?;
    let mut store = limit::store(arguments, &package, description.clone(), &machine);

    // From here on the process has one thread until the station stands.
    sandbox::enter_private_mounts()?;
    let station_options = StationOptions {
        timed_cpus: arguments.cpu_list.clone(),
        root: arguments.root.clone(),
        stop: Some(interrupt.stop()),
    };
    let station = Station::open(station_options, languages)?;
    station.compare_with(usual_here(station.timed_cpus()));
    stay_on(station.helper_cpus())?;
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
        error: arguments.error.clone(),
        over_output: match arguments.over_output {
            OverLimit::Stop => OverOutput::Stop,
            OverLimit::Late => OverOutput::Late,
            OverLimit::Cut => OverOutput::Cut,
        },
    };
    let mut reporter = Reporter::new(items.len(), case_count, arguments.quiet, keeper);
    left_out.iter().for_each(|one| reporter.left_out(one));
    let (judge, derived) = match Judge::open(&station, &package, options, &mut reporter) {
        Err(error) if error.is_interruption() => {
            interrupt.check()?;
            return Err(error.into());
        }
        other => other?,
    };
    let limit_record = limit::keep(store.as_mut(), &package, &judge);
    let mut session = Session {
        arguments,
        package: &package,
        description,
        case_count,
        judged: Vec::with_capacity(items.len()),
        left_out,
        time_limit: judge.time_limit().clone(),
        limit_record,
        rule: *judge.rule(),
        machine,
        warnings: station.warnings().to_vec(),
    };
    if let Some(record) = record {
        session.warnings.extend(record.warning.clone());
        let journal = Journal::begin(record, recorded::begin(&session, &station))?;
        reporter.record_into(journal, &package, session.rule);
    }
    let whole_package = arguments.submissions.is_empty() && arguments.tests.is_empty();
    let faults = if whole_package { judge.check_data(&mut reporter) } else { Ok(Vec::new()) };
    let faults = match faults {
        Err(error) if error.is_interruption() => {
            interrupt.check()?;
            return Err(error.into());
        }
        other => other?,
    };
    session.warnings.extend(judge.warnings().iter().cloned());
    session.warnings.extend(store.map(|store| store.warnings).unwrap_or_default());
    session.warnings.extend(package.warnings.iter().map(ToString::to_string));
    session.warnings.extend(faults.iter().map(|fault| format!("test data: {fault}")));
    let ended = judge_all(&judge, derived, &items, &interrupt, &mut reporter, &mut session);
    let ended = ended.and_then(|()| reporter.finish());
    let counts = CaseCounts { selected: case_count, all: package.steps().len() };
    let limit = session.time_limit.limit;
    session.warnings.extend(limit_misfits(&session.judged, counts, limit, &package.time_margins));
    // What is done is told also when the rest was not to be.
    match (&ended, json) {
        (Err(_), true) => {}
        _ => session.tell(json)?,
    }
    ended?;
    let judged =
        (!session.judged.is_empty()).then(|| exit_code(&session.judged).max(u8::from(!faults.is_empty())));
    Ok(ExitCode::from(left_out::exit_code(judged, &session.left_out)))
}

/// Refuses --derive where there is nothing to derive.
fn check_derive(arguments: &JudgeArguments, package: &Package) -> anyhow::Result<()> {
    match &package.time_limit {
        TimeLimitRule::Given { limit, source } if arguments.derive => Err(input_with_hint(
            format!("--derive was given, but {source} names the time limit {limit}"),
            "leave it out, or remove the limit from the package",
        )),
        _ => Ok(()),
    }
}

/// Refuses to write where the package lies itself: it would be another one afterwards.
fn check_place(option: &str, place: Option<&Path>, package: &Package) -> anyhow::Result<()> {
    let Some(place) = place else { return Ok(()) };
    let place = std::path::absolute(place).context("cannot find the present folder")?;
    // What is not there yet lies where the folders around it really are.
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
            "name a place that is no part of it, such as its folder tauto-keep or one beside it",
        )),
    }
}

/// Says what the package is. Its content is hashed only where someone needs that: it may be large.
fn describe(
    arguments: &JudgeArguments,
    package: &Package,
    problem: &Path,
    json: bool,
    interrupt: &Interrupt,
) -> anyhow::Result<api::Package> {
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
    Ok(api::Package {
        name: package.short_name.clone(),
        title: package.names.values().next().cloned(),
        format: package.format.name().to_owned(),
        path: problem.display().to_string(),
        hash,
    })
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

/// Judges one submission after the other until all are done or someone asks us to end.
fn judge_all(
    judge: &Judge<'_>,
    mut derived: Vec<Judgement>,
    items: &[Item<'_>],
    interrupt: &Interrupt,
    reporter: &mut Reporter<'_>,
    session: &mut Session<'_>,
) -> anyhow::Result<()> {
    for item in items {
        interrupt.check()?;
        reporter.next();
        let known = match item.jury() {
            Some(jury) => derived.iter().position(|judgement| judgement.name == jury.name),
            None => None,
        };
        let mut judgement = match known {
            Some(at) => {
                let judgement = derived.swap_remove(at);
                reporter.adopt(&judgement);
                judgement
            }
            None => match judge_one(judge, item, interrupt, reporter)? {
                Ok(judgement) => judgement,
                Err(error) => match LeftOut::not_installed(item.name(), &error) {
                    Some(one) if session.arguments.skip_missing => {
                        reporter.left_out(&one);
                        session.left_out.push(one);
                        continue;
                    }
                    left_out => {
                        let hint =
                            "--skip-missing leaves out submissions whose language is not installed here";
                        if left_out.is_some() && !session.warnings.iter().any(|known| known == hint) {
                            session.warnings.push(hint.to_owned());
                        }
                        Judgement::failed(item.name(), reason(&error))
                    }
                },
            },
        };
        // They are on disk where they are kept at all.
        for case in &mut judgement.cases {
            case.stdout = Vec::new();
        }
        let one = Judged::new(judgement, item.expectation());
        reporter.done(&one)?;
        session.judged.push(one);
    }
    Ok(())
}

/// Judges a submission, or says why that failed; an error is a reason to judge no other.
fn judge_one(
    judge: &Judge<'_>,
    item: &Item<'_>,
    interrupt: &Interrupt,
    reporter: &mut Reporter<'_>,
) -> anyhow::Result<Result<Judgement, JudgeError>> {
    match item.source(judge).and_then(|source| judge.judge(&source, reporter)) {
        Err(error) if error.is_interruption() => {
            interrupt.check()?;
            Err(error.into())
        }
        result => Ok(result),
    }
}

/// Joins an error with its causes.
fn reason(error: &JudgeError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

impl Session<'_> {
    /// Returns what the verdicts rest on.
    fn basis(&self) -> Basis {
        let is_selection = !self.arguments.tests.is_empty();
        Basis { rule: self.rule, case_count: self.case_count, is_selection }
    }

    fn tell(&self, json: bool) -> anyhow::Result<()> {
        let text = if json {
            api::to_json(&document::report(self)?)
        } else {
            tables::text(self, Colour::for_stdout(), stdout_columns())?
        };
        Ok(print(&text)?)
    }
}
