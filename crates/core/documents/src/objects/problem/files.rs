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
    /// The languages in which the package has it as text, of which judgehosts make pages and PDFs.
    #[serde(default)]
    pub texts: Vec<String>,
    /// What judgehosts reported of forms that they could not make as they were meant.
    #[serde(default)]
    pub statement_reports: Vec<StatementReport>,
}

/// A form of a statement that is made of a text in the package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StatementForm {
    pub language: String,
    /// Whether it is the part of a page; otherwise it is a PDF.
    pub is_page: bool,
}

/// What a judgehost reported of a form. If there is a file, it has something to know about; otherwise this is why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementReport {
    pub form: StatementForm,
    /// Lines for the jury, such as what is wrong, with its file and line.
    pub text: String,
    /// The programs that the judgehost lacks, if that is why.
    pub lacking: Vec<String>,
}

impl StatementForm {
    pub fn page(language: impl Into<String>) -> Self {
        Self { language: language.into(), is_page: true }
    }

    pub fn pdf(language: impl Into<String>) -> Self {
        Self { language: language.into(), is_page: false }
    }

    /// Returns those of some programs without which this form cannot be made as it is meant.
    pub fn needed(&self, programs: &[String]) -> Vec<String> {
        let is_needed = |program: &&String| *program == "pandoc" || !self.is_page && *program == "xelatex";
        programs.iter().filter(is_needed).cloned().collect()
    }
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

    /// Returns the file of a form of the statement.
    pub fn statement(&self, form: &StatementForm) -> Option<&ProblemFile> {
        let all = if form.is_page { &self.pages } else { &self.statements };
        all.iter().find(|file| file.language.as_ref() == Some(&form.language))
    }

    pub fn statement_report(&self, form: &StatementForm) -> Option<&StatementReport> {
        self.statement_reports.iter().find(|report| report.form == *form)
    }

    /// Returns all forms that can be made of the package, whether they are there or not.
    pub fn statement_forms(&self) -> impl Iterator<Item = StatementForm> {
        self.texts.iter().flat_map(|language| [StatementForm::page(language), StatementForm::pdf(language)])
    }

    /// Returns whether a form is still to be made by a judgehost that lacks these programs: there is neither a file nor a report,
    /// or the report is of one that lacked more.
    pub fn wants(&self, form: &StatementForm, lacking: &[String]) -> bool {
        if !self.texts.contains(&form.language) {
            return false;
        }
        let Some(report) = self.statement_report(form) else { return self.statement(form).is_none() };
        let lacking = form.needed(lacking);
        lacking.len() < report.lacking.len() && lacking.iter().all(|program| report.lacking.contains(program))
    }

    /// Sets a statement in its language, in place of the one that there is and of what was reported of it.
    pub fn set_statement(&mut self, file: ProblemFile, is_page: bool) {
        let is_other = |report: &StatementReport| {
            report.form.is_page != is_page || Some(&report.form.language) != file.language.as_ref()
        };
        self.statement_reports.retain(is_other);
        let all = if is_page { &mut self.pages } else { &mut self.statements };
        all.retain(|old| old.language != file.language);
        all.push(file);
        all.sort_by_key(|file| (file.language.as_deref() != Some("en"), file.language.clone()));
    }
}
