//! The project's files, read once.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use xtask::process;

/// Directories made by builds, for trees without git.
const BUILT: &[&str] = &[".git", "target", "node_modules", "__pycache__"];
/// The project's own texts are shorter; longer files are data, of which only the size matters.
const TEXT_LIMIT_BYTES: u64 = 4 << 20;

#[derive(Debug)]
pub struct File {
    pub size_bytes: u64,
    pub text: Option<String>,
}

/// All files by their path from the root, with `/` between the parts.
#[derive(Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, File>,
}

impl Tree {
    /// Reads the files that git tracks or would add; without git, all except those made by builds.
    pub fn read(root: &Path) -> Result<Self> {
        let paths = match git_paths(root) {
            Ok(paths) => paths,
            Err(error) => {
                eprintln!("tidy: reading every file of the tree, since git does not list them: {error:#}");
                walked_paths(root)?
            }
        };
        let mut files = BTreeMap::new();
        for path in paths {
            let full = root.join(&path);
            // Links, and deleted files that are still in the index, need no check.
            let Ok(metadata) = full.symlink_metadata() else { continue };
            if !metadata.is_file() {
                continue;
            }
            let text = if metadata.len() <= TEXT_LIMIT_BYTES {
                String::from_utf8(std::fs::read(&full).with_context(|| format!("cannot read {path}"))?).ok()
            } else {
                None
            };
            files.insert(path, File { size_bytes: metadata.len(), text });
        }
        Ok(Self { files })
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    pub fn texts(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter_map(move |(path, file)| {
            file.text.as_deref().filter(|_| wanted(path)).map(|text| (path, text))
        })
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.text.as_deref()
    }

    /// Returns whether a path is a file, or a directory with a file below it.
    pub fn contains(&self, path: &str) -> bool {
        let below = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.range(below.clone()..).next().is_some_and(|(next, _)| next.starts_with(&below))
    }
}

fn git_paths(root: &Path) -> Result<Vec<String>> {
    let listed = process::read(
        Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root),
    )?;
    Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walked_paths(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let entries = WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| !BUILT.iter().any(|name| entry.file_name() == *name));
    for entry in entries {
        let entry = entry.context("cannot list the tree")?;
        let relative = entry.path().strip_prefix(root).context("a file lies outside the tree")?;
        if entry.file_type().is_file() {
            paths.push(relative.to_string_lossy().into_owned());
        }
    }
    Ok(paths)
}

/// Contestants' programs, which are data here.
pub fn is_sample_program(path: &str) -> bool {
    ["/programs/", "/submissions/", "/fixtures/", "/packages/"].iter().any(|part| path.contains(part))
        || path.starts_with("problems/")
        || path.starts_with("fixtures/")
}

#[cfg(test)]
impl Tree {
    /// Returns a synthetic tree for tests.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file = |text: &str| File { size_bytes: text.len() as u64, text: Some(text.to_owned()) };
        Self { files: files.iter().map(|(path, text)| ((*path).to_owned(), file(text))).collect() }
    }

    pub fn with_size(mut self, path: &str, size_bytes: u64) -> Self {
        self.files.insert(path.to_owned(), File { size_bytes, text: None });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_count_as_contained() {
        let tree = Tree::of(&[("docs/adr/0001.md", ""), ("docs.md", "")]);
        for path in ["", "docs", "docs/adr", "docs/adr/0001.md", "docs.md"] {
            assert!(tree.contains(path), "{path}");
        }
        for path in ["doc", "docs/ad", "docs/adr/0001", "other"] {
            assert!(!tree.contains(path), "{path}");
        }
    }

    #[test]
    fn a_tree_without_git_skips_what_builds_make() {
        let root = tempfile::tempdir().unwrap();
        for path in ["src/lib.rs", "target/debug/x", "web/node_modules/y"] {
            let full = root.path().join(path);
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            std::fs::write(full, "text").unwrap();
        }
        assert_eq!(walked_paths(root.path()).unwrap(), ["src/lib.rs"]);
    }
}
