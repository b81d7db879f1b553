//! Why settings could not be changed or restored at all.

use std::io;
use std::path::PathBuf;

/// Why nothing could be done.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The folder or the record in it cannot be used.
    #[error("cannot {what} {path}")]
    Record {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// tauto did not write this record.
    #[error("line {line} of the record {path} {what}")]
    BadRecord {
        /// The record.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// Another process is changing settings.
    #[error("another 'tauto machine tune' or 'restore' is at work (it holds {path})")]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// The boot cannot be identified.
    #[error("cannot read /proc/sys/kernel/random/boot_id, to which the record is bound")]
    BootId {
        /// Why.
        source: io::Error,
    },
    /// There is no such setting.
    #[error("there is no setting '{id}'")]
    UnknownSetting {
        /// What was asked for.
        id: String,
    },
    /// A setting was requested by name that cannot be written.
    #[error("the setting '{id}' cannot be changed while the machine runs: {why}")]
    NotTunable {
        /// What was asked for.
        id: String,
        /// Why, or what else to do.
        why: String,
    },
}
