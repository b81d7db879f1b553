//! Synthetic package folders for tests.

use std::path::{Path, PathBuf};

/// A folder that is removed when the value is dropped.
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

/// The smallest valid package of each kind.
pub(crate) const CURRENT: &[(&str, &str)] = &[
    ("problem.yaml", "problem_format_version: 2025-09\nname: Sum\nuuid: 0\n"),
    ("statement/problem.en.md", "Add.\n"),
    ("data/secret/1.in", "1 2\n"),
    ("data/secret/1.ans", "3\n"),
    ("input_validators/check.py", "exit(42)\n"),
    ("submissions/accepted/a.py", "print(3)\n"),
];

/// The same in the legacy format.
pub(crate) const LEGACY: &[(&str, &str)] = &[
    ("problem.yaml", "name: Sum\n"),
    ("problem_statement/problem.md", "Add.\n"),
    ("data/secret/1.in", "1 2\n"),
    ("data/secret/1.ans", "3\n"),
    ("input_validators/check.py", "exit(42)\n"),
    ("submissions/accepted/a.py", "print(3)\n"),
];

impl Folder {
    /// Makes a package from a smallest one, with files added or replaced.
    pub(crate) fn package(base: &[(&str, &str)], more: &[(&str, &str)]) -> Self {
        let folder = Self::new(base);
        for (name, text) in more {
            folder.write(name, text);
        }
        folder
    }

    pub(crate) fn open(&self) -> Result<crate::Package, crate::PackageError> {
        crate::Package::open(self.root(), &self.path("../scratch"))
    }

    /// Reads the package and returns the message with which it is rejected.
    #[track_caller]
    pub(crate) fn refused(&self) -> String {
        self.open().expect_err("the package was accepted").to_string()
    }

    #[track_caller]
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.open().unwrap().warnings.iter().map(ToString::to_string).collect()
    }
}
