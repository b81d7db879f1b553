//! What tells the content of one package from another.

use anyhow::Context;
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
pub fn of_folder(root: &Path) -> anyhow::Result<String> {
    let mut names = Vec::new();
    for entry in WalkDir::new(root) {
        let entry = entry.with_context(|| format!("cannot list {}", root.display()))?;
        if !entry.file_type().is_dir() {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned();
            names.push((name, entry.file_type().is_symlink()));
        }
    }
    names.sort();
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    for (name, is_link) in names {
        let path = root.join(&name);
        let failed = || format!("cannot read {}", path.display());
        let name = name.as_os_str().as_bytes();
        // Lengths go first, so that no name and content can be taken for others.
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
        if is_link {
            let target = std::fs::read_link(&path).with_context(failed)?;
            let target = target.as_os_str().as_bytes();
            hash.update(b"link");
            hash.update((target.len() as u64).to_le_bytes());
            hash.update(target);
            continue;
        }
        let mut file = File::open(&path).with_context(failed)?;
        hash.update(b"file");
        hash.update(file.metadata().with_context(failed)?.len().to_le_bytes());
        loop {
            match file.read(&mut chunk).with_context(failed)? {
                0 => break,
                length => hash.update(&chunk[..length]),
            }
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_and_contents_count_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let hash = || of_folder(folder.path()).unwrap();
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
    }
}
