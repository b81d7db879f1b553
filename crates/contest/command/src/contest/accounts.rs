//! Accounts, their passwords and tokens.

use super::answer::{minute, show};
use super::operation::Operation;
use crate::arguments::{
    RevokeArguments, UserAddArguments, UserCommand, UserNameArguments, UserPasswordArguments,
    UserPasswordsArguments, UserTokenArguments, UserType,
};
use crate::client::{Client, ask, secret_of, segment};
use crate::output::{done, report, table};
use anyhow::Context;
use documents::contest::{
    Account, AccountPatch, AccountType, Credentials, IssuedToken, NewAccount, NewCredentials, NewToken,
    Token, WhichAccounts,
};
use model::counted;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{cannot, input_with_hint};
use terminal::{Cell, Colour, Style};

pub fn run(command: &UserCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        UserCommand::Add(arguments) => add(arguments, json),
        UserCommand::Password(arguments) => password(arguments, json),
        UserCommand::Passwords(arguments) => passwords(arguments, json),
        UserCommand::Token(arguments) => token(arguments, json),
        UserCommand::Tokens(server) => show(&Client::open(server)?, "tokens", json, |all| Ok(tokens(all))),
        UserCommand::Revoke(RevokeArguments { token, server }) => {
            let path = format!("/tokens/{}", segment(token));
            Operation::delete(path, format!("token {token} is revoked")).run(server, json)
        }
        UserCommand::Disable(UserNameArguments { user, server }) => {
            let disable = AccountPatch { is_enabled: Some(false), ..Default::default() };
            change(&Client::open(server)?, user, &disable, "is disabled", json)
        }
        UserCommand::Enable(UserNameArguments { user, server }) => {
            let enable = AccountPatch { is_enabled: Some(true), ..Default::default() };
            change(&Client::open(server)?, user, &enable, "is enabled", json)
        }
        UserCommand::List(server) => {
            show(&Client::open(server)?, "accounts", json, |accounts| Ok(list(accounts)))
        }
    }
}

fn list(accounts: Vec<Account>) -> String {
    let mut table = table(&["user", "type", "team", "name", "contests", ""]);
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
        UserType::Admin => AccountType::Admin,
        UserType::Judge => AccountType::Judge,
        UserType::Analyst => AccountType::Analyst,
        UserType::Staff => AccountType::Staff,
        UserType::Balloon => AccountType::Balloon,
        UserType::Team => AccountType::Team,
        UserType::Spectator => AccountType::Spectator,
        UserType::Judgehost => AccountType::Judgehost,
        UserType::Operator => AccountType::Operator,
    };
    // A team takes part in one contest; others are valid in all unless one is named.
    let is_limited = arguments.server.contest.is_some() || kind == AccountType::Team;
    let contest_ids = if is_limited { vec![client.contest()?] } else { Vec::new() };
    let account = NewAccount {
        id: None,
        username: arguments.user.clone(),
        password: arguments.password_file.as_deref().map(secret_of).transpose()?,
        name: arguments.name.clone(),
        kind,
        team_id: arguments.team.clone(),
        person_id: None,
        ip: Some(arguments.ip.join(",")).filter(|ip| !ip.is_empty()),
        oidc_subject: arguments.oidc_subject.clone(),
        contest_ids,
        is_enabled: true,
    };
    let known: Vec<Account> = client.get("accounts")?;
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
    let UserPasswordArguments { user, password_file, server } = arguments;
    // Without a login it is not worth asking.
    let client = Client::open(server)?;
    let password = match password_file {
        Some(file) => secret_of(file)?,
        None => ask(&format!("new password of {user}: "))?,
    };
    let patch = AccountPatch { password: Some(password), ..Default::default() };
    change(&client, user, &patch, "has a new password, and its sessions have ended", json)
}

fn passwords(arguments: &UserPasswordsArguments, json: bool) -> anyhow::Result<ExitCode> {
    let UserPasswordsArguments { teams, all, csv, sheets, address, server } = arguments;
    let client = Client::open(server)?;
    let path = client.in_contest("credentials")?;
    let csv = csv.as_deref().map(SecretFile::create).transpose()?;
    let sheets = sheets.as_deref().map(SecretFile::create).transpose()?;
    let wanted = NewCredentials {
        which: if *all { WhichAccounts::All } else { WhichAccounts::Missing },
        team_ids: Some(teams.clone()).filter(|teams| !teams.is_empty()),
        address: address.clone().unwrap_or_else(|| client.base().to_owned()),
    };
    let answer = client.send("POST", &path, &wanted)?;
    let made: Credentials = serde_json::from_slice(&answer)?;
    let accounts = counted(made.accounts.len(), "account");
    if made.accounts.is_empty() {
        let text = "no account was changed: each team can log in; --all gives all of them new passwords";
        return done(text, &answer, json);
    }
    let texts = [(csv, &made.csv), (sheets, &made.sheets)];
    let mut written = Vec::new();
    for (file, text) in texts.into_iter().filter_map(|(file, text)| Some((file?, text))) {
        written.push(file.path.display().to_string());
        if let Err(error) = file.write(text) {
            // The server does not keep them.
            report(&made, &made.csv, json)?;
            return Err(error.context("the passwords are changed and printed, but not all files are written"));
        }
    }
    match written.is_empty() {
        true if json => done("", &answer, true),
        true => report(&made, &made.csv, false),
        false => {
            let text = format!("the passwords of {accounts} are in {}", written.join(" and "));
            report(&json!({"accounts": made.accounts.len(), "files": written}), &text, json)
        }
    }
}

/// A new file that its owner alone can read. It is there before the secret is, which would be lost otherwise, and goes again
/// when there is none.
struct SecretFile<'p> {
    path: &'p Path,
    file: Option<File>,
}

impl<'p> SecretFile<'p> {
    fn create(path: &'p Path) -> anyhow::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let file = file.with_context(|| cannot("write", path))?;
        Ok(Self { path, file: Some(file) })
    }

    fn write(mut self, text: &str) -> anyhow::Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let written = file.write_all(text.as_bytes());
        written.with_context(|| cannot("write", self.path))
    }
}

impl Drop for SecretFile<'_> {
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = std::fs::remove_file(self.path);
        }
    }
}

fn token(arguments: &UserTokenArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let wanted =
        NewToken { account_id: Some(arguments.user.clone()), note: arguments.note.clone(), expires: None };
    let Some(path) = &arguments.out else {
        let answer = client.send("POST", "tokens", &wanted)?;
        let issued: IssuedToken = serde_json::from_slice(&answer)?;
        return done(&issued.secret, &answer, json);
    };
    let file = SecretFile::create(path)?;
    let issued: IssuedToken = client.send_for("POST", "tokens", &wanted)?;
    file.write(&format!("{}\n", issued.secret))?;
    let text = format!("token {} of {} is in {}", issued.token.id, arguments.user, path.display());
    report(&issued.token, &text, json)
}

fn tokens(all: Vec<Token>) -> String {
    let mut table = table(&["token", "user", "note", "made", "ends"]);
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

fn change(
    client: &Client,
    user: &str,
    patch: &AccountPatch,
    sentence: &str,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let operation = Operation::patch(format!("/accounts/{}", segment(user)), format!("{user} {sentence}"));
    operation.with(patch).send(client, json)
}
