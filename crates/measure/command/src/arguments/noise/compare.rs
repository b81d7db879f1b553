//! Options of `tauto noise compare`.

use clap::Args;
use std::path::PathBuf;

pub const COMPARE_EXAMPLES: &str = "\
Exit code: 0, whatever the comparison says; 2 if a file is no profile, or no CPU is in both; 3 internal or system error.

Examples:
  tauto noise compare before.noise after.noise
  tauto noise compare --json a.noise b.noise | jq '.rows[] | select(.significant)'";

// Options of `tauto noise compare`.
#[derive(Debug, Args)]
pub struct NoiseCompareArguments {
    /// The first profile
    #[arg(value_name = "A.noise")]
    pub first: PathBuf,
    /// The second one, which is compared with the first
    #[arg(value_name = "B.noise")]
    pub second: PathBuf,
}
