//! The files of a problem that people get: taken from its package once, when that is stored.

use crate::objects::BlobHash;
use model::Bytes;
use serde::{Deserialize, Serialize};

/// Statements of a problem of a kind, each in a language. The largest contests have some sixty.
pub const STATEMENTS_MAX: usize = 100;

/// The files of a problem next to its package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemFiles {
    /// The MD5 hash of the package, as CLICS wants it.
    pub package_md5: Option<String>,
    /// Its statements as PDF, first the English one.
    pub statements: Vec<ProblemFile>,
    /// Its statements as parts of pages, first the English one.
    #[serde(default)]
    pub pages: Vec<ProblemFile>,
    pub attachments: Vec<ProblemFile>,
    pub samples: Option<ProblemFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemFile {
    /// Its name, unique among the problem's files.
    pub filename: String,
    pub blob: BlobHash,
    pub size: Bytes,
    /// The MD5 hash of its content.
    pub md5: String,
    /// Of a statement, its language, such as `en`.
    pub language: Option<String>,
}

impl ProblemFiles {
    pub fn all(&self) -> impl Iterator<Item = &ProblemFile> {
        self.statements.iter().chain(&self.pages).chain(&self.attachments).chain(&self.samples)
    }

    /// Sets a statement in its language, in place of the one that there is.
    pub fn set_statement(&mut self, file: ProblemFile, is_page: bool) {
        let all = if is_page { &mut self.pages } else { &mut self.statements };
        all.retain(|old| old.language != file.language);
        all.push(file);
        all.sort_by_key(|file| (file.language.as_deref() != Some("en"), file.language.clone()));
    }
}
