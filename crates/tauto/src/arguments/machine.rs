//! What may stand after `tauto machine`.

use super::allocate::{ALLOCATE_EXAMPLES, AllocateArguments};
use super::audit::{AUDIT_EXAMPLES, AuditArguments};
use super::cpu_list;
use clap::{Args, Subcommand};
use model::CpuSet;
use std::path::PathBuf;

const CHECK_EXAMPLES: &str = "\
PASS: does not spread times. CAUTION: a little, or only when something else happens. FAIL: may spread them by \
more than one per cent. docs/settings.md explains every setting.

Exit code: 0 if no setting fails, 1 if any does, 2 wrong usage, 3 our fault.

Examples:
  tauto machine check
  tauto machine check --housekeeping 0-1
  tauto machine check --json | jq '.settings[] | select(.status == \"fail\")'";

const TUNE_EXAMPLES: &str = "\
Each value is put on record in /run/tauto before it is changed; 'tauto machine restore' brings all of them back. \
So does a restart of the machine. What needs the kernel's command line or the firmware is printed.

Exit code: 0 if all was applied, 1 if the kernel refused something, 2 wrong usage, 3 our fault.

Examples:
  tauto machine tune --dry-run
  sudo tauto machine tune
  sudo tauto machine tune --housekeeping 0-1 --except huge-pages
  sudo tauto machine tune --only address-randomisation";

const RESTORE_EXAMPLES: &str = "\
Exit code: 0 if everything is as it was before, or nothing was changed; 1 if something is not, since others have \
changed it or the kernel refuses; 2 wrong usage; 3 our fault.";

const TOPOLOGY_EXAMPLES: &str = "\
Exit code: 0, or 2 if a file cannot be read or written or holds what it should not; 3 our fault.

Examples:
  tauto machine topology
  tauto machine topology --svg machine.svg --xml machine.xml
  tauto machine topology --capture my-machine.tar.gz
  tauto machine topology --from my-machine.tar.gz --json | jq -r '.cores[].cpus'";

/// What to do with the machine.
#[derive(Debug, Subcommand)]
pub enum MachineCommand {
    /// Show how processors and memory lie to each other
    #[command(after_help = TOPOLOGY_EXAMPLES)]
    Topology(TopologyArguments),
    /// Judge every setting that spreads times: what it is, what it costs, how to mend it
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// Change what spreads times and can be changed now, so that it can be brought back
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(TuneArguments),
    /// Bring back every setting that 'tune' has changed, also after a crash
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore(RestoreArguments),
    /// Name everyone who runs on CPUs, how long, and how to move them
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit(AuditArguments),
    /// Say which CPUs a run would be granted, and why, or what moves would make room
    #[command(after_help = ALLOCATE_EXAMPLES)]
    Allocate(Box<AllocateArguments>),
}

/// Options of `tauto machine topology`.
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

/// Options of `tauto machine check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Judge a copy of a machine's /proc and /sys, in this folder, instead of this machine
    #[arg(long, value_name = "TREE")]
    pub from: Option<PathBuf>,
    /// CPUs for everything but timed runs, such as 0-1; by default those not isolated, else the first core
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub housekeeping: Option<CpuSet>,
}

/// Options of `tauto machine tune`.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Print what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Change only this setting; can be given again
    ///
    /// Settings whose change has a price in security are changed only if named here.
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// Leave this setting alone; can be given again
    #[arg(long, value_name = "ID")]
    pub except: Vec<String>,
    /// CPUs for everything but timed runs, such as 0-1; by default those not isolated, else the first core
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub housekeeping: Option<CpuSet>,
}

/// Options of `tauto machine restore`.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// Overwrite also what others have changed since
    #[arg(long)]
    pub force: bool,
}
