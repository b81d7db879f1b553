//! Arguments of commands that save what a server has.

use super::client::OnServer;
use clap::Args;
use std::path::PathBuf;

pub const MOSS_EXAMPLES: &str = "\
The ZIP archive has a folder PROBLEM/LANGUAGE/TEAM_SUBMISSION for each submission, as the scripts of MOSS take them: \
moss -d -l cc PROBLEM/cpp/*/*. Submissions that are ignored or came after the end are left out.

Exit code: 0, 2 if the server refuses it, 3 if it cannot be reached.

Examples:
  tauto contest moss
  tauto contest moss --all --solved --problem B -o b.zip";

// Where something is saved.
#[derive(Debug, Args)]
pub struct SavedArguments {
    /// The new file; by default named after its content
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

// A problem, and where a file of it is saved.
#[derive(Debug, Args)]
pub struct ProblemFileArguments {
    /// The problem: its label or id
    #[arg(value_name = "LABEL")]
    pub problem: String,
    /// Where it is saved.
    #[command(flatten)]
    pub saved: SavedArguments,
}

#[derive(Debug, Args)]
pub struct MossArguments {
    /// All submissions of a team, not only its last one to a problem in a language
    #[arg(long)]
    pub all: bool,
    /// Only those that solve the problem
    #[arg(long)]
    pub solved: bool,
    /// Only to this problem: its label or id
    #[arg(long, value_name = "LABEL")]
    pub problem: Option<String>,
    /// Where it is saved.
    #[command(flatten)]
    pub saved: SavedArguments,
}
