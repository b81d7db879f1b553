//! Contest packages with results or files of objects, which the server takes apart.

use super::source::no_archive;
use crate::client::{Client, send_content};
use crate::problem::add;
use anyhow::Context;
use documents::contest::ImportReport;
use package::{contents, is_part_of_package};
use std::fs::{self, File};
use std::path::Path;
use terminal::Progress;
use terminal::failure::cannot;
use zip::{ZipArchive, ZipWriter};

/// What only the server reads.
const FILES: [&str; 4] = ["event-feed.ndjson", "submissions.json", "tautochrone.json", "clarifications.json"];
const FOLDERS: [&str; 5] = ["contest/", "organizations/", "teams/", "persons/", "submissions/"];

/// Returns whether a file of this name is one that only the server reads.
pub(super) fn is_part(name: &str) -> bool {
    FILES.contains(&name)
}

/// Returns whether a package has more than settings and problems.
pub fn is_whole(path: &Path) -> anyhow::Result<bool> {
    let is_one = |name: &str| FILES.contains(&name) || FOLDERS.iter().any(|folder| name.starts_with(folder));
    if path.is_dir() {
        // In PC^2's folders the contest is in `config`, and the folders next to it have PC^2's own files.
        let has = |name: &&str| path.join(name).exists() && !path.join("config/contest.yaml").is_file();
        return Ok(FILES.iter().chain(&FOLDERS).any(has));
    }
    let failed = || cannot("open", path);
    let file = File::open(path).with_context(failed)?;
    let archive = ZipArchive::new(file).map_err(|error| no_archive(path, error))?;
    let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.to_string())).collect();
    // An archive often has one folder with everything in it.
    let below = |name: &str| name.split_once('/').is_some_and(|(_, rest)| is_one(rest));
    Ok(names.iter().any(|name| is_one(name))
        || names.iter().any(|name| below(name) && !name.starts_with("problems/")))
}

/// Sends a package, and returns what the server says, and what of a folder was left out.
pub fn send(
    client: &Client,
    path: &Path,
    is_dry_run: bool,
    progress: &Progress,
) -> anyhow::Result<(ImportReport, Vec<String>)> {
    let (mut file, left_out) = if path.is_dir() {
        progress.say("packing");
        pack(path)?
    } else {
        let file = File::open(path).with_context(|| cannot("open", path))?;
        (file, Vec::new())
    };
    let hash = send_content(client, &mut file, &mut |done, all| {
        progress.say(format!("package: {} of {} KiB", done >> 10, all >> 10));
    })?;
    progress.say("importing");
    let path = format!("contests/import/package?dry_run={is_dry_run}&uploaded={hash}");
    Ok((client.post_archive(&path)?, left_out))
}

/// Packs a folder, with the files of each problem as they are judged. Returns a warning for each thing that is left out.
fn pack(root: &Path) -> anyhow::Result<(File, Vec<String>)> {
    let failed = || cannot("pack", root);
    let mut writer = ZipWriter::new(tempfile::tempfile().context("cannot make a temporary file")?);
    let mut left_out = Vec::new();
    let mut walk = walkdir::WalkDir::new(root).min_depth(1).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = entry.with_context(failed)?;
        let below = entry.path().strip_prefix(root).with_context(failed)?.to_string_lossy().into_owned();
        let name = entry.file_name().to_str();
        if name.is_none_or(|name| name.starts_with('.')) {
            if entry.file_type().is_dir() {
                walk.skip_current_dir();
            }
            // Hidden files are no part of a package.
            left_out.extend(
                name.is_none().then(|| format!("{below}: has a name that is not UTF-8, and is left out")),
            );
            continue;
        }
        if entry.file_type().is_file() {
            add(&mut writer, &below, entry.path())?;
        } else if !entry.file_type().is_dir() {
            left_out.push(format!("{below}: is a link, or no file, and is left out"));
        } else if entry.path().join("problem.yaml").is_file() {
            walk.skip_current_dir();
            let (files, warnings) = contents(entry.path(), &|| false)?;
            for file in files {
                add(&mut writer, &format!("{below}/{}", file.name.display()), &file.path)?;
            }
            // Next to a package's own files are statements that were made of it.
            let mut others: Vec<_> = fs::read_dir(entry.path()).with_context(failed)?.flatten().collect();
            others.retain(|file| !is_part_of_package(&file.file_name()));
            others.sort_by_key(fs::DirEntry::file_name);
            for file in others.iter().filter(|file| file.file_type().is_ok_and(|kind| kind.is_file())) {
                add(&mut writer, &format!("{below}/{}", file.file_name().display()), &file.path())?;
            }
            left_out.extend(warnings.iter().map(|warning| format!("{below}/{warning}")));
        }
    }
    Ok((writer.finish().with_context(failed)?, left_out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn problems_are_packed_as_they_are_judged() {
        let room = tempfile::tempdir().unwrap();
        let data = room.path().join("problems/sum/data/secret");
        fs::create_dir_all(&data).unwrap();
        for (path, text) in [
            ("submissions.json", "[]"),
            ("problems/sum/problem.yaml", "name: S\n"),
            ("problems/sum/sum.en.pdf", "%PDF-1.5\n"),
            ("problems/sum/data/secret/1.in", "1\n"),
        ] {
            fs::write(room.path().join(path), text).unwrap();
        }
        symlink("1.in", data.join("2.in")).unwrap();
        symlink("/etc/passwd", data.join("3.in")).unwrap();
        symlink("/etc/passwd", room.path().join("teams.json")).unwrap();
        let (file, left_out) = pack(room.path()).unwrap();
        let archive = ZipArchive::new(file).unwrap();
        let mut names: Vec<_> = archive.file_names().map(|name| name.unwrap().to_string()).collect();
        names.sort();
        let cases =
            ["problems/sum/data/secret/1.in", "problems/sum/data/secret/2.in", "problems/sum/problem.yaml"];
        assert_eq!(names[..3], cases);
        assert_eq!(names[3..], ["problems/sum/sum.en.pdf", "submissions.json"]);
        assert_eq!(left_out.len(), 2, "{left_out:?}");
        assert!(
            left_out[0].starts_with("problems/sum/data/secret/3.in: is a symbolic link that leads out"),
            "{left_out:?}"
        );
        assert_eq!(left_out[1], "teams.json: is a link, or no file, and is left out");
    }
}
