//! `tauto machine topology`: packages, caches, NUMA nodes and cores.

mod svg;
mod text;

use crate::arguments::TopologyArguments;
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{because, input};
use terminal::print_result;
use topology::{Described, Source};

pub fn run(arguments: &TopologyArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (name, Described { topology, warnings, .. }) = read(arguments.from.as_deref())?;
    if let Some(path) = &arguments.xml {
        write(path, &topology::to_xml(&topology).context(because("cannot write hwloc's XML"))?)?;
    }
    if let Some(path) = &arguments.svg {
        write(path, &svg::draw(&name, &topology))?;
    }
    if let Some(path) = &arguments.capture {
        capture(arguments.from.as_deref(), path)?;
    }
    let document = documents::TopologyReport::new(name.clone(), &topology, warnings.clone());
    print_result(&document, json, |_| text::report_of(&name, &topology, &warnings))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads this machine or a recorded one; returns its name too.
pub fn read(from: Option<&Path>) -> anyhow::Result<(String, Described)> {
    let Some(path) = from else {
        return Ok((Source::here().name().to_owned(), topology::read(&Source::here())?));
    };
    let name = path.display().to_string();
    let read = topology::open(path);
    Ok((name.clone(), read.with_context(|| because(format!("cannot read the machine in {name}")))?))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| because(format!("cannot write {}", path.display())))
}

fn capture(from: Option<&Path>, path: &Path) -> anyhow::Result<()> {
    let source = match from {
        None => Source::here(),
        Some(from) if topology::is_xml(from)? => {
            return Err(input("--capture records a machine's files, which hwloc's XML does not contain"));
        }
        Some(from) => Source::open(from)?,
    };
    topology::capture(&source, path).context(because("cannot record the machine"))
}
