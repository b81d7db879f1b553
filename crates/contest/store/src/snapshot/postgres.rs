//! Snapshots of PostgreSQL, and back into it.

use std::path::Path;

use rusqlite::{Connection, params};

use super::Snapshot;
use crate::chain::{self, Check};
use crate::postgres::{GenericClient, PostgresStore, config, connect, failed};
use crate::{StoreError, migrations};

/// As many events are in memory at once.
const PAGE: i64 = 10_000;
const JOBS: &str = "SELECT id, pool, class, turn, owner, to_jsonb(tags)::text, body, not_before_ms, attempts FROM job ORDER BY number";

fn sqlite(error: rusqlite::Error) -> StoreError {
    crate::sqlite::failed("write the copy")(error)
}

/// Copies everything in one repeatable-read transaction.
pub fn read_into(url: &str, connection: &mut Connection) -> Result<(), StoreError> {
    let failed = failed("read the database");
    let mut client = connect(&config(url)?).map_err(&failed)?;
    let mut transaction = client.snapshot().map_err(&failed)?;
    let into = connection.transaction().map_err(sqlite)?;
    let version: i64 = transaction
        .query_one("SELECT coalesce(max(version), 0) FROM schema_version", &[])
        .map_err(&failed)?
        .get(0);
    // A store that no server of this release has opened yet has no hashes.
    let select = match version >= i64::from(migrations::POSTGRES_CHAINED) {
        true => "SELECT seq, body, hash FROM event WHERE seq > $1 ORDER BY seq LIMIT $2",
        false => "SELECT seq, body, NULL::bytea FROM event WHERE seq > $1 ORDER BY seq LIMIT $2",
    };
    let (mut after, mut link) = (0_i64, chain::START);
    loop {
        let rows = transaction.query(select, &[&after, &PAGE]).map_err(&failed)?;
        if rows.is_empty() {
            break;
        }
        let insert = "INSERT INTO event (seq, body, hash) VALUES (?, ?, ?)";
        let mut insert = into.prepare_cached(insert).map_err(sqlite)?;
        for row in &rows {
            let (seq, body): (i64, &str) = (row.get(0), row.get(1));
            let mut check = Check::after(after as u64, link);
            link = chain::link(&link, seq as u64, body.as_bytes());
            check.next(seq as u64, body.as_bytes(), row.get::<_, Option<&[u8]>>(2).unwrap_or(&link))?;
            insert.execute(params![seq, body, link]).map_err(sqlite)?;
            after = seq;
        }
    }
    let head: i64 = transaction.query_one("SELECT head FROM writer", &[]).map_err(&failed)?.get(0);
    chain::ends(after as u64, head as u64)?;
    into.execute("UPDATE writer SET head = ?", params![head]).map_err(sqlite)?;
    let number: i64 = transaction.query_one("SELECT number FROM writer", &[]).map_err(&failed)?.get(0);
    let fence: i64 = transaction.query_one("SELECT last_value FROM fence", &[]).map_err(&failed)?.get(0);
    into.execute("UPDATE writer SET number = ?", params![number]).map_err(sqlite)?;
    into.execute("UPDATE fence SET last = ?", params![fence]).map_err(sqlite)?;
    for row in transaction.query(JOBS, &[]).map_err(&failed)? {
        let insert = "INSERT INTO job (id, pool, class, turn, owner, tags, body, not_before_ms, attempts)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let values = params![
            row.get::<_, &str>(0),
            row.get::<_, &str>(1),
            row.get::<_, i16>(2),
            row.get::<_, i64>(3),
            row.get::<_, &str>(4),
            row.get::<_, &str>(5),
            row.get::<_, &str>(6),
            row.get::<_, i64>(7),
            row.get::<_, i32>(8)
        ];
        into.execute(insert, values).map_err(sqlite)?;
    }
    into.commit().map_err(sqlite)
}

/// Makes the tables, and refuses a database that has events.
pub fn check_empty(url: &str) -> Result<(), StoreError> {
    // As the writer, so that no server begins meanwhile.
    drop(PostgresStore::open(url, None)?);
    let failed = failed("read the database");
    let mut client = connect(&config(url)?).map_err(&failed)?;
    let head: i64 = client.query_one("SELECT head FROM writer", &[]).map_err(&failed)?.get(0);
    if head > 0 {
        let source = format!("the database has {head} events already").into();
        return Err(StoreError::Unavailable { action: "restore", source });
    }
    Ok(())
}

/// Writes everything in one transaction.
pub fn write_from(
    url: &str,
    file: &Path,
    until: u64,
    with_jobs: bool,
    fence_gap: u64,
) -> Result<(), StoreError> {
    let failed = failed("write the database");
    let read = |error| crate::sqlite::failed("read the copy")(error);
    let snapshot = Snapshot::of(super::guard::open_to_read(file)?)?;
    let from = &snapshot.connection;
    let mut client = connect(&config(url)?).map_err(&failed)?;
    let mut transaction = client.transaction().map_err(&failed)?;
    let head: i64 = transaction.query_one("SELECT head FROM writer FOR UPDATE", &[]).map_err(&failed)?.get(0);
    if head > 0 {
        let source = "the database has events already".into();
        return Err(StoreError::Unavailable { action: "restore", source });
    }
    let (mut after, mut link) = (0_i64, chain::START);
    while (after as u64) < until {
        let max = (until - after as u64).min(PAGE as u64) as usize;
        let events = snapshot.events_after(after as u64, max)?;
        let Some(last) = events.last() else { break };
        after = last.seq as i64;
        let (mut numbers, mut bodies, mut links) = (Vec::new(), Vec::new(), Vec::new());
        for event in events {
            link = chain::link(&link, event.seq, event.body.as_bytes());
            numbers.push(event.seq as i64);
            bodies.push(event.body);
            links.push(link.to_vec());
        }
        let insert = "INSERT INTO event (seq, body, hash)
             SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[])";
        transaction.execute(insert, &[&numbers, &bodies, &links]).map_err(&failed)?;
    }
    let (number, fence): (i64, i64) = from
        .query_row("SELECT number, (SELECT last FROM fence) FROM writer", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .map_err(read)?;
    let fence = fence.saturating_add(i64::try_from(fence_gap).unwrap_or(i64::MAX));
    transaction.execute("SELECT setval('fence', $1)", &[&fence]).map_err(&failed)?;
    let update = "UPDATE writer SET head = $1, number = greatest(number, $2)";
    transaction.execute(update, &[&after, &number]).map_err(&failed)?;
    if with_jobs {
        let select = "SELECT id, pool, class, turn, owner, tags, body, not_before_ms, attempts FROM job ORDER BY number";
        let mut select = from.prepare(select).map_err(read)?;
        let mut rows = select.query([]).map_err(read)?;
        while let Some(row) = rows.next().map_err(read)? {
            let text = |column| row.get::<_, String>(column).map_err(read);
            let integer = |column| row.get::<_, i64>(column).map_err(read);
            let insert = "INSERT INTO job (id, pool, class, turn, owner, tags, body, not_before_ms, attempts)
                 VALUES ($1, $2, $3, $4, $5, ARRAY(SELECT jsonb_array_elements_text($6::text::jsonb)), $7, $8, $9)";
            let class = i16::try_from(integer(2)?).unwrap_or(i16::MAX);
            let attempts = i32::try_from(integer(8)?).unwrap_or(i32::MAX);
            transaction
                .execute(
                    insert,
                    &[
                        &text(0)?,
                        &text(1)?,
                        &class,
                        &integer(3)?,
                        &text(4)?,
                        &text(5)?,
                        &text(6)?,
                        &integer(7)?,
                        &attempts,
                    ],
                )
                .map_err(&failed)?;
        }
    }
    transaction.commit().map_err(failed)
}
