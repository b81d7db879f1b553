//! Errors of the benchmark.

use std::io;
use std::path::PathBuf;

/// Why the benchmark could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The caller requested a stop.
    #[error("the benchmark was stopped")]
    Stopped,
    /// A command of MPI is not installed.
    #[error("{0} is not installed here")]
    Missing(&'static str),
    /// A command could not be started.
    #[error("cannot start {what}")]
    Start {
        /// The command.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The program does not compile.
    #[error("mpicc cannot compile the benchmark: {0}")]
    Compile(String),
    /// A file could not be written.
    #[error("cannot write {path}")]
    File {
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program, or MPI, failed.
    #[error("mpirun failed: {0}")]
    Failed(String),
    /// The program did not finish in time.
    #[error("the MPI program was not done after {0} s")]
    TooLong(u64),
    /// Its output is not as expected.
    #[error("the MPI program said what it should not: {0}")]
    Words(String),
}
