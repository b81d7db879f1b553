//! What is wrong or unusual in files, collected.

use crate::{FileLocation, Wrong};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

/// More errors, and more warnings, would not be read.
const FINDINGS_MAX: usize = 1000;

/// Something that is wrong or unusual in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub place: FileLocation,
    /// What was found, what was expected, and how to fix it.
    pub message: String,
    /// Whether the files can be used in spite of it.
    pub is_warning: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What was read, or what is wrong.
pub trait Reported<T> {
    /// Returns the value, or adds what is wrong to the report.
    fn reported(self, report: &Report) -> Option<T>;
}

impl<T> Reported<T> for Result<T, Wrong> {
    fn reported(self, report: &Report) -> Option<T> {
        self.map_err(|wrong| report.wrong(wrong)).ok()
    }
}

/// Collects what is wrong.
#[derive(Default)]
pub struct Report {
    findings: RefCell<Vec<Finding>>,
    /// How many errors and warnings there were, also beyond what is kept.
    counts: RefCell<[usize; 2]>,
    /// The unknown fields that were warned of, by file.
    unknown: RefCell<BTreeSet<(String, String)>>,
    /// Whether what could be left out is an error: a request changes all that it has, or nothing.
    is_strict: bool,
    /// Whether an unknown field is an error.
    is_closed: bool,
    /// Whether files that objects name are taken too.
    takes_files: bool,
    /// How many errors, and how many warnings, are kept, if not as many as usual.
    most: Option<usize>,
}

impl Report {
    /// Returns a report for a whole package, with the files that objects name.
    pub fn with_files() -> Self {
        Self { takes_files: true, ..Self::default() }
    }

    /// Returns a report for a request: a known field must be right, and others are ignored.
    pub fn strict() -> Self {
        Self { is_strict: true, ..Self::default() }
    }

    /// Returns a report for a request in which every field must be known.
    pub fn closed() -> Self {
        Self { is_closed: true, ..Self::strict() }
    }

    /// Returns a report that keeps at most `most` errors and `most` warnings; it counts them all.
    pub fn of_at_most(most: usize) -> Self {
        Self { most: Some(most), ..Self::default() }
    }

    fn most(&self) -> usize {
        self.most.unwrap_or(FINDINGS_MAX)
    }

    /// Returns whether it is for a request.
    pub fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Returns whether an unknown field is an error.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns whether files that objects name are taken too.
    pub fn takes_files(&self) -> bool {
        self.takes_files
    }

    pub fn wrong(&self, Wrong { place, problem, remedy }: Wrong) {
        self.error(place, format!("{problem}; {remedy}"));
    }

    /// Adds an error in words of its own.
    pub fn error(&self, place: FileLocation, message: impl Into<String>) {
        self.add(Finding { place, message: message.into(), is_warning: false });
    }

    pub fn warning(&self, place: FileLocation, message: impl Into<String>) {
        self.add(Finding { place, message: message.into(), is_warning: true });
    }

    pub fn errors(&self) -> usize {
        self.counts.borrow()[0]
    }

    /// Returns whether an unknown field is worth a warning: once in a file, and only while it would be read.
    pub(crate) fn is_news(&self, file: &str, field: &str) -> bool {
        self.counts.borrow()[1] < self.most()
            && self.unknown.borrow_mut().insert((file.to_owned(), field.to_owned()))
    }

    fn add(&self, finding: Finding) {
        let count = &mut self.counts.borrow_mut()[usize::from(finding.is_warning)];
        *count += 1;
        if *count <= self.most() {
            self.findings.borrow_mut().push(finding);
        }
    }

    /// Returns all findings in the order of the files.
    pub fn into_findings(self) -> Vec<Finding> {
        let most = self.most();
        let mut findings = self.findings.into_inner();
        findings.sort();
        for (count, is_warning) in self.counts.into_inner().into_iter().zip([false, true]) {
            if let (Some(rest @ 1..), Some(last)) = (count.checked_sub(most), findings.last()) {
                let message =
                    format!("{rest} more {} are left out", if is_warning { "warnings" } else { "errors" });
                let place = FileLocation::file(last.place.file.clone());
                findings.push(Finding { place, message, is_warning });
            }
        }
        findings
    }
}
