//! Arguments of `tauto team`.

use super::client::OnServer;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What to do with teams.
#[derive(Debug, Subcommand)]
pub enum TeamCommand {
    /// Add or change the teams of a file: teams.yaml, teams.json or teams.tsv
    Import(TeamImportArguments),
    /// List the teams of a contest
    List(OnServer),
    /// Remove a team that has sent nothing
    Remove(TeamNameArguments),
}

/// A team's id.
#[derive(Debug, Args)]
pub struct TeamNameArguments {
    /// The team
    #[arg(value_name = "ID")]
    pub team: String,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

/// Options of `tauto team import`.
#[derive(Debug, Args)]
pub struct TeamImportArguments {
    /// The file
    pub file: PathBuf,
    /// Check everything, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}
