//! Opening: the lock, the settings, the schema. On a full disk a store opens too, as long as nothing must be written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior, params};

use super::{Database, SqliteStore, events, failed, schema_version};
use crate::{LockedFile, StoreError, migrations};

/// A reader, such as a backup, may keep a file busy for a moment.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// As many pages are kept in memory: 64 MiB.
const CACHE_KIB: i64 = 65_536;

impl SqliteStore {
    /// Opens the store in a folder, which is made if it is missing.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        crate::files::make_folder(folder).map_err(StoreError::of_file("make the folder of the store"))?;
        let lock = lock(&folder.join("lock"))?;
        let file = folder.join("contest.sqlite");
        // The journals that SQLite makes get the same rights.
        private(&file).map_err(StoreError::of_file("make the database"))?;
        let mut database = Database::open(&file)?;
        migrate(&mut database.connection, migrations::SQLITE)?;
        events::check_all(&database.connection)?;
        sync_folder(folder)?;
        Ok(Self { file, database: Some(database), writer: None, known: 0, _lock: lock })
    }
}

impl Database {
    /// Opens a file. On a full disk there may be no space for the index that is shared with other processes, and reading needs
    /// an index: it is in memory then, and no other process can read the file.
    pub(super) fn open(file: &Path) -> Result<Self, StoreError> {
        match Self::connect(file, true) {
            Err(StoreError::Full { .. }) => Self::connect(file, false),
            other => other,
        }
    }

    fn connect(file: &Path, is_shared: bool) -> Result<Self, StoreError> {
        let connection = Connection::open(file).map_err(failed("open the database"))?;
        configure(&connection, is_shared).map_err(failed("configure the database"))?;
        Ok(Self { connection, is_shared })
    }
}

/// Opens a file, which is made if it is missing, that only its owner may read: it has hidden results.
fn private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).read(true).write(true).truncate(false).mode(0o600).open(path)
}

/// The lock ends with the process, however it ends.
fn lock(path: &Path) -> Result<LockedFile, StoreError> {
    let failed = StoreError::of_file("lock the folder of the store");
    let mut file = private(path).map_err(&failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let holder = match file.read_to_string(&mut pid) {
                Ok(1..) => format!("process {}", pid.trim()),
                _ => "another process".to_owned(),
            };
            return Err(StoreError::Locked { holder });
        }
        Err(TryLockError::Error(source)) => return Err(failed(source)),
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(&failed)?;
    match writeln!(file, "{}", std::process::id()).map_err(&failed) {
        // The number is only for people; the lock itself needs no space.
        Ok(()) | Err(StoreError::Full { .. }) => Ok(LockedFile(file)),
        Err(error) => Err(error),
    }
}

fn configure(connection: &Connection, is_shared: bool) -> Result<(), rusqlite::Error> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if !is_shared {
        // Before the first access: that decides where the index is.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Each commit is synced before it returns; NORMAL would lose the last ones when the power fails.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

pub(crate) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), StoreError> {
    let found = schema_version(connection).map_err(failed("read the schema's version"))?;
    for (version, sql) in migrations::missing(steps, found)? {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed("migrate the schema"))?;
        let migrate = || {
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY) STRICT",
            )?;
            transaction.execute_batch(sql)?;
            transaction.execute("INSERT INTO schema_version VALUES (?)", params![version])
        };
        migrate().map_err(failed("migrate the schema"))?;
        if version == migrations::SQLITE_CHAINED {
            events::chain_all(&transaction)?;
        }
        transaction.commit().map_err(failed("migrate the schema"))?;
    }
    Ok(())
}

/// Without this, a new file may be missing after the power failed, though its content is synced.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(StoreError::of_file("sync the folder of the store"))
}
