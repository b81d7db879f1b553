//! `tauto sim import` and `generate`: traces from recordings, and made-up ones.

use super::days;
use super::files::refuse_same;
use crate::arguments::{
    SimGenerateArguments, SimHostArguments, SimImportCommand, SimLevel, SimTraceArguments,
};
use anyhow::Context;
use documents::{SimImportReport, SimNoiseGroup, SimNoiseReport};
use flate2::Compression;
use flate2::write::GzEncoder;
use placement::Level;
use simulator::trace::TraceError;
use simulator::trace::generate::{self, generate};
use simulator::trace::import::{
    About, ImportError, Input, MadeUpHosts, Summary, azure, noise, openb, planetlab, swf,
};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use terminal::failure::{self, because};
use terminal::{AtomicFile, Cell, Report, Table, print_result};

type Target = GzEncoder<BufWriter<AtomicFile>>;

pub fn import(command: &SimImportCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        SimImportCommand::Openb { nodes, pods, hosts, to } => {
            refuse_sources(to, [nodes, pods])?;
            let (nodes, pods) = (input(nodes)?, input(pods)?);
            let options = openb::Options { hosts: *hosts };
            write(to, json, |about, target| openb::import(nodes, pods, options, &about, target))
        }
        SimImportCommand::Planetlab { days, allocation, requests, spread_minutes, hosts, to } => {
            let (days, sources) = days::find(days)?;
            refuse_sources(to, sources.iter().chain(&hosts.noise))?;
            let options = planetlab::Options {
                hosts: made_up(hosts)?,
                allocation_permille: (allocation * 1000.0).clamp(0.0, f64::from(u32::MAX)) as u32,
                requests: requests.clone(),
                spread_minutes: *spread_minutes,
                ..planetlab::Options::default()
            };
            write(to, json, |about, target| planetlab::import(days, &options, &about, target))
        }
        SimImportCommand::Swf { log, level, hosts, to } => {
            refuse_sources(to, std::iter::once(log).chain(&hosts.noise))?;
            let level = match level {
                SimLevel::Strict => Level::Strict,
                SimLevel::Standard => Level::Standard,
                SimLevel::BestEffort => Level::BestEffort,
            };
            let options = swf::Options { hosts: made_up(hosts)?, level, ..swf::Options::default() };
            let log = input(log)?;
            write(to, json, |about, target| swf::import(log, &options, &about, target))
        }
        SimImportCommand::AzureNoise { file } => {
            let groups = azure::read(input(file)?)
                .map_err(of_source)?
                .iter()
                .map(azure::NoiseGroup::summary)
                .collect();
            let report = SimNoiseReport { path: file.display().to_string(), groups };
            print_result(&report, json, speeds)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Refuses to write the trace over what it is made of.
fn refuse_sources<'p>(
    to: &SimTraceArguments,
    sources: impl IntoIterator<Item = &'p PathBuf>,
) -> anyhow::Result<()> {
    let sources: Vec<_> = sources.into_iter().map(|path| ("the source", path.as_path())).collect();
    refuse_same(&[("--output", &to.output)], &sources)
}

pub fn make_up(arguments: &SimGenerateArguments, json: bool) -> anyhow::Result<ExitCode> {
    let SimGenerateArguments { hosts, jobs, uses, life_minutes, seed, to } = arguments;
    let (hosts, jobs, seed) = (*hosts, *jobs, *seed);
    let options = generate::Options { hosts, jobs, seed, life_minutes: *life_minutes, uses: *uses };
    write(to, json, |about, target| Ok(generate(&options, &about, target)?))
}

/// Writes a trace; the file appears when it is complete.
fn write(
    to: &SimTraceArguments,
    json: bool,
    make: impl FnOnce(About, &mut Target) -> Result<Summary, ImportError>,
) -> anyhow::Result<ExitCode> {
    let path = &to.output;
    let failed = || format!("cannot write {}", path.display());
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let about = About {
        name: to.name.clone().unwrap_or(stem),
        made_by: format!("tauto {}", env!("CARGO_PKG_VERSION")),
    };
    let file = BufWriter::new(AtomicFile::prepare(path)?);
    let mut target = GzEncoder::new(file, Compression::fast());
    let summary = make(about, &mut target).map_err(|error| match error {
        ImportError::Trace(TraceError::Write { source, .. }) => anyhow::Error::new(source).context(failed()),
        wrong => of_source(wrong),
    })?;
    let file = target.finish().with_context(failed)?;
    file.into_inner().map_err(std::io::IntoInnerError::into_error).with_context(failed)?.keep()?;
    let Summary { hosts, jobs, remarks } = summary;
    let document = SimImportReport { trace: path.display().to_string(), hosts, jobs, remarks };
    print_result(&document, json, |document| {
        let mut report = Report::default();
        report.line(&format!("{}: {hosts} hosts, {jobs} jobs", document.trace));
        report.sentences(document.remarks.clone());
        let next = format!("Next: tauto sim run {} --policy load-aware -o load-aware.sim", document.trace);
        report.lines(vec![vec![Cell::unbroken(&next)]]);
        report
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the error of a source: it is wrong input.
fn of_source(error: ImportError) -> anyhow::Error {
    match error {
        ImportError::Read { file, line, source } => {
            anyhow::Error::new(source).context(because(format!("{file}:{line}: cannot be read")))
        }
        wrong => failure::input(wrong.to_string()),
    }
}

pub(super) fn input(path: &Path) -> anyhow::Result<Input<BufReader<File>>> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| because(format!("cannot read {name}")))?;
    Ok(Input { name, reader: BufReader::new(file) })
}

fn made_up(arguments: &SimHostArguments) -> anyhow::Result<MadeUpHosts> {
    let mut noise = Vec::new();
    for path in &arguments.noise {
        noise.extend(noise::read(input(path)?).map_err(of_source)?);
    }
    Ok(MadeUpHosts {
        count: arguments.hosts,
        cpus: arguments.host_cpus,
        memory_gib: arguments.host_memory_gib,
        noise,
    })
}

fn speeds(document: &SimNoiseReport) -> Report {
    let mut header = vec!["machines".to_owned(), "measured".to_owned()];
    if let Some(first) = document.groups.first() {
        header.extend(first.slowdowns.iter().map(|part| format!("{} %", part.percent)));
    }
    header.push("noise".to_owned());
    let row = |group: &SimNoiseGroup| {
        let mut row = vec![
            format!("{} {}, {}", group.size, group.lifespan, group.machines),
            group.measurements.to_string(),
        ];
        row.extend(group.slowdowns.iter().map(|part| part.permille.to_string()));
        row.push(group.noise_permille.to_string());
        row
    };
    let mut report = Report::default();
    report.table("", Table::of(&header, document.groups.iter().map(row)));
    report.line(
        "Thousandths by which equal work took longer than in the middle of its group, by the share of measurements \
         that were not slower; noise is what one in a hundred reaches.",
    );
    report
}
