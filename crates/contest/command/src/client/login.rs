//! Logins: a token for each server, in a file that only its owner can read.

use super::{Client, ClientError, ServerAddress, segment};
use crate::arguments::{LoginArguments, LogoutArguments};
use crate::output::report;
use anyhow::Context;
use documents::contest::{Account, IssuedToken, NewToken};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{BufRead, IsTerminal, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use terminal::failure::{because, cannot, input, input_with_hint};

/// Longer ones are other files.
const SECRET_BYTES_MAX: u64 = 4096;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Logins {
    last: Option<String>,
    servers: BTreeMap<String, Login>,
}

#[derive(Serialize, Deserialize)]
struct Login {
    user: Option<String>,
    token: String,
    /// The token's id; a token of a file is not ended with the login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token_id: Option<String>,
    /// Whose certificates the server's is checked against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca_file: Option<PathBuf>,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Login({:?})", self.user)
    }
}

impl Logins {
    /// Reads the file; without one there are no logins.
    ///
    /// Fails if others can read it, too.
    pub fn read() -> anyhow::Result<Self> {
        let Some(path) = path() else { return Ok(Self::default()) };
        let failed = || because(format!("cannot read the logins in {}", path.display()));
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text.with_context(failed)?,
        };
        let mode = fs::metadata(&path).with_context(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(input_with_hint(
                format!("others can read the logins in {}", path.display()),
                format!("chmod 600 {}", path.display()),
            ));
        }
        serde_json::from_str(&text).with_context(failed)
    }

    pub fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    pub fn token(&self, base: &str) -> Option<&str> {
        self.servers.get(base).map(|login| login.token.as_str())
    }

    /// Returns the file with the authorities of a server's certificate, if the login named one.
    pub fn ca_file(&self, base: &str) -> Option<&Path> {
        self.servers.get(base)?.ca_file.as_deref()
    }

    /// Replaces the file at once, so that no other process reads half of it.
    fn write(&self) -> anyhow::Result<PathBuf> {
        let path = path().ok_or_else(|| input("neither XDG_CONFIG_HOME nor HOME is set"))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let failed = || cannot("write", &path);
        DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(failed)?;
        // Its files are made readable for their owner alone.
        let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
        file.write_all((serde_json::to_string_pretty(self)? + "\n").as_bytes()).with_context(failed)?;
        file.persist(&path).with_context(failed)?;
        Ok(path)
    }
}

/// Finds the file (XDG base directory specification).
fn path() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("tautochrone/servers.json"))
}

/// Logs in, and keeps the token.
pub fn login(arguments: &LoginArguments, json: bool) -> anyhow::Result<ExitCode> {
    let place = ServerAddress::of_server(&arguments.server)?;
    // The commands that follow may be started in other folders.
    let ca_file =
        arguments.ca_file.as_ref().map(|file| file.canonicalize().with_context(|| cannot("read", file)));
    let ca_file = ca_file.transpose()?;
    let ca_file = ca_file.as_deref();
    let (token, token_id, account) = match (&arguments.token_file, &arguments.user) {
        (Some(file), _) => {
            let token = secret_of(file)?;
            let client = Client::of_server(&place.base, Some(format!("Bearer {token}")), ca_file)?;
            (token, None, client.get::<Account>("account").map_err(without_hint)?)
        }
        (None, Some(user)) => {
            let password = match &arguments.password_file {
                Some(file) => secret_of(file)?,
                None => ask(&format!("password of {user}: "))?,
            };
            if user.contains(':') {
                return Err(input("a user name has no colon"));
            }
            let basic = format!("Basic {}", base64(format!("{user}:{password}").as_bytes()));
            let client = Client::of_server(&place.base, Some(basic), ca_file)?;
            let account = client.get::<Account>("account").map_err(without_hint)?;
            let wanted = NewToken { account_id: None, note: "tauto login".to_owned(), expires: None };
            let token: IssuedToken = client.send_for("POST", "tokens", &wanted)?;
            (token.secret, Some(token.token.id), account)
        }
        (None, None) => return Err(input("give --user NAME or --token-file FILE")),
    };
    let mut logins = Logins::read()?;
    logins.last = Some(place.base.clone());
    let user = Some(account.username.to_string());
    let login = Login { user, token, token_id, ca_file: ca_file.map(Path::to_owned) };
    logins.servers.insert(place.base.clone(), login);
    let path = logins.write()?;
    let (user, kind) = (&account.username, account.kind.name());
    let text = format!("logged in to {} as {user} ({kind}); the token is in {}", place.base, path.display());
    report(&json!({ "server": place.base, "account": account, "file": path }), &text, json)
}

/// Logs out: ends the token that `tauto login` got, and forgets it.
pub fn logout(arguments: &LogoutArguments, json: bool) -> anyhow::Result<ExitCode> {
    let mut logins = Logins::read()?;
    let base = match &arguments.server {
        Some(server) => ServerAddress::of_server(server)?.base,
        None => logins.last.clone().ok_or_else(|| input("there is no login"))?,
    };
    let login = logins.servers.remove(&base).ok_or_else(|| input(format!("there is no login to {base}")))?;
    if let Some(id) = &login.token_id {
        let bearer = Some(format!("Bearer {}", login.token));
        let client = Client::of_server(&base, bearer, login.ca_file.as_deref())?;
        let ended = client.call("DELETE", &format!("tokens/{}", segment(id)), None);
        // What the server refuses has ended before; without an answer the token would stay valid.
        ended.map(drop).or_else(|error| if is_refused(&error) { Ok(()) } else { Err(error) })?;
    }
    if logins.last.as_ref() == Some(&base) {
        logins.last = None;
    }
    logins.write()?;
    let rest = if login.token_id.is_some() { "" } else { "; the token from a file is still valid" };
    report(&json!({ "server": base }), &format!("logged out of {base}{rest}"), json)
}

/// Drops the advice to log in first.
fn without_hint(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<ClientError>() {
        Ok(ClientError::Refused { status: status @ 401, message, .. }) => {
            ClientError::Refused { status, message, hint: None }.into()
        }
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

fn is_refused(error: &anyhow::Error) -> bool {
    error.downcast_ref::<ClientError>().is_some_and(ClientError::is_of_input)
}

/// Reads a password or a token from a file, or from standard input for `-`.
pub fn secret_of(path: &Path) -> anyhow::Result<String> {
    let failed = || cannot("read", path);
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(SECRET_BYTES_MAX).read_to_string(&mut text).with_context(failed)?;
    } else {
        let file = File::open(path).with_context(failed)?;
        file.take(SECRET_BYTES_MAX).read_to_string(&mut text).with_context(failed)?;
    }
    let secret = text.trim_end_matches(['\r', '\n']);
    let is_cut = text.len() as u64 == SECRET_BYTES_MAX;
    if secret.is_empty() || secret.contains(['\r', '\n']) || is_cut {
        let name =
            if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
        return Err(input(format!("{name} must have one line, with the secret alone")));
    }
    Ok(secret.to_owned())
}

/// Asks for a secret on the terminal, which does not show it.
pub fn ask(question: &str) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(input_with_hint(
            "no password is given, and there is no terminal to ask for it",
            "--password-file FILE; '-' is standard input",
        ));
    }
    let before = tcgetattr(&stdin).context("cannot read the terminal's state")?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    let _ = write!(std::io::stderr(), "{question}");
    tcsetattr(&stdin, OptionalActions::Flush, &silent).context("cannot hide what is typed")?;
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    let restored = tcsetattr(&stdin, OptionalActions::Flush, &before);
    let _ = writeln!(std::io::stderr());
    restored.context("cannot restore the terminal")?;
    read.context("cannot read the terminal")?;
    let secret = line.trim_end_matches(['\r', '\n']);
    if secret.is_empty() { Err(input("no password was given")) } else { Ok(secret.to_owned()) }
}

/// Encodes bytes in base64 (RFC 4648), as HTTP Basic and the API's files need them.
pub fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
