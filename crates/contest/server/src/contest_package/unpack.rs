//! Takes a contest package apart: settings, problem packages, files of objects, results.

use super::archive::{Archive, refused};
use super::attachments::{attach, attachments};
use super::extra::Extra;
use super::importer::BlobImporter;
use super::objects::Objects;
use super::results::{self, Verdicts};
use super::{EXTRA, PROBLEMS};
use crate::package_files::{FILE_BYTES_MAX, language_of_name, made_statement};
use crate::wire::import_message;
use crate::{App, Problem, packages};
use ::documents::contest::ImportMessage;
use contest_rules::files::ContestFiles;
use contest_rules::{
    Action, FileOwner, Imported, Instant, Millis, ProblemFile, STATEMENTS_MAX, Scoring, SubmittedFile,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Cursor, Seek, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zip::write::SimpleFileOptions;

/// Of a file with settings: those of 5,000 teams with their accounts.
const TEXT_BYTES_MAX: u64 = 32 << 20;
/// The files of settings that a feed can stand for.
const SETTINGS: [&str; 7] =
    ["contest", "problems", "groups", "organizations", "teams", "persons", "accounts"];
const README: &[u8] = b"This problem was imported without its package, so it cannot be judged.\n";

pub struct UnpackedContest {
    pub files: ContestFiles,
    pub packages: BTreeMap<String, String>,
    /// The statements that were made of them, and whether each is the part of a page.
    pub statements: BTreeMap<String, Vec<(ProblemFile, bool)>>,
    /// Problems that came without one.
    pub without_package: BTreeMap<String, u32>,
    /// Files of objects, and what happened.
    pub after: Vec<Action>,
    /// Awards that the other system gave.
    pub awards: Vec<(String, String, Vec<String>)>,
    pub scoreboard: Option<Value>,
    pub changes: Vec<String>,
    pub errors: Vec<ImportMessage>,
    pub warnings: Vec<ImportMessage>,
}

pub(super) fn about(file: String, message: impl Into<String>) -> ImportMessage {
    ImportMessage { file: Some(file), line: None, message: message.into() }
}

/// Reads a package, and stores what is in it as contents that nothing uses yet. It ends early once `is_over` is set.
pub fn unpack(
    importer: &BlobImporter<'_>,
    file: File,
    is_over: Arc<AtomicBool>,
) -> Result<UnpackedContest, Problem> {
    let mut archive = Archive::open(file, importer.app.config.limits.contest_package_bytes, is_over)?;
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let objects = Objects::read(&mut archive, &mut errors)?;
    let extra: Extra = match archive.has(EXTRA) {
        true => serde_json::from_slice(&archive.bytes(EXTRA, TEXT_BYTES_MAX)?)
            .map_err(|error| refused(format!("{EXTRA}: {error}")))?,
        false => Extra::default(),
    };
    let (mut files, findings) =
        contest_rules::files::read_whole(&settings_files(&mut archive, &objects)?, &|id| {
            importer.present(id)
        });
    for finding in findings {
        let list = if finding.is_warning { &mut warnings } else { &mut errors };
        list.push(import_message(finding));
    }
    read_state(&mut files, &objects, &mut warnings)?;
    let compile_penalty_there = Verdicts::new(objects.of("judgement-types")).compile_penalty();
    if let (Some((_, settings)), Some(compile_penalty_there)) = (&mut files.contest, compile_penalty_there)
        && let Scoring::PassFail { compile_penalty, .. } = &mut settings.scoring
    {
        *compile_penalty = compile_penalty_there;
    }
    let mut unpacked = UnpackedContest {
        files,
        packages: BTreeMap::new(),
        statements: BTreeMap::new(),
        without_package: BTreeMap::new(),
        after: Vec::new(),
        awards: Vec::new(),
        scoreboard: objects.one("scoreboard").cloned(),
        changes: Vec::new(),
        errors,
        warnings,
    };
    let has_results = !objects.submissions.is_empty();
    packages(importer, &mut archive, &objects, &mut unpacked, has_results)?;
    statements(importer, &mut archive, &mut unpacked)?;
    attachments(importer, &mut archive, &objects, &mut unpacked)?;
    let sources = sources(importer, &mut archive, &objects, &mut unpacked)?;
    let start = unpacked.files.contest.as_ref().and_then(|(_, settings)| settings.start);
    let mut read = results::read(&objects, &extra, start, sources);
    unpacked.errors.append(&mut read.errors);
    unpacked.warnings.append(&mut read.warnings);
    let counts = [
        ("submissions", objects.submissions.len()),
        ("judgements", objects.judgements.len()),
        ("runs", objects.runs.len()),
        ("clarifications", objects.clarifications.len()),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    unpacked.changes.extend(counts.map(|(what, count)| format!("{what}: {count}")));
    unpacked.after.extend(read.imported.into_iter().map(|imported| Action::Import(Box::new(imported))));
    for (id, number) in &read.numbers {
        let reaction = objects.submissions.get(id).and_then(|submission| submission.reaction.as_ref());
        if let Some(reaction) = reaction {
            let value = serde_json::json!({"reaction": reaction});
            let owner = FileOwner::Submission(*number);
            attach(
                importer,
                &mut archive,
                &owner,
                &format!("submissions/{id}/"),
                Some(&value),
                &mut unpacked,
            )?;
        }
    }
    awards(&objects, extra.awards.as_deref(), &mut unpacked);
    let is_started = |time: &Instant| start.is_some_and(|start| start <= *time);
    let finalized = of_state(&objects, "finalized")?;
    if finalized.is_some_and(|time| !is_started(&time)) {
        let text = "finalized is left out: it is before the start";
        unpacked.warnings.push(about("state.json".to_owned(), text));
    }
    if let Some(time) = finalized.filter(is_started) {
        let (extra_bronze, comment) =
            extra.finalized.map(|last| (last.extra_bronze, last.comment)).unwrap_or_default();
        let last = Imported::Finalized { time, extra_bronze, comment };
        unpacked.after.push(Action::Import(Box::new(last)));
    }
    Ok(unpacked)
}

/// Returns when something happened, by the package's state.
fn of_state(objects: &Objects, name: &str) -> Result<Option<Instant>, Problem> {
    let text = objects.one("state").and_then(|state| state[name].as_str());
    let read =
        |text: &str| text.parse::<Instant>().map_err(|error| refused(format!("state: {name}: {error}")));
    text.map(read).transpose()
}

/// Takes what the state has and the contest has not: when it started, and when its board thawed.
fn read_state(
    files: &mut ContestFiles,
    objects: &Objects,
    warnings: &mut Vec<ImportMessage>,
) -> Result<(), Problem> {
    let Some((_, settings)) = &mut files.contest else { return Ok(()) };
    settings.start = settings.start.or(of_state(objects, "started")?);
    let thawed = of_state(objects, "thawed")?;
    let is_after = |time: Instant| settings.start.is_some_and(|start| start <= time);
    match thawed {
        Some(thawed) if !is_after(thawed) => {
            warnings.push(about("state.json".to_owned(), "thawed is left out: it is before the start"));
        }
        thawed => settings.thaw = settings.thaw.or(thawed),
    }
    // Here it follows from both: nothing changes once the result is final and shown.
    if of_state(objects, "end_of_updates")?.is_some() && of_state(objects, "finalized")?.is_none() {
        let text = "end_of_updates is left out: the result is not final";
        warnings.push(about("state.json".to_owned(), text));
    }
    Ok(())
}

/// Returns the files with settings; where there is none, what the feed has.
fn settings_files(archive: &mut Archive, objects: &Objects) -> Result<BTreeMap<String, Vec<u8>>, Problem> {
    let tops: Vec<String> = archive.names().filter(|name| !name.contains('/')).map(str::to_owned).collect();
    let mut files = BTreeMap::new();
    // Our own packages have the allowed languages among the settings: an empty list is all that there are.
    let is_own = archive.has(EXTRA);
    let is_settings =
        |name: &String| contest_rules::files::is_read(name) && !(is_own && name == "languages.json");
    for name in tops.into_iter().filter(is_settings) {
        let bytes = archive.bytes(&name, TEXT_BYTES_MAX)?;
        files.insert(name, bytes);
    }
    let has = |files: &BTreeMap<String, Vec<u8>>, name: &str| {
        files.keys().any(|file| file.split('.').next() == Some(name))
            || (name == "problems" && files.keys().any(|file| file.starts_with("problemset.")))
    };
    for name in SETTINGS {
        let values = objects.of(name);
        if !values.is_empty() && !has(&files, name) {
            let value = if name == "contest" { values[0].clone() } else { Value::Array(values.to_vec()) };
            files.insert(format!("{name}.json"), value.to_string().into_bytes());
        }
    }
    Ok(files)
}

fn packages(
    importer: &BlobImporter<'_>,
    archive: &mut Archive,
    objects: &Objects,
    unpacked: &mut UnpackedContest,
    has_results: bool,
) -> Result<(), Problem> {
    let (app, is_dry_run) = (importer.app, importer.is_dry_run);
    let none_hash = store::BlobHash::of(&zip_of_readme()?).to_string();
    for problem in &unpacked.files.problems {
        let id = problem.id.to_string();
        let value = objects.with_id("problems", &id);
        let stored = match locate_package(archive, &id, value, problem.package.as_deref()) {
            Some(place) if is_dry_run => {
                let read = match &place {
                    PackageLocation::Archive(name) => {
                        packages::check(app, &mut archive.read(name)?.1, &id, problem.scores)
                    }
                    PackageLocation::Folder(folder) => {
                        packages::check(app, &mut pack(app, archive, folder)?, &id, problem.scores)
                    }
                };
                let in_package = |message: ImportMessage| ImportMessage {
                    file: Some(format!("{PROBLEMS}/{id}/{}", message.file.unwrap_or_default())),
                    ..message
                };
                match read {
                    Ok(warnings) => unpacked.warnings.extend(warnings.into_iter().map(in_package)),
                    Err(problem) => unpacked.errors.push(about(format!("{PROBLEMS}/{id}"), problem.detail())),
                }
                Some(none_hash.clone())
            }
            Some(PackageLocation::Archive(name)) => {
                let (_, mut content) = archive.read(&name)?;
                Some(importer.put(&mut content, app.config.limits.package_bytes)?.hash.to_string())
            }
            Some(PackageLocation::Folder(folder)) => {
                let mut packed = pack(app, archive, &folder)?;
                Some(importer.put(&mut packed, app.config.limits.package_bytes)?.hash.to_string())
            }
            None => None,
        };
        let is_none = stored.as_ref().is_none_or(|hash| *hash == none_hash && !is_dry_run);
        if is_none && has_results {
            put_placeholder(importer)?;
            let count = value.and_then(|one| one["test_data_count"].as_u64()).unwrap_or(1);
            unpacked.without_package.insert(id.clone(), u32::try_from(count).unwrap_or(1).max(1));
            let text = format!(
                "problem '{id}' has no package: it is paused, and cannot be judged before one is added"
            );
            unpacked.warnings.push(about("problems".to_owned(), text));
        }
        if !is_none || has_results {
            unpacked.packages.insert(id, stored.unwrap_or_else(|| none_hash.clone()));
        }
    }
    Ok(())
}

/// Stores the statements that were made of packages: the server that exported them got them with the package.
fn statements(
    importer: &BlobImporter<'_>,
    archive: &mut Archive,
    unpacked: &mut UnpackedContest,
) -> Result<(), Problem> {
    for problem in &unpacked.files.problems {
        let id = problem.id.to_string();
        let folder = format!("{PROBLEMS}/{id}/");
        let is_statement = |path: &&str| language_of_name(&id, &path[folder.len()..]).is_some();
        let names: Vec<String> = archive.below(&folder).filter(is_statement).map(str::to_owned).collect();
        if names.len() > 2 * STATEMENTS_MAX {
            let text = format!("there are statements in more than {STATEMENTS_MAX} languages");
            unpacked.errors.push(about(folder, text));
            continue;
        }
        for path in names {
            let Some((language, is_page)) = language_of_name(&id, &path[folder.len()..]) else { continue };
            let bytes = archive.bytes(&path, FILE_BYTES_MAX)?;
            let stored = importer.put(&mut bytes.as_slice(), FILE_BYTES_MAX)?;
            match made_statement(&id, language, is_page, &stored, &bytes) {
                Ok(file) => unpacked.statements.entry(id.clone()).or_default().push((file, is_page)),
                Err(problem) => {
                    unpacked.warnings.push(about(path, format!("{}, and is left out", problem.detail())))
                }
            }
        }
    }
    Ok(())
}

enum PackageLocation {
    Archive(String),
    Folder(String),
}

fn locate_package(
    archive: &Archive,
    id: &str,
    value: Option<&Value>,
    named: Option<&str>,
) -> Option<PackageLocation> {
    let folder = format!("{PROBLEMS}/{id}/");
    if let Some(named) = named {
        let named = named.trim_start_matches("./").trim_end_matches('/');
        let below = format!("{PROBLEMS}/{named}");
        let is_below = !archive.has(named) && !archive.has(&format!("{named}/problem.yaml"));
        let named = if is_below { &below } else { named };
        return match archive.has(named) {
            true => Some(PackageLocation::Archive(named.to_owned())),
            false => Some(PackageLocation::Folder(format!("{named}/")))
                .filter(|_| archive.has(&format!("{named}/problem.yaml"))),
        };
    }
    let filename = value.and_then(|one| one["package"][0]["filename"].as_str());
    let explicit = filename.map(|name| format!("{folder}{name}"));
    let next_to_it = format!("{PROBLEMS}/{id}.zip");
    let inside = format!("{folder}{id}.zip");
    if let Some(found) = explicit.into_iter().chain([next_to_it, inside]).find(|name| archive.has(name)) {
        return Some(PackageLocation::Archive(found));
    }
    if archive.has(&format!("{folder}problem.yaml")) {
        return Some(PackageLocation::Folder(folder));
    }
    let mut zips =
        archive.below(&folder).filter(|name| name.ends_with(".zip") && !name[folder.len()..].contains('/'));
    if let Some(first) = zips.next() {
        return zips.next().is_none().then(|| PackageLocation::Archive(first.to_owned()));
    }
    // At the top, as other systems have them.
    let (folder, zip) = (format!("{id}/"), format!("{id}.zip"));
    match archive.has(&zip) {
        true => Some(PackageLocation::Archive(zip)),
        false => Some(PackageLocation::Folder(folder)).filter(|_| archive.has(&format!("{id}/problem.yaml"))),
    }
}

/// Packs a folder of the archive as a zip.
fn pack(app: &App, archive: &mut Archive, folder: &str) -> Result<File, Problem> {
    let names: Vec<String> = archive.below(folder).map(str::to_owned).collect();
    let file = tempfile::tempfile_in(&app.config.temporary).map_err(Problem::internal)?;
    let mut writer = zip::ZipWriter::new(file);
    for name in names {
        let (size, mut content) = archive.read(&name)?;
        let options =
            SimpleFileOptions::default().large_file(size > u64::from(u32::MAX) / 2).unix_permissions(0o755);
        writer.start_file(&name[folder.len()..], options).map_err(Problem::internal)?;
        std::io::copy(&mut content, &mut writer).map_err(|error| refused(format!("'{name}': {error}")))?;
    }
    let mut file = writer.finish().map_err(Problem::internal)?;
    file.rewind().map_err(Problem::internal)?;
    Ok(file)
}

/// Stores what stands for a package that did not come, and returns its hash.
pub fn put_placeholder(importer: &BlobImporter<'_>) -> Result<String, Problem> {
    let none = zip_of_readme()?;
    Ok(importer.put(&mut none.as_slice(), none.len() as u64)?.hash.to_string())
}

/// Returns what stands for a package that did not come.
fn zip_of_readme() -> Result<Vec<u8>, Problem> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file("README.md", options).map_err(Problem::internal)?;
    writer.write_all(README).map_err(Problem::internal)?;
    Ok(writer.finish().map_err(Problem::internal)?.into_inner())
}

fn sources(
    importer: &BlobImporter<'_>,
    archive: &mut Archive,
    objects: &Objects,
    unpacked: &mut UnpackedContest,
) -> Result<BTreeMap<String, Vec<SubmittedFile>>, Problem> {
    let mut sources = BTreeMap::new();
    let mut missing = 0;
    for (id, submission) in &objects.submissions {
        let folder = format!("submissions/{id}/");
        let named = submission.files.iter().flatten().filter_map(|file| file.filename.as_ref());
        let named = named.map(|name| format!("{folder}{name}")).find(|path| archive.has(path));
        let any = || archive.below(&folder).find(|path| path.ends_with(".zip")).map(str::to_owned);
        let Some(path) = named.or_else(any) else {
            missing += 1;
            continue;
        };
        let bytes = archive.bytes(&path, 2 * crate::sources::BYTES_MAX)?;
        match crate::sources::unzip_any(&bytes) {
            Ok(files) => {
                let listed = crate::sources::name(&files);
                for (_, data) in files {
                    importer.put(&mut data.as_slice(), crate::sources::BYTES_MAX)?;
                }
                sources.insert(id.clone(), listed);
            }
            Err(problem) => unpacked.errors.push(about(path, problem.detail())),
        }
    }
    if missing > 0 {
        unpacked.warnings.push(about(
            "submissions".to_owned(),
            format!("{} came without files", model::counted(missing, "submission")),
        ));
    }
    Ok(sources)
}

/// Takes awards: those that our jury edited, or else those that the other system gave.
fn awards(objects: &Objects, edits: Option<&[super::extra::AwardEdit]>, unpacked: &mut UnpackedContest) {
    let Some(edits) = edits else {
        let list = |one: &Value| -> Vec<String> {
            one["team_ids"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        };
        let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
        unpacked.awards = objects
            .of("awards")
            .iter()
            .map(|one| (text(one, "id"), text(one, "citation"), list(one)))
            .collect();
        return;
    };
    for edit in edits {
        let teams =
            edit.team_ids.as_ref().map(|teams| teams.iter().filter_map(|id| id.parse().ok()).collect());
        let award = Action::SetAward { id: edit.id.clone(), citation: edit.citation.clone(), teams };
        unpacked.after.push(award);
    }
}

/// Returns the total time of a row: a duration, or minutes as older versions have it.
pub fn total_time(value: &Value) -> Option<Millis> {
    match value {
        Value::Number(minutes) => Some(Millis::minutes(minutes.as_i64()?)),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stores keep this hash, so it stays the same with each version of the library that writes zips.
    #[test]
    fn what_stands_for_a_package_has_the_hash_by_which_it_is_known() {
        let none = zip_of_readme().unwrap();
        assert_eq!(store::BlobHash::of(&none).to_string(), contest_rules::NO_PACKAGE);
    }
}
