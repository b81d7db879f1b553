//! The writer's connection: settings, schema, lock, number; and another connection when it is lost.

use std::time::{Duration, Instant};

use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row};

use super::client::{Client, Error, GenericClient, Patience};
use super::{Statements, events, failed};
use crate::{StoreError, WriterPlace, migrations};

/// A connection is lost when sent data is not confirmed for this long.
const UNCONFIRMED_TIMEOUT: Duration = Duration::from_secs(10);
/// Another writer that ends lets go within this time.
const LOCK_WAIT: Duration = Duration::from_secs(1);
/// Between attempts to connect, doubled after each failure.
const BACKOFF: std::ops::Range<Duration> = Duration::from_millis(50)..Duration::from_secs(5);
/// Half of the advisory lock's key; the other half is the schema, so that two stores can share a database.
const LOCK_KEY: i32 = 0x7461_7574;
const SETTINGS: &str = "SET synchronous_commit = on;
    SET idle_in_transaction_session_timeout = '60s';
    SET tcp_keepalives_idle = 5;
    SET tcp_keepalives_interval = 2;
    SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = '10s';
    SET client_min_messages = warning;";

/// A store in PostgreSQL, with the lock on it while the connection stands.
pub struct PostgresStore {
    config: Config,
    /// Where others that follow the log reach this writer.
    place: Option<WriterPlace>,
    session: Option<Session>,
    /// The last number that this store had as a writer.
    number: i64,
    /// The last event that was read or appended.
    known: i64,
    failures: u32,
    next_attempt: Instant,
}

pub struct Session {
    pub client: Client,
    pub statements: Statements,
    pub number: i64,
}

impl Session {
    pub fn query(
        &mut self,
        action: &'static str,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreError> {
        self.client.query(sql, parameters).map_err(failed(action))
    }
}

/// Returns how to connect, with limits on how long anything may take.
pub fn config(url: &str) -> Result<Config, StoreError> {
    let mut config: Config =
        url.parse().map_err(Error::Database).map_err(failed("read the address of the database"))?;
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNCONFIRMED_TIMEOUT);
    }
    config.keepalives_idle(Duration::from_secs(5));
    config.keepalives_interval(Duration::from_secs(2));
    config.keepalives_retries(3);
    Ok(config)
}

/// Connects, and sets what each connection needs.
pub fn connect(config: &Config) -> Result<Client, Error> {
    let client = Client::connect(config)?;
    let patience = Patience::of(config);
    let (statement, lock) = (patience.statement().as_millis(), patience.lock().as_millis());
    client.batch_execute(&format!(
        "{SETTINGS} SET statement_timeout = {statement}; SET lock_timeout = {lock};"
    ))?;
    Ok(client)
}

impl PostgresStore {
    /// Connects, takes the lock, and migrates the schema.
    pub fn open(url: &str, place: Option<WriterPlace>) -> Result<Self, StoreError> {
        let mut new = Self::unopened(named(url)?, place);
        new.with_session(events::check_all)?;
        Ok(new)
    }

    fn unopened(config: Config, place: Option<WriterPlace>) -> Self {
        let next_attempt = Instant::now();
        Self { config, place, session: None, number: 0, known: 0, failures: 0, next_attempt }
    }

    /// Becomes the writer over a connection that has the lock. What was read before is checked already.
    pub(super) fn take_over(config: Config, place: WriterPlace, client: Client) -> Result<Self, StoreError> {
        let mut new = Self::unopened(config, Some(place));
        let session = new.become_writer(client)?;
        new.session = Some(session);
        Ok(new)
    }

    pub(super) fn known(&self) -> i64 {
        self.known
    }

    pub(super) fn note_known(&mut self, seq: i64) {
        self.known = self.known.max(seq);
    }

    /// Does something over the connection, which is made anew if it is lost. That never happens in the middle of `work`: a new
    /// connection must take the lock, and then begins with a new transaction.
    pub(super) fn with_session<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut session = match self.session.take().filter(|session| !session.client.is_closed()) {
            Some(session) => session,
            None => self.begin_session()?,
        };
        let result = work(&mut session);
        let is_lost = match &result {
            Ok(_) => false,
            // Another writer has the number: the lock must be taken anew, too.
            Err(StoreError::Unknown { .. } | StoreError::Unavailable { .. } | StoreError::Fenced) => true,
            Err(_) => session.client.is_closed(),
        };
        if !is_lost {
            self.session = Some(session);
        }
        result
    }

    /// Connects, unless an attempt failed a moment ago.
    fn begin_session(&mut self) -> Result<Session, StoreError> {
        if Instant::now() < self.next_attempt {
            return Err(StoreError::Unavailable {
                action: "connect to the database",
                source: "the last attempt failed, and the next one is not due yet".into(),
            });
        }
        let result = self.try_session();
        if result.is_ok() {
            self.failures = 0;
        } else {
            let delay = BACKOFF.start.saturating_mul(1 << self.failures.min(10)).min(BACKOFF.end);
            self.failures = self.failures.saturating_add(1);
            self.next_attempt = Instant::now() + delay;
        }
        result
    }

    fn try_session(&mut self) -> Result<Session, StoreError> {
        let mut client = connect(&self.config).map_err(failed("connect to the database"))?;
        self.lock(&mut client)?;
        self.become_writer(client)
    }

    /// Migrates the schema and takes the next number, with the lock.
    fn become_writer(&mut self, mut client: Client) -> Result<Session, StoreError> {
        migrate(&mut client)?;
        let (address, secret) = self.place.as_ref().map(|place| (&place.address, &place.secret)).unzip();
        let raise = "UPDATE writer SET number = number + 1, address = $1, secret = $2 RETURNING number";
        let row = client.query_one(raise, &[&address, &secret]).map_err(failed("become the writer"))?;
        self.number = row.get(0);
        let name = format!("SET application_name = '{}'", application_name(self.number));
        client.batch_execute(&name).map_err(failed("become the writer"))?;
        Ok(Session { client, statements: Statements::new(), number: self.number })
    }

    fn lock(&self, client: &mut Client) -> Result<(), StoreError> {
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            if try_lock(client)? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                let holder = holder(client)?;
                return Err(if holder.starts_with(&format!("{} (", application_name(self.number))) {
                    StoreError::Unavailable {
                        action: "lock the database",
                        source: "the last connection of this very writer has not ended yet".into(),
                    }
                } else {
                    StoreError::Locked { holder }
                });
            }
            // The database may not have noticed that this store's last connection is lost. No other has its number.
            client
                .execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE application_name = $1 AND datname = current_database()",
                    &[&application_name(self.number)],
                )
                .map_err(failed("end the last connection"))?;
            std::thread::sleep(BACKOFF.start);
        }
    }
}

/// Takes the lock, if it is free.
pub(super) fn try_lock(client: &mut Client) -> Result<bool, StoreError> {
    let lock = "SELECT pg_try_advisory_lock($1, hashtext(current_schema()::text))";
    Ok(client.query_one(lock, &[&LOCK_KEY]).map_err(failed("lock the database"))?.get(0))
}

/// Returns how a server connects.
pub(super) fn named(url: &str) -> Result<Config, StoreError> {
    let mut config = config(url)?;
    config.application_name("tautochrone");
    Ok(config)
}

/// Returns the schema of a database; 0 if it has none.
pub(super) fn schema(client: &mut Client) -> Result<u32, StoreError> {
    let failed = failed("read the schema");
    let is_there = "SELECT to_regclass('schema_version') IS NOT NULL";
    if !client.query_one(is_there, &[]).map_err(&failed)?.get::<_, bool>(0) {
        return Ok(0);
    }
    let row =
        client.query_one("SELECT coalesce(max(version), 0) FROM schema_version", &[]).map_err(&failed)?;
    Ok(u32::try_from(row.get::<_, i64>(0)).unwrap_or(u32::MAX))
}

fn application_name(number: i64) -> String {
    format!("tautochrone writer {number}")
}

fn holder(client: &mut Client) -> Result<String, StoreError> {
    let row = client
        .query_opt(
            "SELECT application_name, coalesce(host(client_addr), 'the same machine'), pid, backend_start::text
             FROM pg_locks JOIN pg_stat_activity USING (pid)
             WHERE locktype = 'advisory' AND granted AND classid = $1::integer::oid AND datname = current_database()",
            &[&LOCK_KEY],
        )
        .map_err(failed("see who has the lock"))?;
    Ok(row.map_or_else(
        || "another server".to_owned(),
        |row| {
            let (name, place, start): (String, String, String) = (row.get(0), row.get(1), row.get(3));
            let pid: i32 = row.get(2);
            format!("{name} (connected from {place} since {start}, process {pid} of the database)")
        },
    ))
}

fn migrate(client: &mut Client) -> Result<(), StoreError> {
    let failed = failed("migrate the schema");
    client
        .batch_execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
        .map_err(&failed)?;
    let found = schema(client)?;
    for (version, sql) in migrations::missing(migrations::POSTGRES, found)? {
        let mut transaction = client.transaction().map_err(&failed)?;
        transaction.batch_execute(sql).map_err(&failed)?;
        if version == migrations::POSTGRES_CHAINED {
            events::chain_all(&mut transaction)?;
        }
        transaction
            .execute("INSERT INTO schema_version VALUES ($1)", &[&i64::from(version)])
            .map_err(&failed)?;
        transaction.commit().map_err(&failed)?;
    }
    Ok(())
}
