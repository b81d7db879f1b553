//! Statements on jobs. One of many rows would gain nothing here: there is no round trip, and one transaction for all.

use rusqlite::{Connection, Error, OptionalExtension, ToSql, params};

use crate::{CancelledJob, Claim, ClaimedJob, Fence, JobCount, JobId, Lease, ListedJob, ListedLease, NewJob};

type Result<T> = std::result::Result<T, Error>;

pub fn add(connection: &Connection, jobs: &[NewJob]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO job (id, pool, class, turn, owner, tags, body, not_before_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for job in jobs {
        let tags = json(&job.tags);
        statement.execute(params![
            job.id.0,
            job.pool,
            job.class,
            job.turn,
            job.owner,
            tags,
            job.body,
            job.not_before_ms
        ])?;
    }
    Ok(())
}

pub fn cancel(connection: &Connection, jobs: &[JobId]) -> Result<Vec<CancelledJob>> {
    let mut statement = connection.prepare_cached("DELETE FROM job WHERE id = ? RETURNING host")?;
    let mut cancelled = Vec::new();
    for id in jobs {
        if let Some(host) = statement.query_row([&id.0], |row| row.get(0)).optional()? {
            cancelled.push(CancelledJob { id: id.clone(), host });
        }
    }
    Ok(cancelled)
}

pub fn claim(connection: &Connection, claim: &Claim) -> Result<Vec<ClaimedJob>> {
    let mut statement = connection.prepare_cached(
        "SELECT number FROM job WHERE pool = ?1 AND not_before_ms <= ?2 AND lease_until_ms <= ?2
         AND (?3 = '[]' OR NOT EXISTS (
             SELECT 1 FROM json_each(tags) tag JOIN json_each(?3) excluded ON tag.value = excluded.value))
         ORDER BY class, turn, number LIMIT ?4",
    )?;
    let excluded = json(&claim.excluded_tags);
    let numbers = statement
        .query_map(params![claim.pool, claim.now_ms, excluded, claim.max], |row| row.get(0))?
        .collect::<Result<Vec<i64>>>()?;
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let last: u64 = connection
        .prepare_cached("UPDATE fence SET last = last + ? RETURNING last")?
        .query_row([numbers.len()], |row| row.get(0))?;
    let mut statement = connection.prepare_cached(
        "UPDATE job SET fence = ?2, host = ?3, lease_until_ms = ?4, attempts = attempts + 1 WHERE number = ?1
         RETURNING id, attempts, body",
    )?;
    let first = last + 1 - numbers.len() as u64;
    (first..)
        .zip(numbers)
        .map(|(fence, number)| {
            statement.query_row(params![number, fence, claim.host, claim.lease_until_ms], |row| {
                Ok(ClaimedJob {
                    id: JobId(row.get(0)?),
                    fence: Fence(fence),
                    attempts: row.get(1)?,
                    body: row.get(2)?,
                })
            })
        })
        .collect()
}

/// Does a statement with job, fence and `rest` as its parameters for each lease, and returns for each whether it changed the job.
pub fn change_current(
    connection: &Connection,
    sql: &str,
    leases: &[Lease],
    rest: &[&dyn ToSql],
) -> Result<Vec<bool>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut change = |lease: &Lease| {
        let mut parameters: Vec<&dyn ToSql> = vec![&lease.job.0, &lease.fence.0];
        parameters.extend(rest);
        statement.execute(&parameters[..]).map(|changed| changed > 0)
    };
    leases.iter().map(&mut change).collect()
}

pub fn give_back_all(connection: &Connection, host: &str, not_before_ms: i64) -> Result<Vec<JobId>> {
    connection
        .prepare_cached(
            "UPDATE job SET host = NULL, lease_until_ms = 0, not_before_ms = ? WHERE host = ? RETURNING id",
        )?
        .query_map(params![not_before_ms, host], |row| Ok(JobId(row.get(0)?)))?
        .collect()
}

pub fn counts(connection: &Connection, now_ms: i64) -> Result<Vec<JobCount>> {
    connection
        .prepare_cached(
            "SELECT pool, class, sum(lease_until_ms <= ?1 AND not_before_ms <= ?1),
                 sum(lease_until_ms <= ?1 AND not_before_ms > ?1), sum(lease_until_ms > ?1)
             FROM job GROUP BY pool, class ORDER BY pool, class",
        )?
        .query_map([now_ms], |row| {
            Ok(JobCount {
                pool: row.get(0)?,
                class: row.get(1)?,
                waiting: row.get(2)?,
                delayed: row.get(3)?,
                leased: row.get(4)?,
            })
        })?
        .collect()
}

pub fn list(connection: &Connection, skip: usize, max: usize) -> Result<Vec<ListedJob>> {
    connection
        .prepare_cached(
            "SELECT id, pool, class, turn, owner, not_before_ms, attempts, host, fence, lease_until_ms FROM job
             ORDER BY class, turn, number LIMIT ?2 OFFSET ?1",
        )?
        .query_map(params![skip, max], |row| {
            let host: Option<String> = row.get(7)?;
            let (fence, until_ms) = (Fence(row.get(8)?), row.get(9)?);
            Ok(ListedJob {
                id: JobId(row.get(0)?),
                pool: row.get(1)?,
                class: row.get(2)?,
                turn: row.get(3)?,
                owner: row.get(4)?,
                not_before_ms: row.get(5)?,
                attempts: row.get(6)?,
                lease: host.map(|host| ListedLease { host, fence, until_ms }),
            })
        })?
        .collect()
}

fn json(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}
