//! Synthetic trees of files for tests.

#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

/// A directory with a machine's files; it is removed when the value is dropped.
pub struct Tree(tempfile::TempDir);

impl Tree {
    /// Writes these files; a path that ends in `/` is an empty directory.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().expect("a temporary directory"));
        tree.write(files);
        tree
    }

    /// Writes more files, or replaces existing ones.
    pub fn write(&self, files: &[(&str, &str)]) {
        for (name, content) in files {
            let path = self.path().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(&path).expect("a directory");
            } else {
                fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
                fs::write(&path, content).expect("a file");
            }
        }
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).expect("the file is there");
    }

    /// Returns the directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
