//! Two servers of one database: how long nothing is taken when the one that writes is killed, and whether anything is lost.

use crate::figure::{Figure, figure};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use stats::Sample;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use ureq::Agent;

const SUBMISSIONS_A_SECOND: u32 = 20;
/// From one kill to the next: the killed one follows again by then.
const KILL_EVERY: Duration = Duration::from_secs(4);
const BAR_S: f64 = 5.0;
/// Longer than any takeover.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
const PASSWORD: &str = "only-for-this-measurement";

/// A server, which is killed and started again.
struct Replica {
    tauto: PathBuf,
    folder: PathBuf,
    database: String,
    /// Where it listens: all have the same port, and addresses of their own.
    at: String,
    child: Option<Child>,
}

impl Replica {
    fn address(&self) -> String {
        format!("http://{}", self.at)
    }

    fn start(&mut self) -> Result<()> {
        let log = fs::File::options().create(true).append(true).open(self.folder.join("log"))?;
        let child = Command::new(&self.tauto)
            .args(["serve", "--judgehosts", "0", "--metrics", "none", "--database", &self.database])
            .args(["--listen", &self.at, "--replica", &self.address()])
            .arg("--data")
            .arg(self.folder.join("data"))
            .arg("--admin-password")
            .arg(self.folder.join("password"))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start a server")?;
        self.child = Some(child);
        Ok(())
    }

    /// Kills it without a warning; the server's own process ends with its parent.
    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What became of submissions.
#[derive(Default)]
struct Sent {
    /// Ids of those that were acknowledged, by their number.
    acknowledged: BTreeMap<u32, String>,
    /// Those whose answer was lost: they may be there once.
    unknown: BTreeSet<u32>,
    /// When each was acknowledged.
    times: Vec<Instant>,
}

pub fn measure(tauto: &Path, kills: u32) -> Result<Vec<Figure>> {
    let database = test_database::Server::start(&[]).map_err(anyhow::Error::msg)?;
    let name = database.new_database()?;
    let room = tempfile::tempdir_in("/var/tmp")?;
    let mut replicas = Vec::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    for number in 0..2 {
        let folder = room.path().join(number.to_string());
        fs::create_dir(&folder)?;
        fs::write(folder.join("password"), PASSWORD)?;
        let at = format!("127.0.0.{}:{port}", number + 1);
        let database = database.url(&name);
        let mut replica = Replica { tauto: tauto.to_owned(), folder, database, at, child: None };
        replica.start()?;
        replicas.push(replica);
        wait_until_answered(&replicas[number].address())?;
    }
    let addresses: Vec<String> = replicas.iter().map(Replica::address).collect();
    let token = contest(tauto, room.path(), &addresses[0])?;
    let is_over = Arc::new(AtomicBool::new(false));
    let is_sent = Arc::new(AtomicBool::new(false));
    let sent = Arc::new(Mutex::new(Sent::default()));
    let (feed, submitter) = (
        spawn_feed(addresses.clone(), token.clone(), Arc::clone(&is_sent)),
        spawn_submissions(addresses.clone(), token.clone(), Arc::clone(&is_over), Arc::clone(&sent)),
    );
    let mut gaps = Vec::new();
    std::thread::sleep(KILL_EVERY);
    for _ in 0..kills {
        let writer = writer(&database, &name)?;
        let replica = replicas.iter_mut().find(|replica| replica.address() == writer).context("no writer")?;
        let killed = Instant::now();
        replica.kill();
        let back = loop {
            let lock = sent.lock().unwrap_or_else(PoisonError::into_inner);
            // Those that were on their way are acknowledged within milliseconds of the kill.
            if let Some(at) = lock.times.iter().rev().find(|at| **at > killed + Duration::from_millis(20)) {
                let first = lock.times.iter().find(|one| **one > killed + Duration::from_millis(20));
                break *first.unwrap_or(at);
            }
            drop(lock);
            if killed.elapsed() > Duration::from_secs(60) {
                bail!("nothing is taken for a minute after a kill");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        gaps.push((back - killed).as_secs_f64());
        replica.start()?;
        wait_until_answered(&replica.address())?;
        std::thread::sleep(KILL_EVERY.saturating_sub(killed.elapsed()));
    }
    is_over.store(true, Ordering::SeqCst);
    let refused = submitter.join().map_err(|_| anyhow::anyhow!("the submitter failed"))?;
    // The feed is read to its end after the last submission.
    is_sent.store(true, Ordering::SeqCst);
    let heard = feed.join().map_err(|_| anyhow::anyhow!("the reader of the feed failed"))??;
    let sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
    let stored = stored(&addresses[0], &token)?;
    let lost = sent.acknowledged.values().filter(|id| !stored.contains_key(*id)).count();
    let mut of_number: BTreeMap<u32, u32> = BTreeMap::new();
    for number in stored.values() {
        *of_number.entry(*number).or_default() += 1;
    }
    let double = of_number.values().filter(|count| **count > 1).count();
    let unheard = stored.keys().filter(|id| !heard.ids.contains(*id)).count();
    let sample = Sample::new(gaps)?;
    Ok(vec![
        figure("kills", "kills of the server that writes", f64::from(kills), ""),
        figure("stored", "submissions that are stored", stored.len() as f64, ""),
        figure("median", "nothing is taken after a kill, median", sample.median(), "s"),
        figure("worst", "the worst of them", sample.max(), "s").under(BAR_S),
        figure("lost", "acknowledged submissions that are lost", lost as f64, "").under(0.5),
        figure("double", "submissions that are there twice", double as f64, "").under(0.5),
        figure("refused", "submissions that were refused until they were given up", f64::from(refused), "")
            .under(0.5),
        figure("unknown", "submissions of which the client was not told", sent.unknown.len() as f64, ""),
        figure("unheard", "submissions that the feed did not tell", unheard as f64, "").under(0.5),
        figure("cleared", "times that the feed began anew", f64::from(heard.cleared), "").under(0.5),
    ])
}

fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).timeout_global(Some(ANSWER_WITHIN)).build().into()
}

fn wait_until_answered(address: &str) -> Result<()> {
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        if agent().get(format!("{address}/readyz")).call().is_ok_and(|answer| answer.status() == 200) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("{address} does not become ready")
}

/// Makes a contest with one problem and one team, and returns the admin's token.
fn contest(tauto: &Path, room: &Path, server: &str) -> Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("no root")?;
    let home = room.join("home");
    let file = room.join("contest.yaml");
    fs::write(&file, "id: demo\nname: Demo\nduration: 5:00:00\n")?;
    let password = room.join("password");
    fs::write(&password, PASSWORD)?;
    let run = |arguments: &[&str]| {
        let output = Command::new(tauto)
            .args(arguments)
            .env("XDG_CONFIG_HOME", &home)
            .current_dir(root)
            .output()
            .context("cannot start tauto")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "tauto {}: {said}", arguments.join(" "));
        Ok(())
    };
    run(&["login", server, "--user", "admin", "--password-file", &password.display().to_string()])?;
    run(&["contest", "create", &file.display().to_string()])?;
    run(&["problem", "add", "problems/different", "--label", "A"])?;
    let teams = room.join("teams.yaml");
    fs::write(&teams, "- {id: ants, name: Ants}\n")?;
    run(&["team", "import", &teams.display().to_string()])?;
    run(&["contest", "start"])?;
    let saved: Value = serde_json::from_str(&fs::read_to_string(home.join("tautochrone/servers.json"))?)?;
    find_token(&saved).context("no token was saved")
}

fn find_token(value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("token").and_then(Value::as_str).map(str::to_owned);
            own.or_else(|| fields.values().find_map(find_token))
        }
        Value::Array(items) => items.iter().find_map(find_token),
        _ => None,
    }
}

/// Returns the address of the server that writes, as the database has it.
fn writer(database: &test_database::Server, name: &str) -> Result<String> {
    let output = Command::new("psql")
        .arg("-h")
        .arg(database.socket_folder())
        .args(["-U", "postgres", "-d", name, "-Atqc", "SELECT address FROM writer"])
        .output()
        .context("cannot start psql")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Submits at a fixed rate until the end; returns how many were given up.
fn spawn_submissions(
    addresses: Vec<String>,
    token: String,
    is_over: Arc<AtomicBool>,
    sent: Arc<Mutex<Sent>>,
) -> std::thread::JoinHandle<u32> {
    std::thread::spawn(move || {
        let refused = Arc::new(Mutex::new(0));
        let begun = Instant::now();
        let mut threads = Vec::new();
        for number in 0.. {
            let due = begun + Duration::from_secs(1) * number / SUBMISSIONS_A_SECOND;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if is_over.load(Ordering::SeqCst) {
                break;
            }
            let (addresses, token) = (addresses.clone(), token.clone());
            let (sent, refused) = (Arc::clone(&sent), Arc::clone(&refused));
            threads.push(std::thread::spawn(move || match submit(&addresses, &token, number) {
                Outcome::Acknowledged(id) => {
                    let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                    sent.acknowledged.insert(number, id);
                    sent.times.push(Instant::now());
                }
                Outcome::Unknown => {
                    sent.lock().unwrap_or_else(PoisonError::into_inner).unknown.insert(number);
                }
                Outcome::Refused => *refused.lock().unwrap_or_else(PoisonError::into_inner) += 1,
            }));
        }
        threads.into_iter().for_each(|thread| drop(thread.join()));
        *refused.lock().unwrap_or_else(PoisonError::into_inner)
    })
}

enum Outcome {
    Acknowledged(String),
    Unknown,
    Refused,
}

/// Submits at one server, or at the other one if that does not take it; never again where it may have been taken.
fn submit(addresses: &[String], token: &str, number: u32) -> Outcome {
    use base64::Engine;
    let source = format!("print({number})\n");
    let data = base64::engine::general_purpose::STANDARD.encode(source);
    let body = json!({
        "problem_id": "different", "language_id": "python3", "team_id": "ants",
        "files": [{"filename": "a.py", "data": data}],
    });
    let until = Instant::now() + Duration::from_secs(30);
    for turn in number as usize.. {
        let address = &addresses[turn % addresses.len()];
        let answer = agent()
            .post(format!("{address}/api/contests/demo/submissions"))
            .header("authorization", format!("Bearer {token}"))
            .send_json(&body);
        match answer {
            Ok(mut answer) if answer.status().is_success() => {
                let made: Option<Value> = answer.body_mut().read_json().ok();
                let id = made.and_then(|made| made["id"].as_str().map(str::to_owned));
                return id.map_or(Outcome::Unknown, Outcome::Acknowledged);
            }
            // An account may have 16 on their way.
            Ok(answer) if answer.status() == 429 => {}
            Ok(mut answer) => {
                let text = answer.body_mut().read_to_string().unwrap_or_default();
                if !text.contains("no-writer") && !text.contains("server-stopping") {
                    return Outcome::Unknown;
                }
            }
            Err(ureq::Error::ConnectionFailed) => {}
            Err(ureq::Error::Io(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {}
            Err(_) => return Outcome::Unknown,
        }
        if Instant::now() > until {
            return Outcome::Refused;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Outcome::Refused
}

#[derive(Default)]
struct Heard {
    ids: BTreeSet<String>,
    cleared: u32,
}

/// Reads the feed until the end, at the other server where one cuts it, and goes on by the last token.
fn spawn_feed(
    addresses: Vec<String>,
    token: String,
    is_over: Arc<AtomicBool>,
) -> std::thread::JoinHandle<Result<Heard>> {
    std::thread::spawn(move || {
        let mut heard = Heard::default();
        let mut last: Option<String> = None;
        let mut turn = 0;
        loop {
            let is_last = is_over.load(Ordering::SeqCst);
            let mut url = format!("{}/api/contests/demo/event-feed", addresses[turn % addresses.len()]);
            turn += 1;
            // At the end once more, without waiting for what comes later.
            let mut separator = '?';
            if is_last {
                url.push_str("?stream=false");
                separator = '&';
            }
            if let Some(last) = &last {
                url.push_str(&format!("{separator}since_token={last}"));
            }
            let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
            let answer = agent.get(url).header("authorization", format!("Bearer {token}")).call();
            let Ok(answer) = answer else {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            };
            ensure!(answer.status() != 400, "the feed does not know its own token {last:?}");
            for line in BufReader::new(answer.into_body().into_reader()).lines() {
                let Ok(line) = line else { break };
                if line.trim().is_empty() {
                    if is_over.load(Ordering::SeqCst) {
                        break;
                    }
                    continue;
                }
                let Ok(notice) = serde_json::from_str::<Value>(&line) else { break };
                let data = &notice["data"];
                if notice["type"] == "submissions" {
                    match data {
                        Value::Object(one) => {
                            heard.ids.extend(one.get("id").and_then(Value::as_str).map(str::to_owned));
                        }
                        // A collection that comes again as a whole: the token was not known.
                        Value::Array(_) => heard.cleared += u32::from(last.is_some()),
                        _ => {}
                    }
                }
                if let Some(token) = notice["token"].as_str() {
                    last = Some(token.to_owned());
                }
                if is_over.load(Ordering::SeqCst) && !is_last {
                    break;
                }
            }
            if is_last {
                return Ok(heard);
            }
        }
    })
}

/// Returns the numbers of all stored submissions by their ids, from their sources.
fn stored(address: &str, token: &str) -> Result<BTreeMap<String, u32>> {
    let get = |path: &str| {
        let answer = agent().get(format!("{address}/api/contests/demo/{path}"));
        answer.header("authorization", format!("Bearer {token}")).call()
    };
    let mut list = get("submissions")?;
    let list: Vec<Value> = list.body_mut().with_config().limit(64 << 20).read_json()?;
    let mut stored = BTreeMap::new();
    for one in list {
        let id = one["id"].as_str().context("a submission without an id")?.to_owned();
        let mut files = Vec::new();
        get(&format!("submissions/{id}/files"))?.into_body().into_reader().read_to_end(&mut files)?;
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(files))?;
        let mut source = String::new();
        archive.by_index(0)?.read_to_string(&mut source)?;
        let number = source.trim_start_matches("print(").trim_end().trim_end_matches(')').parse()?;
        stored.insert(id, number);
    }
    Ok(stored)
}
