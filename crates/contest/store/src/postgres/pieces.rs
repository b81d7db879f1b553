//! Contents in pieces, and connections for them: blobs are read and written by many threads.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::client::{Client, Error, GenericClient, Patience};
use super::connect::{self, connect};
use crate::{BlobError, BlobHash, StoreError, files::read_some};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row};

/// No piece is longer. Each is one message, and is in memory a few times.
pub const PIECE_BYTES: usize = 1 << 20;
/// As many connections, since PostgreSQL has 100 by default; the others wait.
const CONNECTIONS_MAX: usize = 8;
/// No thread waits longer for one of them.
const CONNECTION_WITHIN: Duration = Duration::from_secs(5);
/// The time between attempts to reach a database that did not answer: each may take long, and threads wait for it.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Returns how to turn PostgreSQL's errors into ours.
pub fn failed(action: &'static str) -> impl Fn(Error) -> BlobError {
    move |error| match super::failed(action)(error) {
        StoreError::Full { .. } => BlobError::Full,
        StoreError::Unavailable { action, source } => BlobError::Unavailable { action, source },
        error => BlobError::Database { action, source: Box::new(error) },
    }
}

pub struct Pool {
    config: Config,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Client>,
    in_use: usize,
    /// While the database does not answer: when one thread may try again.
    next_attempt: Option<Instant>,
}

impl Pool {
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let mut config = connect::config(url)?;
        config.application_name("tautochrone blobs");
        Ok(Self { config, state: Mutex::default(), freed: Condvar::new() })
    }

    /// Does something over a connection of its own. One over which something failed is not used again.
    pub fn with<T>(&self, work: impl FnOnce(&mut Client) -> Result<T, BlobError>) -> Result<T, BlobError> {
        let slot = Slot::take(self)?;
        let idle = self.state().idle.pop().filter(|client| !client.is_closed());
        let mut client = match idle {
            Some(client) => client,
            None => {
                let connected = connect(&self.config);
                self.note(matches!(connected, Err(Error::TimedOut(_))));
                connected.map_err(failed("connect to the database"))?
            }
        };
        let result = work(&mut client);
        self.note(client.has_hung());
        let is_lost = matches!(result, Err(BlobError::Database { .. } | BlobError::Unavailable { .. }));
        if !is_lost && !client.is_closed() {
            self.state().idle.push(client);
        }
        drop(slot);
        result
    }

    pub fn row(
        &self,
        action: &'static str,
        statement: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, BlobError> {
        self.with(|client| client.query_opt(statement, parameters).map_err(failed(action)))
    }

    pub fn execute(
        &self,
        action: &'static str,
        statement: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, BlobError> {
        self.with(|client| client.execute(statement, parameters).map_err(failed(action)))
    }

    /// Notes whether the database gave no answer.
    fn note(&self, has_hung: bool) {
        self.state().next_attempt = has_hung.then(|| Instant::now() + AGAIN_AFTER);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Slot<'a>(&'a Pool);

impl<'a> Slot<'a> {
    fn take(pool: &'a Pool) -> Result<Self, BlobError> {
        let until = Instant::now() + CONNECTION_WITHIN;
        let mut state = pool.state();
        loop {
            let now = Instant::now();
            if state.next_attempt.is_some_and(|next| now < next) {
                return Err(unavailable("it did not answer a moment ago"));
            }
            if state.in_use < CONNECTIONS_MAX {
                // The others do not wait for an attempt after a failure.
                let attempt = Patience::of(&pool.config).answer();
                state.next_attempt = state.next_attempt.map(|_| now + attempt);
                state.in_use += 1;
                return Ok(Self(pool));
            }
            if now >= until {
                return Err(unavailable("all connections are in use"));
            }
            let wait = pool.freed.wait_timeout(state, until - now);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn unavailable(why: &'static str) -> BlobError {
    BlobError::Unavailable { action: "ask the database", source: why.into() }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.state().in_use -= 1;
        self.0.freed.notify_one();
    }
}

/// Returns the next piece of a content. It is short only at the end.
pub fn next_piece(content: &mut dyn Read) -> Result<Vec<u8>, BlobError> {
    let mut piece = vec![0; PIECE_BYTES];
    let length = read_some(content, &mut piece)?;
    piece.truncate(length);
    Ok(piece)
}

/// Returns the piece in which a byte is, and where that piece starts.
pub fn piece_at(
    client: &mut impl GenericClient,
    content: i64,
    at: u64,
) -> Result<Option<(u64, Vec<u8>)>, BlobError> {
    let select =
        "SELECT start, bytes FROM piece WHERE content = $1 AND start <= $2 ORDER BY start DESC LIMIT 1";
    let row = client.query_opt(select, &[&content, &super::integer(at)]).map_err(failed("read a blob"))?;
    Ok(row.map(|row| (row.get::<_, i64>(0) as u64, row.get(1))))
}

/// Returns the hash of a content, or `None` if a piece is missing.
pub fn hash(
    client: &mut impl GenericClient,
    content: i64,
    size_bytes: u64,
) -> Result<Option<BlobHash>, BlobError> {
    let (mut hasher, mut at) = (Sha256::new(), 0);
    while at < size_bytes {
        match piece_at(client, content, at)? {
            Some((start, piece)) if start == at && !piece.is_empty() => {
                hasher.update(&piece);
                at += piece.len() as u64;
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(BlobHash(hasher.finalize().into())))
}

pub fn delete(client: &mut impl GenericClient, content: i64) -> Result<(), BlobError> {
    client
        .execute("DELETE FROM piece WHERE content = $1", &[&content])
        .map_err(failed("delete a blob"))
        .map(drop)
}

/// A content as it is read, piece by piece. No connection is held between pieces: the receiver may be slow.
pub struct Pieces {
    pool: Arc<Pool>,
    hash: BlobHash,
    content: i64,
    range: Range<u64>,
    piece: Vec<u8>,
    used: usize,
}

impl Pieces {
    pub fn new(pool: Arc<Pool>, hash: BlobHash, content: i64, range: Range<u64>) -> Self {
        Self { pool, hash, content, range, piece: Vec::new(), used: 0 }
    }

    fn fetch(&mut self) -> Result<(), BlobError> {
        let (at, content) = (self.range.start, self.content);
        self.used = 0;
        self.piece.clear();
        if let Some((start, mut piece)) = self.pool.with(|client| piece_at(client, content, at))? {
            piece.truncate(usize::try_from(self.range.end - start).unwrap_or(usize::MAX));
            self.used = usize::try_from(at - start).unwrap_or(usize::MAX).min(piece.len());
            self.piece = piece;
        }
        Ok(())
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.range.is_empty() || buffer.is_empty() {
            return Ok(0);
        }
        if self.used == self.piece.len() {
            self.fetch().map_err(io::Error::other)?;
        }
        let rest = &self.piece[self.used..];
        if rest.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, BlobError::Damaged(self.hash)));
        }
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.used += length;
        self.range.start += length as u64;
        Ok(length)
    }
}
