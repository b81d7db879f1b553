//! Packages made of a few files, and what is built of them.

use package::Package;
use sandbox::{Slot, SlotOptions};
use statement::{Built, Cache, Order, Output, Part, Programs, StatementError, build, root, what_is_missing};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns why nothing can be built on this machine, if so.
pub(crate) fn why_not() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("the sandbox needs root".to_owned());
    }
    if let Some(missing) = what_is_missing() {
        return Some(missing.to_string());
    }
    sandbox::enter_private_mounts().err().map(|error| error.to_string())
}

/// A package in a temporary folder.
pub(crate) struct Sample {
    folder: PathBuf,
}

const LEGACY: &str = "name: Slack Chain\nlicense: public domain\n";
const PRESENT: &str = "problem_format_version: 2025-09\nname:\n  en: Slack Chain\n  ru: Провисшая цепь\n  zh: 松弛的链条\n\
                       uuid: 4f0f6f2e-8c53-4e8c-9a58-2b1f3d7c9e02\nlicense: public domain\n\
                       limits:\n  time_limit: 1.5\n  memory: 256\nconstants:\n  most: 1000\n";

impl Sample {
    pub(crate) fn legacy(files: &[(&str, &[u8])]) -> Self {
        Self::of(LEGACY, files)
    }

    /// Makes a package of the present format, with a sample of two files, of these and further files.
    pub(crate) fn present(files: &[(&str, &[u8])]) -> Self {
        Self::of(PRESENT, files)
    }

    pub(crate) fn of(metadata: &str, files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::Builder::new().prefix("statement-").tempdir().unwrap().keep();
        let sample = Self { folder };
        let usual: [(&str, &[u8]); 7] = [
            ("problem.yaml", metadata.as_bytes()),
            ("data/sample/1.in", b"3 4\n"),
            ("data/sample/1.ans", b"the first answer\n"),
            ("data/secret/1.in", b"1 2\n"),
            ("data/secret/1.ans", b"3\n"),
            ("submissions/accepted/a.py", b"print(1)\n"),
            ("input_validators/v.py", b"import sys\nsys.exit(42)\n"),
        ];
        for (name, content) in usual.iter().chain(files) {
            sample.write(name, content);
        }
        sample
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn open(&self) -> Package {
        Package::open(&self.folder, Path::new("/nonexistent")).unwrap()
    }

    pub(crate) fn build(&self, output: Output) -> Result<Built, StatementError> {
        self.build_in(None, output, None)
    }

    pub(crate) fn build_in(
        &self,
        language: Option<&str>,
        output: Output,
        cache: Option<&Cache>,
    ) -> Result<Built, StatementError> {
        let package = self.open();
        let parts = vec![Part { package: &package, label: None, time_limit: None }];
        make(&Order { parts, language, output, cover: None, template: None, programs: Programs::ALL }, cache)
    }

    /// Builds as a machine does that has these programs only.
    pub(crate) fn build_with(&self, programs: Programs, output: Output) -> Result<Built, StatementError> {
        let package = self.open();
        let parts = vec![Part { package: &package, label: None, time_limit: None }];
        make(&Order { parts, language: None, output, cover: None, template: None, programs }, None)
    }

    /// Returns the findings about the statement.
    pub(crate) fn refused(&self, output: Output) -> String {
        self.build(output).expect_err("it has to be refused").to_string()
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Builds an order in a slot of its own.
pub(crate) fn make(order: &Order<'_>, cache: Option<&Cache>) -> Result<Built, StatementError> {
    build(order, || Slot::open(SlotOptions::new(root())).map_err(StatementError::from), cache)
}

pub(crate) fn html(built: &Built) -> String {
    String::from_utf8(built.content.clone()).unwrap()
}

pub(crate) fn text(built: &Built) -> String {
    let document = lopdf::Document::load_mem(&built.content).unwrap();
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    document.extract_text(&pages).unwrap()
}

/// Returns the text that a PDF shows, by a program of the package that converts pictures, without spaces.
pub(crate) fn printed(built: &Built) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.pdf");
    fs::write(&file, &built.content).unwrap();
    let ran = Command::new("pdftotext").arg(&file).arg("-").output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns how many pages a PDF has.
pub(crate) fn pages(built: &Built) -> usize {
    lopdf::Document::load_mem(&built.content).unwrap().get_pages().len()
}
