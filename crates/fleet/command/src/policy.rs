//! `tauto policy`: explains placement policies, and says what is wrong with a file of them.

use crate::arguments::{CheckPolicyArguments, PolicyCommand};
use anyhow::Context;
use documents::{
    PlacementVector, PoliciesReport, PolicyCheckReport, PolicyEntry, PolicyMistake, PolicySection,
};
use placement::policy::{self, Finding, Policies, Policy};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{USAGE, because, input, input_with_hint, near};
use terminal::{Align, Cell, Colour, Style, Table, print, prose, visible};

/// More than the reader takes, so that it says what is wrong; a file such as /dev/zero never ends.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Carries out the command.
///
/// # Errors
/// When a file cannot be read or has mistakes, there is no such policy, or standard output cannot be written.
pub fn run(command: &PolicyCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        PolicyCommand::Check(arguments) => return check(arguments, json),
        PolicyCommand::Show { name } => {
            let policy = Policy::built_in(name).ok_or_else(|| not_built_in(name))?;
            print(&if json { document(&[policy]) } else { policy::write(&policy) })?;
        }
        PolicyCommand::List => {
            let all: Vec<Policy> =
                Policy::BUILT_IN.iter().filter_map(|name| Policy::built_in(name)).collect();
            print(&if json { document(&all) } else { table(&all).render(Colour::for_stdout()) })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn check(arguments: &CheckPolicyArguments, json: bool) -> anyhow::Result<ExitCode> {
    let file = arguments.file.display().to_string();
    let policies = match policy::read(&content(&arguments.file)?) {
        Ok(policies) => policies,
        Err(mistakes) if json => {
            print(&documents::to_json(&report(&file, &mistakes, None)))?;
            return Ok(ExitCode::from(USAGE));
        }
        Err(mistakes) => return Err(input(refusal(&file, &mistakes))),
    };
    let name = arguments.policy.as_deref();
    let chosen =
        policies.find(name).ok_or_else(|| not_in_file(&file, name.unwrap_or_default(), &policies))?;
    if json {
        print(&documents::to_json(&report(&file, &[], Some((&policies, chosen)))))?;
    } else {
        print(&explanation(&file, &policies, chosen, Colour::for_stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the policy that an argument names: a built-in one, the first of a file, or `FILE:NAME`.
///
/// # Errors
/// When there is no such policy, or its file has mistakes.
pub fn policy(argument: &str) -> anyhow::Result<Policy> {
    if let Some(policy) = Policy::built_in(argument) {
        return Ok(policy);
    }
    let (file, name) = parts(argument);
    if !file.contains(['.', '/']) && !Path::new(file).exists() {
        return Err(not_built_in(file));
    }
    let policies =
        policy::read(&content(Path::new(file))?).map_err(|mistakes| input(refusal(file, &mistakes)))?;
    let chosen = policies.find(name);
    Ok(chosen.ok_or_else(|| not_in_file(file, name.unwrap_or_default(), &policies))?.clone())
}

/// Returns the file of an argument that is no built-in policy, and the policy's name in it.
pub fn parts(argument: &str) -> (&str, Option<&str>) {
    match argument.rsplit_once(':') {
        Some((file, name)) if !Path::new(argument).exists() => (file, Some(name)),
        _ => (argument, None),
    }
}

fn content(path: &Path) -> anyhow::Result<String> {
    let failed = || because(format!("cannot read {}", path.display()));
    let mut text = String::new();
    let file = File::open(path).with_context(failed)?;
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).with_context(failed)?;
    Ok(text)
}

fn refusal(file: &str, mistakes: &[Finding]) -> String {
    match mistakes {
        [one] => format!("{file}{one}"),
        several => {
            let lines: String = several.iter().map(|mistake| format!("\n  {file}{mistake}")).collect();
            format!("{file} cannot be used:{lines}")
        }
    }
}

fn not_in_file(file: &str, name: &str, policies: &Policies) -> anyhow::Error {
    let names: Vec<&str> = policies.all.iter().map(|policy| policy.name.as_str()).collect();
    input_with_hint(format!("{file} has no policy '{name}'"), format!("it has {}", names.join(", ")))
}

fn not_built_in(name: &str) -> anyhow::Error {
    let hint = match near(name, Policy::BUILT_IN).first() {
        Some(near) => format!("did you mean {near}?"),
        None => format!("built in are {}", Policy::BUILT_IN.join(", ")),
    };
    input_with_hint(format!("there is no built-in policy '{name}'"), hint)
}

fn explanation(file: &str, policies: &Policies, chosen: &Policy, colour: Colour) -> String {
    let mut text = prose("", 2, &visible(&format!("{file}: policy '{}'", chosen.name)));
    let caution = colour.paint(Style::Caution, "warning:");
    for warning in &policies.warnings {
        text.push_str(&prose(&format!("{caution} "), 2, &visible(&format!("{file}{warning}"))));
    }
    for section in policy::describe(chosen) {
        text.push_str(&format!("\n{}\n", colour.paint(Style::Strong, section.title)));
        section.sentences.iter().for_each(|sentence| text.push_str(&prose("  ", 4, sentence)));
    }
    text.push_str(&format!("\n{}\n", colour.paint(Style::Strong, "Tried on made-up hosts with jobs")));
    text.push_str(&tried(&simulator::vectors::of(chosen, TRIED_SEED)).render(colour));
    text
}

/// Any seed does; the same one shows what a change of the policy changes.
const TRIED_SEED: u64 = 1;

/// Shows where jobs go.
fn tried(vectors: &[PlacementVector]) -> Table {
    let mut table = Table::new(&[
        ("job", Align::Left),
        ("level", Align::Left),
        ("CPUs", Align::Right),
        ("goes to", Align::Left),
        ("value", Align::Right),
        ("hosts that pass", Align::Right),
        ("what others fail", Align::Left),
    ]);
    for vector in vectors {
        let mut failed: BTreeMap<&str, u32> = BTreeMap::new();
        vector.refused.values().for_each(|filter| *failed.entry(filter.as_str()).or_default() += 1);
        let failed: Vec<String> = failed.iter().map(|(filter, count)| format!("{filter} {count}")).collect();
        let value = vector.ranking.iter().find(|(host, _)| Some(host) == vector.chosen.as_ref());
        let host =
            vector.chosen.as_ref().and_then(|name| vector.hosts.iter().find(|host| host.name == *name));
        let place = host.map_or("no host".to_owned(), |host| {
            format!(
                "{}: {} CPUs, {} requested",
                host.name,
                host.cpu_milli / 1000,
                host.requested_milli / 1000
            )
        });
        table.row([
            vector.job.name.as_str().into(),
            vector.job.level.as_str().into(),
            (vector.job.cpu_milli / 1000).to_string().into(),
            place.into(),
            value.map_or("-".to_owned(), |(_, value)| format!("{:.1}", f64::from(*value) / 1000.0)).into(),
            vector.ranking.len().to_string().into(),
            Cell::from(failed.join(", ")),
        ]);
    }
    table
}

fn table(policies: &[Policy]) -> Table {
    let mut table = Table::new(&["name", "which host a job gets"].map(|name| (name, Align::Left)));
    policies
        .iter()
        .for_each(|policy| table.row([policy.name.as_str().into(), policy::summary(policy).into()]));
    table
}

fn document(policies: &[Policy]) -> String {
    documents::to_json(&PoliciesReport { policies: policies.iter().map(entry).collect() })
}

fn report(file: &str, mistakes: &[Finding], good: Option<(&Policies, &Policy)>) -> PolicyCheckReport {
    let told = |Finding { place, message, .. }: &Finding| PolicyMistake {
        line: place.line,
        field: place.field.clone().unwrap_or_default(),
        message: message.clone(),
    };
    let policies = good.map(|(policies, _)| policies);
    PolicyCheckReport {
        file: file.to_owned(),
        mistakes: mistakes.iter().map(told).collect(),
        warnings: policies.iter().flat_map(|policies| policies.warnings.iter().map(told)).collect(),
        names: policies
            .iter()
            .flat_map(|policies| policies.all.iter().map(|policy| policy.name.clone()))
            .collect(),
        policy: good.map(|(_, chosen)| entry(chosen)),
        tried: good.map(|(_, chosen)| simulator::vectors::of(chosen, TRIED_SEED)).unwrap_or_default(),
    }
}

fn entry(policy: &Policy) -> PolicyEntry {
    let section = |section: policy::Section| PolicySection {
        title: section.title.to_owned(),
        sentences: section.sentences,
    };
    PolicyEntry {
        name: policy.name.clone(),
        summary: policy::summary(policy),
        explanation: policy::describe(policy).into_iter().map(section).collect(),
        yaml: policy::write(policy),
    }
}
