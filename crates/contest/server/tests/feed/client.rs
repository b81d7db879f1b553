//! A client of the feed.

use crate::world::World;
use follower::Copy;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_stream::StreamExt;

/// A client of the feed.
pub struct Client {
    pub by: &'static str,
    pub copy: Arc<Mutex<Copy>>,
    wrong: Arc<Mutex<Vec<String>>>,
    reading: tokio::task::JoinHandle<()>,
}

impl Client {
    pub async fn connect(world: &World, by: &'static str) -> Self {
        let (copy, wrong) = (Arc::<Mutex<Copy>>::default(), Arc::<Mutex<Vec<String>>>::default());
        let reading = read(world, by, copy.clone(), wrong.clone()).await;
        Self { by, copy, wrong, reading }
    }

    pub fn disconnect(&self) {
        self.reading.abort();
    }

    pub async fn connect_again(&mut self, world: &World) {
        self.reading.abort();
        self.reading = read(world, self.by, self.copy.clone(), self.wrong.clone()).await;
    }

    /// Waits until everything up to now has come, which something visible to all ends.
    pub async fn catch_up(&self, token: &str) {
        for _ in 0..4_000 {
            self.assert_right();
            if self.copy.lock().unwrap().token() == Some(token) {
                return;
            }
            assert!(!self.reading.is_finished(), "the feed of {} has ended", self.by);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let last = self.copy.lock().unwrap().token().map(ToOwned::to_owned);
        panic!("{} waits for {token}; its last token is {last:?}", self.by);
    }

    fn assert_right(&self) {
        let wrong = self.wrong.lock().unwrap();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", self.by);
    }
}

async fn read(
    world: &World,
    by: &'static str,
    copy: Arc<Mutex<Copy>>,
    wrong: Arc<Mutex<Vec<String>>>,
) -> tokio::task::JoinHandle<()> {
    let token = copy.lock().unwrap().token().map(|token| format!("?since_token={token}")).unwrap_or_default();
    let body = world.open(by, &format!("/api/contests/c/event-feed{token}")).await;
    let mut body = body.into_data_stream();
    tokio::spawn(async move {
        let mut rest = Vec::new();
        while let Some(piece) = body.next().await {
            rest.extend_from_slice(&piece.unwrap());
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                let found = copy.lock().unwrap().apply(std::str::from_utf8(&line).unwrap());
                wrong.lock().unwrap().extend(found);
            }
        }
    })
}
