//! `contest.yaml`, `contest.json`, and the older `system.yaml`.

use super::{Contents, Kind, Located, Present};
use crate::{ContestSettings, Language};
use located::{Field, FileLocation, Node, Report, Reported, Value};
use std::collections::BTreeSet;

/// Reads the file over the present settings of the contest. Its own list of problems, as DOMjudge writes it, counts too.
pub fn read(contents: &mut Contents, report: &Report, name: &str, root: &Node, old: Present<'_>) {
    let whole = Field { file: name, path: String::new(), line: root.line, node: root };
    let Some(mut object) = whole.object().reported(report) else { return };
    let read = ContestSettings::read(report, &mut object, |id| {
        let old = old(id).and_then(|files| files.contest);
        contents.settings_before(old.map(|(_, settings)| settings))
    });
    if let Some(problems) = object.take_any(&["problems", super::PROBLEMSET]) {
        match &contents.problem_file {
            Some(other) => {
                let message = format!("is ignored, since {other} has the problems");
                report.warning(FileLocation::file(name).line(problems.line).field(&problems.path), message);
            }
            None => contents.read_entries(report, Kind::Problems, &problems.each()),
        }
    }
    object.finish_with_files(report, ContestSettings::FILES);
    contents.contest = read.map(|value| Located { file: name.to_owned(), line: root.line, value });
}

pub fn read_system(contents: &mut Contents, report: &Report, name: &str, root: &Node) {
    if root.value == Value::Null {
        return;
    }
    let whole = Field { file: name, path: String::new(), line: root.line, node: root };
    let Some(mut object) = whole.object().reported(report) else { return };
    let known =
        object.take_any(&["languages"]).map(|field| Language::read_all::<BTreeSet<_>>(report, &field));
    contents.languages.extend(known.into_iter().flatten());
    (contents.categories, contents.answers) = ContestSettings::read_texts(report, &mut object);
    object.finish(report, &[]);
}
