//! Changes settings so that the same code takes the same time, and restores them exactly.
//!
//! A [`Plan`] lists what would be written. [`Tuner::apply`] writes it, after it has recorded the previous values;
//! [`Tuner::restore`] reads the record and restores them, even after a crash between any two writes. No setting
//! survives a reboot, so a record is bound to its boot.

mod apply;
mod error;
mod kernel_files;
mod plan;
mod record;
mod restore;

#[cfg(test)]
mod tests;

pub use error::TuneError;
pub use kernel_files::Writer;
pub use plan::{Plan, Selection, Step};
pub use restore::{Restoration, Restored};

use kernel_files::KernelFiles;
use record::{Journal, Lock};
use std::path::{Path, PathBuf};
use system::Roots;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was written, and the file has that value.
    Applied,
    /// The file had that value already, because of an earlier step of the same plan.
    AlreadyThere,
    /// It was written, but the kernel shows another value.
    Adjusted(String),
    Refused(String),
}

/// Changes settings and restores them; one at a time on a machine.
pub struct Tuner<'w> {
    files: KernelFiles<'w>,
    boot_id: String,
    record: PathBuf,
    _lock: Lock,
}

impl<'w> Tuner<'w> {
    /// Takes the lock in the folder `state`, which then holds the record.
    ///
    /// # Errors
    /// When the folder cannot be written, another process changes settings, or the boot is not known.
    pub fn open(roots: &Roots, state: &Path) -> Result<Self, TuneError> {
        Self::with_writer(roots, state, Box::new(kernel_files::write))
    }

    /// Returns the same with another way to write files, for tests that stop in between or simulate the kernel.
    pub fn with_writer(roots: &Roots, state: &Path, writer: Writer<'w>) -> Result<Self, TuneError> {
        let files = KernelFiles::new(roots.clone(), writer);
        let boot_id =
            files.read("/proc/sys/kernel/random/boot_id").map_err(|source| TuneError::BootId { source })?;
        let lock = Lock::take(state)?;
        Ok(Self { files, boot_id, record: state.join(record::FILE_NAME), _lock: lock })
    }

    /// Opens the record if it is of this boot.
    fn journal(&self) -> Result<Option<Journal>, TuneError> {
        Journal::read(&self.record, &self.boot_id)
    }
}
