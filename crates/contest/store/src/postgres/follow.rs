//! A log that another server writes, read as it grows, until its place is free.

use std::time::{Duration, Instant};

use tokio_postgres::Config;

use super::client::Client;
use super::connect::{PostgresStore, Session, connect, named, schema, try_lock};
use super::{Statements, events, failed, read_checkpoint};
use crate::{Checkpoint, Follow, Followed, Store, StoreError, WriterPlace, migrations};

/// Between attempts to connect.
const AGAIN: Duration = Duration::from_millis(250);

/// Who writes, and what time it is.
const WRITER: &str =
    "SELECT address, secret, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM writer";

/// A follower of a log in PostgreSQL.
pub struct PostgresFollower {
    config: Config,
    place: WriterPlace,
    session: Option<Session>,
    next_attempt: Instant,
}

impl PostgresFollower {
    /// Connects with the first question.
    pub fn new(url: &str, place: WriterPlace) -> Result<Self, StoreError> {
        Ok(Self { config: named(url)?, place, session: None, next_attempt: Instant::now() })
    }

    fn with_session<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut session = match self.session.take().filter(|session| !session.client.is_closed()) {
            Some(session) => session,
            None => self.connect()?,
        };
        let result = work(&mut session);
        if result.is_ok() || !session.client.is_closed() {
            self.session = Some(session);
        }
        result
    }

    fn connect(&mut self) -> Result<Session, StoreError> {
        if Instant::now() < self.next_attempt {
            return Err(StoreError::Unavailable {
                action: "connect to the database",
                source: "the last attempt failed, and the next one is not due yet".into(),
            });
        }
        let connected = connect(&self.config).map_err(failed("connect to the database"));
        if connected.is_err() {
            self.next_attempt = Instant::now() + AGAIN;
        }
        Ok(Session { client: connected?, statements: Statements::new(), number: 0 })
    }
}

/// Returns whether the log can be read: a writer of another release may not have migrated it yet.
fn is_readable(client: &mut Client) -> Result<bool, StoreError> {
    let (found, known) = (schema(client)?, migrations::POSTGRES.len() as u32);
    match found > known {
        true => Err(StoreError::TooNew { found, known }),
        false => Ok(found == known),
    }
}

impl Follow for PostgresFollower {
    fn checkpoint(&mut self, version: u32) -> Result<Option<Checkpoint>, StoreError> {
        self.with_session(|session| match is_readable(&mut session.client)? {
            true => read_checkpoint(session, version),
            false => Ok(None),
        })
    }

    fn look(&mut self, after: u64, max: usize) -> Result<Followed, StoreError> {
        self.with_session(|session| {
            if !is_readable(&mut session.client)? {
                return Ok(Followed::default());
            }
            let (events, _) = events::after(session, after, max)?;
            let rows = session.query("find the writer", WRITER, &[])?;
            let place = rows.first().and_then(|row| {
                Some(WriterPlace {
                    address: row.get::<_, Option<String>>(0)?,
                    secret: row.get::<_, Option<String>>(1)?,
                })
            });
            let now_ms = rows.first().map(|row| row.get(2));
            Ok(Followed { events, writer: place, now_ms })
        })
    }

    fn take_over(&mut self) -> Result<Option<Box<dyn Store>>, StoreError> {
        if !self.with_session(|session| try_lock(&mut session.client))? {
            return Ok(None);
        }
        let Some(session) = self.session.take() else { return Ok(None) };
        let store = PostgresStore::take_over(self.config.clone(), self.place.clone(), session.client)?;
        Ok(Some(Box::new(store)))
    }
}
