//! Made-up package folders for tests.

use std::path::{Path, PathBuf};

/// A folder that goes away with the value.
pub(crate) struct Folder {
    _outer: tempfile::TempDir,
    root: PathBuf,
}

impl Folder {
    /// Makes a folder `problem` with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("problem");
        std::fs::create_dir(&root).unwrap();
        let folder = Self { _outer: outer, root };
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// Adds or replaces a file.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }
}
