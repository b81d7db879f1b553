//! The event log, jobs and blobs of a server, in SQLite or PostgreSQL.
//!
//! [`open`] takes the place of writer: there is one for each store. Events are texts that the store does not read. Calls block;
//! those of PostgreSQL must not be made on a thread of an async runtime.
//!
//! # Files
//!
//! `log.rs` and `blob.rs` have the traits: the log with its transactions and jobs (`job.rs`), and blobs. `sqlite.rs`
//! implements the log (its number as writer comes with the first transaction, so that a store opens on a full disk),
//! `files.rs` the blobs of a folder; `postgres.rs` and its `blobs.rs` do both in PostgreSQL, where `connect.rs` has the
//! writer's connection, `follow.rs` reads what another one writes and takes its place, and `client.rs` gives up one that hangs. `chain.rs` computes the hash of each event from the one
//! before it; `events.rs` of both checks them when the store is opened and wherever events are read. `snapshot.rs`
//! copies log and jobs at one position, and back. `migrations.rs` has the steps from schema to schema. `tests/store` is
//! one suite for both kinds, with a PostgreSQL server of its own.
//!
//! # Invariants
//!
//! - One process writes. It holds a lock, has the highest writer's number in the database, and has read the log to its
//!   end; each transaction checks the last two.
//! - A job leaves the queue in the transaction that appends its result, or by being cancelled. Each lease has a number
//!   of its own, and a job can be finished only under the last one.

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

pub struct Opened {
    /// The log and the jobs: for one thread.
    pub store: Box<dyn Store>,
    /// The blobs: for all threads.
    pub blobs: Arc<dyn Blobs>,
}

/// Opens the blobs of a store alone, while its server runs.
pub fn open_blobs(address: &StoreAddress) -> Result<Arc<dyn Blobs>, StoreError> {
    Ok(match address {
        StoreAddress::Folder(folder) => Arc::new(FileBlobs::for_reading(folder)),
        StoreAddress::Postgres(url) => Arc::new(PostgresBlobs::open(url)?),
    })
}

/// Opens a store, makes or migrates its tables, and becomes its writer.
/// [`StoreError::Locked`] names the present writer.
pub fn open(address: &StoreAddress) -> Result<Opened, StoreError> {
    match address {
        StoreAddress::Folder(folder) => open_folder(folder),
        StoreAddress::Postgres(url) => {
            // First: it makes the tables.
            let store = Box::new(postgres::PostgresStore::open(url, None)?);
            Ok(Opened { store, blobs: Arc::new(PostgresBlobs::open(url)?) })
        }
    }
}

pub struct Followable {
    /// The log: for one thread.
    pub log: Box<dyn Follow>,
    /// The blobs: for all threads.
    pub blobs: Arc<dyn Blobs>,
}

/// Opens a store in PostgreSQL to follow its log, and to become its writer when there is none. `place` is where others reach
/// this server then.
pub fn follow(url: &str, place: WriterPlace) -> Result<Followable, StoreError> {
    let log = Box::new(postgres::PostgresFollower::new(url, place)?);
    Ok(Followable { log, blobs: Arc::new(PostgresBlobs::open(url)?) })
}

fn open_folder(folder: &Path) -> Result<Opened, StoreError> {
    snapshot::refuse_unfinished(folder)?;
    let store = sqlite::SqliteStore::open(folder)?;
    let blobs = FileBlobs::open(folder)
        .map_err(|source| StoreError::Unavailable { action: "open the blobs", source: Box::new(source) })?;
    Ok(Opened { store: Box::new(store), blobs: Arc::new(blobs) })
}
