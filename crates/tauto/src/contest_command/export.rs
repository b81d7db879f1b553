//! `tauto contest export`.

use crate::arguments::ExportArguments;
use crate::client::{Client, segment};
use crate::failure::{because, input_with_hint};
use crate::output::{Progress, print};
use anyhow::Context;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Writes the contest's package into a folder or a zip: its files, and the package of each problem.
///
/// # Errors
/// When the server refuses it, or the place is taken.
pub fn run(arguments: &ExportArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let contest = client.contest()?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(&contest));
    if out.exists() {
        return Err(input_with_hint(format!("{} exists", out.display()), "name another place with --out"));
    }
    let export: api::contest::ImportFiles = client.get(&client.in_contest("export")?)?;
    let mut files: BTreeMap<String, Vec<u8>> =
        export.files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    let progress = Progress::on_stderr(!json);
    for problem in export.packages.keys() {
        progress.say(format!("package {problem}"));
        let package =
            client.get_bytes(&client.in_contest(&format!("problems/{}/package", segment(problem)))?)?;
        files.insert(format!("problems/{problem}.zip"), package);
    }
    drop(progress);
    let failed = || because(format!("cannot write {}", out.display()));
    match out.extension().is_some_and(|ending| ending == "zip") {
        true => write_zip(&files, &out).with_context(failed)?,
        false => write_folder(&files, &out).with_context(failed)?,
    }
    let text = match json {
        true => serde_json::json!({ "contest": contest, "path": out, "files": files.len() }).to_string(),
        false => format!("exported {contest} to {}: {} files", out.display(), files.len()),
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The same files are the same bytes.
fn write_zip(files: &BTreeMap<String, Vec<u8>>, path: &Path) -> anyhow::Result<()> {
    let mut archive = ZipWriter::new(BufWriter::new(File::create_new(path)?));
    for (name, bytes) in files {
        archive.start_file(name, SimpleFileOptions::default().unix_permissions(0o644))?;
        archive.write_all(bytes)?;
    }
    archive.finish()?.flush()?;
    Ok(())
}

fn write_folder(files: &BTreeMap<String, Vec<u8>>, folder: &Path) -> anyhow::Result<()> {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}
