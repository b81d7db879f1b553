//! The objects of the CLICS standard, which rules, server, command line and importers share: each has one file, with what is
//! stored of it, what is written, and the reader for files of all kinds and for requests.
//!
//! An object has two types. Its settings are what events store, whose JSON never changes. The other one is what every client,
//! file and package gets: its names are the standard's, and ours for what the standard has no place for.

mod account;
mod contest;
mod group;
mod ids;
mod language;
mod organization;
mod person;
mod place;
mod problem;
mod team;
mod time;

pub use account::*;
pub use contest::*;
pub use group::*;
pub use ids::*;
pub use language::*;
pub use organization::*;
pub use person::*;
pub use place::*;
pub use problem::*;
pub use team::*;
pub use time::*;

use located::{Field, Finding, Node, Report, Value};

/// Reads an object of a request: all that is known of it is right, and the rest is left alone.
pub fn from_request<T>(
    object: &serde_json::Value,
    read: impl FnOnce(&Report, &Field<'_>) -> Option<T>,
) -> Result<T, Finding> {
    from_request_with(Report::strict(), object, read)
}

/// As [`from_request`], with a report of another kind.
pub fn from_request_with<T>(
    report: Report,
    object: &serde_json::Value,
    read: impl FnOnce(&Report, &Field<'_>) -> Option<T>,
) -> Result<T, Finding> {
    let node = Node::from(object);
    let read = read(&report, &Field::document("", &node));
    let wrong = || Finding {
        place: located::FileLocation::default(),
        message: "is no object of this kind".to_owned(),
        is_warning: false,
    };
    match (read, report.into_findings().into_iter().next()) {
        (Some(object), None) => Ok(object),
        (_, finding) => Err(finding.unwrap_or_else(wrong)),
    }
}

/// Reads a duration: a RELTIME, or a number of minutes.
pub fn span(report: &Report, field: &Field<'_>) -> Option<Millis> {
    let minutes = match &field.node.value {
        Value::Number { value, .. } => Some(*value),
        Value::Text(text) => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    let span = match (minutes, &field.node.value) {
        (Some(minutes), _) => (minutes.abs() <= 1e7).then(|| Millis((minutes * 60_000.0).round() as i64)),
        (None, Value::Text(text)) => text.parse().ok(),
        (None, _) => None,
    };
    if span.is_none() {
        field.reject(report, "a duration as h:mm:ss such as 5:00:00, or minutes such as 300");
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;
    use located::Reported;
    use schemars::JsonSchema;
    use std::collections::BTreeSet;

    fn report<T>(
        text: &str,
        report: &Report,
        read: impl FnOnce(&Report, &Field<'_>) -> Option<T>,
    ) -> Option<T> {
        let node = located::yaml(text).unwrap();
        read(report, &Field { file: "f", path: String::new(), line: 1, node: &node })
    }

    fn properties<T: JsonSchema>() -> BTreeSet<String> {
        let schema = schemars::schema_for!(T).to_value();
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }

    /// Each property is in the list of those who see it.
    #[test]
    fn each_property_is_for_all_or_for_the_jury() {
        fn check<T: JsonSchema>(lists: &[&[&str]]) {
            let listed: Vec<String> = lists.concat().into_iter().map(str::to_owned).collect();
            assert_eq!(properties::<T>(), listed.iter().cloned().collect::<BTreeSet<_>>());
            assert_eq!(properties::<T>().len(), listed.len());
        }
        check::<Group>(&[Group::OF_ALL, Group::OF_JURY]);
        check::<Organization>(&[Organization::OF_ALL]);
        check::<Team>(&[Team::OF_ALL, Team::OF_JURY]);
        check::<Person>(&[Person::OF_ALL, Person::OF_JURY]);
        check::<Account>(&[Account::OF_JURY, &["ip", "oidc_subject", "contest_ids", "is_enabled"]]);
        check::<Contest>(&[Contest::OF_ALL, Contest::OF_PASS_FAIL]);
        check::<Problem>(&[Problem::OF_ALL, Problem::OF_POINTS, Problem::OF_JURY, &["statement_pages"]]);
    }

    /// Every property that is written is read, and what was read is written in the same way.
    #[test]
    fn written_values_are_read_back() {
        fn check<T: PartialEq + std::fmt::Debug, W: JsonSchema + serde::Serialize>(
            text: &str,
            files: &[&str],
            read: fn(&Report, &Field<'_>) -> Option<T>,
            object: impl Fn(&T) -> W,
        ) {
            let notes = Report::default();
            let first = report(text, &notes, read).unwrap();
            assert_eq!(notes.into_findings(), []);
            let written = serde_json::to_value(object(&first)).unwrap();
            let keys: BTreeSet<String> = written.as_object().unwrap().keys().cloned().collect();
            let all = properties::<W>().into_iter().filter(|name| !files.contains(&name.as_str()));
            assert_eq!(keys, all.collect(), "the example has every property");
            let notes = Report::default();
            assert_eq!(report(&written.to_string(), &notes, read), Some(first));
            assert_eq!(notes.into_findings(), []);
        }
        check(group::EXAMPLE, &[], GroupSettings::read, |group| group.object(true));
        check(
            organization::EXAMPLE,
            OrganizationSettings::FILES,
            OrganizationSettings::read,
            OrganizationSettings::object,
        );
        check(team::EXAMPLE, TeamSettings::FILES, TeamSettings::read, |team| team.object(true));
        check(person::EXAMPLE, PersonSettings::FILES, PersonSettings::read, |person| person.object(true));
        check(
            account::EXAMPLE,
            &[],
            |report, field| Some(AccountSettings::read(report, field)?.0),
            AccountSettings::object_for_admins,
        );
        check(
            contest::EXAMPLE,
            &[],
            |report, field| {
                let mut object = field.object().reported(report)?;
                let usual = |_: &ContestId| ContestSettings::usual("", Millis::ZERO);
                let read = ContestSettings::read(report, &mut object, usual);
                object.finish(report, &[]);
                read
            },
            |(id, contest)| contest.file(id),
        );
    }

    #[test]
    fn problem_settings_are_read_written_and_applied() {
        let notes = Report::default();
        let first = report(problem::EXAMPLE, &notes, ProblemEntry::read_one).unwrap();
        let written = first.object();
        assert!(written.as_object().unwrap().values().all(|value| !value.is_null()), "the example has all");
        assert_eq!(report(&written.to_string(), &notes, ProblemEntry::read_one).as_ref(), Some(&first));
        assert_eq!(notes.into_findings(), []);
        let package = BlobHash("0".into());
        let before = ProblemSettings::new(first.id.clone(), "Z", 9, package);
        let set = first.clone().over(before.clone());
        assert_eq!(ProblemEntry::of(&set), first);
        // A request can set no more than files can.
        let settable: BTreeSet<String> = written.as_object().unwrap().keys().cloned().collect();
        let named = &properties::<NewProblem>() | &properties::<ProblemPatch>();
        let others = ["package", "pause_reason", "is_verified"].map(str::to_owned);
        assert_eq!(named.difference(&settable).cloned().collect::<BTreeSet<_>>(), BTreeSet::from(others));
    }

    #[test]
    fn a_change_of_a_problem_sets_what_it_names() {
        let before = ProblemSettings {
            rgb: Some("#fff".to_owned()),
            color: Some("white".to_owned()),
            memory_limit: model::Bytes(1000),
            ..ProblemSettings::new("p".parse().unwrap(), "Z", 9, BlobHash("0".into()))
        };
        let changed = |change: serde_json::Value| before.clone().changed(change.as_object().unwrap());
        assert_eq!(changed(serde_json::json!({})).unwrap(), before);
        let change = serde_json::json!({"label": "B", "rgb": null, "time_limit": 2.5, "languages": ["c"]});
        let expect = ProblemSettings {
            label: "B".to_owned(),
            rgb: None,
            time_limit: Some(model::Nanos::from_millis(2500)),
            languages: BTreeSet::from(["c".parse().unwrap()]),
            ..before.clone()
        };
        assert_eq!(changed(change).unwrap(), expect);
        let wrong = changed(serde_json::json!({"time_limit": 0})).unwrap_err();
        assert_eq!(wrong.place.field.as_deref(), Some("time_limit"));
    }

    #[test]
    fn an_empty_text_is_none() {
        let notes = Report::default();
        let team = "{id: a, name: A, display_name: '', label: ' ', icpc_id: null, organization_id: '', group_ids: null, \
                    location: '', hidden: null, penalty_adjustment: ''}";
        let read = report(team, &notes, TeamSettings::read).unwrap();
        assert_eq!((read, notes.into_findings()), (TeamSettings::new("a".parse().unwrap(), "A"), vec![]));
    }

    #[test]
    fn unknown_values_are_left_out_of_files_and_refused_in_requests() {
        let text = "{id: a, name: A, location: {description: 'Room 1'}, seat: 5}";
        let notes = Report::default();
        assert!(report(text, &notes, TeamSettings::read).is_some());
        let notes_text: Vec<String> = notes.into_findings().iter().map(ToString::to_string).collect();
        assert_eq!(
            notes_text,
            [
                "f:1: 'seat' is not known here and is left out",
                "f:1: location: is a map, expected a seat with the numbers x, y and rotation; it is left out",
            ]
        );
        let check = |request: serde_json::Value, expect: Result<(), &str>| {
            let read = from_request(&request, TeamSettings::read);
            let read = read.map(drop).map_err(|finding| finding.place.field.unwrap_or_default());
            assert_eq!(read, expect.map_err(str::to_owned), "{request}");
        };
        let with =
            |name: &str, value: serde_json::Value| serde_json::json!({"id": "a", "name": "A", name: value});
        check(with("seat", 5.into()), Ok(()));
        check(with("location", "here".into()), Err("location"));
        check(with("hidden", "maybe".into()), Err("hidden"));
        check(with("id", "a b".into()), Err("id"));
        check(serde_json::json!([]), Err(""));
    }
}
