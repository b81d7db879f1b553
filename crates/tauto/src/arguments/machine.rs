//! What may stand after `tauto machine`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

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
