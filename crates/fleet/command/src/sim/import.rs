//! `tauto sim import` and `generate`: traces of what others recorded, and made-up ones.

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
use terminal::{Align, AtomicFile, Cell, Colour, Table, print, prose};

type Target = GzEncoder<BufWriter<AtomicFile>>;

/// Makes a trace of what others recorded.
///
/// # Errors
/// When a source is not what it should be, or the trace cannot be written.
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
            print(&if json { documents::to_json(&report) } else { speeds(&report.groups) })?;
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

/// Makes up a trace.
///
/// # Errors
/// When it cannot be written.
pub fn make_up(arguments: &SimGenerateArguments, json: bool) -> anyhow::Result<ExitCode> {
    let SimGenerateArguments { hosts, jobs, uses, life_minutes, seed, to } = arguments;
    let (hosts, jobs, seed) = (*hosts, *jobs, *seed);
    let options = generate::Options { hosts, jobs, seed, life_minutes: *life_minutes, uses: *uses };
    write(to, json, |about, target| Ok(generate(&options, &about, target)?))
}

/// Writes a trace, which appears in its place when it is whole.
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
    if json {
        let Summary { hosts, jobs, remarks } = summary;
        print(&documents::to_json(&SimImportReport {
            trace: path.display().to_string(),
            hosts,
            jobs,
            remarks,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{}: {} hosts, {} jobs\n", path.display(), summary.hosts, summary.jobs);
    for remark in &summary.remarks {
        text.push_str(&prose("  ", 2, remark));
    }
    text.push_str(&format!(
        "\nNext: tauto sim run {} --policy load-aware -o load-aware.sim\n",
        path.display()
    ));
    print(&text)?;
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

fn speeds(groups: &[SimNoiseGroup]) -> String {
    let mut names = vec![("machines".to_owned(), Align::Left), ("measured".to_owned(), Align::Right)];
    if let Some(first) = groups.first() {
        names.extend(first.slowdowns.iter().map(|part| (format!("{} %", part.percent), Align::Right)));
    }
    names.push(("noise".to_owned(), Align::Right));
    let columns: Vec<(&str, Align)> = names.iter().map(|(name, align)| (name.as_str(), *align)).collect();
    let mut table = Table::new(&columns);
    for group in groups {
        let name = format!("{} {}, {}", group.size, group.lifespan, group.machines);
        let parts = group.slowdowns.iter().map(|part| Cell::from(part.permille.to_string()));
        let ends = [Cell::from(group.noise_permille.to_string())];
        let begin = [Cell::from(name), Cell::from(group.measurements.to_string())];
        table.row(begin.into_iter().chain(parts).chain(ends));
    }
    let explained = "\nThousandths by which equal work took longer than in the middle of its group, by the share of measurements \
                     that were not slower; noise is what one in a hundred reaches.\n";
    table.render(Colour::for_stdout()) + explained
}
