//! A PostgreSQL server of a test's own: in a temporary folder, reached by a socket in it, ended with the test; and a proxy to it.

#![forbid(unsafe_code)]

mod proxy;

pub use proxy::Proxy;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use postgres::NoTls;
use tempfile::TempDir;

/// Root may not run PostgreSQL.
const USERS: [&str; 2] = ["postgres", "nobody"];

pub struct Server {
    child: Child,
    folder: TempDir,
    databases: AtomicU32,
}

impl Server {
    /// Starts a server. `settings` are further ones, such as `fsync=off`.
    pub fn start(settings: &[&str]) -> Result<Self, String> {
        Self::start_in(&std::env::temp_dir(), settings)
    }

    pub fn start_in(place: &Path, settings: &[&str]) -> Result<Self, String> {
        let programs = programs().ok_or("PostgreSQL is not installed (tools/install test installs it)")?;
        let folder = tempfile::tempdir_in(place).map_err(|error| error.to_string())?;
        let user = user()?;
        if let Some(user) = &user {
            run(Command::new("chown").arg(user).arg(folder.path()))?;
        }
        let data = folder.path().join("data");
        let initdb = programs.join("initdb");
        run(as_user(&initdb, user.as_deref()).current_dir("/").arg("-D").arg(&data).args([
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
        ]))?;
        let mut command = as_user(&programs.join("postgres"), user.as_deref());
        command
            .current_dir("/")
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(folder.path())
            .args(["-c", "listen_addresses="]);
        for setting in settings {
            command.args(["-c", setting]);
        }
        let log = std::fs::File::create(folder.path().join("log")).map_err(|error| error.to_string())?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().map_err(|error| format!("cannot start PostgreSQL: {error}"))?;
        let server = Self { child, folder, databases: AtomicU32::new(0) };
        server.wait_until_ready()?;
        Ok(server)
    }

    fn wait_until_ready(&self) -> Result<(), String> {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            match postgres::Client::connect(&self.url("postgres"), NoTls) {
                Ok(_) => return Ok(()),
                Err(error) if Instant::now() > deadline => {
                    let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                    return Err(format!("PostgreSQL does not answer: {error}\n{log}"));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Returns the folder with the socket `.s.PGSQL.5432`.
    pub fn socket_folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn url(&self, database: &str) -> String {
        url(self.socket_folder(), database)
    }

    pub fn new_database(&self) -> Result<String, postgres::Error> {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut client = postgres::Client::connect(&self.url("postgres"), NoTls)?;
        client.batch_execute(&format!("CREATE DATABASE {name}"))?;
        Ok(name)
    }
}

/// Returns the address of a database behind the socket in a folder.
pub fn url(socket_folder: &Path, database: &str) -> String {
    let folder = socket_folder.display().to_string().replace('/', "%2F");
    format!("postgres://postgres@{folder}/{database}")
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its own children end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").is_file())
        .collect();
    found.sort();
    found.pop()
}

/// Returns the user to run PostgreSQL as; `None` is the user that runs the tests.
fn user() -> Result<Option<String>, String> {
    let output = |arguments: &[&str]| Command::new("id").args(arguments).stderr(Stdio::null()).output();
    let own = output(&["-u"]).map_err(|error| error.to_string())?;
    if own.stdout.trim_ascii() != b"0" {
        return Ok(None);
    }
    let is_there = |user: &&str| output(&["-u", user]).is_ok_and(|output| output.status.success());
    let user = USERS.into_iter().find(is_there).ok_or("there is no user `postgres` or `nobody`")?;
    Ok(Some(user.to_owned()))
}

/// Returns the seed of a test's draws: another one each time, or the one in `TAUTOCHRONE_SEED`. It is printed.
pub fn seed() -> u64 {
    let chosen = std::env::var("TAUTOCHRONE_SEED").ok().and_then(|text| text.parse().ok());
    let seed = chosen.unwrap_or_else(|| u64::from(std::process::id()));
    eprintln!("TAUTOCHRONE_SEED={seed}");
    seed
}

/// Returns a command that ends when the tests end, however they end.
fn as_user(program: &Path, user: Option<&str>) -> Command {
    let mut command = Command::new("setpriv");
    command.arg("--pdeathsig=INT");
    if let Some(user) = user {
        command.args([&format!("--reuid={user}"), "--clear-groups"]);
    }
    command.arg("--").arg(program);
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)))
}
