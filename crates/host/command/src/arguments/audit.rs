//! Arguments of `tauto machine audit`.

use clap::{Args, value_parser};
use model::CpuSet;
use terminal::values::cpu_list;

/// The kernel's buffers do not last longer.
const SECONDS_MAX: i64 = 3600;

pub const AUDIT_EXAMPLES: &str = "\
CMD runs in the sandbox, as with 'tauto run'. The table says how much time the others took from it, a second table \
on which CPUs each of its threads ran. The output of CMD goes to standard error.

The kernel's events need root; without them the result is an estimate from counters, and says so. \
docs/audit.md explains what can be seen and what cannot.

Exit code: 0, or 1 if CMD did not exit with 0; 2 wrong usage, or CMD was not found; 3 internal or system error.

Examples:
  sudo tauto machine audit --cpu-list 2-3 --seconds 10
  sudo tauto machine audit --cpu-list 3 -- ./a.out
  sudo tauto machine audit --json -- ./a.out | jq '.audit.findings[] | select(.taken_from_run_ns > 0)'";

// Options of `tauto machine audit`.
#[derive(Debug, Args)]
pub struct AuditArguments {
    /// Watch these CPUs, such as 2-3, and keep CMD on them; by default all that are allowed here
    #[arg(long = "cpu-list", value_name = "LIST", value_parser = cpu_list)]
    pub cpus: Option<CpuSet>,
    /// Seconds to watch; by default 5, with CMD until its end
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=SECONDS_MAX))]
    pub seconds: Option<u32>,
    /// Use counters only, as if the kernel had no events
    #[arg(long)]
    pub estimate: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}
