//! Unpacks an untrusted archive.
//!
//! Everything possible is checked before the first byte is written; what only becomes known while unpacking (sizes,
//! where links lead) stops it, and then nothing is left behind.

pub(crate) mod names;
mod stoppable;

use crate::error::Complaint;
use crate::tree::io_error;
use crate::{FileLocation, PackageError, is_part_of_package};
use names::{MAX_ENTRIES, Names};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use stoppable::Stoppable;
use zip::ZipArchive;

/// Most bytes of all files together when unpacked: test data of 8 GB, which the ICPC's requirements name, and the rest.
const MAX_TOTAL_BYTES: u64 = 12 << 30;
/// An archive that unpacks to more than this many times its size is a bomb, not a package.
const MAX_RATIO: u64 = 250;
/// Below this total the ratio does not matter: a test of a million zeros compresses to a thousandth.
const RATIO_FLOOR_BYTES: u64 = 256 << 20;
/// How much is copied at once.
const COPIED_BYTES: usize = 1 << 16;
/// Longest target of a symbolic link.
const MAX_LINK_BYTES: u64 = 4096;

/// The file type in a Unix mode, and the types that a package may hold.
const MODE_TYPE: u32 = 0o170_000;
const MODE_FILE: u32 = 0o100_000;
const MODE_FOLDER: u32 = 0o040_000;
const MODE_LINK: u32 = 0o120_000;

/// Unpacks an archive into a new folder of the scratch folder. Returns the folder that contains the package, and the
/// archive's links that are skipped because they would lead out of it or nowhere. Before each piece that it reads or
/// writes it asks whether to stop, and then leaves nothing behind.
pub(crate) fn unpack(
    archive: &Path,
    scratch: &Path,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(PathBuf, Vec<String>), PackageError> {
    // A stop makes the current read or write fail with some error.
    unpack_whole(archive, scratch, is_stopped).map_err(|error| match is_stopped() {
        true => PackageError::Stopped { package: archive.to_owned() },
        false => error,
    })
}

fn unpack_whole(
    archive: &Path,
    scratch: &Path,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(PathBuf, Vec<String>), PackageError> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = archive.file_stem().unwrap_or_default();
    let target = scratch.join(stem);
    if target.symlink_metadata().is_ok() {
        return Err(FileLocation::file(name).invalid(
            "would be unpacked over something that is in the scratch folder already",
            "give an empty scratch folder",
        ));
    }
    let unpacker = Unpacker { archive_name: name };
    let file = fs::File::open(archive).map_err(io_error("open", archive))?;
    let size = file.metadata().map_err(io_error("look at", archive))?.len();
    let mut zip =
        ZipArchive::new(Stoppable::new(file, is_stopped)).map_err(|error| no_archive(archive, &error))?;
    let plan = unpacker.plan(&mut zip)?;

    fs::create_dir_all(scratch).map_err(io_error("make", scratch))?;
    // Next to the target, so that the last step is one rename; no package can have this name.
    let part = scratch.join(format!(".{}.part", stem.to_string_lossy()));
    fs::create_dir(&part).map_err(io_error("make", &part))?;
    let unpacked = unpacker.execute(&mut zip, &plan, &part, size, is_stopped).and_then(|left_out| {
        fs::rename(&part, &target).map_err(io_error("rename", &part))?;
        Ok(left_out)
    });
    match unpacked {
        Ok(left_out) => Ok((package_folder(&target), left_out)),
        Err(error) => {
            // The first error is the one to report; an incomplete folder with a hidden name does no harm.
            let _ = fs::remove_dir_all(&part);
            Err(error)
        }
    }
}

/// Finds the folder that holds `problem.yaml`: the archive's top or its only folder.
fn package_folder(top: &Path) -> PathBuf {
    if top.join("problem.yaml").exists() {
        return top.to_path_buf();
    }
    let Ok(entries) = fs::read_dir(top) else { return top.to_path_buf() };
    let mut visible = entries.flatten().filter(|entry| {
        // macOS adds metadata files of its own.
        let name = entry.file_name();
        let name = name.to_string_lossy();
        !name.starts_with('.') && name != "__MACOSX"
    });
    match (visible.next(), visible.next()) {
        (Some(only), None) if only.path().is_dir() => only.path(),
        _ => top.to_path_buf(),
    }
}

#[derive(Debug)]
struct Step {
    index: usize,
    path: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Folder,
    File { executable: bool },
    Link,
}

type Archive<'a> = ZipArchive<Stoppable<'a, fs::File>>;

struct Unpacker {
    archive_name: String,
}

impl Unpacker {
    /// Checks every entry's name and type.
    fn plan(&self, zip: &mut Archive<'_>) -> Result<Vec<Step>, PackageError> {
        let whole = || FileLocation::file(&self.archive_name);
        if zip.len() > MAX_ENTRIES {
            return Err(whole().invalid(
                format!("has {} entries, expected at most {MAX_ENTRIES}", zip.len()),
                "remove what is not part of the package",
            ));
        }
        if zip.has_duplicate_names() {
            return Err(whole().invalid("has an entry twice", PACK_ANEW));
        }
        let mut names = Names::default();
        let mut plan = Vec::with_capacity(zip.len());
        for index in 0..zip.len() {
            let file = zip.by_index_raw(index).map_err(|error| self.whole(&error))?;
            let shown = String::from_utf8_lossy(file.name_raw()).into_owned();
            let mode = file.unix_mode().unwrap_or(0);
            let kind = match mode & MODE_TYPE {
                0 if file.is_dir() => Kind::Folder,
                0 | MODE_FILE => Kind::File { executable: mode & 0o111 != 0 },
                MODE_FOLDER => Kind::Folder,
                MODE_LINK => Kind::Link,
                _ => {
                    return Err(self.entry(
                        &shown,
                        "is a device, a pipe or a socket",
                        "pack files, folders and links only",
                    ));
                }
            };
            if file.encrypted() {
                return Err(self.entry(&shown, "is encrypted", "pack the folder without a password"));
            }
            let path = names
                .add(file.name_raw(), kind == Kind::Folder)
                .map_err(|(problem, remedy)| self.entry(&shown, problem, remedy))?;
            plan.push(Step { index, path, kind });
        }
        Ok(plan)
    }

    /// Writes files first and links last, so that no file is ever written through a link. Returns the links that are
    /// skipped because they would lead out of the package or nowhere.
    fn execute(
        &self,
        zip: &mut Archive<'_>,
        plan: &[Step],
        root: &Path,
        archive_bytes: u64,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, PackageError> {
        let most = MAX_TOTAL_BYTES.min(archive_bytes.saturating_mul(MAX_RATIO).max(RATIO_FLOOR_BYTES));
        let mut total = 0;
        for step in plan {
            let path = root.join(&step.path);
            if step.kind == Kind::Folder {
                fs::create_dir_all(&path).map_err(io_error("make", &path))?;
                continue;
            }
            let parent = path.parent().unwrap_or(root);
            fs::create_dir_all(parent).map_err(io_error("make", parent))?;
            let Kind::File { executable } = step.kind else { continue };
            let mut entry = zip
                .by_index(step.index)
                .map_err(|error| self.entry(&step.path, format!("cannot be read: {error}"), PACK_ANEW))?;
            // Little input can unpack to much output.
            let mut entry = Stoppable::new(&mut entry, is_stopped);
            total += self.copy(&mut entry, &step.path, &path, most - total)?;
            let mode = if executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))
                .map_err(io_error("set the mode of", &path))?;
        }
        let links = || plan.iter().filter(|step| step.kind == Kind::Link);
        let mut left_out = Vec::new();
        for step in links() {
            if !self.link(zip, step, root)? {
                left_out.push(step.path.clone());
            }
        }
        let real_root = root.canonicalize().map_err(io_error("open", root))?;
        // A link through another link can lead further than its text says, so resolve it. All are resolved before one
        // is removed, since others may lead through it.
        let leads_out = |step: &&Step| {
            let path = root.join(&step.path);
            path.is_symlink() && !path.canonicalize().is_ok_and(|end| end.starts_with(&real_root))
        };
        for step in links().filter(leads_out).collect::<Vec<_>>() {
            let path = root.join(&step.path);
            fs::remove_file(&path).map_err(io_error("remove", &path))?;
            left_out.push(step.path.clone());
        }
        Ok(left_out)
    }

    /// Copies at most `most` bytes, whatever size the entry claims to have.
    fn copy(&self, entry: &mut impl Read, name: &str, path: &Path, most: u64) -> Result<u64, PackageError> {
        let mut file = fs::File::create_new(path).map_err(io_error("write", path))?;
        let mut buffer = vec![0; COPIED_BYTES];
        let mut copied = 0;
        loop {
            let length = entry
                .read(&mut buffer)
                .map_err(|error| self.entry(name, format!("cannot be unpacked: {error}"), PACK_ANEW))?;
            if length == 0 {
                return Ok(copied);
            }
            copied += length as u64;
            if copied > most {
                return Err(self.entry(
                    name,
                    format!(
                        "makes the package unpack to more than {} or to {MAX_RATIO} times its size",
                        model::Bytes(MAX_TOTAL_BYTES)
                    ),
                    "remove large files, or give the package as a folder",
                ));
            }
            file.write_all(&buffer[..length]).map_err(io_error("write", path))?;
        }
    }

    /// Makes a link; returns whether its text leads out.
    fn link(&self, zip: &mut Archive<'_>, step: &Step, root: &Path) -> Result<bool, PackageError> {
        let entry = zip
            .by_index(step.index)
            .map_err(|error| self.entry(&step.path, format!("cannot be read: {error}"), PACK_ANEW))?;
        let mut target = Vec::new();
        entry
            .take(MAX_LINK_BYTES + 1)
            .read_to_end(&mut target)
            .map_err(|error| self.entry(&step.path, format!("cannot be unpacked: {error}"), PACK_ANEW))?;
        let target = String::from_utf8(target).ok().filter(|target| {
            target.len() as u64 <= MAX_LINK_BYTES && names::stays_inside(&step.path, target)
        });
        let Some(target) = target else { return Ok(false) };
        let path = root.join(&step.path);
        symlink(target, &path).map_err(io_error("write", &path))?;
        Ok(true)
    }

    fn entry(&self, entry: &str, problem: impl Into<String>, remedy: &str) -> PackageError {
        let entry = format!("entry '{}'", located::shorten(entry));
        FileLocation::file(&self.archive_name).field(entry).invalid(problem, remedy)
    }

    fn whole(&self, error: &zip::result::ZipError) -> PackageError {
        FileLocation::file(&self.archive_name).invalid(format!("cannot be read: {error}"), PACK_ANEW)
    }
}

/// Refuses a file that is no ZIP archive, without reading what is in it.
pub fn check_archive(path: &Path) -> Result<(), PackageError> {
    let file = fs::File::open(path).map_err(io_error("open", path))?;
    ZipArchive::new(file).map(drop).map_err(|error| no_archive(path, &error))
}

/// Makes the error of a file that cannot be opened as an archive.
fn no_archive(path: &Path, error: &zip::result::ZipError) -> PackageError {
    let name = path.file_name().unwrap_or_default();
    let remedy = match is_part_of_package(name) {
        true => "it is a file of a package: give the folder that it is in",
        false => "give a package's folder, or that folder as a ZIP archive",
    };
    let problem = format!("is no ZIP archive that can be read ({error})");
    FileLocation::file(name.to_string_lossy()).invalid(problem, remedy)
}

const PACK_ANEW: &str = "pack the folder anew as a ZIP archive";

#[cfg(test)]
mod tests;
