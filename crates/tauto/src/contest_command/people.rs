//! `tauto team`, `tauto organization`, `tauto person`: who takes part.

use super::{done, import, show};
use crate::arguments::{NameArguments, OnServer, OrganizationCommand, PersonCommand, TeamCommand};
use crate::client::{Client, segment};
use crate::failure::{because, input};
use crate::output::{Align, Cell, Colour, Table};
use anyhow::Context;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::process::ExitCode;

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
            |team: api::contest::Team| {
                let name = team.display_name.unwrap_or(team.name);
                [team.id, name, team.organization_id.unwrap_or_default(), team.group_ids.join(", ")]
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
            |one: api::contest::Organization| {
                let logo = if one.logo.is_some() { "yes" } else { "no" };
                [
                    one.id,
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
        PersonCommand::Import(arguments) => {
            let shown = arguments.file.display();
            let bytes =
                std::fs::read(&arguments.file).with_context(|| because(format!("cannot read {shown}")))?;
            let persons: Vec<Value> =
                serde_json::from_slice(&bytes).map_err(|error| input(format!("{shown}: {error}")))?;
            let client = Client::open(&arguments.server)?;
            let answer = client.send("PUT", &client.in_contest("persons")?, &persons)?;
            done(&format!("{} persons are added or changed", persons.len()), &answer, json)
        }
        PersonCommand::Remove(arguments) => remove("person", arguments, json),
        PersonCommand::List(server) => {
            list(server, "persons", ["id", "name", "role", "teams"], json, |one: api::contest::Person| {
                let role = serde_json::to_value(one.role).unwrap_or_default();
                let role = role.as_str().unwrap_or_default().to_owned();
                [one.id, one.name, role, one.team_ids.unwrap_or_default().join(", ")]
            })
        }
    }
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
