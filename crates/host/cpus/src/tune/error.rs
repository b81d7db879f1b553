//! Why settings could not be changed or restored at all.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    #[error("cannot {what} {path}")]
    Record { what: &'static str, path: PathBuf, source: io::Error },
    #[error("line {line} of the record {path} {what}")]
    BadRecord {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        what: String,
    },
    #[error("another 'tauto machine tune' or 'restore' is at work (it holds {path})")]
    Busy { path: PathBuf },
    #[error("cannot read /proc/sys/kernel/random/boot_id, to which the record is bound")]
    BootId { source: io::Error },
    #[error("there is no setting '{id}'")]
    UnknownSetting { id: String },
    #[error("the setting '{id}' cannot be changed while the machine runs: {why}")]
    NotTunable { id: String, why: String },
}
