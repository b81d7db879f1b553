//! Arguments of `tauto policy`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const CHECK_EXAMPLES: &str = "\
Exit code: 0 if the file can be used, 2 if it has mistakes, of which each is named with its line, 3 internal or system error.

Examples:
  tauto policy check evening.yaml
  tauto policy check web.yaml --policy careful
  tauto policy check web.yaml --json | jq .mistakes";

const SHOW_EXAMPLES: &str = "\
Example: tauto policy show load-aware > mine.yaml";

/// What to do with placement policies.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum PolicyCommand {
    /// Read a file of policies, and explain one or report its mistakes
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckPolicyArguments),
    /// Print a built-in policy as a file
    #[command(after_help = SHOW_EXAMPLES)]
    Show {
        /// Its name (see 'tauto policy list')
        name: String,
    },
    /// List the built-in policies
    List,
}

// Options of `tauto policy check`.
#[derive(Debug, Args)]
pub struct CheckPolicyArguments {
    /// The file (docs/policies.md)
    #[arg(value_name = "FILE.yaml")]
    pub file: PathBuf,
    /// Explain this policy of the file instead of the first
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
}
