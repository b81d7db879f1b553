//! Arguments of `tauto user`.

use super::client::OnServer;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What to do with accounts.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum UserCommand {
    /// Add an account
    Add(UserAddArguments),
    /// Give an account another password, which ends its sessions
    Password(UserPasswordArguments),
    /// Give teams accounts with random passwords, as a table or as sheets to print
    Passwords(UserPasswordsArguments),
    /// Make a token for scripts or a judgehost; its secret is shown once, or written to a file
    Token(UserTokenArguments),
    /// List the tokens: your own, as an admin all
    Tokens(OnServer),
    /// Revoke a token
    Revoke(RevokeArguments),
    /// Forbid an account to be used
    Disable(UserNameArguments),
    /// Allow an account to be used again
    Enable(UserNameArguments),
    /// List the accounts
    List(OnServer),
}

#[derive(Debug, Args)]
pub struct UserAddArguments {
    /// User name
    pub user: String,
    /// What it may do
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    pub kind: UserType,
    /// Its team, for an account of type team
    #[arg(long, value_name = "ID")]
    pub team: Option<String>,
    /// The person's name
    #[arg(long)]
    pub name: Option<String>,
    /// Addresses from which it is logged in without a password, such as 10.0.0.0/8
    #[arg(long, value_name = "CIDR")]
    pub ip: Vec<String>,
    /// The claim 'sub' by which the server's OpenID provider knows it
    #[arg(long, value_name = "SUBJECT")]
    pub oidc_subject: Option<String>,
    /// File with its password; '-' for standard input. Without it, it can only use tokens and addresses
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Replace the settings of an account that is there; without a new password its known one stays
    #[arg(long)]
    pub replace: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

/// What an account may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UserType {
    /// Everything
    Admin,
    /// Sees all, answers, rejudges, verifies
    Judge,
    /// Sees all, changes nothing
    Analyst,
    /// Helps on site
    Staff,
    /// Carries balloons
    Balloon,
    /// Takes part
    Team,
    /// Sees the public part of contests that need an account
    Spectator,
    /// A machine that judges
    Judgehost,
    /// Keeps pools of judgehosts, and sees nothing of contests
    Operator,
}

#[derive(Debug, Args)]
pub struct UserPasswordArguments {
    /// User name
    pub user: String,
    /// File with the new password; '-' for standard input. Without it, it is asked for on the terminal
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
#[command(after_help = PASSWORDS_EXAMPLES)]
pub struct UserPasswordsArguments {
    /// Only these teams, by their ids
    #[arg(value_name = "TEAM")]
    pub teams: Vec<String>,
    /// New passwords for all of them, which ends their sessions. Without it only for teams that cannot log in
    #[arg(long)]
    pub all: bool,
    /// New file for the table, readable for its owner alone, instead of standard output
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
    /// New file for a page to print and cut, with a part for each team, readable for its owner alone
    #[arg(long, value_name = "FILE.html")]
    pub sheets: Option<PathBuf>,
    /// Where teams log in, if not at the address of this login
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

const PASSWORDS_EXAMPLES: &str = "\
Examples:
  tauto user passwords --csv logins.csv --sheets logins.html    every team that cannot log in yet
  tauto user passwords 17 --all                                 another password for one team";

#[derive(Debug, Args)]
pub struct UserTokenArguments {
    /// User name
    pub user: String,
    /// What it is for
    #[arg(long, default_value = "")]
    pub note: String,
    /// New file for the secret, readable for its owner alone, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct RevokeArguments {
    /// The token's id, as 'tauto user tokens' shows it
    pub token: String,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

// A user's name.
#[derive(Debug, Args)]
pub struct UserNameArguments {
    /// User name
    pub user: String,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}
