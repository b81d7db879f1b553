//! A contest with a server and judgehosts, each a process that can be killed.

use crate::client::{Client, succeeded};
use crate::host;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use server::{Config, Options};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// The argument that makes this program a server.
pub const SERVE: &str = "--serve";
/// As long may anything take that has to happen, on a machine that others use.
pub const PATIENCE: Duration = Duration::from_secs(60);
pub const TEAMS: usize = 5;
pub const PROBLEMS: [&str; 2] = ["a", "b"];

/// Serves until it is killed.
pub fn serve(data: &str, database: &str, port: &str) -> ExitCode {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().unwrap()));
    let listener = TcpListener::bind(address).unwrap();
    let mut config = Config::new(address, Path::new(data).join("tmp"));
    config.operations.are_metrics_public = true;
    let database = (!database.is_empty()).then(|| database.parse().unwrap());
    let options = Options { data: data.into(), database, config };
    let ready = |ready: server::Ready| {
        println!("ready {} {}", ready.judgehost_token, ready.admin_password.unwrap_or_default());
        let _ = std::io::stdout().flush();
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match runtime.block_on(server::run(options, listener, ready, std::future::pending())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the server ended: {error:?}");
            ExitCode::FAILURE
        }
    }
}

/// A process of ours that ends with its owner.
pub struct Process(Child);

impl Process {
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Where the data of a server are.
pub struct ServerData {
    pub data: PathBuf,
    pub database: String,
    /// What is set in the server's environment.
    pub environment: Vec<(&'static str, String)>,
    _folder: Option<TempDir>,
}

impl ServerData {
    pub fn folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self { data, database: String::new(), environment: Vec::new(), _folder: Some(folder) }
    }

    pub fn at(data: PathBuf) -> Self {
        Self { data, database: String::new(), environment: Vec::new(), _folder: None }
    }
}

/// A contest that runs.
pub struct World {
    pub place: ServerData,
    pub port: u16,
    pub admin: Client,
    /// The password of `admin`.
    pub password: String,
    pub host_token: String,
    pub server: Option<Process>,
    pub hosts: BTreeMap<String, Process>,
    /// Submissions that the server acknowledged, with what was sent.
    pub acknowledged: BTreeMap<String, u64>,
    /// Verdicts that were seen.
    pub seen: BTreeMap<String, String>,
    /// The packages by problem: the zip.
    pub packages: BTreeMap<&'static str, Vec<u8>>,
    submitted: u64,
}

/// Starts a server, and returns it with the token of its local judgehosts, and the password that it has made.
pub fn start_server(place: &ServerData, port: u16) -> Result<(Process, String, String), String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([SERVE, &place.data.display().to_string(), &place.database, &port.to_string()])
        .envs(place.environment.clone())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let process = Process(child);
    let line = first_line(out)?;
    let secrets = line.trim_end_matches('\n').strip_prefix("ready ").and_then(|line| line.split_once(' '));
    let (token, password) = secrets.ok_or("the server did not start")?;
    Ok((process, token.to_owned(), password.to_owned()))
}

fn first_line(out: ChildStdout) -> Result<String, String> {
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).map_err(|error| error.to_string())?;
    Ok(line)
}

/// Returns a port that is free now, and not among those that outgoing connections use.
pub fn free_port() -> u16 {
    let mut port = 10_000 + (std::process::id() % 10_000) as u16;
    loop {
        port += 1;
        static LAST: std::sync::atomic::AtomicU16 = std::sync::atomic::AtomicU16::new(0);
        let last = LAST.fetch_max(port, std::sync::atomic::Ordering::SeqCst);
        if last < port && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

impl World {
    /// Makes a contest that has started, with teams and problems, and no judgehost.
    pub fn new(place: ServerData) -> Self {
        let port = free_port();
        let (server, _, password) = start_server(&place, port).unwrap();
        let basic = format!("Basic {}", BASE64_STANDARD.encode(format!("admin:{password}")));
        let token = Client::new(port, basic).must("POST", "/api/tokens", &json!({}));
        let admin = Client::new(port, bearer(&token));
        admin.must("POST", "/api/contests", &json!({
            "id": "c", "name": "Contest", "feedback": "cases", "start_time": time(SystemTime::now() - Duration::from_secs(60)), "duration": "5:00:00.000",
        }));
        let teams: Vec<Value> = (1..=TEAMS)
            .map(|team| json!({ "id": format!("t{team}"), "name": format!("Team {team}") }))
            .collect();
        admin.must("PUT", "/api/contests/c/teams", &Value::from(teams));
        let mut packages = BTreeMap::new();
        for problem in PROBLEMS {
            let zip = package(problem);
            let path = format!("/api/packages?name={problem}.zip");
            let report = succeeded(&path, admin.send_bytes("POST", &path, "application/zip", &zip));
            packages.insert(problem, zip);
            let body = json!({ "id": problem, "package": report["package"], "time_limit": 1.0 });
            admin.must("POST", "/api/contests/c/problems", &body);
        }
        admin.must("POST", "/api/accounts", &json!({ "username": "machines", "type": "judgehost" }));
        let token = admin.must("POST", "/api/tokens", &json!({ "account_id": "machines" }));
        Self {
            place,
            port,
            admin,
            password,
            host_token: bearer(&token),
            server: Some(server),
            hosts: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            seen: BTreeMap::new(),
            packages,
            submitted: 0,
        }
    }

    pub fn kill_server(&mut self) {
        self.server = None;
    }

    /// Starts it again, and returns the token of its local judgehosts.
    pub fn start_server(&mut self) -> String {
        let (server, token, _) = start_server(&self.place, self.port).unwrap();
        self.server = Some(server);
        format!("Bearer {token}")
    }

    pub fn start_host(&mut self, id: &str) {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([host::JUDGE, &self.port.to_string(), &self.host_token, id])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        self.hosts.insert(id.to_owned(), Process(child));
    }

    pub fn kill_host(&mut self, id: &str) {
        self.hosts.remove(id);
    }

    /// Submits once, and notes the submission if it is acknowledged; returns the status, or why there is none.
    pub fn submit(&mut self) -> Result<u16, String> {
        self.submit_to(PROBLEMS[self.submitted as usize % PROBLEMS.len()])
    }

    pub fn submit_to(&mut self, problem: &str) -> Result<u16, String> {
        self.submit_in("c", problem)
    }

    pub fn submit_in(&mut self, language: &str, problem: &str) -> Result<u16, String> {
        self.submitted += 1;
        let number = self.submitted;
        let source = format!("// {number}\nint main() {{}}\n");
        let body = json!({
            "language_id": language,
            "problem_id": problem,
            "team_id": format!("t{}", number as usize % TEAMS + 1),
            "files": [{ "filename": "main.c", "data": BASE64_STANDARD.encode(source) }],
        });
        let (status, answer) = self.admin.send("POST", "/api/contests/c/submissions", &body)?;
        if status == 201 {
            let id = answer["id"].as_str().unwrap().to_owned();
            let before = self.acknowledged.insert(id.clone(), number);
            assert_eq!(before, None, "submission {id} was acknowledged twice");
        }
        Ok(status)
    }
}

fn bearer(token: &Value) -> String {
    format!("Bearer {}", token["secret"].as_str().unwrap())
}

pub fn time(at: SystemTime) -> String {
    documents::contest::Time(at.duration_since(UNIX_EPOCH).unwrap().as_millis() as i64).to_string()
}

/// Returns a zip of a sample package, which differs for each problem.
fn package(problem: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems/different");
    let files = test_support::files_of(&root).into_iter();
    let mut files: test_support::Files =
        files.map(|(name, content)| (format!("{problem}/{name}"), content)).collect();
    files.insert(format!("{problem}/README"), problem.into());
    test_support::zip(&files)
}
