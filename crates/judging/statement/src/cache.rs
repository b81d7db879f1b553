//! Statements that were built before, by what they were built from.

use crate::{Built, StatementError};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// More are not in use at once; the least recently used is removed.
const KEPT_MAX: usize = 400;
const KEPT_BYTES_MAX: u64 = 512 << 20;

/// A folder of statements.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// The hash of everything from which a statement is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// Makes it; the parts are kept distinct.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Cache {
    /// Makes it; the folder is made when there is something to keep.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn place(&self, key: &Key, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", key.0))
    }

    pub(crate) fn find(&self, key: &Key) -> Option<Built> {
        let place = self.place(key, "statement");
        let content = fs::read(&place).ok()?;
        let warnings = fs::read_to_string(self.place(key, "warnings")).ok()?;
        if let Ok(file) = File::options().append(true).open(&place) {
            let _ = file.set_modified(SystemTime::now());
        }
        let warnings = warnings.lines().map(str::to_owned).collect();
        Some(Built { content, warnings, is_plain: false, is_from_cache: true })
    }

    pub(crate) fn keep(&self, key: &Key, built: &Built) -> Result<(), StatementError> {
        fs::create_dir_all(&self.folder).map_err(StatementError::io(&self.folder))?;
        // The statement last: only with it there is an entry.
        self.write(&self.place(key, "warnings"), built.warnings.join("\n").as_bytes())?;
        self.write(&self.place(key, "statement"), &built.content)?;
        self.forget_old()
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), StatementError> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(StatementError::io(path))?;
        file.write_all(content).map_err(StatementError::io(path))?;
        file.persist(path).map_err(|error| StatementError::io(path)(error.error))?;
        Ok(())
    }

    fn forget_old(&self) -> Result<(), StatementError> {
        let entries = fs::read_dir(&self.folder).map_err(StatementError::io(&self.folder))?.flatten();
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "statement"))
            .filter_map(|entry| {
                let data = entry.metadata().ok()?;
                Some((data.modified().ok()?, data.len(), entry.path()))
            })
            .collect();
        kept.sort_by_key(|(used, ..)| std::cmp::Reverse(*used));
        let mut bytes = 0;
        for (at, (_, size, path)) in kept.into_iter().enumerate() {
            bytes += size;
            if at < KEPT_MAX && bytes <= KEPT_BYTES_MAX {
                continue;
            }
            for path in [path.with_extension("warnings"), path] {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(StatementError::io(&path)(error));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_statements_are_found_and_the_oldest_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("new"));
        let built = |text: &str| Built {
            is_plain: false,
            content: text.as_bytes().to_vec(),
            warnings: vec!["w1".to_owned(), "w2".to_owned()],
            is_from_cache: false,
        };
        let key = |name: &str| Key::of([name.as_bytes()]);
        assert_ne!(Key::of([&b"ab"[..], b"c"]), Key::of([&b"a"[..], b"bc"]));
        assert!(cache.find(&key("a")).is_none());
        cache.keep(&key("a"), &built("A")).unwrap();
        let found = cache.find(&key("a")).unwrap();
        assert_eq!((found.content, found.warnings.len(), found.is_from_cache), (b"A".to_vec(), 2, true));
        let old = cache.place(&key("a"), "statement");
        File::options().append(true).open(&old).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        for number in 0..KEPT_MAX {
            cache.keep(&key(&number.to_string()), &built("B")).unwrap();
        }
        assert!(cache.find(&key("a")).is_none());
        assert!(cache.find(&key("0")).is_some());
    }
}
