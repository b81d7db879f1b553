//! `tauto team`, `tauto organization`, `tauto person`: the participants.

use super::answer::show;
use super::import;
use super::operation::Operation;
use crate::arguments::{NameArguments, OnServer, OrganizationCommand, PersonCommand, TeamCommand};
use crate::client::{Client, segment};
use crate::output::table;
use documents::contest::{Organization, Person, Team};
use serde::de::DeserializeOwned;
use std::process::ExitCode;
use terminal::{Cell, Colour};

pub fn team(command: &TeamCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        TeamCommand::Import(arguments) => import::one_kind("teams", arguments, json),
        TeamCommand::Remove(arguments) => remove("team", arguments, json),
        TeamCommand::List(server) => {
            list(server, "teams", [">id", "name", "organization", "groups"], json, |team: Team| {
                let name = team.display_name.unwrap_or(team.name);
                let organization = team.organization_id.map(String::from).unwrap_or_default();
                [team.id.into(), name, organization, ids(team.group_ids)]
            })
        }
    }
}

pub fn organization(command: &OrganizationCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        OrganizationCommand::Import(arguments) => import::one_kind("organizations", arguments, json),
        OrganizationCommand::Remove(arguments) => remove("organization", arguments, json),
        OrganizationCommand::List(server) => {
            let columns = [">id", "name", "country", "logo"];
            list(server, "organizations", columns, json, |one: Organization| {
                let logo = if one.logo.is_some() { "yes" } else { "no" };
                let name = one.formal_name.unwrap_or(one.name);
                [one.id.into(), name, one.country.unwrap_or_default(), logo.to_owned()]
            })
        }
    }
}

pub fn person(command: &PersonCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        PersonCommand::Import(arguments) => import::one_kind("persons", arguments, json),
        PersonCommand::Remove(arguments) => remove("person", arguments, json),
        PersonCommand::List(server) => {
            list(server, "persons", [">id", "name", "role", "teams"], json, |one: Person| {
                let role = serde_json::to_value(one.role).unwrap_or_default();
                let role = role.as_str().unwrap_or_default().to_owned();
                [one.id.into(), one.name, role, ids(one.team_ids.unwrap_or_default())]
            })
        }
    }
}

fn ids<T: Into<String>>(ids: Vec<T>) -> String {
    ids.into_iter().map(Into::into).collect::<Vec<String>>().join(", ")
}

/// Removes one object of the contest, such as a `team`.
pub fn remove(what: &str, arguments: &NameArguments, json: bool) -> anyhow::Result<ExitCode> {
    let NameArguments { id, server } = arguments;
    Operation::delete(format!("{what}s/{}", segment(id)), format!("{what} {id} is removed")).run(server, json)
}

/// Shows the objects of an endpoint as a table.
pub fn list<T: DeserializeOwned, const COLUMNS: usize>(
    server: &OnServer,
    endpoint: &str,
    columns: [&str; COLUMNS],
    json: bool,
    row: impl Fn(T) -> [String; COLUMNS],
) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let path = client.in_contest(endpoint)?;
    show(&client, &path, json, |all: Vec<T>| {
        let mut table = table(&columns);
        all.into_iter().for_each(|one| table.row(row(one).map(Cell::from)));
        Ok(table.render(Colour::for_stdout()))
    })
}
