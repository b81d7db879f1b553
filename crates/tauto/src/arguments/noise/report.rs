//! Options of `tauto noise report`.

use clap::Args;
use std::path::PathBuf;

pub(super) const REPORT_EXAMPLES: &str = "\
The page is report.html in the folder, and needs nothing from elsewhere; report.json beside it has the numbers. With \
--before, it says what has changed since then, and whether chance would explain it.

Exit code: 0; 2 if a file cannot be read or holds no profile; 3 our fault.

Examples:
  tauto noise report here.noise
  tauto noise report tuned.noise --before untuned.noise -o what-tuning-did";

/// Options of `tauto noise report`.
#[derive(Debug, Args)]
pub struct NoiseReportArguments {
    /// The profile that 'tauto noise probe -o' wrote
    #[arg(value_name = "P.noise")]
    pub profile: PathBuf,
    /// A profile of the same machine from before something was changed
    #[arg(long, value_name = "Q.noise")]
    pub before: Option<PathBuf>,
    /// Folder for the page
    #[arg(short, long, value_name = "DIR", default_value = "noise-report")]
    pub out: PathBuf,
}
