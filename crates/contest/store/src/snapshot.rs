//! A copy of a log and its jobs at one position, taken while the server goes on, as a SQLite file; and the way back.

mod folder;
mod guard;
mod postgres;

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use crate::sqlite::{events_after, failed, migrate, schema_version, sync_folder};
use crate::{
    BlobError, Blobs, FileBlobs, PostgresBlobs, StoreAddress, StoreError, StoredEvent, chain, migrations,
};

/// Leases of after the copy have numbers that the restored store must not give again: it goes on far above.
const FENCE_GAP: u64 = 1_000_000_000;
const DATABASE: &str = "contest.sqlite";

pub struct Snapshot {
    connection: Connection,
    /// Whether its events have hashes: a copy by an earlier release has none.
    is_chained: bool,
}

/// Copies the log and the jobs of a store that may be in use into a new file, and syncs it.
pub fn take(address: &StoreAddress, file: &Path) -> Result<(), StoreError> {
    match address {
        StoreAddress::Folder(folder) => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(folder.join(DATABASE), flags)
                .map_err(failed("open the database"))?;
            // Within one read transaction, while the writer goes on.
            let copy = || {
                connection.busy_timeout(crate::sqlite::BUSY_TIMEOUT)?;
                connection.execute("VACUUM INTO ?", params![file.to_string_lossy()])
            };
            copy().map_err(failed("copy the database"))?;
        }
        StoreAddress::Postgres(url) => {
            let mut connection = new_file(file)?;
            postgres::read_into(url, &mut connection)?;
        }
    }
    let connection = Connection::open(file).map_err(failed("open the copy"))?;
    // Nobody has a lease on what is restored. Checkpoints are made again.
    let clean = "UPDATE job SET host = NULL, lease_until_ms = 0; DELETE FROM checkpoint; VACUUM";
    connection.execute_batch(clean).map_err(failed("clean the copy"))?;
    drop(connection);
    File::open(file).and_then(|file| file.sync_all()).map_err(StoreError::of_file("sync the copy"))
}

fn new_file(file: &Path) -> Result<Connection, StoreError> {
    let mut connection = Connection::open(file).map_err(failed("make a database"))?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed("make a database"))?;
    migrate(&mut connection, migrations::SQLITE)?;
    Ok(connection)
}

impl Snapshot {
    /// Opens a snapshot, and checks the file, which need not be made by this program.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let length = std::fs::metadata(file).map_err(StoreError::of_file("open the copy"))?.len();
        let mut connection = guard::open_to_read(file)?;
        guard::check_pages(&mut connection, length)?;
        let snapshot = Self::of(connection)?;
        if snapshot.is_chained {
            let select = "SELECT (SELECT coalesce(max(seq), 0) FROM event), head FROM writer";
            let read = snapshot.connection.query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?)));
            let (last, head) = read.map_err(failed("read the copy"))?;
            chain::ends(last, head)?;
        }
        Ok(snapshot)
    }

    fn of(connection: Connection) -> Result<Self, StoreError> {
        let version = schema_version(&connection).map_err(failed("read the copy's schema"))?;
        Ok(Self { connection, is_chained: version >= migrations::SQLITE_CHAINED })
    }

    /// Returns up to `max` events after event `after`, in order.
    pub fn events_after(&self, after: u64, max: usize) -> Result<Vec<StoredEvent>, StoreError> {
        if self.is_chained {
            return events_after(&self.connection, after, max);
        }
        let mut statement = self
            .connection
            .prepare_cached("SELECT seq, body FROM event WHERE seq > ? ORDER BY seq LIMIT ?")
            .map_err(failed("read events"))?;
        let events = statement
            .query_map(params![after, max], |row| Ok(StoredEvent { seq: row.get(0)?, body: row.get(1)? }))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(failed("read events"))?;
        match (after + 1..).zip(&events).find(|(expected, event)| event.seq != *expected) {
            Some((expected, event)) => Err(chain::missing(expected, event.seq)),
            None => Ok(events),
        }
    }
}

/// A store into which a snapshot is restored. It cannot be opened by a server before [`Restoring::finish`].
pub struct Restoring<'a> {
    address: &'a StoreAddress,
    blobs: Box<dyn Blobs>,
    mark: Option<folder::Mark>,
}

impl<'a> Restoring<'a> {
    /// Begins, if the store is new or an earlier attempt has not ended.
    pub fn begin(address: &'a StoreAddress) -> Result<Self, StoreError> {
        match address {
            StoreAddress::Folder(folder) => {
                let mark = folder::Mark::begin(folder)?;
                let blobs = FileBlobs::open(folder);
                let failed =
                    |source: BlobError| StoreError::Unavailable { action: "restore", source: source.into() };
                Ok(Self { address, blobs: Box::new(blobs.map_err(failed)?), mark: Some(mark) })
            }
            StoreAddress::Postgres(url) => {
                postgres::check_empty(url)?;
                Ok(Self { address, blobs: Box::new(PostgresBlobs::open(url)?), mark: None })
            }
        }
    }

    /// Returns where contents go.
    pub fn blobs(&self) -> &dyn Blobs {
        self.blobs.as_ref()
    }

    /// Restores the log up to event `until`; with the jobs if that is the end.
    pub fn finish(self, file: &Path, until: u64, with_jobs: bool) -> Result<(), StoreError> {
        match self.address {
            StoreAddress::Folder(folder) => {
                let new = folder.join(format!("{DATABASE}.new"));
                for suffix in ["", "-wal", "-journal", "-shm"] {
                    let _ = std::fs::remove_file(format!("{}{suffix}", new.display()));
                }
                folder::copy(file, &new).map_err(StoreError::of_file("copy the database"))?;
                cut(&new, until, with_jobs)?;
                File::open(&new)
                    .and_then(|file| file.sync_all())
                    .map_err(StoreError::of_file("sync the database"))?;
                std::fs::rename(&new, folder.join(DATABASE))
                    .map_err(StoreError::of_file("rename the database"))?;
                sync_folder(folder)?;
                self.mark.map_or(Ok(()), folder::Mark::end)?;
                sync_folder(folder)
            }
            StoreAddress::Postgres(url) => postgres::write_from(url, file, until, with_jobs, FENCE_GAP),
        }
    }
}

fn cut(file: &Path, until: u64, with_jobs: bool) -> Result<(), StoreError> {
    let connection = guard::open_to_write(file)?;
    let cut = || {
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute("DELETE FROM event WHERE seq > ?", params![until])?;
        connection.execute("UPDATE fence SET last = last + ?", params![FENCE_GAP])?;
        if schema_version(&connection)? >= migrations::SQLITE_CHAINED {
            connection.execute("UPDATE writer SET head = (SELECT coalesce(max(seq), 0) FROM event)", [])?;
        }
        if !with_jobs {
            connection.execute("DELETE FROM job", [])?;
        }
        Ok::<_, rusqlite::Error>(())
    };
    cut().map_err(failed("write the database"))
}

/// Refuses a folder in which a restore has not ended.
pub(crate) fn refuse_unfinished(folder: &Path) -> Result<(), StoreError> {
    if folder::is_marked(folder) {
        return Err(StoreError::Damaged(
            "a restore into this folder has not ended: restore again".to_owned(),
        ));
    }
    Ok(())
}
