//! PostgreSQL, outside of the cluster as where it is run for many.

use std::fs;
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::control::{Control, NODE_ADDRESS, random};
use crate::process;

/// A server of Debian's, with a database for the contest server.
#[derive(Debug)]
pub struct Database {
    password: String,
}

impl Database {
    /// Starts it, reached by password from pods.
    pub fn start(control: &mut Control) -> Result<Self> {
        let programs = programs()?;
        let folder = control.folder.join("postgres");
        fs::create_dir_all(&folder)?;
        let password = random()?;
        let file = folder.join("password");
        fs::write(&file, &password)?;
        let owner = process::read(Command::new("id").args(["-u", "postgres"]))?;
        let owner: u32 = owner.trim().parse().context("there is no user postgres")?;
        for path in [&folder, &file] {
            chown(path, Some(owner), None)?;
        }
        let data = folder.join("data");
        let mut initdb = as_postgres(programs.join("initdb"));
        initdb.arg("-D").arg(&data).args([
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--no-locale",
        ]);
        initdb.arg("--pwfile").arg(&file);
        process::read(&mut initdb)?;
        fs::write(data.join("pg_hba.conf"), "host all all all scram-sha-256\n")?;
        let mut postgres = as_postgres(programs.join("postgres"));
        postgres.arg("-D").arg(&data).arg("-k").arg(&folder);
        postgres.args(["-c", &format!("listen_addresses={NODE_ADDRESS}")]);
        control.daemons.start("postgres", &mut postgres)?;
        let database = Self { password };
        let mut ask = database.psql("postgres", "SELECT 1");
        control.daemons.wait_until("PostgreSQL answers", Duration::from_secs(60), || {
            process::capture(&mut ask).is_ok_and(|output| output.status.success())
        })?;
        process::read(&mut database.psql("postgres", "CREATE DATABASE contest"))?;
        Ok(database)
    }

    /// Returns the address for the contest server.
    pub fn url(&self) -> String {
        format!("postgres://postgres:{}@{NODE_ADDRESS}:5432/contest", self.password)
    }

    /// Returns `psql` with a statement.
    pub fn psql(&self, database: &str, statement: &str) -> Command {
        let mut psql = Command::new("psql");
        psql.args([
            "-h",
            NODE_ADDRESS,
            "-U",
            "postgres",
            "-d",
            database,
            "-v",
            "ON_ERROR_STOP=1",
            "-Atqc",
            statement,
        ]);
        psql.env("PGPASSWORD", &self.password);
        psql
    }
}

fn programs() -> Result<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").context("PostgreSQL is not installed")?;
    let mut found: Vec<PathBuf> = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").is_file())
        .collect();
    found.sort();
    match found.pop() {
        Some(folder) => Ok(folder),
        None => bail!("PostgreSQL is not installed: run 'tools/install fleet'"),
    }
}

/// Root may not run PostgreSQL.
fn as_postgres(program: PathBuf) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=KILL"]).arg(program);
    command.current_dir("/");
    command
}
