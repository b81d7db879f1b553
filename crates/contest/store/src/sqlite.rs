//! A store in a folder: one SQLite file.

mod events;
mod jobs;
mod open;

pub(crate) use events::events_after;
pub(crate) use open::{BUSY_TIMEOUT, migrate, sync_folder};

use std::path::PathBuf;

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, ffi, params};

use crate::LockedFile;
use crate::chain::{self, Link};
use crate::{
    BlobHash, CancelledJob, Checkpoint, Claim, ClaimedJob, JobCount, JobId, Lease, ListedJob, NewJob, Store,
    StoreError, StoreTransaction, StoredEvent,
};

pub struct SqliteStore {
    file: PathBuf,
    /// Opened again when it is absent.
    database: Option<Database>,
    /// This writer's number, which the first transaction takes: on a full disk a store opens without one.
    writer: Option<u64>,
    known: u64,
    _lock: LockedFile,
}

struct Database {
    connection: Connection,
    /// Whether other processes can read the file meanwhile.
    is_shared: bool,
}

struct SqliteTransaction<'a> {
    transaction: Transaction<'a>,
    head: u64,
    link: Link,
}

/// Returns how to turn SQLite's errors into ours.
pub(crate) fn failed(action: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { action },
        _ if is_index_too_short(&error) => StoreError::Full { action },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged(format!("SQLite cannot {action}: {error}"))
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::CannotOpen) => {
            StoreError::Unavailable { action, source: Box::new(error) }
        }
        _ => StoreError::Database { action, source: Box::new(error) },
    }
}

/// The index of SQLite's log is a file, which gets its space when it is mapped.
fn is_index_too_short(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_SHMSIZE)
}

impl SqliteStore {
    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        let database = match self.database.take() {
            Some(database) => database,
            None => Database::open(&self.file)?,
        };
        Ok(&mut self.database.insert(database).connection)
    }

    /// Something was written, so there is space: a file that no other process can read is opened again.
    fn share(&mut self) {
        self.database.take_if(|database| !database.is_shared);
    }
}

/// Does one transaction, and returns the writer's number and the last event.
fn transact(
    connection: &mut Connection,
    own: Option<u64>,
    known: u64,
    work: &mut dyn FnMut(&mut dyn StoreTransaction) -> Result<(), StoreError>,
) -> Result<(u64, u64), StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed("begin a transaction"))?;
    if own.is_none() {
        transaction
            .execute("UPDATE writer SET number = number + 1", [])
            .map_err(failed("become the writer"))?;
    }
    let (writer, head, last, hash): (u64, u64, u64, Vec<u8>) = transaction
        .prepare_cached(
            "SELECT number, head, (SELECT coalesce(max(seq), 0) FROM event),
                 coalesce((SELECT hash FROM event WHERE seq = head), zeroblob(32)) FROM writer",
        )
        .and_then(|mut statement| {
            statement.query_one([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        })
        .map_err(failed("read the writer's number"))?;
    if own.is_some_and(|own| own != writer) {
        return Err(StoreError::Fenced);
    }
    chain::ends(last, head)?;
    if head != known {
        return Err(StoreError::Behind { known, head });
    }
    let mut open = SqliteTransaction { transaction, head, link: chain::stored(&hash, head)? };
    work(&mut open)?;
    if open.head != head {
        open.transaction
            .prepare_cached("UPDATE writer SET head = ?")
            .and_then(|mut statement| statement.execute([open.head]))
            .map_err(failed("append events"))?;
    }
    let SqliteTransaction { transaction, head, .. } = open;
    transaction.commit().map_err(|error| match error.sqlite_error_code() {
        // What was written may be on the disk although writing failed.
        Some(ErrorCode::SystemIoFailure) => StoreError::Unknown { source: Box::new(error) },
        _ => failed("commit")(error),
    })?;
    Ok((writer, head))
}

impl Store for SqliteStore {
    fn transact(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StoreTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (own, known) = (self.writer, self.known);
        let (writer, head) = transact(self.connection()?, own, known, work)?;
        (self.writer, self.known) = (Some(writer), head);
        self.share();
        Ok(())
    }

    fn events_after(&mut self, after: u64, max: usize) -> Result<Vec<StoredEvent>, StoreError> {
        let connection = self.connection()?;
        let events = events_after(connection, after, max)?;
        let last = events.last().map_or(after, |event| event.seq);
        let head = connection
            .query_row("SELECT coalesce(max(seq), 0) FROM event", [], |row| row.get(0))
            .map_err(failed("read events"))?;
        self.known = self.known.max(last.min(head));
        Ok(events)
    }

    fn checkpoint(&mut self, version: u32) -> Result<Option<Checkpoint>, StoreError> {
        let mut statement = self
            .connection()?
            .prepare_cached(
                "SELECT seq, hash, bytes FROM checkpoint
                 WHERE version = ? AND seq <= (SELECT coalesce(max(seq), 0) FROM event) ORDER BY seq DESC",
            )
            .map_err(failed("read checkpoints"))?;
        let mut rows = statement.query([version]).map_err(failed("read checkpoints"))?;
        while let Some(row) = rows.next().map_err(failed("read checkpoints"))? {
            let read = || Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Vec<u8>>(2)?));
            let (seq, hash, bytes) = read().map_err(failed("read a checkpoint"))?;
            if BlobHash::of(&bytes).0[..] == hash {
                return Ok(Some(Checkpoint { seq, version, bytes }));
            }
        }
        Ok(None)
    }

    fn keep_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let transaction = self
            .connection()?
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed("begin a transaction"))?;
        let write = || {
            let hash = BlobHash::of(&checkpoint.bytes).0;
            transaction.execute(
                "INSERT OR REPLACE INTO checkpoint (seq, version, hash, bytes) VALUES (?, ?, ?, ?)",
                params![checkpoint.seq, checkpoint.version, hash, checkpoint.bytes],
            )?;
            transaction.execute(
                "DELETE FROM checkpoint
                 WHERE seq NOT IN (SELECT seq FROM checkpoint ORDER BY seq DESC LIMIT 2)",
                [],
            )
        };
        write().map_err(failed("write a checkpoint"))?;
        transaction.commit().map_err(failed("write a checkpoint"))
    }

    fn job_counts(&mut self, now_ms: i64) -> Result<Vec<JobCount>, StoreError> {
        jobs::counts(self.connection()?, now_ms).map_err(failed("count jobs"))
    }

    fn jobs(&mut self, skip: usize, max: usize) -> Result<Vec<ListedJob>, StoreError> {
        jobs::list(self.connection()?, skip, max).map_err(failed("list jobs"))
    }

    fn check(&mut self) -> Result<(), StoreError> {
        let connection = self.connection()?;
        // A number that nothing else uses, and another one each time: what does not change is not written.
        let number = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0));
        let written = number.and_then(|number| connection.pragma_update(None, "user_version", number ^ 1));
        written.map_err(failed("write to the store"))?;
        self.share();
        Ok(())
    }

    fn now_ms(&mut self) -> Result<Option<i64>, StoreError> {
        Ok(None)
    }
}

impl StoreTransaction for SqliteTransaction<'_> {
    fn append(&mut self, bodies: &[String]) -> Result<u64, StoreError> {
        let first = self.head + 1;
        let mut statement = self
            .transaction
            .prepare_cached("INSERT INTO event (seq, body, hash) VALUES (?, ?, ?)")
            .map_err(failed("append events"))?;
        for body in bodies {
            let seq = self.head + 1;
            let link = chain::link(&self.link, seq, body.as_bytes());
            statement.execute(params![seq, body, link]).map_err(failed("append events"))?;
            (self.head, self.link) = (seq, link);
        }
        Ok(first)
    }

    fn add_jobs(&mut self, added: &[NewJob]) -> Result<(), StoreError> {
        jobs::add(&self.transaction, added).map_err(failed("add jobs"))
    }

    fn cancel_jobs(&mut self, cancelled: &[JobId]) -> Result<Vec<CancelledJob>, StoreError> {
        jobs::cancel(&self.transaction, cancelled).map_err(failed("cancel jobs"))
    }

    fn claim(&mut self, claim: &Claim) -> Result<Vec<ClaimedJob>, StoreError> {
        jobs::claim(&self.transaction, claim).map_err(failed("claim jobs"))
    }

    fn holds(&mut self, host: &str, leases: &[Lease]) -> Result<Vec<bool>, StoreError> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT 1 FROM job WHERE id = ? AND fence = ? AND host = ?")
            .map_err(failed("check leases"))?;
        let mut holds = |lease: &Lease| statement.exists(params![lease.job.0, lease.fence.0, host]);
        leases.iter().map(|lease| holds(lease).map_err(failed("check leases"))).collect()
    }

    fn finish(&mut self, leases: &[Lease]) -> Result<Vec<bool>, StoreError> {
        jobs::change_current(
            &self.transaction,
            "DELETE FROM job WHERE id = ? AND fence = ? AND host IS NOT NULL",
            leases,
            &[],
        )
        .map_err(failed("finish jobs"))
    }

    fn give_back(&mut self, leases: &[Lease], not_before_ms: i64) -> Result<Vec<bool>, StoreError> {
        jobs::change_current(
            &self.transaction,
            "UPDATE job SET host = NULL, lease_until_ms = 0, not_before_ms = ?3
             WHERE id = ?1 AND fence = ?2 AND host IS NOT NULL",
            leases,
            &[&not_before_ms],
        )
        .map_err(failed("give jobs back"))
    }

    fn give_back_all(&mut self, host: &str, not_before_ms: i64) -> Result<Vec<JobId>, StoreError> {
        jobs::give_back_all(&self.transaction, host, not_before_ms).map_err(failed("give jobs back"))
    }

    fn extend(&mut self, host: &str, leases: &[Lease], until_ms: i64) -> Result<Vec<bool>, StoreError> {
        jobs::change_current(
            &self.transaction,
            "UPDATE job SET lease_until_ms = ?3 WHERE id = ?1 AND fence = ?2 AND host = ?4",
            leases,
            &[&until_ms, &host],
        )
        .map_err(failed("extend leases"))
    }
}

/// Returns the version of the schema, 0 for an empty file.
pub(crate) fn schema_version(connection: &Connection) -> Result<u32, rusqlite::Error> {
    let is_there = connection
        .query_row("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'", [], |_| Ok(()))
        .optional()?;
    if is_there.is_none() {
        return Ok(0);
    }
    connection.query_row("SELECT coalesce(max(version), 0) FROM schema_version", [], |row| row.get(0))
}
