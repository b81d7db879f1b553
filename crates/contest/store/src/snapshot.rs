//! A copy of a log and its jobs at one position, taken while the server goes on, as a SQLite file; and the way back.

mod postgres;

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use crate::sqlite::{failed, migrate};
use crate::{Blobs, FileBlobs, PostgresBlobs, StoreAddress, StoreError, StoredEvent};

/// Leases of after the copy have numbers that the restored store must not give again: it goes on far above.
const FENCE_GAP: u64 = 1_000_000_000;
/// In a folder to which something is being restored.
const RESTORING: &str = "restoring";
const DATABASE: &str = "contest.sqlite";

/// A snapshot that is open for reading.
pub struct Snapshot {
    connection: Connection,
}

/// Copies the log and the jobs of a store that may be in use into a new file, and syncs it.
///
/// # Errors
///
/// When the store cannot be read, or the file cannot be written.
pub fn take(address: &StoreAddress, file: &Path) -> Result<(), StoreError> {
    match address {
        StoreAddress::Folder(folder) => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(folder.join(DATABASE), flags)
                .map_err(failed("open the database"))?;
            // Within one read transaction, beside which the writer goes on.
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
    File::open(file).and_then(|file| file.sync_all()).map_err(io("sync the copy"))
}

fn new_file(file: &Path) -> Result<Connection, StoreError> {
    let mut connection = Connection::open(file).map_err(failed("make a database"))?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed("make a database"))?;
    migrate(&mut connection)?;
    Ok(connection)
}

fn io(action: &'static str) -> impl Fn(std::io::Error) -> StoreError {
    move |source| match source.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full { action },
        _ => StoreError::Unavailable { action, source: Box::new(source) },
    }
}

impl Snapshot {
    /// Opens a snapshot, and checks the file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is damaged.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(failed("open the copy"))?;
        let check: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .map_err(failed("check the copy"))?;
        if check != "ok" {
            return Err(StoreError::Damaged(check));
        }
        Ok(Self { connection })
    }

    /// Returns up to `max` events after event `after`, in order.
    ///
    /// # Errors
    ///
    /// When they cannot be read, or one is missing.
    pub fn events_after(&self, after: u64, max: usize) -> Result<Vec<StoredEvent>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT seq, body FROM event WHERE seq > ? ORDER BY seq LIMIT ?")
            .map_err(failed("read events"))?;
        let events = statement
            .query_map(params![after, max], |row| Ok(StoredEvent { seq: row.get(0)?, body: row.get(1)? }))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(failed("read events"))?;
        crate::log::check_sequence(after, &events)?;
        Ok(events)
    }
}

/// A store into which a snapshot is restored. It cannot be opened by a server before [`Restoring::finish`].
pub struct Restoring<'a> {
    address: &'a StoreAddress,
    blobs: Box<dyn Blobs>,
}

impl<'a> Restoring<'a> {
    /// Begins, if the store is new or an earlier attempt has not ended.
    ///
    /// # Errors
    ///
    /// When there is something already.
    pub fn begin(address: &'a StoreAddress) -> Result<Self, StoreError> {
        let is_there = |what: String| StoreError::Unavailable { action: "restore", source: what.into() };
        let blobs: Box<dyn Blobs> = match address {
            StoreAddress::Folder(folder) => {
                crate::files::make_folder(folder).map_err(io("make the folder"))?;
                let mut entries = std::fs::read_dir(folder).map_err(io("read the folder"))?;
                if entries.next().is_some() && !folder.join(RESTORING).exists() {
                    return Err(is_there(format!("{} is not empty", folder.display())));
                }
                let mark = File::create(folder.join(RESTORING)).and_then(|file| file.sync_all());
                mark.map_err(io("mark the folder"))?;
                let blobs = FileBlobs::open(folder);
                Box::new(blobs.map_err(|source| is_there(source.to_string()))?)
            }
            StoreAddress::Postgres(url) => {
                postgres::check_empty(url)?;
                Box::new(PostgresBlobs::open(url)?)
            }
        };
        Ok(Self { address, blobs })
    }

    /// Returns where contents go.
    pub fn blobs(&self) -> &dyn Blobs {
        self.blobs.as_ref()
    }

    /// Restores the log up to event `until`; with the jobs if that is the end.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn finish(self, file: &Path, until: u64, with_jobs: bool) -> Result<(), StoreError> {
        match self.address {
            StoreAddress::Folder(folder) => {
                let new = folder.join(format!("{DATABASE}.new"));
                for suffix in ["", "-wal", "-journal", "-shm"] {
                    let _ = std::fs::remove_file(format!("{}{suffix}", new.display()));
                }
                std::fs::copy(file, &new).map_err(io("copy the database"))?;
                cut(&new, until, with_jobs).map_err(failed("write the database"))?;
                File::open(&new).and_then(|file| file.sync_all()).map_err(io("sync the database"))?;
                std::fs::rename(&new, folder.join(DATABASE)).map_err(io("rename the database"))?;
                sync(folder)?;
                std::fs::remove_file(folder.join(RESTORING)).map_err(io("end restoring"))?;
                sync(folder)
            }
            StoreAddress::Postgres(url) => postgres::write_from(url, file, until, with_jobs, FENCE_GAP),
        }
    }
}

fn cut(file: &Path, until: u64, with_jobs: bool) -> Result<(), rusqlite::Error> {
    use std::os::unix::fs::PermissionsExt;
    // It has hidden results.
    let _ = std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600));
    let connection = Connection::open(file)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute("DELETE FROM event WHERE seq > ?", params![until])?;
    connection.execute("UPDATE fence SET last = last + ?", params![FENCE_GAP])?;
    if !with_jobs {
        connection.execute("DELETE FROM job", [])?;
    }
    Ok(())
}

fn sync(folder: &Path) -> Result<(), StoreError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io("sync the folder"))
}

/// Refuses a folder in which a restore has not ended.
pub(crate) fn refuse_unfinished(folder: &Path) -> Result<(), StoreError> {
    if folder.join(RESTORING).exists() {
        return Err(StoreError::Damaged(
            "a restore into this folder has not ended: restore again".to_owned(),
        ));
    }
    Ok(())
}
