//! A store in PostgreSQL.

mod blobs;
mod client;
mod connect;
mod events;
mod follow;
mod jobs;
mod pieces;
mod value;

pub use blobs::PostgresBlobs;
pub(crate) use client::GenericClient;
pub use connect::PostgresStore;
pub(crate) use connect::{config, connect};
pub use follow::PostgresFollower;
pub(crate) use value::failed;
use value::{Statements, integer};

use client::{Error, Transaction};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::chain::{self, Link};
use crate::{
    BlobHash, CancelledJob, Checkpoint, Claim, ClaimedJob, JobCount, JobId, Lease, ListedJob, NewJob, Store,
    StoreError, StoreTransaction, StoredEvent,
};

struct PostgresTransaction<'a> {
    transaction: Transaction<'a>,
    /// Prepared once for each connection.
    statements: &'a mut Statements,
    head: i64,
    link: Link,
}

/// Returns what an error of COMMIT means: only an answer of the database that it refuses is certain.
fn commit_failed(error: Error) -> StoreError {
    match failed("commit")(error) {
        StoreError::Unavailable { source, .. } => StoreError::Unknown { source },
        refused => refused,
    }
}

impl PostgresTransaction<'_> {
    fn query(
        &mut self,
        action: &'static str,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreError> {
        let statement = match self.statements.get(sql) {
            Some(statement) => statement.clone(),
            None => {
                let statement = self.transaction.prepare(sql).map_err(failed(action))?;
                self.statements.insert(sql, statement.clone());
                statement
            }
        };
        self.transaction.query_prepared(&statement, parameters).map_err(failed(action))
    }
}

impl Store for PostgresStore {
    fn transact(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StoreTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let known = self.known();
        let head = self.with_session(|session| {
            let transaction = session.client.transaction().map_err(failed("begin a transaction"))?;
            let statements = &mut session.statements;
            let mut open = PostgresTransaction { transaction, statements, head: 0, link: chain::START };
            // The row is locked until the end: a writer that lost its place waits here, and then finds another number.
            let rows = open.query("read the writer's number", BEGIN, &[])?;
            let row =
                rows.first().ok_or_else(|| StoreError::Damaged("table `writer` is empty".to_owned()))?;
            let (number, head): (i64, i64) = (row.get(0), row.get(1));
            if number != session.number {
                return Err(StoreError::Fenced);
            }
            if head != known {
                return Err(StoreError::Behind { known: known as u64, head: head as u64 });
            }
            if head > 0 {
                let hash = row.get::<_, Option<&[u8]>>(2);
                open.link = chain::stored(hash.unwrap_or_default(), head as u64)?;
            }
            open.head = head;
            work(&mut open)?;
            if open.head != head {
                let head = open.head;
                open.query("append events", "UPDATE writer SET head = $1", &[&head])?;
            }
            let head = open.head;
            open.transaction.commit().map_err(commit_failed)?;
            Ok(head)
        })?;
        self.note_known(head);
        Ok(())
    }

    fn events_after(&mut self, after: u64, max: usize) -> Result<Vec<StoredEvent>, StoreError> {
        let (events, head) = self.with_session(|session| events::after(session, after, max))?;
        let last = events.last().map_or(after, |event| event.seq);
        self.note_known(integer(last).min(head));
        Ok(events)
    }

    fn checkpoint(&mut self, version: u32) -> Result<Option<Checkpoint>, StoreError> {
        self.with_session(|session| read_checkpoint(session, version))
    }

    fn keep_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let (seq, version) = (integer(checkpoint.seq), i64::from(checkpoint.version));
        let hash = BlobHash::of(&checkpoint.bytes).0;
        self.with_session(|session| {
            let write = "INSERT INTO checkpoint (seq, version, hash, bytes) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (seq) DO UPDATE SET version = excluded.version, hash = excluded.hash, bytes = excluded.bytes";
            let parameters: [&(dyn ToSql + Sync); 4] = [&seq, &version, &&hash[..], &checkpoint.bytes];
            session.query("write a checkpoint", write, &parameters)?;
            let delete = "DELETE FROM checkpoint
                 WHERE seq NOT IN (SELECT seq FROM checkpoint ORDER BY seq DESC LIMIT 2)";
            session.query("delete a checkpoint", delete, &[]).map(drop)
        })
    }

    fn job_counts(&mut self, now_ms: i64) -> Result<Vec<JobCount>, StoreError> {
        self.with_session(|session| jobs::counts(session, now_ms))
    }

    fn jobs(&mut self, skip: usize, max: usize) -> Result<Vec<ListedJob>, StoreError> {
        self.with_session(|session| jobs::list(session, skip, max))
    }

    fn check(&mut self) -> Result<(), StoreError> {
        let write = "UPDATE writer SET head = head";
        self.with_session(|session| session.query("write to the store", write, &[]).map(drop))
    }

    fn now_ms(&mut self) -> Result<Option<i64>, StoreError> {
        let now = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let rows = self.with_session(|session| session.query("read the time", now, &[]))?;
        Ok(rows.first().map(|row| row.get(0)))
    }
}

impl StoreTransaction for PostgresTransaction<'_> {
    fn append(&mut self, bodies: &[String]) -> Result<u64, StoreError> {
        let first = self.head + 1;
        if !bodies.is_empty() {
            let insert = "INSERT INTO event (seq, body, hash)
                 SELECT $1 + number, body, hash
                 FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS new (body, hash, number)";
            let (head, mut links) = (self.head, Vec::with_capacity(bodies.len()));
            for (seq, body) in (first as u64..).zip(bodies) {
                self.link = chain::link(&self.link, seq, body.as_bytes());
                links.push(self.link.to_vec());
            }
            self.query("append events", insert, &[&head, &bodies, &links])?;
            self.head += bodies.len() as i64;
        }
        Ok(first as u64)
    }

    fn add_jobs(&mut self, added: &[NewJob]) -> Result<(), StoreError> {
        jobs::add(self, added)
    }

    fn cancel_jobs(&mut self, cancelled: &[JobId]) -> Result<Vec<CancelledJob>, StoreError> {
        jobs::cancel(self, cancelled)
    }

    fn claim(&mut self, claim: &Claim) -> Result<Vec<ClaimedJob>, StoreError> {
        jobs::claim(self, claim)
    }

    fn holds(&mut self, host: &str, leases: &[Lease]) -> Result<Vec<bool>, StoreError> {
        let select = "SELECT id, fence FROM job JOIN unnest($1::text[], $2::bigint[]) AS lease (id, fence)
             USING (id, fence) WHERE host = $3";
        Ok(jobs::current(self, "check leases", select, leases, &[&host])?.all())
    }

    fn finish(&mut self, leases: &[Lease]) -> Result<Vec<bool>, StoreError> {
        let delete = "DELETE FROM job USING unnest($1::text[], $2::bigint[]) AS lease (id, fence)
             WHERE job.id = lease.id AND job.fence = lease.fence AND host IS NOT NULL
             RETURNING job.id, job.fence";
        Ok(jobs::current(self, "finish jobs", delete, leases, &[])?.firsts())
    }

    fn give_back(&mut self, leases: &[Lease], not_before_ms: i64) -> Result<Vec<bool>, StoreError> {
        let update = "UPDATE job SET host = NULL, lease_until_ms = 0, not_before_ms = $3
             FROM unnest($1::text[], $2::bigint[]) AS lease (id, fence)
             WHERE job.id = lease.id AND job.fence = lease.fence AND host IS NOT NULL
             RETURNING job.id, job.fence";
        Ok(jobs::current(self, "give jobs back", update, leases, &[&not_before_ms])?.firsts())
    }

    fn give_back_all(&mut self, host: &str, not_before_ms: i64) -> Result<Vec<JobId>, StoreError> {
        let update = "UPDATE job SET host = NULL, lease_until_ms = 0, not_before_ms = $1
             WHERE host = $2 RETURNING id";
        let rows = self.query("give jobs back", update, &[&not_before_ms, &host])?;
        Ok(rows.iter().map(|row| JobId(row.get(0))).collect())
    }

    fn extend(&mut self, host: &str, leases: &[Lease], until_ms: i64) -> Result<Vec<bool>, StoreError> {
        let update = "UPDATE job SET lease_until_ms = $3
             FROM unnest($1::text[], $2::bigint[]) AS lease (id, fence)
             WHERE job.id = lease.id AND job.fence = lease.fence AND host = $4
             RETURNING job.id, job.fence";
        Ok(jobs::current(self, "extend leases", update, leases, &[&until_ms, &host])?.all())
    }
}

/// Returns the newest checkpoint of a version that is whole and not ahead of the log.
fn read_checkpoint(session: &mut connect::Session, version: u32) -> Result<Option<Checkpoint>, StoreError> {
    let read = "SELECT seq, hash, bytes FROM checkpoint
         WHERE version = $1 AND seq <= (SELECT head FROM writer) ORDER BY seq DESC";
    let rows = session.query("read checkpoints", read, &[&i64::from(version)])?;
    let whole = |row: &Row| {
        let (hash, bytes): (&[u8], Vec<u8>) = (row.get(1), row.get(2));
        let seq = row.get::<_, i64>(0) as u64;
        (BlobHash::of(&bytes).0[..] == *hash).then_some(Checkpoint { seq, version, bytes })
    };
    Ok(rows.iter().find_map(whole))
}

/// The writer's number, the last event and its hash.
const BEGIN: &str = "SELECT number, head, (SELECT hash FROM event WHERE seq = head) FROM writer FOR UPDATE";
