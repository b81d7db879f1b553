//! `submissions.json` at the top of a package, in which DOMjudge names languages and entry points.

use super::JurySubmission;
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::tree::Tree;
use crate::yaml::{self, Value};
use crate::{FileLocation, PackageError};
use located::Field;
use std::collections::BTreeMap;

pub(crate) const SUBMISSIONS_JSON: &str = "submissions.json";
const FOLDER: &str = "submissions/";

/// The details of submissions, by their paths below `submissions/`.
#[derive(Clone, Debug, Default)]
pub(super) struct Details(BTreeMap<String, Detail>);

#[derive(Clone, Debug, Default)]
struct Detail {
    line: u64,
    path: String,
    language: Option<String>,
    entry_point: Option<String>,
}

/// Reads the file, if there is one: an object with an object for each path.
pub(super) fn read(tree: &Tree) -> Result<Details, PackageError> {
    if !tree.exists(SUBMISSIONS_JSON) {
        return Ok(Details::default());
    }
    // JSON is YAML except for tabs between tokens; tabs cannot occur inside its strings.
    let root = yaml::parse(SUBMISSIONS_JSON, &tree.text(SUBMISSIONS_JSON)?.replace('\t', " "))?;
    if let Value::List(_) = root.value {
        tree.warnings.push(FileLocation::file(SUBMISSIONS_JSON).warning(
            "is a list, as contests have it, and says nothing about the package's submissions",
            "write an object with a path such as submissions/accepted/a.py for each key, or remove the file",
        ));
        return Ok(Details::default());
    }
    let mut details = BTreeMap::new();
    for (path, field) in Field::document(SUBMISSIONS_JSON, &root).fields()?.take_rest() {
        let mut detail =
            Detail { line: field.place().line.unwrap_or(0), path: path.to_owned(), ..Detail::default() };
        let mut fields = field.fields()?;
        for (key, value) in [("langid", &mut detail.language), ("entry_point", &mut detail.entry_point)] {
            *value = fields.take(key).map(|field| field.text().map(str::to_owned)).transpose()?;
        }
        // The team as which DOMjudge submits it.
        if let Some(team) = fields.take("team") {
            team.text()?;
        }
        fields.close(Unknown::Warn, &tree.warnings)?;
        let name = path.strip_prefix(FOLDER).unwrap_or(path).trim_end_matches('/');
        details.insert(name.to_owned(), detail);
    }
    Ok(Details(details))
}

impl Details {
    pub(super) fn language(&self, name: &str) -> Option<String> {
        self.0.get(name)?.language.clone()
    }

    pub(super) fn entry_point(&self, name: &str) -> Option<String> {
        self.0.get(name)?.entry_point.clone()
    }

    /// Warns of paths without a submission.
    pub(super) fn warn_of_idle(&self, submissions: &[JurySubmission], warnings: &Warnings) {
        for (name, detail) in &self.0 {
            if !submissions.iter().any(|submission| submission.name == *name) {
                warnings.push(
                    FileLocation::file(SUBMISSIONS_JSON)
                        .line(detail.line)
                        .field(located::shorten(&detail.path))
                        .warning("is not a submission", "write a path such as submissions/accepted/a.py"),
                );
            }
        }
    }
}
