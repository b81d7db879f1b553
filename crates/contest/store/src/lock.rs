//! Locks on folders.

use std::fs::File;

/// A file with a lock, which ends when this is dropped.
#[derive(Debug)]
pub struct LockedFile(pub File);

impl Drop for LockedFile {
    /// A process that another thread starts has the file until it begins its program, and would have the lock until then too.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
