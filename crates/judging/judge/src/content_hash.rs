//! Hashes the content of a folder, or of some files.

use crate::JudgeError;
use languages::SourceFile;
use package::is_part_of_package;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use sandbox::SandboxError;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Large enough that reading needs few calls.
const CHUNK_BYTES: usize = 256 << 10;

/// Hashes the names and contents of all files of a package, in the order of their names. Entries at the top that its
/// format does not name are ignored, such as a record or kept outputs of a judging.
///
/// # Errors
/// When a file cannot be read, or `stop` becomes readable.
pub fn package_hash(root: &Path, stop: Option<&OwnedFd>) -> Result<String, JudgeError> {
    let mut linked = BTreeSet::new();
    loop {
        let files = list(root, stop, |name| is_part_of_package(name) || linked.contains(name))?;
        // The target of a link inside the package is read as a part of it. Links that lead out of the package are not
        // followed: what is there, such as device files that block, is not its content.
        let before = linked.len();
        for file in files.iter().filter(|file| file.kind.is_symlink()) {
            let Ok(end) = file.path.canonicalize() else { continue };
            let Ok(below) = end.strip_prefix(root) else { continue };
            let top = below.components().next().map(|top| top.as_os_str().to_owned());
            linked.extend(top.filter(|top| !is_part_of_package(top)));
        }
        if linked.len() == before {
            return hash_of(files, stop);
        }
    }
}

/// Hashes the names and contents of all files below `root`, in the order of their names.
pub(crate) fn folder_hash(root: &Path, stop: Option<&OwnedFd>) -> Result<String, JudgeError> {
    hash_of(list(root, stop, |_| true)?, stop)
}

/// A file to hash, with its name and path.
struct File {
    name: PathBuf,
    path: PathBuf,
    kind: FileType,
}

/// Lists all files below the names at the top that count, in order.
fn list(
    root: &Path,
    stop: Option<&OwnedFd>,
    counts: impl Fn(&OsStr) -> bool,
) -> Result<Vec<File>, JudgeError> {
    let mut names = Vec::new();
    let walk = WalkDir::new(root).into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() != 1 || counts(entry.file_name())) {
        check_stop(stop)?;
        let entry = entry.map_err(|error| JudgeError::file("list", root)(error.into()))?;
        if !entry.file_type().is_dir() {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned();
            names.push(File { name, path: entry.path().to_owned(), kind: entry.file_type() });
        }
    }
    names.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(names)
}

fn hash_of(files: Vec<File>, stop: Option<&OwnedFd>) -> Result<String, JudgeError> {
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    for File { name, path, kind } in files {
        let failed = |error| JudgeError::file("read", &path)(error);
        enter_name(&mut hash, name.as_os_str().as_bytes());
        if kind.is_symlink() {
            let target = fs::read_link(&path).map_err(failed)?;
            let target = target.as_os_str().as_bytes();
            hash.update(b"link");
            hash.update((target.len() as u64).to_le_bytes());
            hash.update(target);
            continue;
        }
        if !kind.is_file() {
            // Opening a pipe would wait for ever.
            hash.update(b"special");
            continue;
        }
        let mut file = fs::File::open(&path).map_err(failed)?;
        hash.update(b"file");
        hash.update(file.metadata().map_err(failed)?.len().to_le_bytes());
        loop {
            check_stop(stop)?;
            match file.read(&mut chunk).map_err(failed)? {
                0 => break,
                length => hash.update(&chunk[..length]),
            }
        }
    }
    Ok(digits(hash))
}

/// Large files take long, so a request to stop is checked between any two chunks of them.
fn check_stop(stop: Option<&OwnedFd>) -> Result<(), JudgeError> {
    let Some(stop) = stop else { return Ok(()) };
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    match rustix::event::poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&at_once)) {
        Ok(1..) => Err(SandboxError::Interrupted.into()),
        // If a signal interrupted the poll, the next chunk checks again.
        Ok(0) | Err(_) => Ok(()),
    }
}

/// Hashes the names and contents of files, in the order of their names, as [`folder_hash`] does.
pub(crate) fn files_hash(files: &[SourceFile]) -> String {
    let mut files: Vec<&SourceFile> = files.iter().collect();
    files.sort_by(|one, other| Path::new(&one.name).cmp(Path::new(&other.name)));
    let mut hash = Sha256::new();
    for file in files {
        enter_name(&mut hash, file.name.as_bytes());
        hash.update(b"file");
        hash.update((file.bytes.len() as u64).to_le_bytes());
        hash.update(&file.bytes);
    }
    digits(hash)
}

/// Lengths come first, so that different names and contents can never produce the same bytes.
fn enter_name(hash: &mut Sha256, name: &[u8]) {
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(name);
}

fn digits(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_count_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let hash = || folder_hash(folder.path(), None).unwrap();
        fs::write(folder.path().join("a"), "1").unwrap();
        let first = hash();
        assert_eq!(first.len(), 64);
        fs::write(folder.path().join("b"), "").unwrap();
        let second = hash();
        assert_ne!(first, second);
        fs::rename(folder.path().join("b"), folder.path().join("c")).unwrap();
        assert_ne!(hash(), second);
        fs::remove_file(folder.path().join("c")).unwrap();
        fs::write(folder.path().join("a"), "1").unwrap();
        assert_eq!(hash(), first, "when it was written does not count");
        let file = |name: &str, text: &str| SourceFile { name: name.to_owned(), bytes: text.into() };
        assert_eq!(files_hash(&[file("a", "1")]), first, "in a folder or in memory");
        fs::create_dir(folder.path().join("d")).unwrap();
        fs::write(folder.path().join("d/e"), "2").unwrap();
        fs::write(folder.path().join("d.x"), "3").unwrap();
        assert_eq!(files_hash(&[file("d.x", "3"), file("d/e", "2"), file("a", "1")]), hash());
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        assert_eq!(folder_hash(folder.path(), None).unwrap().len(), 64);
    }
    #[test]
    fn only_files_of_the_format_are_hashed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let hash = || package_hash(folder.path(), None).unwrap();
        write("problem.yaml", "name: x\n");
        write("data/secret/1.in", "1\n");
        let first = hash();
        assert_eq!(first, folder_hash(folder.path(), None).unwrap());
        write("tauto-keep/a.c/secret/1/output", "1\n");
        write("record.jsonl", "{}\n");
        write(".git/HEAD", "x\n");
        assert_eq!(hash(), first);
        write(".timelimit", "2\n");
        let second = hash();
        assert_ne!(second, first);
        write("tests/2.in", "2\n");
        std::os::unix::fs::symlink("../../tests/2.in", folder.path().join("data/secret/2.in")).unwrap();
        let third = hash();
        write("tests/2.in", "3\n");
        assert_ne!(hash(), third, "it is read through the link");
        let outside = tempfile::tempdir().unwrap();
        for (target, name) in [("3.in", "3.in"), ("", "group")] {
            let link = folder.path().join("data/secret").join(name);
            std::os::unix::fs::symlink(outside.path().join(target), link).unwrap();
            let before = hash();
            fs::write(outside.path().join("3.in"), name).unwrap();
            assert_eq!(hash(), before, "{name} is left out of the package");
        }
    }

    #[test]
    fn a_large_file_does_not_keep_anybody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        fs::File::create(folder.path().join("large")).unwrap().set_len(1 << 40).unwrap();
        let stop = rustix::event::eventfd(1, rustix::event::EventfdFlags::CLOEXEC).unwrap();
        assert!(folder_hash(folder.path(), Some(&stop)).unwrap_err().is_interruption());
    }
}
