//! What can be wrong with a machine's description.

use std::path::PathBuf;

/// The reason why a topology could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// A file or folder that was asked for cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// What was asked for.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file that was asked for cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// What was asked for.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A folder or archive without anything of a machine.
    #[error(
        "{} is not a recorded machine: expected a folder or archive with sys/devices/system/cpu or proc/cpuinfo in it, \
         or hwloc's XML",
        path.display()
    )]
    NotAMachine {
        /// What was asked for.
        path: PathBuf,
    },
    /// An archive is larger than any machine's description.
    #[error("{} has more than {limit}; no machine's description needs as much", path.display())]
    TooLarge {
        /// The archive or file.
        path: PathBuf,
        /// The limit in words.
        limit: &'static str,
    },
    /// No file says which CPUs there are.
    #[error("{name} tells of no CPU; expected sys/devices/system/cpu/online or proc/cpuinfo{}", and_left_out(.left_out))]
    NoCpus {
        /// Where was looked.
        name: String,
        /// What was there and could not be believed.
        left_out: Vec<String>,
    },
    /// A text is not XML.
    #[error("{name} is not well-formed XML")]
    XmlSyntax {
        /// The file.
        name: String,
        /// What the parser stumbled on, with line and column.
        source: roxmltree::Error,
    },
    /// XML that does not say what hwloc's does.
    #[error("{name}, line {line}: {what}")]
    XmlContent {
        /// The file.
        name: String,
        /// From 1.
        line: u32,
        /// What was found, what was expected.
        what: String,
    },
    /// hwloc's XML is a tree, which this machine is not.
    #[error(
        "{what} shares CPUs with another without one being inside the other, which hwloc's XML cannot say; --json can"
    )]
    NotATree {
        /// What crosses.
        what: String,
    },
}

fn and_left_out(warnings: &[String]) -> String {
    warnings.iter().map(|warning| format!("; {warning}")).collect()
}
