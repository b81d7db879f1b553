//! Why a contest is not served.

use crate::host::CONTESTANTS_MAX;
use std::io;
use std::path::PathBuf;
use stream_rules::record::RecordError;

/// Why a contest cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The rules cannot be.
    #[error("the rules cannot be used")]
    Rules(#[source] stream_rules::RulesError),
    /// A contestant cannot be.
    #[error("contestant '{0}' {1}")]
    Contestant(String, String),
    /// More than there may be.
    #[error("there are {0} contestants; at most {CONTESTANTS_MAX} have room on the board")]
    Contestants(usize),
    /// The record cannot be read or written.
    #[error("the record {} cannot be read or written", .0.display())]
    Record(PathBuf, #[source] io::Error),
    /// The file is something else.
    #[error("{} is no record of a contest", .0.display())]
    NoRecord(PathBuf, #[source] RecordError),
    /// Another server writes the record.
    #[error("another server has this contest: it writes {}", .0.display())]
    InUse(PathBuf),
    /// A socket has no address.
    #[error("a port has no address")]
    Listen(#[source] io::Error),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}
