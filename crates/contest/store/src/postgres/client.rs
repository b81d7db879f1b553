//! A connection that blocks, and gives up when the database answers nothing: a process that is stopped or waits for its disk keeps
//! the connection open for ever.

use std::cell::Cell;
use std::error;
use std::fmt;
use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, IsolationLevel, NoTls, Row, Statement};

/// A database that is up answers within milliseconds, also over a network.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub enum Error {
    Database(tokio_postgres::Error),
    TimedOut(Duration),
    Io(std::io::Error),
}

impl Error {
    /// Returns the database's code of the error, if it has answered one.
    pub fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Database(error) => error.code(),
            Self::TimedOut(_) | Self::Io(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(error) => error.fmt(f),
            Self::TimedOut(within) => {
                write!(f, "the database has not answered within {} s", within.as_secs())
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Database(error) => error.source(),
            Self::TimedOut(_) | Self::Io(_) => None,
        }
    }
}

/// How long things may take. All follow from the time to connect, which the address can name (`connect_timeout`).
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    connect: Duration,
}

impl Patience {
    pub fn of(config: &Config) -> Self {
        Self { connect: config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT) }
    }

    /// How long the database may work on a statement: the longest is a page of events or a batch of 512 requests.
    pub fn statement(self) -> Duration {
        self.connect * 6
    }

    /// How long a statement may wait for a lock.
    pub fn lock(self) -> Duration {
        self.connect
    }

    /// How long nothing may come: longer than any statement, which the database itself ends.
    pub fn answer(self) -> Duration {
        self.connect * 7
    }
}

pub struct Client {
    /// Taken when this is dropped.
    runtime: Option<Runtime>,
    client: tokio_postgres::Client,
    waits: Waits,
}

struct Waits {
    within: Duration,
    /// Whether one did not come.
    is_lost: Cell<bool>,
}

impl Waits {
    fn wait<T>(
        &self,
        runtime: &Runtime,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        if self.is_lost.get() {
            return Err(Error::TimedOut(self.within));
        }
        // The timer must be made where it runs.
        let answered = runtime.block_on(async { tokio::time::timeout(self.within, answer).await });
        match answered {
            Ok(answer) => answer.map_err(Error::Database),
            Err(_) => {
                self.is_lost.set(true);
                Err(Error::TimedOut(self.within))
            }
        }
    }
}

impl Client {
    pub fn connect(config: &Config) -> Result<Self, Error> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Error::Io)?;
        let patience = Patience::of(config);
        // Also a database that takes the connection and then does not answer.
        let waits = Waits { within: patience.connect * 2, is_lost: Cell::new(false) };
        let (client, connection) = waits.wait(&runtime, config.connect(NoTls))?;
        // It ends with the runtime. What goes wrong with it, the statements say.
        runtime.spawn(async { drop(connection.await) });
        let waits = Waits { within: patience.answer(), ..waits };
        Ok(Self { runtime: Some(runtime), client, waits })
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it is there until the end")
    }

    pub fn is_closed(&self) -> bool {
        self.has_hung() || self.client.is_closed()
    }

    pub fn has_hung(&self) -> bool {
        self.waits.is_lost.get()
    }

    /// Begins a transaction, which is rolled back unless it is committed.
    pub fn transaction(&mut self) -> Result<Transaction<'_>, Error> {
        self.begin(tokio_postgres::Client::build_transaction)
    }

    /// Begins a transaction that sees one moment and changes nothing.
    pub fn snapshot(&mut self) -> Result<Transaction<'_>, Error> {
        self.begin(|client| {
            client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true)
        })
    }

    fn begin<'a>(
        &'a mut self,
        build: impl FnOnce(&'a mut tokio_postgres::Client) -> tokio_postgres::TransactionBuilder<'a>,
    ) -> Result<Transaction<'a>, Error> {
        let Self { runtime, client, waits } = self;
        let runtime = runtime.as_ref().expect("it is there until the end");
        let transaction = waits.wait(runtime, build(client).start())?;
        Ok(Transaction { runtime, waits, transaction })
    }

    /// Does statements without parameters.
    pub fn batch_execute(&self, sql: &str) -> Result<(), Error> {
        self.waits.wait(self.runtime(), self.client.batch_execute(sql))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Dropping a runtime waits, which panics where asynchronous tasks run.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

pub struct Transaction<'a> {
    runtime: &'a Runtime,
    waits: &'a Waits,
    transaction: tokio_postgres::Transaction<'a>,
}

impl Transaction<'_> {
    pub fn prepare(&self, sql: &str) -> Result<Statement, Error> {
        self.waits.wait(self.runtime, self.transaction.prepare(sql))
    }

    /// Does a statement that was prepared.
    pub fn query_prepared(
        &self,
        statement: &Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Error> {
        self.waits.wait(self.runtime, self.transaction.query(statement, parameters))
    }

    pub fn batch_execute(&self, sql: &str) -> Result<(), Error> {
        self.waits.wait(self.runtime, self.transaction.batch_execute(sql))
    }

    pub fn commit(self) -> Result<(), Error> {
        self.waits.wait(self.runtime, self.transaction.commit())
    }
}

type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

pub trait GenericClient {
    fn query(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<Vec<Row>, Error>;
    fn query_one(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<Row, Error>;
    fn query_opt(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<Option<Row>, Error>;
    fn execute(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<u64, Error>;
}

macro_rules! generic {
    ($kind:ty, $of:ident, $runtime:expr) => {
        impl GenericClient for $kind {
            fn query(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<Vec<Row>, Error> {
                self.waits.wait($runtime(self), self.$of.query(sql, parameters))
            }

            fn query_one(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<Row, Error> {
                self.waits.wait($runtime(self), self.$of.query_one(sql, parameters))
            }

            fn query_opt(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<Option<Row>, Error> {
                self.waits.wait($runtime(self), self.$of.query_opt(sql, parameters))
            }

            fn execute(&mut self, sql: &str, parameters: Parameters<'_>) -> Result<u64, Error> {
                self.waits.wait($runtime(self), self.$of.execute(sql, parameters))
            }
        }
    };
}

generic!(Client, client, Client::runtime);
generic!(Transaction<'_>, transaction, |transaction: &Self| transaction.runtime);
