//! The event log, jobs and blobs of a server, in SQLite or PostgreSQL.
//!
//! [`open`] takes the place of writer: there is one for each store. Events are texts that nobody here reads. Calls block;
//! those of PostgreSQL must not be made on a thread of an async runtime.

#![forbid(unsafe_code)]

mod address;
mod blob;
mod chain;
mod error;
mod files;
mod job;
mod lock;
mod log;
mod migrations;
mod postgres;
mod random;
pub mod snapshot;
mod sqlite;

pub use address::*;
pub use blob::*;
pub use error::*;
pub use job::*;
pub use lock::LockedFile;
pub use log::*;

use files::FileBlobs;
use postgres::PostgresBlobs;
use std::path::Path;
use std::sync::Arc;

/// A store that is open for writing.
pub struct Opened {
    /// The log and the jobs: for one thread.
    pub store: Box<dyn Store>,
    /// The blobs: for all threads.
    pub blobs: Arc<dyn Blobs>,
}

/// Opens the blobs of a store alone, beside its server.
///
/// # Errors
///
/// When they cannot be opened.
pub fn open_blobs(address: &StoreAddress) -> Result<Arc<dyn Blobs>, StoreError> {
    Ok(match address {
        StoreAddress::Folder(folder) => Arc::new(FileBlobs::beside(folder)),
        StoreAddress::Postgres(url) => Arc::new(PostgresBlobs::open(url)?),
    })
}

/// Opens a store, makes or migrates its tables, and becomes its writer.
///
/// # Errors
///
/// [`StoreError::Locked`] names the writer if there is one; the others say what cannot be opened.
pub fn open(address: &StoreAddress) -> Result<Opened, StoreError> {
    match address {
        StoreAddress::Folder(folder) => open_folder(folder),
        StoreAddress::Postgres(url) => {
            // First: it makes the tables.
            let store = Box::new(postgres::PostgresStore::open(url)?);
            Ok(Opened { store, blobs: Arc::new(PostgresBlobs::open(url)?) })
        }
    }
}

fn open_folder(folder: &Path) -> Result<Opened, StoreError> {
    snapshot::refuse_unfinished(folder)?;
    let store = sqlite::SqliteStore::open(folder)?;
    let blobs = FileBlobs::open(folder)
        .map_err(|source| StoreError::Unavailable { action: "open the blobs", source: Box::new(source) })?;
    Ok(Opened { store: Box::new(store), blobs: Arc::new(blobs) })
}
