//! Why a contest is not served.

use crate::host::CONTESTANTS_MAX;
use std::io;
use std::path::PathBuf;
use stream_rules::record::RecordError;

#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("the rules cannot be used")]
    Rules(#[source] stream_rules::RulesError),
    #[error("contestant '{0}' {1}")]
    Contestant(String, String),
    #[error("there are {0} contestants; at most {CONTESTANTS_MAX} have room on the board")]
    Contestants(usize),
    #[error("the record {} cannot be read or written", .0.display())]
    Record(PathBuf, #[source] io::Error),
    #[error("{} is not the record of a contest", .0.display())]
    NoRecord(PathBuf, #[source] RecordError),
    #[error("another server has this contest: it writes {}", .0.display())]
    InUse(PathBuf),
    #[error("a port has no address")]
    Listen(#[source] io::Error),
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}
