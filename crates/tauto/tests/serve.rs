//! `tauto serve` as root: which process has which rights, what happens when a process dies, and that nothing is left. Needs
//! root; without it each test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{folder, sandbox_folder, tauto};
use common::{failed, text};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use test_support::until;

/// A process that does not do what is awaited within this time never will.
const PATIENCE: Duration = Duration::from_secs(300);

/// A running `tauto serve`, killed if a test fails.
struct Serving {
    child: Child,
    address: String,
    lines: Receiver<String>,
    seen: String,
}

impl Serving {
    fn start(data: &Path, arguments: &[&str]) -> Self {
        Self::start_at(data, arguments, "http://")
    }

    fn start_at(data: &Path, arguments: &[&str], scheme: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tauto"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(arguments)
            .env("SECRET_OF_ROOT", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let outputs: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for output in outputs {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        let mut serving = Self { child, address: String::new(), lines, seen: String::new() };
        let line = serving.wait_for(scheme);
        let after = line.split_once(scheme).unwrap().1;
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':').unwrap_or(after.len());
        serving.address = after[..end].to_owned();
        serving
    }

    /// Waits for a line with these words.
    fn wait_for(&mut self, words: &str) -> String {
        let begun = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    self.seen.push_str(&line);
                    self.seen.push('\n');
                    if line.contains(words) {
                        return line;
                    }
                }
                Err(error) => panic!("no line with '{words}' ({error}); there were:\n{}", self.seen),
            }
        }
    }

    /// Returns the process of the server.
    fn server(&self) -> u32 {
        let mut children = children(self.child.id());
        children.retain(|child| arguments(*child).contains("contest-server"));
        assert_eq!(children.len(), 1, "{children:?}");
        children[0]
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(&self.address) else { return false };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!("GET /api/ HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        let mut answer = String::new();
        stream.write_all(request.as_bytes()).is_ok()
            && stream.read_to_string(&mut answer).is_ok()
            && answer.starts_with("HTTP/1.1 200")
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    fn end(&mut self) -> Option<i32> {
        until("the end", || self.child.try_wait().unwrap().is_some());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn children(pid: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

fn arguments(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ")
}

fn exists(pid: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // One that is not reaped yet, since its parent is gone, has ended.
    !text.is_empty() && !text.contains(") Z ")
}

fn status(pid: u32, field: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {field}")).trim().to_owned()
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn the_server_has_no_rights() {
    let Some(folder) = sandbox_folder() else { return };
    let data = folder.path().join("data");
    let mut serving = Serving::start(&data, &["--judgehosts", "0"]);
    let server = serving.server();
    let owner = fs::metadata(&data).unwrap();
    assert!((61_184..=65_519).contains(&owner.uid()), "{}", owner.uid());
    for field in ["Uid", "Gid"] {
        let ids = status(server, field);
        assert!(ids.split_whitespace().all(|id| id == owner.uid().to_string()), "{field}: {ids}");
    }
    assert_eq!(status(server, "Groups"), "");
    for field in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert_eq!(status(server, field), "0000000000000000", "{field}");
    }
    assert_eq!(status(server, "NoNewPrivs"), "1");
    let limits = fs::read_to_string(format!("/proc/{server}/limits")).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    // Neither secrets of root nor settings of the server are where others can read them.
    assert!(!fs::read_to_string(format!("/proc/{server}/environ")).unwrap().contains("SECRET_OF_ROOT"));
    assert_eq!(
        arguments(server).split_whitespace().skip(1).collect::<Vec<_>>(),
        ["internal", "contest-server"]
    );
    // Its threads were started after that.
    for thread in fs::read_dir(format!("/proc/{server}/task")).unwrap() {
        let text = fs::read_to_string(thread.unwrap().path().join("status")).unwrap();
        assert!(text.contains("CapEff:\t0000000000000000") && text.contains("NoNewPrivs:\t1"), "{text}");
    }
    for entry in walkdir::WalkDir::new(&data).into_iter().map(Result::unwrap) {
        let found = fs::symlink_metadata(entry.path()).unwrap();
        assert_eq!(found.uid(), owner.uid(), "{}", entry.path().display());
        assert_eq!(found.mode() & 0o077, 0, "{}", entry.path().display());
    }
    assert_eq!(fs::read_dir(format!("/proc/{}/task", serving.child.id())).unwrap().count(), 1, "one thread");
    assert!(serving.answers());
    serving.signal(rustix::process::Signal::TERM);
    assert_eq!(serving.end(), Some(0));
    assert!(!exists(server));

    // The same folder keeps its owner.
    let serving = Serving::start(&data, &["--judgehosts", "0"]);
    assert_eq!(
        status(serving.server(), "Uid").split_whitespace().next(),
        Some(owner.uid().to_string().as_str())
    );
}

#[test]
fn a_server_that_is_killed_starts_again() {
    let Some(folder) = sandbox_folder() else { return };
    let mut serving = Serving::start(&folder.path().join("data"), &["--judgehosts", "0", "--user", "4242"]);
    let server = serving.server();
    assert_eq!(status(server, "Uid").split_whitespace().next(), Some("4242"));
    kill(server);
    serving.wait_for("the server was ended by SIGKILL; it starts again in 0.1 s");
    until("another server", || serving.answers());
    assert_ne!(serving.server(), server);
    serving.signal(rustix::process::Signal::INT);
    assert_eq!(serving.end(), Some(0));
}

#[test]
fn unavailable_metrics_port_is_reported() {
    if !test_support::needs_root() {
        return;
    }
    // Servers of other tests have it for a while; one that has it all the time is as good.
    let _taken = (0..100).find_map(|_| {
        let taken = std::net::TcpListener::bind("127.0.0.1:9280");
        taken.inspect_err(|_| std::thread::sleep(std::time::Duration::from_millis(300))).ok()
    });
    let folder = folder();
    let data = folder.path().join("data");
    let mut serving = Serving::start(&data, &["--judgehosts", "0"]);
    if !serving.seen.contains("there are no metrics") {
        serving.wait_for("there are no metrics: cannot listen at 127.0.0.1:9280");
    }
    serving.signal(rustix::process::Signal::TERM);
    assert_eq!(serving.end(), Some(0));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = taken.local_addr().unwrap().to_string();
    let output =
        tauto(folder.path(), &["serve", "--data", "d", "--listen", "127.0.0.1:0", "--metrics", &place]);
    failed(&output, 2, &format!("cannot listen at {place}"));
}

#[test]
fn nothing_outlives_the_parent() {
    let Some(folder) = sandbox_folder() else { return };
    let mut serving = Serving::start(&folder.path().join("data"), &["--judgehosts", "0"]);
    let server = serving.server();
    serving.child.kill().unwrap();
    serving.child.wait().unwrap();
    until("the end of the server", || !exists(server));
}

#[test]
fn unusable_serve_options_are_refused_at_once() {
    let Some(folder) = sandbox_folder() else { return };
    let run = |arguments: &[&str]| {
        let output = tauto(folder.path(), &[&["serve"], arguments].concat());
        (output.status.code(), text(&output.stderr))
    };
    let (code, text) = run(&["--data", "d", "--listen", "nonsense"]);
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = run(&["--data", "d", "--user", "no-such-user"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("there is no user 'no-such-user'"), "{text}");
    let (code, text) = run(&["--data", "d", "--user", "root"]);
    assert_eq!((code, text.contains("may not run as root")), (Some(2), true), "{text}");
    let (code, text) = run(&["--data", "d", "--judgehosts", "many"]);
    assert_eq!(code, Some(2), "{text}");
}

/// Does a request with these headers, and returns the answer.
fn ask(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_log_has_no_secrets() {
    use base64::Engine;
    let Some(folder) = sandbox_folder() else { return };
    let data = folder.path().join("data");
    let mut serving = Serving::start(
        &data,
        &["--judgehosts", "0", "--log-format", "json", "--metrics", "none", "--user", "4242"],
    );
    let address = serving.address.clone();
    let admin = fs::read_to_string(data.join("admin-password")).unwrap().trim().to_owned();
    let (wrong, chosen) = ("wrong-Eequ7ohd", "chosen-Oov4shie");
    let basic = |password: &str| {
        let text = base64::engine::general_purpose::STANDARD.encode(format!("admin:{password}"));
        format!("Basic {text}")
    };
    let login = |password: &str| {
        let body = format!(r#"{{"username":"admin","password":"{password}"}}"#);
        ask(&address, "POST", "/api/login", &[], &body)
    };
    let logged_in = login(&admin);
    let cookie = logged_in.split("tautochrone=").nth(1).unwrap().split(';').next().unwrap().to_owned();
    assert!(login(wrong).starts_with("HTTP/1.1 401"));
    let with_cookie = format!("tautochrone={cookie}");
    let session = [("Cookie", with_cookie.as_str()), ("X-Tautochrone", "1")];
    assert!(ask(&address, "GET", "/api/account", &session, "").starts_with("HTTP/1.1 200"));
    let account = format!(r#"{{"id":"j","username":"j","type":"judge","password":"{chosen}"}}"#);
    let made = ask(&address, "POST", "/api/accounts", &session, &account);
    assert!(made.starts_with("HTTP/1.1 201"), "{made}");
    let issued =
        ask(&address, "POST", "/api/tokens", &[("Authorization", &basic(&admin))], r#"{"note":"n"}"#);
    let token = issued.split(r#""secret":""#).nth(1).unwrap_or_else(|| panic!("{issued}"));
    let token = token.split('"').next().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let answer = ask(&address, "GET", "/api/accounts?token=in-the-path", &[("Authorization", &bearer)], "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let id = answer.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap().to_owned();
    serving.signal(rustix::process::Signal::TERM);
    assert_eq!(serving.end(), Some(0));
    let rest: Vec<String> = serving.lines.iter().collect();
    let log = format!("{}{}", serving.seen, rest.join("\n"));
    // The password of the first start is printed once, for the operator.
    let log: Vec<&str> = log.lines().filter(|line| !line.contains("the password of 'admin' is")).collect();
    let line = log.iter().find(|line| line.contains(&id)).unwrap();
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    let fields = &line["fields"];
    assert_eq!(
        (&fields["route"], &fields["method"], &fields["status"], &fields["account"]),
        (&"/api/accounts".into(), &"GET".into(), &200.into(), &"admin".into())
    );
    assert!(fields["ms"].is_f64(), "{line}");
    let log = log.join("\n");
    let (basic_right, basic_wrong) = (basic(&admin), basic(wrong));
    for secret in
        [&admin, wrong, chosen, &cookie, &token, &basic_right[6..], &basic_wrong[6..], "in-the-path"]
    {
        assert!(!secret.is_empty() && !log.contains(secret), "'{secret}' is in the log:\n{log}");
    }
}

/// Returns the names in the certificate that a server shows, by openssl's own client.
fn subject(address: &str) -> String {
    let shown = Command::new("openssl")
        .args(["s_client", "-connect", address, "-showcerts"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    text(&shown.stdout)
}

#[test]
fn a_new_certificate_is_used_after_a_hang_up() {
    if !test_support::needs_root() || !test_support::needs_program("openssl", "openssl") {
        return;
    }
    let folder = folder();
    let (chain, key) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    let write = |name: &str| {
        let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        fs::write(&chain, made.cert.pem()).unwrap();
        fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        made.cert.pem().lines().nth(1).unwrap().to_owned()
    };
    use std::os::unix::fs::PermissionsExt;
    let first = write("first.example");
    // Only root can read it: the server, which has no rights, gets it from its parent.
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let data = folder.path().join("data");
    let files = ["--tls-cert", chain.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let arguments = [&["--judgehosts", "0", "--metrics", "none"], &files[..]].concat();
    let mut serving = Serving::start_at(&data, &arguments, "https://");
    let address = serving.address.clone();
    assert!(subject(&address).contains(&first));
    let second = write("second.example");
    serving.signal(rustix::process::Signal::HUP);
    until("the new certificate", || subject(&address).contains(&second));
    fs::write(&chain, "no certificate").unwrap();
    serving.signal(rustix::process::Signal::HUP);
    serving.wait_for("the certificate of before stays");
    assert!(subject(&address).contains(&second));
    serving.signal(rustix::process::Signal::TERM);
    assert_eq!(serving.end(), Some(0));
}
