//! Disks, packages, clients and clocks that fail.

use crate::check::{list, text};
use crate::client::{Client, succeeded};
use crate::clock::SteppedClock;
use crate::world::{PATIENCE, ServerData, World, time};
use serde_json::json;
use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// A small file system, unmounted at the end.
struct Small(tempfile::TempDir);

impl Small {
    fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=16m", "tmpfs"])
            .arg(folder.path())
            .output()
            .map_err(|error| error.to_string())?;
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if output.status.success() { Ok(Self(folder)) } else { Err(reason) }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

/// Submissions are refused while there is no space, and taken again when there is.
pub fn a_full_disk() -> Result<(), String> {
    let disk = Small::mount()?;
    let mut world = World::new(ServerData::at(disk.0.path().join("data")));
    world.start_host("h1");
    for _ in 0..10 {
        assert_eq!(world.submit(), Ok(201));
    }
    let filler = disk.0.path().join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    while file.write_all(&[1; 4096]).is_ok() {}
    let mut refused = 0;
    for _ in 0..200 {
        match world.submit() {
            Ok(201) => {}
            Ok(status @ (503 | 507)) => {
                refused += 1;
                assert!(status >= 500);
            }
            other => panic!("with a full disk: {other:?}"),
        }
        if refused >= 5 {
            break;
        }
    }
    assert!(refused > 0, "the disk never got full");
    assert_eq!(world.admin.get("/api/contests/c/scoreboard").unwrap().0, 200, "readers go on");
    drop(file);
    std::fs::remove_file(filler).unwrap();
    let begin = Instant::now();
    while world.submit() != Ok(201) {
        assert!(begin.elapsed() < PATIENCE, "there is space, and nothing is taken");
    }
    world.check("there is space again");
    Ok(())
}

/// A server that starts on a full disk shows what there is, says why it takes nothing, and goes on when there is space.
pub fn killed_on_a_full_disk() -> Result<(), String> {
    let disk = Small::mount()?;
    let mut world = World::new(ServerData::at(disk.0.path().join("data")));
    world.start_host("h1");
    for _ in 0..4 {
        assert_eq!(world.submit(), Ok(201));
    }
    world.check("there is space");
    // It starts while the disk is full.
    let start = SystemTime::now() + Duration::from_secs(1);
    let later =
        json!({ "id": "later", "name": "Later", "start_time": time(start), "duration": "5:00:00.000" });
    world.admin.must("POST", "/api/contests", &later);
    world.kill_server();
    world.kill_host("h1");
    // What another process could read by takes space anew, as after a server that ended in order.
    std::fs::remove_file(world.place.data.join("contest.sqlite-shm")).unwrap();
    let filler = disk.0.path().join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    while file.write(&[1; 4096]).is_ok_and(|written| written > 0) {}
    drop(file);
    let token = world.start_server();

    let submissions = world.admin.must_get("/api/contests/c/submissions");
    assert_eq!(list(&submissions).count(), 4);
    assert_eq!(world.admin.get("/api/contests/c/scoreboard").unwrap().0, 200);
    assert_eq!(world.admin.get("/api/jobs").unwrap().0, 200);
    let own = Client::new(world.port, token.clone());
    let (status, why) = own.get("/api/account").unwrap();
    assert_eq!(status, 503, "its judgehosts wait");
    assert!(text(&why, "detail").starts_with("the disk of the server is full"), "{why}");
    let clarification = json!({ "text": "?".repeat(5_000), "problem_id": "a" });
    let asked = world.admin.status("POST", "/api/contests/c/clarifications", &clarification);
    assert_eq!(asked, (503, true));
    let begin = Instant::now();
    let reason = loop {
        assert!(begin.elapsed() < PATIENCE, "it does not say why it is not ready");
        let (status, report) = world.admin.get("/readyz").unwrap();
        let log = list(&report["checks"]).find(|check| check["name"] == "log").cloned();
        // Also what happens when a contest starts is seen.
        if let Some(log) = log.filter(|_| SystemTime::now() > start + Duration::from_millis(500)) {
            assert_eq!(status, 503, "{report}");
            break text(&log, "reason").to_owned();
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(reason.starts_with("the disk of the server is full"), "{reason}");
    let failures = failures(&world);
    assert!(failures < 50, "{failures} transactions were tried and failed");

    std::fs::remove_file(filler).unwrap();
    let begin = Instant::now();
    loop {
        let (status, answer) = own.get("/api/account").unwrap();
        if status == 200 {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "there is space, and its judgehosts get {status}: {answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(world.submit(), Ok(201));
    world.host_token = token;
    world.start_host("h2");
    world.check("there is space again");
    Ok(())
}

/// Returns how many transactions have failed.
fn failures(world: &World) -> u64 {
    let metrics = world.admin.get_text("/metrics");
    let number = metrics.lines().find_map(|line| line.strip_prefix("tautochrone_writer_failures_total "));
    number.unwrap().parse().unwrap()
}

/// Its problem waits and the other goes on; when it is there again, so does its problem.
pub fn a_package_disappears() -> Result<(), String> {
    let mut world = World::new(ServerData::folder());
    let hash = store::BlobHash::of(&world.packages["a"]).to_string();
    std::fs::remove_file(world.place.data.join("blobs").join(&hash[..2]).join(&hash)).unwrap();
    world.start_host("h1");
    for _ in 0..4 {
        assert_eq!(world.submit_to("a"), Ok(201));
        assert_eq!(world.submit_to("b"), Ok(201));
    }
    let judged = |world: &World, problem: &str| {
        let submissions = world.admin.must_get("/api/contests/c/submissions");
        let of: Vec<String> = list(&submissions)
            .filter(|one| text(one, "problem_id") == problem)
            .map(|one| text(one, "id").to_owned())
            .collect();
        let judgements = world.admin.must_get("/api/contests/c/judgements");
        list(&judgements)
            .filter(|one| one["judgement_type_id"].is_string())
            .filter(|one| of.iter().any(|id| id == text(one, "submission_id")))
            .count()
    };
    let begin = Instant::now();
    while judged(&world, "b") < 4 {
        assert!(begin.elapsed() < PATIENCE, "the other problem waits, too");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(judged(&world, "a"), 0);
    let zip = world.packages["a"].clone();
    let path = "/api/packages?name=a.zip";
    succeeded(path, world.admin.send_bytes("POST", path, "application/zip", &zip));
    let paused = world.admin.must_get("/api/pauses");
    assert_eq!(text(&paused[0], "package"), hash);
    world.admin.must("POST", "/api/pauses/resume", &json!({ "package": hash }));
    world.check("the package is there again");
    Ok(())
}

/// Connections that ask for much and read nothing keep no other client waiting.
pub fn clients_that_do_not_read() -> Result<(), String> {
    let mut world = World::new(ServerData::folder());
    world.start_host("h1");
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let stalled: Vec<TcpStream> = (0..100)
        .map(|number| {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, world.port)).unwrap();
            let paths = ["/api/contests/c/events", "/api/openapi.json", "/api/contests/c/scoreboard"];
            for _ in 0..if number % 3 == 1 { 50 } else { 1 } {
                let _ = stream.write_all(request(paths[number % 3]).as_bytes());
            }
            // A third of them stops in the middle of a request.
            let _ = stream.write_all(b"GET /api");
            stream
        })
        .collect();
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let begin = Instant::now();
        assert_eq!(world.submit(), Ok(201));
        longest = longest.max(begin.elapsed());
    }
    world.check("with stalled clients");
    eprintln!("with {} stalled clients, the slowest of 20 submissions took {longest:?}", stalled.len());
    Ok(())
}

/// Forwards and back by an hour: contest time goes on as if nothing had happened.
pub fn the_clock_steps() -> Result<(), String> {
    let clock = SteppedClock::build()?;
    let mut place = ServerData::folder();
    place.environment = clock.environment();
    let mut world = World::new(place);
    world.start_host("h1");
    for step_ms in [0, 3_600_000, 0, -3_600_000, 0] {
        clock.set(step_ms);
        for _ in 0..3 {
            assert_eq!(world.submit(), Ok(201));
        }
        world.check(&format!("the clock is {step_ms} ms ahead"));
    }
    world.kill_server();
    clock.set(-7_200_000);
    world.start_server();
    for _ in 0..3 {
        assert_eq!(world.submit(), Ok(201));
    }
    world.check("started with a clock that is behind the log");
    let submissions = world.admin.must_get("/api/contests/c/submissions");
    let mut times: Vec<(u32, &str)> =
        list(&submissions).map(|one| (text(one, "id").parse().unwrap(), text(one, "time"))).collect();
    times.sort_unstable();
    assert!(times.is_sorted_by_key(|(_, time)| *time), "{times:?}");
    let instant = |time: &str| time.parse::<documents::contest::Time>().unwrap().0;
    let all_ms = instant(times[times.len() - 1].1) - instant(times[0].1);
    assert!(all_ms < 3_000_000, "contest time has moved by {all_ms} ms");
    let distinct: std::collections::BTreeSet<&str> = times.iter().map(|(_, time)| *time).collect();
    assert!(distinct.len() > times.len() / 2, "contest time stands still: {times:?}");
    Ok(())
}
