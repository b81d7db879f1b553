//! Errors in a machine's description.

use std::path::PathBuf;

/// Why a topology could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// A requested file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A requested file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A folder or archive without a machine's files.
    #[error(
        "{} is not a recorded machine: expected a folder or archive with sys/devices/system/cpu or proc/cpuinfo in it, \
         or hwloc's XML",
        path.display()
    )]
    NotAMachine {
        /// Its path.
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
    /// No file lists CPUs.
    #[error("{name} tells of no CPU; expected sys/devices/system/cpu/online or proc/cpuinfo{}", and_left_out(.left_out))]
    NoCpus {
        /// Where CPUs were searched.
        name: String,
        /// What was ignored as implausible.
        left_out: Vec<String>,
    },
    /// A text is not XML.
    #[error("{name} is not well-formed XML")]
    XmlSyntax {
        /// The file.
        name: String,
        /// The parser's error, with line and column.
        source: roxmltree::Error,
    },
    /// The XML is not hwloc's, or invalid.
    #[error("{name}, line {line}: {what}")]
    XmlContent {
        /// The file.
        name: String,
        /// The line, from 1.
        line: u32,
        /// What was found and what was expected.
        what: String,
    },
    /// hwloc's XML is a tree, and this machine is not one.
    #[error(
        "{what} shares CPUs with another without one being inside the other, which hwloc's XML cannot say; --json can"
    )]
    NotATree {
        /// The domains that overlap.
        what: String,
    },
}

fn and_left_out(warnings: &[String]) -> String {
    warnings.iter().map(|warning| format!("; {warning}")).collect()
}
