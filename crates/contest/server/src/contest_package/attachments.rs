//! Files of objects: those that they name, and those with default names.

use super::archive::Archive;
use super::importer::BlobImporter;
use super::objects::{FileIn, Objects};
use super::pictures;
use super::unpack::{UnpackedContest, about};
use crate::Problem;
use crate::package_files::Hashing;
use contest_rules::{Action, BlobHash, FileContent, FileEntry, FileOwner, FileProperty};
use model::Bytes;
use serde_json::Value;
use std::collections::BTreeSet;

/// Of a picture or a video.
const FILE_BYTES_MAX: u64 = 512 << 20;
const PICTURE_BYTES_MAX: u64 = 32 << 20;

pub fn attachments(
    importer: &BlobImporter<'_>,
    archive: &mut Archive,
    objects: &Objects,
    unpacked: &mut UnpackedContest,
) -> Result<(), Problem> {
    let mut owners: Vec<(FileOwner, String, Option<Value>)> = Vec::new();
    let with_id = |endpoint: &str, id: &str| objects.with_id(endpoint, id).cloned();
    if unpacked.files.contest.is_some() {
        owners.push((FileOwner::Contest, "contest/".to_owned(), objects.one("contest").cloned()));
    }
    for one in &unpacked.files.organizations {
        let value = with_id("organizations", one.id.as_str());
        owners.push((FileOwner::Organization(one.id.clone()), format!("organizations/{}/", one.id), value));
    }
    for one in &unpacked.files.teams {
        owners.push((
            FileOwner::Team(one.id.clone()),
            format!("teams/{}/", one.id),
            with_id("teams", one.id.as_str()),
        ));
    }
    for one in &unpacked.files.persons {
        let value = with_id("persons", one.id.as_str());
        owners.push((FileOwner::Person(one.id.clone()), format!("persons/{}/", one.id), value));
    }
    for (owner, folder, value) in owners {
        attach(importer, archive, &owner, &folder, value.as_ref(), unpacked)?;
    }
    Ok(())
}

/// Stores the files of one object: those that it names, and those with default names.
pub fn attach(
    importer: &BlobImporter<'_>,
    archive: &mut Archive,
    owner: &FileOwner,
    folder: &str,
    value: Option<&Value>,
    unpacked: &mut UnpackedContest,
) -> Result<(), Problem> {
    {
        let mut named: BTreeSet<String> = BTreeSet::new();
        for property in owner.properties() {
            let listed = value.map(|value| value[property.name()].clone()).unwrap_or_default();
            let listed: Vec<FileIn> = serde_json::from_value(listed).unwrap_or_default();
            let mut entries = Vec::new();
            for file in listed {
                let path = file.filename.as_ref().map(|name| format!("{folder}{name}"));
                named.extend(path.clone());
                match path.filter(|path| archive.has(path)) {
                    Some(path) => entries.extend(store(importer, archive, &path, &file, unpacked)?),
                    None => entries.extend(external(&file, *property, folder, unpacked)),
                }
            }
            let prefix = format!("{}.", property.name());
            let default: Vec<String> = archive
                .below(folder)
                .filter(|path| path[folder.len()..].starts_with(&prefix) && !named.contains(*path))
                .map(str::to_owned)
                .collect();
            for path in default {
                let file = by_name(&path[folder.len()..]);
                entries.extend(store(importer, archive, &path, &file, unpacked)?);
            }
            entries.retain(|entry| {
                let is_right = property.takes(&entry.mime);
                if !is_right {
                    let text = format!("'{}' cannot be {}", entry.mime, property.name());
                    unpacked.warnings.push(about(format!("{folder}{}", entry.filename), text));
                }
                is_right
            });
            if !entries.is_empty() {
                unpacked.after.push(Action::SetFiles {
                    of: owner.clone(),
                    property: *property,
                    files: entries,
                });
            }
        }
    }
    Ok(())
}

/// Returns what a default name such as `logo.dark.160x160.png` says.
fn by_name(filename: &str) -> FileIn {
    let mut parts: Vec<&str> = filename.split('.').collect();
    parts.pop();
    let mut file = FileIn { filename: Some(filename.to_owned()), ..FileIn::default() };
    for tag in parts.into_iter().skip(1) {
        let size = tag.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match size {
            Some((width, height)) => (file.width, file.height) = (Some(width), Some(height)),
            None => file.tag.push(tag.to_owned()),
        }
    }
    file
}

fn mime_of(filename: &str) -> &'static str {
    match filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("svg") => "image/svg+xml",
        Some("mp4") => "video/mp4",
        Some("webm") => "video/webm",
        Some("ogg") => "video/ogg",
        Some("m3u8") => "application/vnd.apple.mpegurl",
        Some("zip") => "application/zip",
        Some("txt" | "log") => "text/plain",
        _ => "application/octet-stream",
    }
}

fn store(
    importer: &BlobImporter<'_>,
    archive: &mut Archive,
    path: &str,
    file: &FileIn,
    unpacked: &mut UnpackedContest,
) -> Result<Option<FileEntry>, Problem> {
    let filename = path.rsplit('/').next().unwrap_or(path).to_owned();
    let mime = file.mime.clone().unwrap_or_else(|| mime_of(&filename).to_owned());
    let is_picture = mime.starts_with("image/");
    let (mut width, mut height) = (file.width, file.height);
    let (stored, md5) = if is_picture {
        let bytes = archive.bytes(path, PICTURE_BYTES_MAX)?;
        let size = pictures::size(&mime, &bytes);
        // What a picture says about itself is believed before what others say.
        (width, height) = size.map_or((width, height), |(w, h)| (Some(w), Some(h)));
        if width.is_none() || height.is_none() {
            unpacked.warnings.push(about(path.to_owned(), "is no picture of a known kind, and is left out"));
            return Ok(None);
        }
        (importer.put(&mut bytes.as_slice(), PICTURE_BYTES_MAX)?, crate::package_files::md5_of(&bytes))
    } else {
        let (_, content) = archive.read(path)?;
        let mut content = Hashing::new(content);
        let stored = importer.put(&mut content, FILE_BYTES_MAX)?;
        (stored, content.md5())
    };
    let content = FileContent::Stored {
        blob: BlobHash(stored.hash.to_string().into()),
        size: Bytes(stored.size_bytes),
        md5,
    };
    Ok(Some(FileEntry { filename, mime, content, width, height, tags: file.tag.iter().cloned().collect() }))
}

fn external(
    file: &FileIn,
    property: FileProperty,
    folder: &str,
    unpacked: &mut UnpackedContest,
) -> Option<FileEntry> {
    let filename = file.filename.clone().unwrap_or_else(|| format!("{}.txt", property.name()));
    let href = file.href.clone().filter(|href| href.contains("://"));
    let Some(href) = href else {
        unpacked
            .warnings
            .push(about(format!("{folder}{filename}"), "is not in the package, and is left out"));
        return None;
    };
    let mime = file.mime.clone()?;
    let (width, height) = (file.width, file.height);
    if mime.starts_with("image/") && (width.is_none() || height.is_none()) {
        unpacked
            .warnings
            .push(about(format!("{folder}{filename}"), "is elsewhere, without its size, and is left out"));
        return None;
    }
    let content = FileContent::External { href };
    Some(FileEntry { filename, mime, content, width, height, tags: file.tag.iter().cloned().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_names_of_files_are_parsed() {
        let file = by_name("logo.dark.160x161.png");
        assert_eq!(
            (file.width, file.height, &file.tag[..]),
            (Some(160), Some(161), &["dark".to_owned()][..])
        );
        assert!(by_name("photo.jpg").tag.is_empty());
    }
}
