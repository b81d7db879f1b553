//! Opening an untrusted SQLite file: no code in it runs, and checking it ends.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::sqlite::{failed, migrate};
use crate::{StoreError, migrations};

/// A small file is checked within this time on any machine.
const CHECK_WITHIN: Duration = Duration::from_secs(60);
/// Slow disks read more than this in each second.
const BYTES_PER_SECOND: u64 = 2 << 20;
/// Steps of SQLite's machine between two checks of the time.
const STEPS: i32 = 10_000;

/// Kind, name, table and definition of something in a schema.
type Entry = (String, String, String, Option<String>);

/// Opens a copy to read it, without its journals: only the file is read.
pub fn open_to_read(file: &Path) -> Result<Connection, StoreError> {
    let mut address = String::from("file:");
    for byte in file.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                address.push(char::from(*byte))
            }
            other => address.push_str(&format!("%{other:02x}")),
        }
    }
    address.push_str("?immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(address, flags).map_err(failed("open the copy"))?;
    check_schema(&connection)?;
    Ok(connection)
}

/// Opens the copy of a copy, to change it.
pub fn open_to_write(file: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(failed("open the copy"))?;
    check_schema(&connection)?;
    Ok(connection)
}

/// Checks the pages of a file whose schema is known, within a time that its length allows.
pub fn check_pages(connection: &mut Connection, length_bytes: u64) -> Result<(), StoreError> {
    let until = Instant::now() + CHECK_WITHIN + Duration::from_secs(length_bytes / BYTES_PER_SECOND);
    let mut check = || {
        connection.progress_handler(STEPS, Some(move || Instant::now() > until))?;
        let found = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0))?;
        connection.progress_handler(STEPS, None::<fn() -> bool>)?;
        Ok::<_, rusqlite::Error>(found)
    };
    match check() {
        Ok(found) if found == "ok" => Ok(()),
        Ok(found) => Err(StoreError::Damaged(found)),
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) => {
            Err(StoreError::Damaged("checking it takes longer than its length allows".to_owned()))
        }
        Err(error) => Err(failed("check the copy")(error)),
    }
}

/// Refuses a schema that is not exactly one of ours, before anything in it can run.
fn check_schema(connection: &Connection) -> Result<(), StoreError> {
    let read = failed("read the copy's schema");
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, is_on).map_err(&read)?;
    }
    connection.pragma_update(None, "cell_size_check", true).map_err(&read)?;
    let found = schema(connection).map_err(&read)?;
    let known = known()?;
    if known.contains(&found) {
        return Ok(());
    }
    let ours: BTreeSet<&Entry> = known.iter().flatten().collect();
    let reason = match found.iter().find(|entry| !ours.contains(entry)) {
        Some((kind, name, ..)) => {
            format!("it has {kind} '{}', which this release does not make", name.escape_debug())
        }
        None => "tables of ours are missing".to_owned(),
    };
    Err(StoreError::Damaged(reason))
}

fn schema(connection: &Connection) -> Result<BTreeSet<Entry>, rusqlite::Error> {
    let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    rows.collect()
}

/// Returns the schema after each of our steps.
fn known() -> Result<Vec<BTreeSet<Entry>>, StoreError> {
    let failed = failed("make a schema");
    let mut all = Vec::new();
    for steps in 1..=migrations::SQLITE.len() {
        let mut connection = Connection::open_in_memory().map_err(&failed)?;
        migrate(&mut connection, &migrations::SQLITE[..steps])?;
        all.push(schema(&connection).map_err(&failed)?);
    }
    Ok(all)
}
