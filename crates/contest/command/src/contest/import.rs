//! `tauto contest import`, `tauto contest create`, `tauto team import` and others: files to a server, all or nothing.

mod source;
mod whole;

use crate::arguments::{CreateArguments, FileArguments, ImportArguments};
use crate::client::{Client, import_message, send_package};
use crate::output;
use crate::problem::zip_of;
use anyhow::Context;
use contest_rules::files::{ContestFiles, Finding};
use documents::contest::{ChangedField, ImportFiles, ImportReport, ImportedObjects};
use languages::Languages;
use source::Source;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{cannot, input, input_with_hint};
use terminal::{Colour, Progress, Style, prose, visible};

/// Changed objects of a kind that are listed; --json has more.
const LISTED_MAX: usize = 50;

pub fn run(arguments: &ImportArguments, json: bool) -> anyhow::Result<ExitCode> {
    if whole::is_whole(&arguments.source)? {
        let client = Client::open(&arguments.server)?;
        let progress = Progress::on_stderr(!json);
        let (report, left_out) = whole::send(&client, &arguments.source, arguments.dry_run, &progress)?;
        drop(progress);
        return show(&report, &left_out, json);
    }
    let mut source = Source::open(&arguments.source, arguments.outside)?;
    let (mut files, mut findings) = contest_rules::files::read(&source.files);
    if files.contest.is_some() && files.problems.is_empty() {
        source.list_packages();
        (files, findings) = contest_rules::files::read(&source.files);
    }
    let mut warnings = refuse_errors(findings)?;
    warnings.extend(unknown_languages(&files));
    warnings.extend(source.unread_results());
    if files.contest.is_none() && arguments.server.contest.is_none() {
        return Err(input_with_hint(
            format!("{} has no contest.yaml", arguments.source.display()),
            "name the contest that it belongs to: --contest ID",
        ));
    }
    let packages = source.packages(&files, arguments.outside)?;
    let progress = Progress::on_stderr(!json);
    let client = Client::open(&arguments.server)?;
    let mut hashes = BTreeMap::new();
    for (id, path) in &packages {
        progress.say(format!("package {id}"));
        let (mut file, left_out) = zip_of(path)?;
        let place = |warning: &String| format!("problems/{id}/{warning}");
        warnings.extend(left_out.iter().map(place));
        // In a trial too: the server reads it, and forgets what nothing uses.
        let report = send_package(&client, &mut file, id, &mut |done, all| {
            progress.say(format!("package {id}: {} of {} KiB", done >> 10, all >> 10));
        })?;
        warnings.extend(report.warnings.iter().map(import_message).map(|warning| place(&warning)));
        hashes.insert(id.clone(), report.package);
    }
    let contest_id = files.contest.is_none().then(|| client.contest()).transpose()?;
    let sent =
        ImportFiles { contest_id, files: texts(source.files)?, packages: hashes, ..Default::default() };
    let report = send(&client, &sent, arguments.dry_run)?;
    drop(progress);
    show(&report, &warnings, json)
}

pub fn create(arguments: &CreateArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (name, bytes) = read(&arguments.file)?;
    let (files, findings) = contest_rules::files::read_one(&name, "contest", &bytes);
    let mut warnings = refuse_errors(findings)?;
    warnings.extend(unknown_languages(&files));
    if let Some(problem) = files.problems.first() {
        return Err(input_with_hint(
            format!("{name} has problems, such as {}, which need their packages", problem.id),
            "tauto contest import FOLDER, with the packages in FOLDER/problems",
        ));
    }
    let client = Client::open(&arguments.server)?;
    let sent = one_file("contest", &name, &bytes, None)?;
    show(&send(&client, &sent, false)?, &warnings, json)
}

/// Adds or changes what one file has, such as `teams`.
pub fn one_kind(kind: &str, arguments: &FileArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (name, bytes) = read(&arguments.file)?;
    let (_, findings) = contest_rules::files::read_one(&name, kind, &bytes);
    let warnings = refuse_errors(findings)?;
    let client = Client::open(&arguments.server)?;
    let sent = one_file(kind, &name, &bytes, Some(client.contest()?))?;
    show(&send(&client, &sent, arguments.dry_run)?, &warnings, json)
}

/// Warns of languages that are not built in: judgehosts may have them, but mostly it is a typing error.
fn unknown_languages(files: &ContestFiles) -> Option<String> {
    let (_, settings) = files.contest.as_ref()?;
    let builtin = Languages::builtin();
    let ids = settings.languages.iter().map(|id| id.as_str());
    let unknown: Vec<&str> = ids.filter(|id| builtin.get(id).is_none()).collect();
    (!unknown.is_empty()).then(|| {
        format!(
            "languages: {}: not built in, see 'tauto languages'; judgehosts need --languages",
            unknown.join(", ")
        )
    })
}

fn read(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    if path.is_file() && !["yaml", "yml", "json", "tsv", "csv"].contains(&&*ending.to_lowercase()) {
        return Err(input_with_hint(
            format!("{} is not read: it is neither YAML, JSON, CSV nor TSV", path.display()),
            "docs/contest.md has examples; the name of such a file ends in .yaml, .json, .csv or .tsv",
        ));
    }
    let bytes = fs::read(path).with_context(|| cannot("read", path))?;
    Ok((path.display().to_string(), bytes))
}

/// Returns a request with one file, by the name of its kind.
fn one_file(kind: &str, name: &str, bytes: &[u8], contest_id: Option<String>) -> anyhow::Result<ImportFiles> {
    let ending = Path::new(name).extension().map_or("yaml".into(), |ending| ending.to_string_lossy());
    let files = texts(BTreeMap::from([(format!("{kind}.{ending}"), bytes.to_vec())]))?;
    Ok(ImportFiles { contest_id, files, ..Default::default() })
}

fn texts(files: BTreeMap<String, Vec<u8>>) -> anyhow::Result<BTreeMap<String, String>> {
    let read = files.into_iter().filter(|(name, _)| contest_rules::files::is_read(name));
    read.map(|(name, bytes)| {
        let text = String::from_utf8(bytes).map_err(|_| input(format!("{name} is not UTF-8")))?;
        Ok((name, text))
    })
    .collect()
}

/// Returns the warnings, unless there are errors.
fn refuse_errors(findings: Vec<Finding>) -> anyhow::Result<Vec<String>> {
    let (warnings, errors): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| finding.is_warning);
    if errors.is_empty() {
        return Ok(warnings.iter().map(Finding::to_string).collect());
    }
    let mut message = match errors.len() {
        1 => "the files have a mistake, and nothing was changed".to_owned(),
        several => format!("the files have {several} mistakes, and nothing was changed"),
    };
    errors.iter().for_each(|error| message.push_str(&format!("\n  {error}")));
    // Often one of them is the cause.
    warnings.iter().for_each(|warning| message.push_str(&format!("\n  warning: {warning}")));
    Err(input(message))
}

fn send(client: &Client, sent: &ImportFiles, dry_run: bool) -> anyhow::Result<ImportReport> {
    client.send_for("POST", &format!("contests/import?dry_run={dry_run}"), sent)
}

fn show(report: &ImportReport, warnings: &[String], json: bool) -> anyhow::Result<ExitCode> {
    let mut text = match report.dry_run {
        true => format!("contest {}: nothing was changed; this would be:\n", report.contest_id),
        false => format!("contest {}:\n", report.contest_id),
    };
    let is_counted =
        |change: &&String| report.objects.iter().any(|one| change.starts_with(&format!("{}: ", one.kind)));
    for change in report.changes.iter().filter(|change| !is_counted(change)) {
        text.push_str(&format!("  {}\n", visible(change)));
    }
    report.objects.iter().for_each(|objects| text.push_str(&of_kind(objects)));
    let theirs: Vec<String> = report.warnings.iter().map(import_message).collect();
    let mark = Colour::for_stdout().paint(Style::Caution, "warning:");
    // The server reads the same file by another name.
    let rest = |warning: &str| warning.split_once(':').map(|(_, rest)| rest.to_owned());
    let is_known = |one: &&String| warnings.iter().any(|known| rest(known) == rest(one));
    for warning in warnings.iter().chain(theirs.iter().filter(|one| !is_known(one))) {
        text.push_str(&prose(&format!("{mark} "), 2, &visible(warning)));
    }
    output::report(report, &text, json)
}

/// Returns how many objects of a kind are added and changed, and which.
fn of_kind(objects: &ImportedObjects) -> String {
    let ImportedObjects { kind, added, changed, unchanged, changes } = objects;
    let mut text = format!("  {kind}: {added} added, {changed} changed, {unchanged} unchanged\n");
    for change in changes.iter().take(LISTED_MAX) {
        let fields: Vec<String> = change.fields.iter().map(field).collect();
        let sign = if change.is_new { '+' } else { '~' };
        let line = [change.id.as_str(), &change.name, &fields.join("; ")].join("  ");
        text.push_str(&format!("    {sign} {}\n", visible(line.trim_end())));
    }
    let left = (added + changed).saturating_sub(LISTED_MAX as u64);
    if left > 0 {
        text.push_str(&format!("    and {left} more\n"));
    }
    text
}

fn field(ChangedField { name, before, after }: &ChangedField) -> String {
    match (before, after) {
        (None, None) => name.clone(),
        (None, Some(after)) => format!("{name} {after}"),
        (before, after) => {
            let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
            format!("{name} {} -> {}", shown(before), shown(after))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_known_by_its_name() {
        for language in Languages::builtin().iter() {
            for name in [&language.name, &language.id] {
                assert_eq!(contest_rules::Language::id_of(name), language.id, "{name}");
            }
        }
    }
}
