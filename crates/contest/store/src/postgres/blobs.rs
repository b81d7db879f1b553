//! Blobs as rows.

use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tokio_postgres::types::ToSql;

use super::client::{Client, GenericClient};
use super::integer;
use super::pieces::{self, PIECE_BYTES, Pieces, Pool, failed, next_piece};
use crate::blob::check_uploads;
use crate::{
    BlobError, BlobHash, BlobReader, BlobUsage, Blobs, Collected, Owner, StoreError, StoredBlob, UPLOAD_AGE,
    Upload, UploadId, UploadLimits, random,
};

/// Blobs that are deleted in one transaction.
const COLLECT_BATCH: usize = 100;

pub struct PostgresBlobs {
    pool: Arc<Pool>,
    /// Held while an upload begins: another one must not pass the same limit.
    beginning: Mutex<()>,
}

/// A content that has a row in `upload`.
struct Row {
    owner: Owner,
    content: i64,
    hash: Option<BlobHash>,
    size: u64,
    received: u64,
}

impl PostgresBlobs {
    /// Returns the blobs of a database that has the schema. It connects when something is asked for.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Ok(Self { pool: Arc::new(Pool::open(url)?), beginning: Mutex::new(()) })
    }

    fn begin(&self, owner: &str, hash: Option<&BlobHash>, size: u64) -> Result<UploadId, BlobError> {
        let id = random::token()
            .map_err(|source| BlobError::Database { action: "name an upload", source: Box::new(source) })?;
        let hash = hash.map(|hash| &hash.0[..]);
        let insert =
            "INSERT INTO upload (id, hash, size, content, owner) VALUES ($1, $2, $3, nextval('content'), $4)";
        self.pool.execute("begin an upload", insert, &[&id, &hash, &integer(size), &owner])?;
        Ok(UploadId(id))
    }

    fn row(&self, upload: &UploadId) -> Result<Row, BlobError> {
        let select = "SELECT content, hash, size, received, owner FROM upload WHERE id = $1";
        let row = self.pool.row("read an upload", select, &[&upload.0])?.ok_or(BlobError::NoUpload)?;
        Ok(Row {
            content: row.get(0),
            hash: row.get::<_, Option<&[u8]>>(1).and_then(hash_of_row),
            size: row.get::<_, i64>(2) as u64,
            received: row.get::<_, i64>(3) as u64,
            owner: Owner(row.get(4)),
        })
    }

    fn append(&self, upload: &UploadId, at: u64, piece: &[u8]) -> Result<u64, BlobError> {
        let statement = "WITH moved AS (
                 UPDATE upload SET received = received + $3, added_at = now()
                 WHERE id = $1 AND received = $2 AND received + $3 <= size RETURNING content)
             INSERT INTO piece (content, start, bytes) SELECT content, $2, $4 FROM moved";
        let end = at + piece.len() as u64;
        let parameters: [&(dyn ToSql + Sync); 4] = [&upload.0, &integer(at), &(piece.len() as i64), &piece];
        let added = self.pool.execute("write a piece of an upload", statement, &parameters)?;
        if added > 0 {
            return Ok(end);
        }
        let row = self.row(upload)?;
        if row.received != at {
            return Err(BlobError::WrongOffset { received_bytes: row.received });
        }
        Err(BlobError::TooLarge { limit_bytes: row.size })
    }

    /// Stores a content that is longer than a piece as an upload whose hash is not known before.
    fn put_pieces(
        &self,
        upload: &UploadId,
        first: Vec<u8>,
        content: &mut dyn Read,
        limit_bytes: u64,
        expected: Option<&BlobHash>,
    ) -> Result<StoredBlob, BlobError> {
        let (mut hasher, mut at, mut piece) = (Sha256::new(), 0, first);
        while !piece.is_empty() {
            if at + piece.len() as u64 > limit_bytes {
                return Err(BlobError::TooLarge { limit_bytes });
            }
            hasher.update(&piece);
            at = self.append(upload, at, &piece)?;
            piece = next_piece(content)?;
        }
        let hash = BlobHash(hasher.finalize().into());
        check(expected, hash)?;
        self.publish(upload, StoredBlob { hash, size_bytes: at })
    }

    fn publish(&self, upload: &UploadId, blob: StoredBlob) -> Result<StoredBlob, BlobError> {
        self.pool.with(|client| {
            let failed = failed("store a blob");
            let mut transaction = client.transaction().map_err(&failed)?;
            let row = transaction
                .query_opt("DELETE FROM upload WHERE id = $1 RETURNING content", &[&upload.0])
                .map_err(&failed)?
                .ok_or(BlobError::NoUpload)?;
            insert(&mut transaction, blob, row.get(0))?;
            transaction.commit().map_err(&failed)
        })?;
        Ok(blob)
    }
}

/// Inserts a blob with pieces that are there. If the blob is there already and whole, the new pieces are deleted.
fn insert(client: &mut impl GenericClient, blob: StoredBlob, content: i64) -> Result<(), BlobError> {
    let statement = "INSERT INTO blob (hash, size, content) VALUES ($1, $2, $3)
         ON CONFLICT (hash) DO UPDATE SET stored_at = now() RETURNING content";
    let hash = &blob.hash.0[..];
    let row = client
        .query_one(statement, &[&hash, &integer(blob.size_bytes), &content])
        .map_err(failed("store a blob"))?;
    let old: i64 = row.get(0);
    if old == content {
        return Ok(());
    }
    if pieces::hash(client, old, blob.size_bytes)? == Some(blob.hash) {
        return pieces::delete(client, content);
    }
    client
        .execute(
            "UPDATE blob SET content = $2, size = $3 WHERE hash = $1",
            &[&hash, &content, &integer(blob.size_bytes)],
        )
        .map_err(failed("store a blob"))?;
    pieces::delete(client, old)
}

fn check(expected: Option<&BlobHash>, found: BlobHash) -> Result<(), BlobError> {
    match expected {
        Some(&expected) if expected != found => Err(BlobError::WrongHash { expected, found }),
        _ => Ok(()),
    }
}

fn hash_of_row(bytes: &[u8]) -> Option<BlobHash> {
    bytes.try_into().ok().map(BlobHash)
}

impl Blobs for PostgresBlobs {
    fn put(
        &self,
        content: &mut dyn Read,
        limit_bytes: u64,
        expected: Option<&BlobHash>,
    ) -> Result<StoredBlob, BlobError> {
        let first = next_piece(content)?;
        let size_bytes = first.len() as u64;
        if size_bytes > limit_bytes {
            return Err(BlobError::TooLarge { limit_bytes });
        }
        if first.len() == PIECE_BYTES {
            let upload = self.begin("", None, limit_bytes)?;
            let result = self.put_pieces(&upload, first, content, limit_bytes, expected);
            if result.is_err() {
                // Else it would go when it expires.
                let _ = self.abandon_upload(&upload);
            }
            return result;
        }
        let blob = StoredBlob { hash: BlobHash::of(&first), size_bytes };
        check(expected, blob.hash)?;
        self.pool.with(|client| {
            let failed = failed("store a blob");
            let mut transaction = client.transaction().map_err(&failed)?;
            let statement = "INSERT INTO piece (content, start, bytes) VALUES (nextval('content'), 0, $1)
                 RETURNING content";
            let row = transaction.query_one(statement, &[&first]).map_err(&failed)?;
            insert(&mut transaction, blob, row.get(0))?;
            transaction.commit().map_err(&failed)
        })?;
        Ok(blob)
    }

    fn renew(&self, hash: &BlobHash) -> Result<Option<u64>, BlobError> {
        let update = "UPDATE blob SET stored_at = now() WHERE hash = $1 RETURNING size";
        let row = self.pool.row("keep a blob", update, &[&&hash.0[..]])?;
        Ok(row.map(|row| row.get::<_, i64>(0) as u64))
    }

    fn size(&self, hash: &BlobHash) -> Result<Option<u64>, BlobError> {
        let select = "SELECT size FROM blob WHERE hash = $1";
        let row = self.pool.row("read a blob", select, &[&&hash.0[..]])?;
        Ok(row.map(|row| row.get::<_, i64>(0) as u64))
    }

    fn get(&self, hash: &BlobHash, range: Option<Range<u64>>) -> Result<BlobReader, BlobError> {
        let select = "SELECT size, content FROM blob WHERE hash = $1";
        let row = self.pool.row("read a blob", select, &[&&hash.0[..]])?.ok_or(BlobError::NotFound(*hash))?;
        let size_bytes = row.get::<_, i64>(0) as u64;
        let range = crate::blob::cut(range, size_bytes);
        let pieces = Pieces::new(Arc::clone(&self.pool), *hash, row.get(1), range.clone());
        let content: Box<dyn Read + Send> = if range == (0..size_bytes) {
            Box::new(crate::blob::Checked::new(pieces, *hash, size_bytes))
        } else {
            Box::new(pieces)
        };
        Ok(BlobReader { size_bytes, range, content })
    }

    fn begin_upload(
        &self,
        owner: &Owner,
        hash: &BlobHash,
        size_bytes: u64,
        limits: &UploadLimits,
    ) -> Result<UploadId, BlobError> {
        let _beginning = self.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = self.pool.with(|client| {
            client
                .query("SELECT owner, size, hash, id FROM upload WHERE hash IS NOT NULL", &[])
                .map_err(failed("count uploads"))
        })?;
        let size = |row: &tokio_postgres::Row| row.get::<_, i64>(1) as u64;
        let is_same = |row: &&tokio_postgres::Row| {
            row.get::<_, &str>(0) == owner.0 && row.get::<_, &[u8]>(2) == hash.0 && size(row) == size_bytes
        };
        if let Some(row) = rows.iter().find(is_same) {
            return Ok(UploadId(row.get(3)));
        }
        let open: Vec<(Owner, u64)> = rows.iter().map(|row| (Owner(row.get(0)), size(row))).collect();
        check_uploads(&open, owner, size_bytes, limits)?;
        self.begin(&owner.0, Some(hash), size_bytes)
    }

    fn append_upload(
        &self,
        upload: &UploadId,
        offset_bytes: u64,
        content: &mut dyn Read,
    ) -> Result<u64, BlobError> {
        let mut at = offset_bytes;
        loop {
            let piece = next_piece(content)?;
            if piece.is_empty() {
                let received_bytes = self.row(upload)?.received;
                return if received_bytes == at {
                    Ok(at)
                } else {
                    Err(BlobError::WrongOffset { received_bytes })
                };
            }
            at = self.append(upload, at, &piece)?;
        }
    }

    fn upload(&self, upload: &UploadId) -> Result<Upload, BlobError> {
        let row = self.row(upload)?;
        let hash = row.hash.ok_or(BlobError::NoUpload)?;
        Ok(Upload { owner: row.owner, hash, size_bytes: row.size, received_bytes: row.received })
    }

    fn finish_upload(&self, upload: &UploadId) -> Result<StoredBlob, BlobError> {
        let row = self.row(upload)?;
        let expected = row.hash.ok_or(BlobError::NoUpload)?;
        if row.received != row.size {
            return Err(BlobError::Incomplete { received_bytes: row.received, size_bytes: row.size });
        }
        let found = self.pool.with(|client| pieces::hash(client, row.content, row.size))?;
        let found = found.ok_or(BlobError::NoUpload)?;
        if let Err(wrong) = check(Some(&expected), found) {
            self.abandon_upload(upload)?;
            return Err(wrong);
        }
        self.publish(upload, StoredBlob { hash: found, size_bytes: row.size })
    }

    fn abandon_upload(&self, upload: &UploadId) -> Result<(), BlobError> {
        let delete = "WITH gone AS (DELETE FROM upload WHERE id = $1 RETURNING content)
             DELETE FROM piece WHERE content IN (SELECT content FROM gone)";
        self.pool.execute("delete an upload", delete, &[&upload.0]).map(drop)
    }

    fn collect(&self, is_used: &dyn Fn(&BlobHash) -> bool, age: Duration) -> Result<Collected, BlobError> {
        self.pool.with(|client| {
            let mut collected = Collected { uploads: expire(client)?, ..Collected::default() };
            let select = "SELECT hash FROM blob WHERE stored_at <= now() - $1 * interval '1 second'";
            let rows = client.query(select, &[&age.as_secs_f64()]).map_err(failed("list blobs"))?;
            let unused: Vec<&[u8]> = rows
                .iter()
                .map(|row| row.get(0))
                .filter(|&hash| hash_of_row(hash).is_some_and(|hash| !is_used(&hash)))
                .collect();
            for batch in unused.chunks(COLLECT_BATCH) {
                let (blobs, bytes) = delete_batch(client, batch, age)?;
                collected.blobs += blobs;
                collected.bytes += bytes;
            }
            Ok(collected)
        })
    }

    fn check(&self) -> Result<(), BlobError> {
        self.pool.with(|client| {
            let failed = failed("write to the database");
            // Rolled back at the end.
            let mut transaction = client.transaction().map_err(&failed)?;
            let insert = "INSERT INTO piece (content, start, bytes) VALUES (nextval('content'), 0, '')";
            transaction.execute(insert, &[]).map(drop).map_err(failed)
        })
    }

    fn usage(&self) -> Result<BlobUsage, BlobError> {
        self.pool.with(|client| {
            let select = "SELECT count(*), coalesce(sum(size), 0)::bigint FROM blob";
            let row = client.query_one(select, &[]).map_err(failed("count blobs"))?;
            Ok(BlobUsage { blobs: row.get::<_, i64>(0) as u64, bytes: row.get::<_, i64>(1) as u64 })
        })
    }
}

/// Deletes blobs, except those that were stored again meanwhile.
fn delete_batch(client: &mut Client, hashes: &[&[u8]], age: Duration) -> Result<(u64, u64), BlobError> {
    let delete = "WITH gone AS (
             DELETE FROM blob WHERE hash = ANY ($1) AND stored_at <= now() - $2 * interval '1 second'
             RETURNING content, size),
         pieces AS (DELETE FROM piece WHERE content IN (SELECT content FROM gone))
         SELECT count(*), coalesce(sum(size), 0)::bigint FROM gone";
    let row = client.query_one(delete, &[&hashes, &age.as_secs_f64()]).map_err(failed("delete blobs"))?;
    Ok((row.get::<_, i64>(0) as u64, row.get::<_, i64>(1) as u64))
}

fn expire(client: &mut Client) -> Result<u64, BlobError> {
    let delete = "WITH gone AS (
             DELETE FROM upload WHERE added_at <= now() - $1 * interval '1 second' RETURNING content),
         pieces AS (DELETE FROM piece WHERE content IN (SELECT content FROM gone))
         SELECT count(*) FROM gone";
    let row = client.query_one(delete, &[&UPLOAD_AGE.as_secs_f64()]).map_err(failed("delete uploads"))?;
    Ok(row.get::<_, i64>(0) as u64)
}
