//! Arguments of `tauto team`, `tauto organization` and `tauto person`.

use super::client::OnServer;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// What to do with teams.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum TeamCommand {
    /// Add or change the teams of a file: teams.csv, teams.yaml, teams.json or teams.tsv
    Import(FileArguments),
    /// List the teams of a contest
    List(OnServer),
    /// Remove a team that has sent nothing
    Remove(NameArguments),
}

/// What to do with organizations.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum OrganizationCommand {
    /// Add or change the organizations of a file: organizations.yaml or organizations.json
    Import(FileArguments),
    /// List the organizations of a contest
    List(OnServer),
    /// Remove an organization that no team is of
    Remove(NameArguments),
}

/// What to do with persons.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum PersonCommand {
    /// Add or change the persons of a file: YAML or JSON
    Import(FileArguments),
    /// List the persons of a contest
    List(OnServer),
    /// Remove a person
    Remove(NameArguments),
}

// Which object of the contest.
#[derive(Debug, Args)]
pub struct NameArguments {
    /// Its id
    #[arg(value_name = "ID")]
    pub id: String,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

// Options of `tauto team import`, `tauto organization import` and `tauto person import`.
#[derive(Debug, Args)]
pub struct FileArguments {
    /// The file
    pub file: PathBuf,
    /// Check everything, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

pub const FOLLOW_EXAMPLES: &str = "\
The feed of any server of the CLICS Contest API is applied line by line. References must resolve at every moment, of a submission \
at most one judgement counts, nothing comes after the end of updates. When nothing has come for a while, what the feed made \
is compared with what the endpoints answer.

Exit code: 0 if nothing is wrong, 1 if something is, 2 if the server refuses it, 3 if it cannot be reached.

Examples:
  tauto contest follow
  tauto contest follow https://cds.example.org/api/contests/finals --user admin --password-file password
  tauto contest follow --idle 60s --json";

#[derive(Debug, Args)]
pub struct FollowArguments {
    /// A contest of any server, such as https://cds.example.org/api/contests/finals; by default the one of --contest
    pub url: Option<String>,
    /// Name of the account there, for HTTP Basic
    #[arg(long, value_name = "NAME", requires = "password_file", requires = "url")]
    pub user: Option<String>,
    /// File with the password; '-' for standard input
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
    /// How long nothing may come before the feed is compared with the endpoints
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "5s")]
    pub idle: Duration,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}
