//! Contest packages with results or files of objects, which the server takes apart.

use super::source::no_archive;
use crate::client::{Client, send_content};
use crate::failure::because;
use crate::output::Progress;
use anyhow::Context;
use api::contest::ImportReport;
use std::fs::File;
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// What only the server reads.
const FILES: [&str; 5] =
    ["event-feed.ndjson", "submissions.json", "persons.json", "tautochrone.json", "clarifications.json"];
const FOLDERS: [&str; 5] = ["contest/", "organizations/", "teams/", "persons/", "submissions/"];

/// Returns whether a file of this name is one that only the server reads.
pub(super) fn is_part(name: &str) -> bool {
    FILES.contains(&name)
}

/// Returns whether a package has more than settings and problems.
///
/// # Errors
/// When it cannot be read.
pub fn is_whole(path: &Path) -> anyhow::Result<bool> {
    let is_one = |name: &str| FILES.contains(&name) || FOLDERS.iter().any(|folder| name.starts_with(folder));
    if path.is_dir() {
        let has = |name: &&str| path.join(name).exists();
        return Ok(FILES.iter().chain(&FOLDERS).any(has));
    }
    let failed = || because(format!("cannot open {}", path.display()));
    let file = File::open(path).with_context(failed)?;
    let archive = ZipArchive::new(file).map_err(|error| no_archive(path, error))?;
    let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.to_string())).collect();
    // An archive often has one folder with everything in it.
    let below = |name: &str| name.split_once('/').is_some_and(|(_, rest)| is_one(rest));
    Ok(names.iter().any(|name| is_one(name))
        || names.iter().any(|name| below(name) && !name.starts_with("problems/")))
}

/// Sends a package, and returns what the server says.
///
/// # Errors
/// When it cannot be read, or the server refuses it.
pub fn send(
    client: &Client,
    path: &Path,
    is_dry_run: bool,
    progress: &Progress,
) -> anyhow::Result<ImportReport> {
    let mut file = if path.is_dir() {
        progress.say("packing");
        pack(path)?
    } else {
        File::open(path).with_context(|| because(format!("cannot open {}", path.display())))?
    };
    let hash = send_content(client, &mut file, &mut |done, all| {
        progress.say(format!("package: {} of {} KiB", done >> 10, all >> 10));
    })?;
    progress.say("importing");
    let path = format!("contests/import/package?dry_run={is_dry_run}&uploaded={hash}");
    client.call_patiently("POST", &path, Some("application/zip"), Vec::new())
}

/// Packs a folder, links left out.
fn pack(root: &Path) -> anyhow::Result<File> {
    let failed = || because(format!("cannot pack {}", root.display()));
    let mut writer = ZipWriter::new(tempfile::tempfile().context("cannot make a temporary file")?);
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.with_context(failed)?;
        if !entry.file_type().is_file() {
            continue;
        }
        let name = entry.path().strip_prefix(root).with_context(failed)?.to_string_lossy().into_owned();
        let size = entry.metadata().with_context(failed)?.len();
        let options = SimpleFileOptions::default().large_file(size > u64::from(u32::MAX) / 2);
        writer.start_file(name, options).with_context(failed)?;
        std::io::copy(&mut File::open(entry.path()).with_context(failed)?, &mut writer)
            .with_context(failed)?;
    }
    writer.finish().with_context(failed)
}
