//! `tauto contest export`.

use crate::arguments::ExportArguments;
use crate::client::Client;
use crate::output::report;
use anyhow::Context;
use serde_json::json;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use terminal::failure::{cannot, input_with_hint};
use zip::ZipArchive;

/// Writes the contest's package into a folder or a zip: settings, people, results, files, and the package of each problem.
pub fn run(arguments: &ExportArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let contest = client.contest()?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(&contest));
    if out.exists() {
        return Err(input_with_hint(format!("{} exists", out.display()), "name another place with --out"));
    }
    let path = client.in_contest(&format!("package.zip?resolver={}", arguments.resolver))?;
    let failed = || cannot("write", &out);
    let files = if out.extension().is_some_and(|ending| ending == "zip") {
        client.download(&path, &out)?;
        ZipArchive::new(File::open(&out).with_context(failed)?).with_context(failed)?.len()
    } else {
        let room = tempfile::tempdir().context("cannot make a temporary folder")?;
        let archive = room.path().join("package.zip");
        client.download(&path, &archive)?;
        let mut archive = ZipArchive::new(File::open(&archive).with_context(failed)?).with_context(failed)?;
        archive.extract(&out).with_context(failed)?;
        archive.len()
    };
    let text = format!("exported {contest} to {}: {}", out.display(), model::counted(files, "file"));
    report(&json!({ "contest": contest, "path": out, "files": files }), &text, json)
}
