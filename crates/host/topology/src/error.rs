//! Errors in a machine's description.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error(
        "{} is not a recorded machine: expected a folder or archive with sys/devices/system/cpu or proc/cpuinfo in it, \
         or hwloc's XML",
        path.display()
    )]
    NotAMachine { path: PathBuf },
    #[error("{} has more than {limit}; no machine's description needs as much", path.display())]
    TooLarge { path: PathBuf, limit: &'static str },
    #[error("{name} lists no CPU; expected sys/devices/system/cpu/online or proc/cpuinfo{}", and_left_out(.left_out))]
    NoCpus { name: String, left_out: Vec<String> },
    #[error("{name} is not well-formed XML")]
    XmlSyntax { name: String, source: roxmltree::Error },
    #[error("{name}, line {line}: {what}")]
    XmlContent {
        name: String,
        /// The line, from 1.
        line: u32,
        what: String,
    },
    #[error(
        "{what} shares CPUs with another without one being inside the other, which hwloc's XML cannot express; --json can"
    )]
    NotATree { what: String },
}

fn and_left_out(warnings: &[String]) -> String {
    warnings.iter().map(|warning| format!("; {warning}")).collect()
}
