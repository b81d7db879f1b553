//! Arguments of `tauto serve`.

use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

/// Examples and exit codes.
pub const SERVE_EXAMPLES: &str = "\
Started by root, it runs as two kinds of processes: a server that speaks HTTP and has no rights, and judgehosts with \
the rights of the sandbox. Either is started again if it ends. SIGTERM and SIGINT (Ctrl-C) let judgehosts finish what \
they judge, at most 60 s, then stop the server; a second one does not wait.

Started by anybody else, it only serves, and says which judgehost to start.

Exit code: 0 after a request to stop, 1 if something had to be killed for it, 2 wrong usage or input, 3 internal or \
system error.

Examples:
  sudo tauto serve --data /var/lib/tautochrone
  tauto serve --data data --listen 0.0.0.0:8080 --judgehosts 0";

/// More would not find CPUs to lease.
const JUDGEHOSTS_MAX: u32 = 64;

/// Options of `tauto serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Folder for everything that is kept
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Address and port to serve at
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: String,
    /// PostgreSQL database, instead of SQLite in the data folder
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// How many judgehosts to start on this machine: 'auto' for one if it can judge
    #[arg(long, value_name = "N", default_value = "auto")]
    pub judgehosts: Judgehosts,
    /// User without rights that the server becomes, if root starts it
    ///
    /// By default the owner of the data folder, unless that is root; then the user 'tautochrone', if there is one;
    /// otherwise a free user, which then owns the folder.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
}

/// How many judgehosts to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgehosts {
    /// One if this machine can judge.
    Auto,
    /// So many.
    Count(u32),
}

impl FromStr for Judgehosts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Self::Auto),
            Ok(count) if count <= JUDGEHOSTS_MAX => Ok(Self::Count(count)),
            _ => Err(format!("use 'auto' or 0 to {JUDGEHOSTS_MAX}")),
        }
    }
}
