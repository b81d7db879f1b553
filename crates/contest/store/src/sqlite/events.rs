//! The log's events: reading and checking them, and chaining those of an earlier schema.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::failed;
use crate::chain::{self, Check, Link};
use crate::{StoreError, StoredEvent};

/// Returns up to `max` events after event `after`, and checks that each is what was written.
pub(crate) fn events_after(
    connection: &Connection,
    after: u64,
    max: usize,
) -> Result<Vec<StoredEvent>, StoreError> {
    let failed = failed("read events");
    let before = connection
        .prepare_cached("SELECT hash FROM event WHERE seq = ?")
        .and_then(|mut statement| statement.query_row([after], |row| row.get::<_, Vec<u8>>(0)).optional())
        .map_err(&failed)?;
    let is_missing = after > 0 && before.is_none();
    let link = before.map_or(Ok(chain::START), |hash| chain::stored(&hash, after))?;
    let mut check = Check::after(after, link);
    let mut statement = connection
        .prepare_cached("SELECT seq, body, hash FROM event WHERE seq > ? ORDER BY seq LIMIT ?")
        .map_err(&failed)?;
    let mut rows = statement.query(params![after, max]).map_err(&failed)?;
    let mut events = Vec::new();
    while let Some(row) = rows.next().map_err(&failed)? {
        if is_missing {
            return Err(chain::missing(after, row.get(0).map_err(&failed)?));
        }
        next(&mut check, row)?;
        events.push(StoredEvent { seq: check.seq(), body: row.get(1).map_err(&failed)? });
    }
    Ok(events)
}

fn next(check: &mut Check, row: &Row<'_>) -> Result<(), StoreError> {
    let failed = failed("read events");
    let bytes = |column| row.get_ref(column).map_err(&failed);
    let seq = row.get(0).map_err(&failed)?;
    // Of another type than ours, after a change behind our back, it has no bytes.
    let (body, hash) = (bytes(1)?.as_bytes().unwrap_or_default(), bytes(2)?.as_bytes().unwrap_or_default());
    check.next(seq, body, hash)
}

/// Checks all events, and that the last that was written is there.
pub(super) fn check_all(connection: &Connection) -> Result<(), StoreError> {
    let failed = failed("read events");
    let mut check = Check::after(0, chain::START);
    let mut statement =
        connection.prepare("SELECT seq, body, hash FROM event ORDER BY seq").map_err(&failed)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    while let Some(row) = rows.next().map_err(&failed)? {
        next(&mut check, row)?;
    }
    let head = connection.query_row("SELECT head FROM writer", [], |row| row.get(0)).map_err(&failed)?;
    check.end(head)
}

pub(super) fn chain_all(connection: &Connection) -> Result<(), StoreError> {
    let failed = failed("chain the events");
    let (mut after, mut link) = (0, chain::START);
    loop {
        let links = links(connection, after, link)?;
        let Some((last, new)) = links.last() else { return Ok(()) };
        (after, link) = (*last, *new);
        let mut update =
            connection.prepare_cached("UPDATE event SET hash = ? WHERE seq = ?").map_err(&failed)?;
        for (seq, link) in links {
            update.execute(params![link, seq]).map_err(&failed)?;
        }
    }
}

/// Computes the hashes of a page of events.
fn links(connection: &Connection, after: u64, mut link: Link) -> Result<Vec<(u64, Link)>, StoreError> {
    let failed = failed("chain the events");
    let mut select = connection
        .prepare_cached("SELECT seq, body FROM event WHERE seq > ? ORDER BY seq LIMIT ?")
        .map_err(&failed)?;
    let mut rows = select.query(params![after, chain::PAGE]).map_err(&failed)?;
    let mut links = Vec::new();
    while let Some(row) = rows.next().map_err(&failed)? {
        let seq = row.get(0).map_err(&failed)?;
        let expected = after + links.len() as u64 + 1;
        if seq != expected {
            return Err(chain::missing(expected, seq));
        }
        let body = row.get_ref(1).map_err(&failed)?;
        link = chain::link(&link, seq, body.as_bytes().unwrap_or_default());
        links.push((seq, link));
    }
    Ok(links)
}
