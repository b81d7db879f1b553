//! `tauto team`, `tauto organization`, `tauto person`: who takes part.

use super::answer::{done, show};
use super::import;
use crate::arguments::{NameArguments, OnServer, OrganizationCommand, PersonCommand, TeamCommand};
use crate::client::{Client, segment};
use serde::de::DeserializeOwned;
use std::process::ExitCode;
use terminal::{Align, Cell, Colour, Table};

/// Runs `tauto team`.
///
/// # Errors
/// When the input is not usable, the server refuses it or cannot be reached.
pub fn team(command: &TeamCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        TeamCommand::Import(arguments) => import::one_kind("teams", arguments, json),
        TeamCommand::Remove(arguments) => remove("team", arguments, json),
        TeamCommand::List(server) => list(
            server,
            "teams",
            ["id", "name", "organization", "groups"],
            json,
            |team: documents::contest::Team| {
                let name = team.display_name.unwrap_or(team.name);
                let organization = team.organization_id.map(String::from).unwrap_or_default();
                [team.id.into(), name, organization, ids(team.group_ids)]
            },
        ),
    }
}

/// Runs `tauto organization`.
///
/// # Errors
/// As [`team`].
pub fn organization(command: &OrganizationCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        OrganizationCommand::Import(arguments) => import::one_kind("organizations", arguments, json),
        OrganizationCommand::Remove(arguments) => remove("organization", arguments, json),
        OrganizationCommand::List(server) => list(
            server,
            "organizations",
            ["id", "name", "country", "logo"],
            json,
            |one: documents::contest::Organization| {
                let logo = if one.logo.is_some() { "yes" } else { "no" };
                [
                    one.id.into(),
                    one.formal_name.unwrap_or(one.name),
                    one.country.unwrap_or_default(),
                    logo.to_owned(),
                ]
            },
        ),
    }
}

/// Runs `tauto person`.
///
/// # Errors
/// As [`team`].
pub fn person(command: &PersonCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        PersonCommand::Import(arguments) => import::one_kind("persons", arguments, json),
        PersonCommand::Remove(arguments) => remove("person", arguments, json),
        PersonCommand::List(server) => list(
            server,
            "persons",
            ["id", "name", "role", "teams"],
            json,
            |one: documents::contest::Person| {
                let role = serde_json::to_value(one.role).unwrap_or_default();
                let role = role.as_str().unwrap_or_default().to_owned();
                [one.id.into(), one.name, role, ids(one.team_ids.unwrap_or_default())]
            },
        ),
    }
}

fn ids<T: Into<String>>(ids: Vec<T>) -> String {
    ids.into_iter().map(Into::into).collect::<Vec<String>>().join(", ")
}

/// Removes one of the contest, such as a `team`.
///
/// # Errors
/// As [`team`].
pub fn remove(what: &str, arguments: &NameArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let path = client.in_contest(&format!("{what}s/{}", segment(&arguments.id)))?;
    let answer = client.call("DELETE", &path, None, Vec::new())?;
    done(&format!("{what} {} is removed", arguments.id), &answer, json)
}

/// Shows the objects of an endpoint as a table.
///
/// # Errors
/// As [`team`].
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
        let align = |at: usize| if at == 0 { Align::Right } else { Align::Left };
        let columns: Vec<(&str, Align)> =
            columns.into_iter().enumerate().map(|(at, name)| (name, align(at))).collect();
        let mut table = Table::new(&columns);
        for one in all {
            table.row(row(one).map(Cell::from));
        }
        Ok(table.render(Colour::for_stdout()))
    })
}
