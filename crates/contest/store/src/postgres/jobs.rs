//! Statements on jobs: each is one round trip, whatever the number of rows.

use std::collections::{HashMap, HashSet};

use tokio_postgres::types::ToSql;

use super::connect::Session;
use super::{PostgresTransaction, integer};
use crate::{
    CancelledJob, Claim, ClaimedJob, Fence, JobCount, JobId, Lease, ListedJob, ListedLease, NewJob,
    StoreError,
};

pub fn add(transaction: &mut PostgresTransaction<'_>, added: &[NewJob]) -> Result<(), StoreError> {
    if added.is_empty() {
        return Ok(());
    }
    // Of two with one name, the later one counts.
    let last: HashMap<&JobId, usize> =
        added.iter().enumerate().map(|(index, job)| (&job.id, index)).collect();
    let jobs: Vec<&NewJob> =
        added.iter().enumerate().filter(|(index, job)| last[&job.id] == *index).map(|(_, job)| job).collect();
    fn column<'a, T>(jobs: &[&'a NewJob], field: impl Fn(&'a NewJob) -> T) -> Vec<T> {
        jobs.iter().map(|&job| field(job)).collect()
    }
    let ids = column(&jobs, |job| &*job.id.0);
    transaction.query("replace jobs", "DELETE FROM job WHERE id = ANY ($1::text[])", &[&ids])?;
    let insert = "INSERT INTO job (id, pool, class, turn, owner, tags, body, not_before_ms)
         SELECT id, pool, class, turn, owner, ARRAY(SELECT jsonb_array_elements_text(tags::jsonb)), body, not_before_ms
         FROM unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[])
             WITH ORDINALITY AS new (id, pool, class, turn, owner, tags, body, not_before_ms, number)
         ORDER BY new.number";
    let parameters: [&(dyn ToSql + Sync); 8] = [
        &ids,
        &column(&jobs, |job| &*job.pool),
        &column(&jobs, |job| i16::from(job.class)),
        &column(&jobs, |job| job.turn),
        &column(&jobs, |job| &*job.owner),
        &column(&jobs, |job| serde_json::Value::from(&job.tags[..]).to_string()),
        &column(&jobs, |job| &*job.body),
        &column(&jobs, |job| job.not_before_ms),
    ];
    transaction.query("add jobs", insert, &parameters).map(drop)
}

pub fn cancel(
    transaction: &mut PostgresTransaction<'_>,
    jobs: &[JobId],
) -> Result<Vec<CancelledJob>, StoreError> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = jobs.iter().map(|id| &*id.0).collect();
    let delete = "DELETE FROM job WHERE id = ANY ($1::text[]) RETURNING id, host";
    let rows = transaction.query("cancel jobs", delete, &[&ids])?;
    Ok(rows.iter().map(|row| CancelledJob { id: JobId(row.get(0)), host: row.get(1) }).collect())
}

pub fn claim(
    transaction: &mut PostgresTransaction<'_>,
    claim: &Claim,
) -> Result<Vec<ClaimedJob>, StoreError> {
    // Numbers are drawn where the rows are in order. A row that another server is claiming is passed over.
    let update = "WITH picked AS MATERIALIZED (
             SELECT number, nextval('fence') AS fence FROM (
                 SELECT number FROM job
                 WHERE pool = $1 AND not_before_ms <= $2 AND lease_until_ms <= $2 AND NOT tags && $3::text[]
                 ORDER BY class, turn, number LIMIT $4 FOR UPDATE SKIP LOCKED) AS ordered)
         UPDATE job SET fence = picked.fence, host = $5, lease_until_ms = $6, attempts = attempts + 1
         FROM picked WHERE job.number = picked.number
         RETURNING job.id, job.fence, job.attempts, job.body";
    let parameters: [&(dyn ToSql + Sync); 6] = [
        &claim.pool,
        &claim.now_ms,
        &claim.excluded_tags,
        &integer(claim.max as u64),
        &claim.host,
        &claim.lease_until_ms,
    ];
    let rows = transaction.query("claim jobs", update, &parameters)?;
    let mut claimed: Vec<ClaimedJob> = rows
        .iter()
        .map(|row| ClaimedJob {
            id: JobId(row.get(0)),
            fence: Fence(row.get::<_, i64>(1) as u64),
            attempts: row.get::<_, i32>(2) as u32,
            body: row.get(3),
        })
        .collect();
    claimed.sort_by_key(|job| job.fence);
    Ok(claimed)
}

/// The leases of a statement that are current.
pub struct CurrentLeases<'a> {
    leases: &'a [Lease],
    current: HashSet<(String, i64)>,
}

impl CurrentLeases<'_> {
    /// Returns for each lease whether it is current.
    pub fn all(self) -> Vec<bool> {
        self.leases.iter().map(|lease| self.current.contains(&key(lease))).collect()
    }

    /// Returns for each lease whether it is current, of one that is named twice only for the first: the job is gone then.
    pub fn firsts(mut self) -> Vec<bool> {
        self.leases.iter().map(|lease| self.current.remove(&key(lease))).collect()
    }
}

fn key(lease: &Lease) -> (String, i64) {
    (lease.job.0.clone(), integer(lease.fence.0))
}

/// Does a statement with all jobs and all fences as its first parameters, which returns job and fence of the leases that are current.
pub fn current<'a>(
    transaction: &mut PostgresTransaction<'_>,
    action: &'static str,
    sql: &'static str,
    leases: &'a [Lease],
    rest: &[&(dyn ToSql + Sync)],
) -> Result<CurrentLeases<'a>, StoreError> {
    if leases.is_empty() {
        return Ok(CurrentLeases { leases, current: HashSet::new() });
    }
    let (ids, fences): (Vec<String>, Vec<i64>) = leases.iter().map(key).unzip();
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&ids, &fences];
    parameters.extend(rest);
    let rows = transaction.query(action, sql, &parameters)?;
    Ok(CurrentLeases { leases, current: rows.iter().map(|row| (row.get(0), row.get(1))).collect() })
}

pub fn counts(session: &mut Session, now_ms: i64) -> Result<Vec<JobCount>, StoreError> {
    let count = "SELECT pool, class, count(*) FILTER (WHERE lease_until_ms <= $1 AND not_before_ms <= $1),
             count(*) FILTER (WHERE lease_until_ms <= $1 AND not_before_ms > $1), count(*) FILTER (WHERE lease_until_ms > $1)
         FROM job GROUP BY pool, class ORDER BY pool, class";
    let rows = session.query("count jobs", count, &[&now_ms])?;
    let number = |row: &tokio_postgres::Row, column| row.get::<_, i64>(column) as u64;
    Ok(rows
        .iter()
        .map(|row| JobCount {
            pool: row.get(0),
            class: row.get::<_, i16>(1) as u8,
            waiting: number(row, 2),
            delayed: number(row, 3),
            leased: number(row, 4),
        })
        .collect())
}

pub fn list(session: &mut Session, skip: usize, max: usize) -> Result<Vec<ListedJob>, StoreError> {
    let select =
        "SELECT id, pool, class, turn, owner, not_before_ms, attempts, host, fence, lease_until_ms FROM job
         ORDER BY class, turn, number OFFSET $1 LIMIT $2";
    let rows = session.query("list jobs", select, &[&integer(skip as u64), &integer(max as u64)])?;
    Ok(rows
        .iter()
        .map(|row| {
            let (fence, until_ms) = (Fence(row.get::<_, i64>(8) as u64), row.get(9));
            ListedJob {
                id: JobId(row.get(0)),
                pool: row.get(1),
                class: row.get::<_, i16>(2) as u8,
                turn: row.get(3),
                owner: row.get(4),
                not_before_ms: row.get(5),
                attempts: row.get::<_, i32>(6) as u32,
                lease: row.get::<_, Option<String>>(7).map(|host| ListedLease { host, fence, until_ms }),
            }
        })
        .collect())
}
