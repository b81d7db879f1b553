//! A server in this process, on a port of its own, and clients of it.

#![allow(dead_code, reason = "not every test needs everything")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use serde_json::{Value, json};
use server::{App, Config, Options, Ready};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
pub use test_support::zip_of;

/// Few, so that a test sees what holds one.
pub const BLOCKING_THREADS: usize = 4;

pub struct Server {
    pub address: SocketAddr,
    pub admin_password: String,
    pub judgehost_token: String,
    pub data: TempDir,
    pub app: Arc<App>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// Starts one with the contest of [`set_up`].
    pub fn with_demo() -> Self {
        let server = Self::start();
        set_up(&server);
        server
    }

    pub fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let data = tempfile::tempdir().unwrap();
        Self::start_in(data, change)
    }

    /// Starts one whose store is a database.
    pub fn start_on(address: &str) -> Self {
        Self::open(tempfile::tempdir().unwrap(), Some(address.parse().unwrap()), |_| {})
    }

    pub fn start_in(data: TempDir, change: impl FnOnce(&mut Config)) -> Self {
        Self::open(data, None, change)
    }

    /// Starts one of several servers of a database: it follows until no other one writes.
    pub fn start_replica(address: &str, change: impl FnOnce(&mut Config)) -> Self {
        Self::open(tempfile::tempdir().unwrap(), Some(address.parse().unwrap()), |config| {
            let address = format!("http://{}", config.listen);
            config.replica = Some(store::WriterPlace { address, secret: server::random_secret() });
            change(config);
        })
    }

    fn open(data: TempDir, database: Option<store::StoreAddress>, change: impl FnOnce(&mut Config)) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let mut config = Config::new(address, data.path().join("tmp"));
        change(&mut config);
        let given = config.admin_password.clone();
        let options = Options { data: data.path().to_owned(), database, config };
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (ready, is_ready) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .max_blocking_threads(BLOCKING_THREADS)
                .enable_all()
                .build()
                .unwrap();
            let say = move |up: Ready| ready.send((up.admin_password, up.judgehost_token, up.app)).unwrap();
            let until = async { drop(stopped.await) };
            runtime.block_on(server::run(options, listener, say, until)).unwrap();
        });
        let (admin_password, judgehost_token, app) = is_ready.recv_timeout(Duration::from_secs(30)).unwrap();
        let admin_password = given.or(admin_password).unwrap_or_default();
        Self { address, admin_password, judgehost_token, data, app, stop: Some(stop), thread: Some(thread) }
    }

    /// Stops gracefully, and starts again with the same data.
    pub fn restart(mut self) -> Self {
        self.end();
        let password = self.admin_password.clone();
        let data = std::mem::replace(&mut self.data, tempfile::tempdir().unwrap());
        let mut again = Self::start_in(data, |_| {});
        again.admin_password = password;
        again
    }

    /// Begins to stop gracefully, and does not wait for the end.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    fn end(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub fn public(&self) -> Client {
        Client::new(self.address, None)
    }

    pub fn admin(&self) -> Client {
        self.by_password("admin", &self.admin_password)
    }

    pub fn judgehost(&self) -> Client {
        self.by_token(&self.judgehost_token)
    }

    /// Returns the judgehost `h1`, which has joined the pool.
    pub fn registered_judgehost(&self) -> Client {
        let host = self.judgehost();
        host.put("/api/judgehosts/h1", &registration("1", &["cpu: x"])).expect(200);
        host
    }

    pub fn by_token(&self, secret: &str) -> Client {
        Client::new(self.address, Some(format!("Bearer {secret}")))
    }

    /// Returns a client with an account of [`set_up`].
    pub fn by_name(&self, name: &str) -> Client {
        self.by_password(name, "secret")
    }

    pub fn by_password(&self, name: &str, password: &str) -> Client {
        use base64::Engine;
        let text = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{password}"));
        Client::new(self.address, Some(format!("Basic {text}")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}

#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    address: SocketAddr,
    authorization: Option<String>,
    headers: Vec<(String, String)>,
}

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Returns the JSON of an answer that has this status.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        if self.body.is_empty() { Value::Null } else { self.json() }
    }
}

impl Client {
    fn new(address: SocketAddr, authorization: Option<String>) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).max_redirects(0);
        let config = config.timeout_global(Some(Duration::from_secs(60))).build();
        Self { agent: config.into(), address, authorization, headers: Vec::new() }
    }

    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        changed.headers.push((name.to_owned(), value.to_owned()));
        changed
    }

    /// Sends a request; a path that does not begin with a slash is one of the contest `demo`.
    pub fn send(&self, method: &str, path: &str, content_type: Option<&str>, body: &[u8]) -> Answer {
        let path = match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("/api/contests/demo/{path}"),
        };
        let mut request =
            ureq::http::Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let agent = &self.agent;
        let result = if content_type.is_some() {
            agent.run(request.body(body).unwrap())
        } else {
            agent.run(request.body(()).unwrap())
        };
        let mut response = result.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap_or("?").to_owned()));
        let headers = headers.collect();
        let status = response.status().as_u16();
        let is_stream = path.ends_with("/event-feed")
            || response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        if is_stream {
            // It does not end.
            return Answer { status, headers, body: Vec::new() };
        }
        let read = response.body_mut().with_config().limit(64 << 20).read_to_vec();
        let body = read.unwrap_or_else(|error| panic!("{method} {path}, {status}: {error}"));
        Answer { status, headers, body }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None, b"")
    }

    pub fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(method, path, Some("application/json"), body.to_string().as_bytes())
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body)
    }

    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.json("PUT", path, body)
    }

    pub fn patch(&self, path: &str, body: &Value) -> Answer {
        self.json("PATCH", path, body)
    }

    /// Stores a package and adds its problem to the contest `demo`.
    pub fn add_problem(&self, id: &str, label: &str, package: &[u8]) -> Value {
        let path = format!("/api/packages?name={id}.zip");
        let report = self.send("POST", &path, Some("application/zip"), package).expect(201);
        let problem = json!({"package": report["package"], "id": id, "label": label});
        self.post("problems", &problem).expect(201)
    }
}

/// Returns an instant that is this many seconds from now.
pub fn at(seconds: i64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let ms = i64::try_from(now.as_millis()).unwrap() + seconds * 1000;
    documents::contest::Time(ms).to_string()
}

/// Makes the contest `demo` with a problem, two teams and their accounts, all with the password `secret`.
pub fn set_up(server: &Server) {
    let admin = server.admin();
    let contest = json!({
        "id": "demo", "name": "Demo", "feedback": "cases", "duration": "5:00:00", "scoreboard_freeze_duration": "1:00:00",
        "start_time": at(-60), "is_public": true,
    });
    admin.post("/api/contests", &contest).expect(201);
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems/different");
    let zip = zip_of(&package);
    admin.add_problem("different", "A", &zip);
    admin.put("groups", &json!([{"id": "site", "name": "Site"}])).expect(204);
    admin.put("organizations", &json!([{"id": "uni", "name": "Uni"}])).expect(204);
    let teams = json!([
        {"id": "ants", "name": "Ants", "group_ids": ["site"], "organization_id": "uni"},
        {"id": "bees", "name": "Bees", "group_ids": ["site"]},
    ]);
    admin.put("teams", &teams).expect(204);
    let team = |name: &str| json!({"username": name, "password": "secret", "type": "team", "team_id": name, "contest_ids": ["demo"]});
    let staff = |name: &str| json!({"username": name, "password": "secret", "type": name});
    let mut accounts = vec![team("ants"), team("bees")];
    accounts.extend(["judge", "analyst", "staff", "balloon", "spectator"].map(staff));
    admin.put("/api/accounts", &json!(accounts)).expect(204);
}

/// Returns the JSON of a submission.
pub fn program(text: &str) -> Value {
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(text);
    json!({"language_id": "cpp", "problem_id": "different", "files": [{"filename": "a.cpp", "data": data}]})
}

/// The type of [`form`].
pub const FORM: &str = "multipart/form-data; boundary=4f2d9a41c6";

/// Returns a form as Python's `requests` writes it: fields, and files with the name of their field, their own and their text.
pub fn form(fields: &[(&str, &str)], files: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut text = String::new();
    for (name, value) in fields {
        text +=
            &format!("--4f2d9a41c6\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    for (field, name, content) in files {
        text += &format!(
            "--4f2d9a41c6\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n{content}\r\n"
        );
    }
    (text + "--4f2d9a41c6--\r\n").into_bytes()
}

/// Returns what a judgehost says when it registers.
pub fn registration(instance: &str, identity: &[&str]) -> Value {
    json!({
        "protocol": 1, "tauto_version": "0", "instance": instance, "pool": "default", "identity": identity,
        "compilers": ["cpp: 12", "python3: 3.11"], "places": 1, "jobs_max": 2, "is_shared": false,
        "self_test": {"programs": [], "languages": []},
    })
}

/// Returns a judgehost's last report on a job.
pub fn done(job: &Value, number: u32, verdict: &str) -> Value {
    json!({
        "job": job["job"], "fence": job["fence"], "number": number, "kind": "done", "verdict": verdict,
        "score": null, "subtasks": [], "max_run_time_ns": 12_345_678, "compile_output": "a warning",
        "evidence": null, "nondeterministic": [],
        "spent": {"fetching_us": 0, "waiting_us": 0, "compiling_us": 0, "running_us": 0, "total_us": 0},
    })
}

/// Returns a judgehost's report on the first secret case of the sample problem `different`, which has two samples.
pub fn accepted_run(job: &Value, number: u32) -> Value {
    let run = json!({"ordinal": 3, "verdict": "AC", "cpu_time_ns": 12_345_678, "memory_peak_bytes": null, "at_ms": 5});
    json!({"job": job["job"], "fence": job["fence"], "number": number, "kind": "runs", "runs": [run]})
}

/// Claims a job by a judgehost that has registered, and judges it.
pub fn judge(host: &Client, id: &str, verdict: &str) {
    let claim =
        host.post(&format!("/api/judgehosts/{id}/claim"), &json!({"max": 1, "wait_s": 10})).expect(200);
    let job = &claim["jobs"][0];
    let begun = json!({"job": job["job"], "fence": job["fence"], "number": 1, "kind": "begun"});
    let run = (verdict == "AC").then(|| accepted_run(job, 2));
    let reports: Vec<Value> = [begun].into_iter().chain(run).chain([done(job, 3, verdict)]).collect();
    let answer =
        host.post(&format!("/api/judgehosts/{id}/reports"), &json!({"reports": reports})).expect(200);
    let taken = json!({"state": "taken", "time_limit_ns": null});
    assert_eq!(answer["answers"], json!(vec![taken; reports.len()]));
}

/// What the server of a live stream contest reports.
pub fn stream_report(passwords: Value) -> Value {
    let board = json!({
        "at_ns": 5, "phase": "running", "digits_max": 256, "multiples_of": [{"value": null, "primes": ["3"]}],
        "before_ms": 5000, "after_ms": 5000, "cost": 1, "factor": 1, "rows": [], "last": [], "digits": 9, "answers": 0,
        "missed": 0, "fairness": {"clients": 0, "last_ns": 0, "p50_ns": null, "p90_ns": null, "p99_ns": null}, "refused": [],
    });
    let mut report = json!({"input": "10.0.0.1:10001", "output": "10.0.0.1:10002", "board": board});
    if !passwords.is_null() {
        report["passwords"] = passwords;
    }
    report
}
