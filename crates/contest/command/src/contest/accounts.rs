//! Accounts, their passwords and tokens.

use super::answer::{done, minute, show};
use crate::arguments::{
    RevokeArguments, UserAddArguments, UserCommand, UserPasswordArguments, UserTokenArguments, UserType,
};
use crate::client::{Client, ask, secret_of, segment};
use anyhow::Context;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::process::ExitCode;
use terminal::failure::{because, input_with_hint};
use terminal::{Align, Cell, Colour, Style, Table, print};

/// Runs `tauto user`.
///
/// # Errors
/// When the server refuses it or cannot be reached.
pub fn run(command: &UserCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        UserCommand::Add(arguments) => add(arguments, json),
        UserCommand::Password(arguments) => password(arguments, json),
        UserCommand::Token(arguments) => token(arguments, json),
        UserCommand::Tokens(server) => show(&Client::open(server)?, "tokens", json, |all| Ok(tokens(all))),
        UserCommand::Revoke(arguments) => revoke(arguments, json),
        UserCommand::Disable(arguments) => enable(&arguments.server, &arguments.user, false, json),
        UserCommand::Enable(arguments) => enable(&arguments.server, &arguments.user, true, json),
        UserCommand::List(server) => {
            show(&Client::open(server)?, "accounts", json, |accounts| Ok(list(accounts)))
        }
    }
}

fn list(accounts: Vec<documents::contest::Account>) -> String {
    let columns = [
        ("user", Align::Left),
        ("type", Align::Left),
        ("team", Align::Left),
        ("name", Align::Left),
        ("contests", Align::Left),
        ("", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for account in accounts {
        let contests = account.contest_ids.unwrap_or_default();
        let contests: Vec<String> = contests.into_iter().map(String::from).collect();
        let contests = if contests.is_empty() { "all".to_owned() } else { contests.join(", ") };
        let state = if account.is_enabled == Some(false) {
            Cell::styled(Style::Caution, "disabled")
        } else {
            "".into()
        };
        table.row([
            String::from(account.username).into(),
            account.kind.name().into(),
            account.team_id.map(String::from).unwrap_or_else(|| "-".to_owned()).into(),
            account.name.unwrap_or_else(|| "-".to_owned()).into(),
            contests.into(),
            state,
        ]);
    }
    table.render(Colour::for_stdout())
}

fn add(arguments: &UserAddArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let kind = match arguments.kind {
        UserType::Admin => documents::contest::AccountType::Admin,
        UserType::Judge => documents::contest::AccountType::Judge,
        UserType::Analyst => documents::contest::AccountType::Analyst,
        UserType::Staff => documents::contest::AccountType::Staff,
        UserType::Balloon => documents::contest::AccountType::Balloon,
        UserType::Team => documents::contest::AccountType::Team,
        UserType::Spectator => documents::contest::AccountType::Spectator,
        UserType::Judgehost => documents::contest::AccountType::Judgehost,
    };
    // A team takes part in one contest; others are valid in all unless one is named.
    let is_limited = arguments.server.contest.is_some() || kind == documents::contest::AccountType::Team;
    let contest_ids = if is_limited { vec![client.contest()?] } else { Vec::new() };
    let account = documents::contest::NewAccount {
        id: None,
        username: arguments.user.clone(),
        password: arguments.password_file.as_deref().map(secret_of).transpose()?,
        name: arguments.name.clone(),
        kind,
        team_id: arguments.team.clone(),
        person_id: None,
        ip: Some(arguments.ip.join(",")).filter(|ip| !ip.is_empty()),
        contest_ids,
        is_enabled: true,
    };
    let known: Vec<documents::contest::Account> = client.get("accounts")?;
    let is_known = known.iter().any(|known| known.username.as_str() == account.username);
    if is_known && !arguments.replace {
        return Err(input_with_hint(
            format!("there is an account '{}' already", account.username),
            "--replace changes its settings, 'tauto user password' its password",
        ));
    }
    let answer = client.send("POST", "accounts", &account)?;
    let what = if is_known { "changed" } else { "added" };
    done(&format!("{what} {} ({})", account.username, kind.name()), &answer, json)
}

fn password(arguments: &UserPasswordArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let password = match &arguments.password_file {
        Some(file) => secret_of(file)?,
        None => ask(&format!("new password of {}: ", arguments.user))?,
    };
    let patch = documents::contest::AccountPatch { password: Some(password), ..Default::default() };
    let answer = client.send("PATCH", &format!("accounts/{}", segment(&arguments.user)), &patch)?;
    done(&format!("{} has a new password, and its sessions have ended", arguments.user), &answer, json)
}

fn token(arguments: &UserTokenArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let wanted = documents::contest::NewToken {
        account_id: Some(arguments.user.clone()),
        note: arguments.note.clone(),
        expires: None,
    };
    let Some(path) = &arguments.out else {
        let answer = client.send("POST", "tokens", &wanted)?;
        let issued: documents::contest::IssuedToken = serde_json::from_slice(&answer)?;
        return done(&issued.secret, &answer, json);
    };
    // The file first: a token whose secret is lost would stay valid.
    let failed = || because(format!("cannot write {}", path.display()));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = file.with_context(failed)?;
    let issued: documents::contest::IssuedToken =
        client.send_for("POST", "tokens", &wanted).inspect_err(|_| {
            let _ = std::fs::remove_file(path);
        })?;
    writeln!(file, "{}", issued.secret).with_context(failed)?;
    let text = match json {
        true => serde_json::to_string(&issued.token)?,
        false => format!("token {} of {} is in {}", issued.token.id, arguments.user, path.display()),
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn tokens(all: Vec<documents::contest::Token>) -> String {
    let columns = [
        ("token", Align::Left),
        ("user", Align::Left),
        ("note", Align::Left),
        ("made", Align::Left),
        ("ends", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for token in all {
        let ends = token.expires.map_or_else(|| "never".to_owned(), minute);
        table.row([
            token.id.into(),
            token.account_id.into(),
            token.note.into(),
            minute(token.created).into(),
            ends.into(),
        ]);
    }
    table.render(Colour::for_stdout())
}

fn revoke(arguments: &RevokeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let path = format!("tokens/{}", segment(&arguments.token));
    let answer = client.call("DELETE", &path, None, Vec::new())?;
    done(&format!("token {} is revoked", arguments.token), &answer, json)
}

fn enable(
    server: &crate::arguments::OnServer,
    user: &str,
    is_enabled: bool,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let patch = documents::contest::AccountPatch { is_enabled: Some(is_enabled), ..Default::default() };
    let answer = client.send("PATCH", &format!("accounts/{}", segment(user)), &patch)?;
    done(&format!("{user} is {}", if is_enabled { "enabled" } else { "disabled" }), &answer, json)
}
