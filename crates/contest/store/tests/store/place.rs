//! Where the store of a test is.

use std::time::{Duration, Instant};

use store::{Claim, NewJob, Opened, Store, StoreAddress, StoreError, StoreTransaction, StoredEvent};
use test_database::Server;

pub struct StoreLocation {
    pub address: StoreAddress,
    _folder: Option<tempfile::TempDir>,
}

impl StoreLocation {
    pub fn folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { address: StoreAddress::Folder(folder.path().join("data")), _folder: Some(folder) }
    }

    pub fn postgres(server: &Server) -> Self {
        Self { address: StoreAddress::Postgres(server.url(&server.new_database().unwrap())), _folder: None }
    }

    /// Does something behind the store's back.
    pub fn sql(&self, sql: &str) {
        match &self.address {
            StoreAddress::Folder(folder) => {
                rusqlite::Connection::open(folder.join("contest.sqlite"))
                    .unwrap()
                    .execute_batch(sql)
                    .unwrap();
            }
            StoreAddress::Postgres(url) => {
                postgres::Client::connect(url, postgres::NoTls).unwrap().batch_execute(sql).unwrap();
            }
        }
    }

    /// Opens the store and reads its log.
    pub fn open(&self) -> Opened {
        let own = format!("process {}", std::process::id());
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            match store::open(&self.address) {
                // A child that another test is starting still has the file that was locked.
                Err(StoreError::Locked { holder }) if holder == own && Instant::now() < until => {
                    std::thread::yield_now();
                }
                opened => {
                    let mut opened = opened.unwrap();
                    read_all(&mut *opened.store);
                    return opened;
                }
            }
        }
    }
}

pub fn read_all(store: &mut dyn Store) -> Vec<StoredEvent> {
    let mut events: Vec<StoredEvent> = Vec::new();
    loop {
        let page = store.events_after(events.len() as u64, 1000).unwrap();
        if page.is_empty() {
            return events;
        }
        events.extend(page);
    }
}

/// Does a transaction that succeeds, and returns what `work` returns.
pub fn transact<T>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut dyn StoreTransaction) -> Result<T, StoreError>,
) -> T {
    let mut result = None;
    store
        .transact(&mut |transaction| {
            result = Some(work(transaction)?);
            Ok(())
        })
        .unwrap();
    result.unwrap()
}

pub fn append(store: &mut dyn Store, bodies: &[&str]) -> u64 {
    let bodies: Vec<String> = bodies.iter().map(|&body| body.to_owned()).collect();
    transact(store, |transaction| transaction.append(&bodies))
}

pub fn job(id: &str, class: u8, turn: i64) -> NewJob {
    NewJob {
        id: id.into(),
        pool: "strict".to_owned(),
        class,
        turn,
        owner: "team".to_owned(),
        tags: Vec::new(),
        not_before_ms: 0,
        body: format!("{{\"job\":\"{id}\"}}"),
    }
}

/// A claim at second 100 with a lease of 60 s.
pub fn claim(host: &str, max: usize) -> Claim {
    Claim {
        host: host.to_owned(),
        pool: "strict".to_owned(),
        max,
        now_ms: 100_000,
        lease_until_ms: 160_000,
        excluded_tags: Vec::new(),
    }
}
