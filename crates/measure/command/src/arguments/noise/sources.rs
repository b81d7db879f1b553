//! Options of `tauto noise sources`.

use super::trace::TraceArguments;
use clap::Args;
use std::path::PathBuf;

pub const SOURCES_EXAMPLES: &str = "\
A source is periodic (Hz x us) or not. For each, the kernel's counters over the same time say what it is, or that it \
comes from outside this kernel. docs/noise-sources.md says how, docs/noise-import.md which traces are read.

Exit code: 0; 2 if the file cannot be read or holds no profile; 3 internal or system error.

Examples:
  tauto noise sources here.noise
  tauto noise sources osnoise_trace.txt
  tauto noise sources here.noise --csv > sources.csv
  tauto noise sources here.noise --json | jq '.cpus[].sources[] | select(.kind == \"periodic\")'";

// Options of `tauto noise sources`.
#[derive(Debug, Args)]
pub struct NoiseSourcesArguments {
    /// Profile written by 'tauto noise probe -o', or a trace of osnoise, timerlat, sysjitter, netgauge, FTQ or FWQ
    #[arg(value_name = "P.noise")]
    pub profile: PathBuf,
    /// As for a trace of another program.
    #[command(flatten)]
    pub trace: TraceArguments,
    /// Print comma-separated values, a line for each source
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}
