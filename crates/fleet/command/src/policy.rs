//! `tauto policy`: explains placement policies, and reports what is wrong with a file of them.

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
use terminal::failure::{USAGE, cannot, input, input_with_hint, near};
use terminal::{Cell, Report, Style, Table, print, print_result};

/// More than the reader takes, so that it reports a file that is too long; a file such as /dev/zero never ends.
const FILE_BYTES_MAX: u64 = 16 << 20;

pub fn run(command: &PolicyCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        PolicyCommand::Check(arguments) => return check(arguments, json),
        PolicyCommand::Show { name } => {
            let policy = Policy::built_in(name).ok_or_else(|| not_built_in(name))?;
            print_result(&document([policy]), json, |document| {
                let mut report = Report::default();
                document.policies.iter().for_each(|policy| report.code(&policy.yaml));
                report
            })?;
        }
        PolicyCommand::List => {
            let all = Policy::BUILT_IN.iter().filter_map(|name| Policy::built_in(name));
            print_result(&document(all), json, |document| {
                let row = |policy: &PolicyEntry| [policy.name.clone(), policy.summary.clone()];
                let mut report = Report::default();
                let header = ["name", "which host a job gets"];
                report.table("", Table::with_words(&header, &[1], document.policies.iter().map(row)));
                report
            })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn check(arguments: &CheckPolicyArguments, json: bool) -> anyhow::Result<ExitCode> {
    let file = arguments.file.display().to_string();
    let policies = match policy::read(&content(&arguments.file)?) {
        Ok(policies) => policies,
        Err(mistakes) if json => {
            print(&documents::to_json(&checked(&file, &mistakes, None)))?;
            return Ok(ExitCode::from(USAGE));
        }
        Err(mistakes) => return Err(input(refusal(&file, &mistakes))),
    };
    let name = arguments.policy.as_deref();
    let chosen =
        policies.find(name).ok_or_else(|| not_in_file(&file, name.unwrap_or_default(), &policies))?;
    print_result(&checked(&file, &[], Some((&policies, chosen))), json, explanation)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the policy that an argument names: a built-in one, the first of a file, or `FILE:NAME`.
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
    let failed = || cannot("read", path);
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

/// Any seed does; the same one shows what a change of the policy changes.
const TRIED_SEED: u64 = 1;

fn explanation(document: &PolicyCheckReport) -> Report {
    let PolicyCheckReport { file, warnings, policy, tried, .. } = document;
    let mut report = Report::default();
    if let Some(policy) = policy {
        report.line(&format!("{file}: policy '{}'", policy.name));
    }
    let warning = |PolicyMistake { line, field, message }: &PolicyMistake| {
        let line = line.map_or(String::new(), |line| format!(":{line}"));
        let field = if field.is_empty() { String::new() } else { format!(": {field}") };
        vec![Cell::styled(Style::Caution, "warning:"), format!(" {file}{line}{field}: {message}").into()]
    };
    report.lines(warnings.iter().map(warning).collect());
    for section in policy.iter().flat_map(|policy| &policy.explanation) {
        report.section(&section.title);
        report.sentences(section.sentences.clone());
    }
    report.section("Tried on made-up hosts with jobs");
    let header = ["job", "level", "CPUs", "goes to", "value", "hosts that pass", "what others fail"];
    report.table("", Table::with_words(&header, &[1, 3, 6], tried.iter().map(destination)));
    report
}

/// Returns the row of a job: where it goes, and what speaks against the other hosts.
fn destination(vector: &PlacementVector) -> [String; 7] {
    let mut failed: BTreeMap<&str, u32> = BTreeMap::new();
    vector.refused.values().for_each(|filter| *failed.entry(filter.as_str()).or_default() += 1);
    let failed: Vec<String> = failed.iter().map(|(filter, count)| format!("{filter} {count}")).collect();
    let value = vector.ranking.iter().find(|(host, _)| Some(host) == vector.chosen.as_ref());
    let host = vector.hosts.iter().find(|host| Some(&host.name) == vector.chosen.as_ref());
    [
        vector.job.name.clone(),
        vector.job.level.clone(),
        (vector.job.cpu_milli / 1000).to_string(),
        host.map_or("no host".to_owned(), |host| {
            let (cpus, requested) = (host.cpu_milli / 1000, host.requested_milli / 1000);
            format!("{}: {cpus} CPUs, {requested} requested", host.name)
        }),
        value.map_or("-".to_owned(), |(_, value)| format!("{:.1}", f64::from(*value) / 1000.0)),
        vector.ranking.len().to_string(),
        failed.join(", "),
    ]
}

fn document(policies: impl IntoIterator<Item = Policy>) -> PoliciesReport {
    PoliciesReport { policies: policies.into_iter().map(|policy| entry(&policy)).collect() }
}

fn checked(file: &str, mistakes: &[Finding], good: Option<(&Policies, &Policy)>) -> PolicyCheckReport {
    let mistake = |Finding { place, message, .. }: &Finding| PolicyMistake {
        line: place.line,
        field: place.field.clone().unwrap_or_default(),
        message: message.clone(),
    };
    let policies = good.map(|(policies, _)| policies);
    PolicyCheckReport {
        file: file.to_owned(),
        mistakes: mistakes.iter().map(mistake).collect(),
        warnings: policies.iter().flat_map(|policies| policies.warnings.iter().map(mistake)).collect(),
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
