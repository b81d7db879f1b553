//! What several files say together: ids are there once, and what is referred to is there.

use super::{Contents, Located};
use located::{FileLocation, Report};
use std::collections::{BTreeMap, BTreeSet};

/// Checks everything that no single entry shows.
pub fn check(report: &Report, contents: &Contents) {
    let Contents { problems, groups, organizations, teams, persons, accounts, .. } = contents;
    once(report, "id", problems.iter().map(|one| (one, one.value.id.as_str())));
    once(report, "label", problems.iter().map(|one| (one, one.value.label.as_str())));
    let ordinals: Vec<_> = problems.iter().map(|one| (one, one.value.ordinal.to_string())).collect();
    once(report, "ordinal", ordinals.iter().map(|(one, ordinal)| (*one, ordinal.as_str())));
    once(report, "id", groups.iter().map(|one| (one, one.value.id.as_str())));
    once(report, "id", organizations.iter().map(|one| (one, one.value.id.as_str())));
    once(report, "id", teams.iter().map(|one| (one, one.value.id.as_str())));
    once(report, "id", persons.iter().map(|one| (one, one.value.id.as_str())));
    once(report, "username", accounts.iter().map(|one| (one, one.value.settings.id.as_str())));
    // Without the contest the rest may be on the server.
    let Some(contest) = &contents.contest else { return };
    let group_ids: BTreeSet<&str> = groups.iter().map(|one| one.value.id.as_str()).collect();
    let organization_ids: BTreeSet<&str> = organizations.iter().map(|one| one.value.id.as_str()).collect();
    let team_ids: BTreeSet<&str> = teams.iter().map(|one| one.value.id.as_str()).collect();
    if let Some(main) = &contest.value.1.main_group {
        known(report, contest, "main_scoreboard_group_id", "group", main.as_str(), &group_ids);
    }
    if let Some(group) = &contest.value.1.registration.group_id {
        known(report, contest, "registration", "group", group.as_str(), &group_ids);
    }
    for team in teams {
        for group in &team.value.groups {
            known(report, team, "group_ids", "group", group.as_str(), &group_ids);
        }
        if let Some(organization) = &team.value.organization {
            known(report, team, "organization_id", "organization", organization.as_str(), &organization_ids);
        }
    }
    for person in persons {
        for team in &person.value.teams {
            known(report, person, "team_ids", "team", team.as_str(), &team_ids);
        }
    }
    let person_ids: BTreeSet<&str> = persons.iter().map(|one| one.value.id.as_str()).collect();
    for account in accounts {
        if let Some(person) = &account.value.settings.person {
            if person_ids.is_empty() {
                let message = format!("'{person}' is left out: there are no persons");
                report.warning(
                    FileLocation::file(&account.file).line(account.line).field("person_id"),
                    message,
                );
            } else {
                known(report, account, "person_id", "person", person.as_str(), &person_ids);
            }
        }
        if let Some(team) = &account.value.settings.team {
            known(report, account, "team_id", "team", team.as_str(), &team_ids);
        }
    }
}

/// Reports each text that is there twice, at its second place.
fn once<'t, T: 't>(report: &Report, field: &str, texts: impl Iterator<Item = (&'t Located<T>, &'t str)>) {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for (one, text) in texts {
        if let Some(line) = seen.insert(text, one.line) {
            let message = format!("'{text}' is also in line {line}; each must be there once");
            report.error(FileLocation::file(&one.file).line(one.line).field(field), message);
        }
    }
}

fn known<T>(report: &Report, one: &Located<T>, field: &str, kind: &str, id: &str, ids: &BTreeSet<&str>) {
    if !ids.contains(id) {
        let known: Vec<&str> = ids.iter().take(5).copied().collect();
        let known = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        let rest = if ids.len() > 5 { ", ..." } else { "" };
        report.error(
            FileLocation::file(&one.file).line(one.line).field(field),
            format!("there is no {kind} '{id}'; {known}{rest}"),
        );
    }
}
