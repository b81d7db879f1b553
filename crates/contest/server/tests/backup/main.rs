//! Backups that are made while submissions come, killed, restored, and compared with what they were made of.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod foreign;
#[path = "../support/mod.rs"]
mod support;

use contest_rules::State;
use foreign::forge;
use server::backup::{self, BackupError, Until};
use server::{Published, Start};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use store::StoreAddress;
use support::{Server, done, judge, program, registration};
use tempfile::TempDir;

/// So that a slow machine is not busy with the load alone.
const BETWEEN: Duration = Duration::from_millis(10);
/// Else each check of a backup would take longer than the one before.
const SUBMISSIONS_MAX: u64 = 300;
/// Asks this program to make a backup.
const FROM: &str = "TAUTO_TEST_BACKUP_FROM";
const INTO: &str = "TAUTO_TEST_BACKUP_INTO";

/// Returns the state of the log of a store that no process has open.
fn state_of(address: &StoreAddress) -> State {
    let opened = store::open(address).unwrap();
    let start = Start::new(opened.store).unwrap();
    let state = start.published.state().clone();
    start.writer.stop();
    start.thread.join().unwrap();
    state
}

/// Returns whether each content that a state names is there and whole.
fn has_all_blobs(state: &State, address: &StoreAddress) -> bool {
    let blobs = store::open_blobs(address).unwrap();
    let mut hashes = state.blobs().map(|hash| hash.0.parse().unwrap());
    hashes.all(|hash: store::BlobHash| blobs.read(&hash, u64::MAX).is_ok())
}

/// Submits and judges until it is asked to stop; each submission has a content of its own.
fn under_load(server: &Server, work: impl FnOnce()) -> u64 {
    /// Also when the work fails: those who submit would go on for ever.
    struct Stopping<'a>(&'a AtomicBool);
    impl Drop for Stopping<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for team in ["ants", "bees"] {
            let (client, stop, count) = (server.by_name(team), &stop, &count);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(BETWEEN);
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    if number > SUBMISSIONS_MAX {
                        continue;
                    }
                    let answer = client.post(
                        "submissions",
                        &program(&format!("int main() {{ return {number}; }}\n// {team}\n")),
                    );
                    // A team may have to wait.
                    assert!([201, 429].contains(&answer.status), "{}", answer.status);
                }
            });
        }
        let (host, stop_judging) = (server.judgehost(), &stop);
        scope.spawn(move || {
            host.put("/api/judgehosts/h", &registration("1", &["same"])).expect(200);
            while !stop_judging.load(Ordering::Relaxed) {
                let wish = serde_json::json!({"max": 1, "wait_s": 0});
                let claim = host.post("/api/judgehosts/h/claim", &wish).expect(200);
                std::thread::sleep(BETWEEN);
                for job in claim["jobs"].as_array().unwrap() {
                    let reports = serde_json::json!({"reports": [done(job, 1, "WA")]});
                    host.post("/api/judgehosts/h/reports", &reports).expect(200);
                }
            }
        });
        let _stopping = Stopping(&stop);
        while count.load(Ordering::Relaxed) < 10 {
            std::thread::sleep(Duration::from_millis(5));
        }
        work();
    });
    count.into_inner()
}

#[test]
fn a_backup_under_load_is_the_state_at_its_position() {
    let server = Server::with_demo();
    let folder = TempDir::new().unwrap();
    let (into, mut made) = (folder.path().join("backup"), Vec::new());
    let source = StoreAddress::Folder(server.data.path().to_owned());
    under_load(&server, || {
        for _ in 0..4 {
            made.push(backup::back_up(&source, &into).unwrap());
        }
    });
    let last = backup::back_up(&source, &into).unwrap();
    assert!(made.windows(2).all(|two| two[0].manifest.events <= two[1].manifest.events));
    assert!(made[0].copied > 0 && last.copied < last.manifest.blobs, "what is there is not copied again");
    let again = backup::back_up(&source, &into).unwrap();
    assert_eq!((again.copied, again.manifest.events), (0, last.manifest.events));

    let (manifest, verified) = backup::verify(&into).unwrap();
    assert_eq!(verified, *server.app.published.state());
    assert_eq!(manifest, again.manifest);
    let logs = std::fs::read_dir(&into)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".sqlite"));
    assert_eq!(logs.count(), 1);

    let data = StoreAddress::Folder(folder.path().join("restored"));
    assert_eq!(backup::restore(&into, &data, Until::End).unwrap(), verified);
    assert_eq!(state_of(&data), verified);
    assert!(has_all_blobs(&verified, &data));
    assert!(backup::restore(&into, &data, Until::End).unwrap_err().to_string().contains("cannot restore"));

    // As it was when the first backup was made.
    let then = StoreAddress::Folder(folder.path().join("then"));
    let first = made[0].manifest.events;
    let state = backup::restore(&into, &then, Until::Event(first)).unwrap();
    assert_eq!((state.seq(), state_of(&then).seq()), (first, first));
    assert!(has_all_blobs(&state, &then));
    let time = state.time();
    let by_time = StoreAddress::Folder(folder.path().join("by-time"));
    let state = backup::restore(&into, &by_time, Until::Time(time)).unwrap();
    assert!(state.seq() >= first && state.time() == time);
    let nowhere = StoreAddress::Folder(folder.path().join("nowhere"));
    let error = backup::restore(&into, &nowhere, Until::Event(1 << 40)).unwrap_err();
    assert!(matches!(error, BackupError::NoSuchPosition { .. }), "{error}");
}

#[test]
fn waiting_jobs_are_judged_after_the_restore() {
    let server = Server::with_demo();
    let team = server.by_name("ants");
    team.post("submissions", &program("int main() {}")).expect(201);
    // A judgehost has it when the backup is made, and never reports again.
    let host = server.judgehost();
    host.put("/api/judgehosts/h", &registration("1", &["same"])).expect(200);
    host.post("/api/judgehosts/h/claim", &serde_json::json!({"max": 1, "wait_s": 10})).expect(200);
    let folder = TempDir::new().unwrap();
    let source = StoreAddress::Folder(server.data.path().to_owned());
    backup::back_up(&source, folder.path()).unwrap();
    let password = server.admin_password.clone();
    let data = TempDir::new().unwrap();
    let to = StoreAddress::Folder(data.path().to_owned());
    backup::restore(folder.path(), &to, Until::End).unwrap();
    drop(server);
    let mut restored = Server::start_in(data, |_| {});
    restored.admin_password = password;
    let host = restored.judgehost();
    host.put("/api/judgehosts/h", &registration("2", &["same"])).expect(200);
    judge(&host, "h", "AC");
    let judgements = restored.admin().get("judgements").expect(200);
    assert_eq!(judgements[0]["judgement_type_id"], "AC", "{judgements}");
}

/// Not a test: what the next one starts and kills.
#[test]
#[ignore = "it is started by another test"]
fn process_that_makes_a_backup() {
    let (Some(from), Some(into)) = (std::env::var_os(FROM), std::env::var_os(INTO)) else { return };
    backup::back_up(&StoreAddress::Folder(from.into()), Path::new(&into)).unwrap();
}

#[test]
fn a_backup_that_is_killed_leaves_the_one_of_before() {
    let server = Server::with_demo();
    let folder = TempDir::new().unwrap();
    let into = folder.path().join("backup");
    let source = StoreAddress::Folder(server.data.path().to_owned());
    let seed = fastrand::u64(..);
    eprintln!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut kills, mut before) = (0, None);
    under_load(&server, || {
        for round in 0..40 {
            let mut child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "process_that_makes_a_backup", "--ignored"])
                .env(FROM, server.data.path())
                .env(INTO, &into)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(random.u64(..60)));
            child.kill().unwrap();
            kills += u32::from(!child.wait().unwrap().success());
            match backup::verify(&into) {
                Ok((manifest, _)) => {
                    assert!(before <= Some(manifest.events), "round {round} of seed {seed} went back");
                    before = Some(manifest.events);
                }
                Err(BackupError::Incomplete { reason, .. }) if before.is_none() => {
                    assert!(reason.contains("there is no backup.json"), "{reason}");
                    let to = StoreAddress::Folder(folder.path().join("none"));
                    assert!(backup::restore(&into, &to, Until::End).is_err());
                    assert!(!folder.path().join("none").exists());
                }
                Err(error) => panic!("round {round} of seed {seed}: {error:?}"),
            }
        }
    });
    eprintln!("{kills} of 40 backups were killed");
    let last = backup::back_up(&source, &into).unwrap();
    let (manifest, state) = backup::verify(&into).unwrap();
    assert_eq!((manifest.events, &state), (last.manifest.events, &*server.app.published.state()));
}

#[test]
fn a_backup_goes_into_postgresql_and_out_of_it() {
    let database = match test_database::Server::start(&["fsync=off"]) {
        Ok(database) => database,
        Err(reason) => return test_support::skipped("a_backup_goes_into_postgresql", &reason),
    };
    let server = Server::with_demo();
    let folder = TempDir::new().unwrap();
    server.by_name("ants").post("submissions", &program("x")).expect(201);
    let first = folder.path().join("first");
    backup::back_up(&StoreAddress::Folder(server.data.path().to_owned()), &first).unwrap();
    let postgres = StoreAddress::Postgres(database.url(&database.new_database().unwrap()));
    let state = backup::restore(&first, &postgres, Until::End).unwrap();
    assert!(has_all_blobs(&state, &postgres));
    assert!(backup::restore(&first, &postgres, Until::End).is_err(), "it has events");

    // While requests are written. The chain goes on from the one that was restored.
    let opened = store::open(&postgres).unwrap();
    let start = Start::new(opened.store).unwrap();
    assert_eq!(*start.published.state(), state);
    let stop = Arc::new(AtomicBool::new(false));
    let (writer, shown, stopped) = (start.writer.clone(), start.published.clone(), stop.clone());
    let writing = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for number in 0.. {
            if stopped.load(Ordering::Relaxed) && number > 20 {
                return;
            }
            // Tokens of before are revoked, and one is made.
            let secret = format!("secret {number}");
            runtime
                .block_on(server::add_tokens(
                    &writer,
                    &shown,
                    &server::Tokens { judgehosts: secret.clone(), operator: None },
                ))
                .unwrap();
        }
    });
    let second = folder.path().join("second");
    let mut positions = Vec::new();
    for _ in 0..3 {
        positions.push(backup::back_up(&postgres, &second).unwrap().manifest.events);
    }
    stop.store(true, Ordering::Relaxed);
    writing.join().unwrap();
    let made = backup::back_up(&postgres, &second).unwrap();
    assert!(positions.is_sorted() && positions[0] >= state.seq() && made.copied == 0, "{positions:?}");
    let (_, verified) = backup::verify(&second).unwrap();
    assert_eq!(verified, *published(&start.published));
    start.writer.stop();
    start.thread.join().unwrap();

    // The job that waited is there, too.
    let to = StoreAddress::Folder(folder.path().join("back"));
    assert_eq!(backup::restore(&second, &to, Until::End).unwrap(), verified);
    let mut back = store::open(&to).unwrap();
    let jobs = back.store.jobs(0, 10).unwrap();
    assert_eq!(jobs.len(), 1);
    assert_eq!((jobs[0].owner.as_str(), &jobs[0].lease), ("demo/ants", &None));
}

fn published(published: &Published) -> std::sync::RwLockReadGuard<'_, State> {
    published.state()
}

#[test]
fn a_backup_is_private_and_of_plain_files() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::with_demo();
    let folder = TempDir::new().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    backup::back_up(&StoreAddress::Folder(server.data.path().to_owned()), folder.path()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.path()), 0o700);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    let (manifest, _) = backup::verify(folder.path()).unwrap();
    let path = folder.path().join("backup.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("log-9-zero.sqlite")).unwrap();
    for name in ["log-9-zero.sqlite", "lock", "../log-1-a.sqlite", "/dev/zero", "fifo"] {
        std::fs::write(&path, text.replace(&manifest.log, name)).unwrap();
        let error = backup::verify(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("names '{name}' as its log")), "{error}");
    }
    // Under its own name, too, there may be something else.
    std::fs::write(&path, text).unwrap();
    let log = folder.path().join(&manifest.log);
    std::fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &log).unwrap();
    assert!(backup::verify(folder.path()).unwrap_err().to_string().contains("cannot read"));
    std::fs::remove_file(&log).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &log, rustix::fs::Mode::RUSR).unwrap();
    assert!(backup::verify(folder.path()).unwrap_err().to_string().contains("cannot read"));
}

#[test]
fn a_backup_of_an_earlier_release_is_restored_and_chained() {
    let server = Server::with_demo();
    let folder = TempDir::new().unwrap();
    let from = folder.path().join("backup");
    let (_, state) = {
        backup::back_up(&StoreAddress::Folder(server.data.path().to_owned()), &from).unwrap();
        backup::verify(&from).unwrap()
    };
    forge(
        &from,
        "ALTER TABLE event DROP COLUMN hash; ALTER TABLE writer DROP COLUMN head; DELETE FROM schema_version WHERE version = 2",
    );
    assert_eq!(backup::verify(&from).unwrap().1, state);
    let to = StoreAddress::Folder(folder.path().join("to"));
    backup::restore(&from, &to, Until::End).unwrap();
    assert_eq!(state_of(&to), state);
    let change = "UPDATE event SET body = body || ' ' WHERE seq = 2";
    let file = folder.path().join("to/contest.sqlite");
    rusqlite::Connection::open(&file).unwrap().execute_batch(change).unwrap();
    let text = store::open(&to).err().unwrap().to_string();
    assert!(text.contains("event 2 is not what was written"), "{text}");
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
