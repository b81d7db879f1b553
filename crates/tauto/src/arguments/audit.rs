//! What may stand after `tauto machine audit`.

use super::cpu_list;
use clap::{Args, value_parser};
use model::CpuSet;

/// Longer than this the kernel's buffers do not last.
const SECONDS_MAX: i64 = 3600;

pub(super) const AUDIT_EXAMPLES: &str = "\
With CMD it runs in the sandbox, as with 'tauto run', and is told apart from the others: the table says what \
they took from it, and a second table where each of its threads ran. What CMD prints goes to standard error.

Root is needed for the kernel's events; without them it is an estimate from counters, and says so. \
docs/audit.md says what is seen and what is not.

Exit code: 0, or 1 if CMD did not exit with 0; 2 wrong usage, or CMD was not found; 3 our fault.

Examples:
  sudo tauto machine audit --cpus 2-3 --seconds 10
  sudo tauto machine audit --cpus 3 -- ./a.out
  sudo tauto machine audit --json -- ./a.out | jq '.audit.findings[] | select(.taken_from_run_ns > 0)'";

/// Options of `tauto machine audit`.
#[derive(Debug, Args)]
pub struct AuditArguments {
    /// Watch these CPUs, such as 2-3, and keep CMD on them; by default all that are allowed here
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub cpus: Option<CpuSet>,
    /// How long to watch: 5 unless CMD is given, which is else watched to its end
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=SECONDS_MAX))]
    pub seconds: Option<u32>,
    /// Watch by counters only, as where the kernel tells no events
    #[arg(long)]
    pub estimate: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}
