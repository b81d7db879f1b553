//! Arguments of `tauto machine`.

use super::allocate::{ALLOCATE_EXAMPLES, AllocateArguments};
use super::audit::{AUDIT_EXAMPLES, AuditArguments};
use clap::{Args, Subcommand};
use model::CpuSet;
use std::path::PathBuf;
use terminal::values::cpu_list;

const CHECK_EXAMPLES: &str = "\
PASS: causes no timing variance. CAUTION: causes a little, or only when something else happens. FAIL: may cause \
more than one per cent. docs/settings.md explains every setting.

Exit code: 0 if no setting fails, 1 if any does, 2 wrong usage, 3 internal or system error.

Examples:
  tauto machine check
  tauto machine check --housekeeping 0-1
  tauto machine check --json | jq '.settings[] | select(.status == \"fail\")'";

const TUNE_EXAMPLES: &str = "\
Each previous value is recorded in /run/tauto before it is changed; 'tauto machine restore' restores all of them. \
So does a reboot. Settings of the kernel's command line or the firmware are only printed.

Exit code: 0 if all was applied, 1 if the kernel refused something, 2 wrong usage, 3 internal or system error.

Examples:
  tauto machine tune --dry-run
  sudo tauto machine tune
  sudo tauto machine tune --housekeeping 0-1 --except huge-pages
  sudo tauto machine tune --only address-randomisation";

const RESTORE_EXAMPLES: &str = "\
Exit code: 0 if everything is as it was before, or nothing was changed; 1 if something is not, since others have \
changed it or the kernel refuses; 2 wrong usage; 3 internal or system error.";

const TOPOLOGY_EXAMPLES: &str = "\
Exit code: 0, or 2 if a file cannot be read or written or is invalid; 3 internal or system error.

Examples:
  tauto machine topology
  tauto machine topology --svg machine.svg --xml machine.xml
  tauto machine topology --capture my-machine.tar.gz
  tauto machine topology --from my-machine.tar.gz --json | jq -r '.cores[].cpus'";

/// What to do with the machine.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum MachineCommand {
    /// Show packages, caches, NUMA nodes and cores
    #[command(after_help = TOPOLOGY_EXAMPLES)]
    Topology(TopologyArguments),
    /// Check every setting that causes timing variance: its value, its effect, how to fix it
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// Change settings that cause timing variance and can be changed at run time, and record the old values
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(TuneArguments),
    /// Restore every setting that 'tune' has changed, even after a crash
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore(RestoreArguments),
    /// List everything that runs on CPUs, for how long, and how to move it
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit(AuditArguments),
    /// Show which CPUs a run would get, and why, or which moves would make room
    #[command(after_help = ALLOCATE_EXAMPLES)]
    Allocate(Box<AllocateArguments>),
}

// Options of `tauto machine topology`.
#[derive(Debug, Args)]
pub struct TopologyArguments {
    /// Read a recorded machine instead: a folder, a .tar, .tar.gz or .tar.bz2, or hwloc's XML
    #[arg(long, value_name = "TREE|XML")]
    pub from: Option<PathBuf>,
    /// Also draw it into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Also write it as hwloc's XML into this file
    #[arg(long, value_name = "FILE")]
    pub xml: Option<PathBuf>,
    /// Also record the files that were read, into FILE.tar.gz or a new folder
    #[arg(long, value_name = "FILE.tar.gz|DIR")]
    pub capture: Option<PathBuf>,
}

// Options of `tauto machine check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Judge a copy of a machine's /proc and /sys, in this folder, instead of this machine
    #[arg(long, value_name = "TREE")]
    pub from: Option<PathBuf>,
    /// CPUs for everything but timed runs, such as 0-1; by default those not isolated, else the first core
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub housekeeping: Option<CpuSet>,
}

// Options of `tauto machine tune`.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Print what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Change only this setting; can be repeated
    ///
    /// Settings whose change reduces security are changed only if named here.
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// Leave this setting alone; can be repeated
    #[arg(long, value_name = "ID")]
    pub except: Vec<String>,
    /// CPUs for everything but timed runs, such as 0-1; by default those not isolated, else the first core
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub housekeeping: Option<CpuSet>,
}

// Options of `tauto machine restore`.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// Also overwrite values that others have changed since
    #[arg(long)]
    pub force: bool,
}
