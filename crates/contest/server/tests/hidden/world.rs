//! A whole server in this process, with a clock that only the test moves.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use contest_rules::Instant;
use serde_json::{Value, json};
use server::{App, Config, Start};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_stream::StreamExt;
use tower::ServiceExt;

/// The contest's start: any instant.
pub const START_MS: i64 = 1_800_000_000_000;
const BODY_BYTES_MAX: usize = 64 << 20;

/// An answer, as far as a client sees it.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}\n{}", self.status, self.headers, String::from_utf8_lossy(&self.body))
    }
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

pub struct World {
    router: Router,
    pub app: Arc<App>,
    clock: Arc<AtomicI64>,
    tokens: BTreeMap<String, String>,
    _folder: tempfile::TempDir,
}

impl World {
    /// Makes a server whose admin has a token, a day before [`START_MS`].
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let temporary = folder.path().join("tmp");
        let opened = store::open(&store::StoreAddress::Folder(folder.path().to_owned())).unwrap();
        std::fs::create_dir_all(&temporary).unwrap();
        let clock = Arc::new(AtomicI64::new(START_MS - 86_400_000));
        let read = clock.clone();
        let start =
            Start::with_clock(opened.store, Arc::new(move || Instant(read.load(Ordering::SeqCst)))).unwrap();
        let password =
            server::add_admin(&start.writer, &start.published, folder.path(), None).await.unwrap().unwrap();
        let listen = "127.0.0.1:1".parse().unwrap();
        let config = Config::new(listen, temporary);
        let app = App::new(config, start.writer.clone(), start.published.clone(), opened.blobs).unwrap();
        let app = Arc::new(app);
        let router = server::router(app.clone());
        let tokens = Default::default();
        let mut world = Self { router, app, clock, tokens, _folder: folder };
        let basic = format!("admin:{password}");
        let basic = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, basic);
        let request = Request::post("/api/tokens")
            .header(header::AUTHORIZATION, format!("Basic {basic}"))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from("{}"));
        let answer = world.send(request.unwrap()).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
        world.tokens.insert("admin".to_owned(), answer.json()["secret"].as_str().unwrap().to_owned());
        world
    }

    /// Sets the time, and lets the server do what is due.
    pub async fn set_time(&self, ms_of_contest: i64) {
        self.clock.store(START_MS + ms_of_contest, Ordering::SeqCst);
        self.app.writer.counts().await.unwrap();
    }

    /// Gives an account a token.
    pub async fn add_token(&mut self, account: &str) {
        let answer = self.post("admin", "/api/tokens", json!({ "account_id": account })).await;
        self.tokens.insert(account.to_owned(), answer["secret"].as_str().unwrap().to_owned());
    }

    fn request(&self, by: &str, method: Method, path: &str) -> axum::http::request::Builder {
        let request = Request::builder().method(method).uri(path);
        match self.tokens.get(by) {
            Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
            None => {
                assert_eq!(by, "public", "no token");
                request
            }
        }
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, BODY_BYTES_MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: visible(&parts.headers), body }
    }

    pub async fn get(&self, by: &str, path: &str) -> Answer {
        self.send(self.request(by, Method::GET, path).body(Body::empty()).unwrap()).await
    }

    pub async fn ask(&self, by: &str, method: Method, path: &str, body: Value) -> Answer {
        let request = self.request(by, method, path).header(header::CONTENT_TYPE, "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    /// Does something that must work.
    pub async fn do_it(&self, by: &str, method: Method, path: &str, body: Value) -> Value {
        let answer = self.ask(by, method.clone(), path, body).await;
        assert!(answer.status.is_success(), "{method} {path} by {by}: {answer:?}");
        answer.json()
    }

    pub async fn post(&self, by: &str, path: &str, body: Value) -> Value {
        self.do_it(by, Method::POST, path, body).await
    }

    pub async fn put(&self, by: &str, path: &str, body: Value) -> Value {
        self.do_it(by, Method::PUT, path, body).await
    }

    pub async fn send_bytes(&self, by: &str, path: &str, bytes: Vec<u8>) -> Answer {
        let request = self.request(by, Method::POST, path).header(header::CONTENT_TYPE, "application/zip");
        self.send(request.body(Body::from(bytes)).unwrap()).await
    }

    /// Returns the body of an answer that does not end.
    pub async fn open(&self, by: &str, path: &str) -> Body {
        let request = self.request(by, Method::GET, path).body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.into_body()
    }

    /// Opens a stream of events.
    pub async fn stream(&self, by: &str, path: &str) -> EventStream {
        let text = Arc::new(Mutex::new(String::new()));
        let (collected, mut body) = (text.clone(), self.open(by, path).await.into_data_stream());
        let reader = tokio::spawn(async move {
            while let Some(piece) = body.next().await {
                collected.lock().unwrap().push_str(std::str::from_utf8(&piece.unwrap()).unwrap());
            }
        });
        EventStream { text, reader }
    }
}

pub struct EventStream {
    text: Arc<Mutex<String>>,
    reader: tokio::task::JoinHandle<()>,
}

impl EventStream {
    /// Waits until these words have come.
    pub async fn wait_for(&self, words: &str) {
        while !self.text.lock().unwrap().contains(words) {
            assert!(!self.reader.is_finished(), "the stream has ended without {words}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits for the end, and returns the events of each audience, by its letter. How events of two audiences mix depends on
    /// when they are sent.
    pub async fn end(self) -> BTreeMap<char, Vec<String>> {
        self.reader.await.unwrap();
        let text = self.text.lock().unwrap().clone();
        let mut events: BTreeMap<char, Vec<String>> = BTreeMap::new();
        let mut last = BTreeMap::new();
        for event in text.split("\n\n").filter(|event| !event.is_empty() && *event != ":") {
            let (id, rest) = event.split_once("id: ").unwrap().1.split_once('\n').unwrap();
            let positions: BTreeMap<char, String> = id
                .split_inclusive(|c: char| c.is_ascii_alphabetic())
                .scan(None, |before: &mut Option<char>, part| {
                    let number: String = part.chars().filter(char::is_ascii_digit).collect();
                    let letter = part.chars().last().filter(char::is_ascii_alphabetic);
                    Some(std::mem::replace(before, letter).map(|letter| (letter, number)))
                })
                .flatten()
                .collect();
            for (letter, position) in &positions {
                if last.get(letter) != Some(position) {
                    events.entry(*letter).or_default().push(format!("{position} {rest}"));
                }
            }
            last = positions;
        }
        events
    }
}

/// Returns headers but the date and the request's id, which is random.
fn visible(headers: &HeaderMap) -> Vec<(String, String)> {
    let shown = headers.iter().filter(|(name, _)| *name != header::DATE && *name != "x-request-id");
    shown.map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("?").to_owned())).collect()
}

/// Returns a small problem package.
pub fn package() -> Vec<u8> {
    test_support::zip([
        ("p/problem.yaml", "name: P\n"),
        ("p/domjudge-problem.ini", "timelimit = 1\n"),
        ("p/problem_statement/problem.en.md", "Say 1.\n"),
        ("p/data/secret/01-one.in", "\n"),
        ("p/data/secret/01-one.ans", "1\n"),
        ("p/data/secret/02-two.in", "\n"),
        ("p/data/secret/02-two.ans", "1\n"),
        ("p/submissions/accepted/a.py", "print(1)\n"),
    ])
}
