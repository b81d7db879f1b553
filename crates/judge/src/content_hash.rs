//! What tells the content of one folder, or of some files, from another.

use crate::JudgeError;
use package::language::SourceFile;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use walkdir::WalkDir;

/// Large enough that reading costs few calls.
const CHUNK_BYTES: usize = 256 << 10;

/// Hashes the names and contents of all files below `root`, in the order of their names.
///
/// # Errors
/// When a file cannot be read.
pub fn folder_hash(root: &Path) -> Result<String, JudgeError> {
    let mut names = Vec::new();
    for entry in WalkDir::new(root) {
        let entry = entry.map_err(|error| JudgeError::file("list", root)(error.into()))?;
        if !entry.file_type().is_dir() {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned();
            names.push((name, entry.file_type()));
        }
    }
    names.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    for (name, kind) in names {
        let path = root.join(&name);
        let failed = |error| JudgeError::file("read", &path)(error);
        enter_name(&mut hash, name.as_os_str().as_bytes());
        if kind.is_symlink() {
            let target = std::fs::read_link(&path).map_err(failed)?;
            let target = target.as_os_str().as_bytes();
            hash.update(b"link");
            hash.update((target.len() as u64).to_le_bytes());
            hash.update(target);
            continue;
        }
        if !kind.is_file() {
            // Opening a pipe that a compiler left would wait for ever.
            hash.update(b"special");
            continue;
        }
        let mut file = File::open(&path).map_err(failed)?;
        hash.update(b"file");
        hash.update(file.metadata().map_err(failed)?.len().to_le_bytes());
        loop {
            match file.read(&mut chunk).map_err(failed)? {
                0 => break,
                length => hash.update(&chunk[..length]),
            }
        }
    }
    Ok(digits(hash))
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

/// Lengths go first, so that no name and content can be taken for others.
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
    use std::fs;

    #[test]
    fn names_and_contents_count_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let hash = || folder_hash(folder.path()).unwrap();
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
        assert_eq!(folder_hash(folder.path()).unwrap().len(), 64);
    }
}
