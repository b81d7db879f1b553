//! A host on loopback, and clients that are written by hand.

use arena::host::{BoardBytes, Contestant, Host, HostError, HostOptions, Limits};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stream_rules::solve::{Method, Problem};
use stream_rules::{MultipleOf, Rules};

pub const SEED: u64 = 7;
/// A board that does not come within this time never will.
const PATIENCE: Duration = Duration::from_secs(120);

/// Rules with many answers and no waiting.
pub fn rules() -> Rules {
    let seven = MultipleOf { value: "7".to_owned(), hidden: false, primes: Vec::new() };
    let mut rules = Rules { digits_max: 4, multiples_of: vec![seven], ..Rules::default() };
    rules.chunks.gap_us = (1000, 3000);
    rules
}

pub struct Arena {
    pub host: Host,
    pub record: PathBuf,
    pub rules: Rules,
    /// The last board before the host was closed.
    pub last: Arc<BoardBytes>,
    _folder: tempfile::TempDir,
}

fn options(record: &Path, rules: Rules) -> HostOptions {
    let anywhere = || TcpListener::bind("127.0.0.1:0").unwrap();
    let one = |name: &str| Contestant { name: name.to_owned(), password: format!("pw-{name}") };
    HostOptions {
        rules,
        seed: SEED,
        begins_unix_ns: 0,
        duration: None,
        record: record.to_owned(),
        contestants: vec![one("ann"), one("bob")],
        input: anywhere(),
        output: anywhere(),
        board: anywhere(),
        page: axum::Router::new(),
        limits: Limits::default(),
        secret: [9; 48],
    }
}

pub fn try_open(record: &Path, rules: Rules) -> Result<Host, HostError> {
    Host::open(options(record, rules))
}

impl Arena {
    pub fn open(name: &str, change: impl FnOnce(&mut HostOptions)) -> Self {
        let folder = tempfile::Builder::new().prefix(name).tempdir().unwrap();
        let record = folder.path().join("record.ndjson");
        let mut options = options(&record, rules());
        change(&mut options);
        let rules = options.rules.clone();
        let host = Host::open(options).unwrap();
        Self { host, record, rules, last: Arc::default(), _folder: folder }
    }

    pub fn close(&mut self) {
        let show = self.host.show.clone();
        self.host.end();
        self.last = show.latest();
    }

    pub fn open_again(&mut self) {
        self.host = Host::open(options(&self.record, self.rules.clone())).unwrap();
    }

    /// A client of the feed, which has read the head.
    pub fn feed(&self) -> TcpStream {
        let mut feed = connect(self.host.input);
        feed.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            feed.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 200 OK\r\n"));
        feed
    }

    /// Waits for an answer in the digits of a feed.
    pub fn next_answer(&self, feed: &mut TcpStream) -> String {
        let mut solver = Method::Prefix.solver(&Problem::new(&self.rules));
        let mut found = None;
        while found.is_none() {
            let mut digits = [0; 1000];
            let count = feed.read(&mut digits).unwrap();
            solver.take(&digits[..count], &mut |_, text| {
                found.get_or_insert_with(|| String::from_utf8(text.to_vec()).unwrap());
            });
        }
        found.unwrap()
    }

    pub fn board_when(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let shown = self.host.show.latest();
            if let Ok(board) = serde_json::from_slice::<Value>(&shown.json)
                && is_it(&board)
            {
                return board;
            }
            assert!(start.elapsed() < PATIENCE, "{}", String::from_utf8_lossy(&shown.text));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub fn row(board: &Value, name: &str) -> Value {
    let rows = board["rows"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).cloned().unwrap_or_default()
}

pub fn refused(board: &Value, reason: &str) -> u64 {
    let all = board["refused"].as_array().unwrap();
    all.iter().find(|one| one["reason"] == reason).map_or(0, |one| one["count"].as_u64().unwrap())
}

pub fn connect(to: SocketAddr) -> TcpStream {
    let connection = TcpStream::connect(to).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    connection
}

pub fn answer(user: &str, password: &str, text: &str) -> String {
    let length = text.len();
    format!("POST /submit?user={user}&passwd={password} HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{text}")
}

pub fn post(to: SocketAddr, user: &str, password: &str, text: &str) {
    assert!(reply_to(to, &answer(user, password, text)).contains("200 OK"));
}

/// Sends a request on a connection of its own.
pub fn reply_to(to: SocketAddr, request: &str) -> String {
    let mut connection = connect(to);
    connection.write_all(request.as_bytes()).unwrap();
    read_replies(&mut connection, 1).remove(0)
}

/// Reads `count` replies.
pub fn read_replies(connection: &mut TcpStream, count: usize) -> Vec<String> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut replies = Vec::new();
    while replies.len() < count {
        let mut piece = [0; 4096];
        let read = connection.read(&mut piece).unwrap();
        assert!(read > 0, "the connection ended after {} of {count} replies", replies.len());
        bytes.extend_from_slice(&piece[..read]);
        while let Some(length) = reply_length(&bytes) {
            replies.push(String::from_utf8(bytes.drain(..length).collect()).unwrap());
        }
    }
    assert!(bytes.is_empty());
    replies
}

fn reply_length(bytes: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(bytes).ok()?;
    let head = text.find("\r\n\r\n")? + 4;
    let length = text.split("Content-Length: ").nth(1)?.split("\r\n").next()?.parse::<usize>().ok()?;
    (bytes.len() >= head + length).then_some(head + length)
}

pub fn get(at: SocketAddr, path: &str) -> String {
    let mut connection = connect(at);
    connection
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes())
        .unwrap();
    let mut text = String::new();
    connection.read_to_string(&mut text).unwrap();
    text
}

/// Returns the digits of all chunks that were sent.
pub fn digits_sent(record: &str) -> String {
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sent: Vec<u64> = lines.iter().filter_map(|line| line["sent"]["number"].as_u64()).collect();
    let mut chunks = std::collections::BTreeMap::new();
    for line in &lines {
        if let Some(number) = line["chunk"]["number"].as_u64() {
            chunks.insert(number, line["chunk"]["digits"].as_str().unwrap().to_owned());
        }
    }
    assert!(sent.is_sorted_by(|one, next| one + 1 == *next), "{sent:?}");
    sent.iter().map(|number| chunks[number].as_str()).collect()
}
