//! Which server, which contest, and how to log in.

use clap::Args;
use std::path::PathBuf;

pub const LOGIN_EXAMPLES: &str = "\
The server gives this user a token, which is kept in $XDG_CONFIG_HOME/tautochrone/servers.json, readable for its owner \
alone. The password is not kept. Without --password-file it is asked for on the terminal.

Exit code: 0, 2 if the server refuses the login, 3 if it cannot be reached.

Examples:
  tauto login http://127.0.0.1:8080 --user admin
  tauto login http://127.0.0.1:8080 --user admin --password-file contest-data/admin-password
  tauto login https://contest.example.org --token-file token";

// The server and the contest.
#[derive(Clone, Debug, Default, Args)]
pub struct OnServer {
    /// The server, such as http://127.0.0.1:8080; by default TAUTO_SERVER, else that of the last login
    #[arg(long, value_name = "URL", help_heading = "Server")]
    pub server: Option<String>,
    /// The contest: its id, or its URL; by default TAUTO_CONTEST, else the server's only one
    #[arg(long, value_name = "ID", help_heading = "Server")]
    pub contest: Option<String>,
    /// File with a token, instead of the one of the last login
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub token_file: Option<PathBuf>,
    /// File with the certificates of the authorities that may certify the server, in PEM format; by default the one of the login, else
    /// SSL_CERT_FILE, else public authorities
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub ca_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LoginArguments {
    /// The server, such as http://127.0.0.1:8080
    #[arg(value_name = "URL")]
    pub server: String,
    /// Name of the account
    #[arg(long, value_name = "NAME", required_unless_present = "token_file")]
    pub user: Option<String>,
    /// File with the password; '-' for standard input
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
    /// File with a token, instead of a user and a password
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub token_file: Option<PathBuf>,
    /// File with the certificates of the authorities that may certify the server, in PEM format; kept for the commands that follow
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LogoutArguments {
    /// The server; by default that of the last login
    #[arg(value_name = "URL")]
    pub server: Option<String>,
}
