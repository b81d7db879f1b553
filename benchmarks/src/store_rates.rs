//! What the store of a server does in a second, compared with what the disk does.

use crate::contest_http::DISK;
use crate::figure::{Figure, figure};
use std::fs::File;
use std::io::{Seek, Write};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use store::{Claim, ClaimedJob, Lease, NewJob, Store, StoreAddress, StoreError, StoreTransaction};
use test_database::Server;

/// Judgehosts, each of which claims and reports this many jobs at once.
const HOSTS: usize = 8;
const BATCH: usize = 16;
/// Requests that the writer does in one transaction, as in the server.
const GROUP_MAX: usize = 512;
/// For how long each rate is measured.
const SPAN: Duration = Duration::from_secs(4);
/// More than any store finishes within the span.
const JOBS: usize = 60_000;
/// What is promised of PostgreSQL.
const PAIRS_MIN: f64 = 1_500.0;
const EVENTS: u64 = 1_000_000;
const PAGE: usize = 10_000;
/// An event of a run is at most this long.
const EVENT_BYTES: usize = 200;

/// Measures both kinds of store, and the disk that they are on.
pub fn rates() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir_in(DISK).context("make a folder on the disk to measure")?;
    let mut rows = vec![row("disk", "sync", "4 KiB, fdatasync", syncs(&folder.path().join("sync"))?)];
    kind("SQLite", &StoreAddress::Folder(folder.path().join("data")), &mut rows)?;
    rows.push(row("disk", "sync", "4 KiB, fdatasync, again", syncs(&folder.path().join("sync"))?));
    match Server::start_in(DISK.as_ref(), &[]) {
        Ok(server) => {
            let address = StoreAddress::Postgres(server.url(&server.new_database()?));
            kind("PostgreSQL", &address, &mut rows)?;
        }
        Err(reason) => rows.push(Figure::missing("PostgreSQL", format!("PostgreSQL: {reason}"))),
    }
    Ok(rows)
}

fn row(store: &str, key: &str, what: &str, per_second: f64) -> Figure {
    let figure = figure(format!("{store}-{key}"), format!("{store}: {what}"), per_second, "/s");
    if store == "PostgreSQL" && key == "pairs" { figure.over(PAIRS_MIN) } else { figure }
}

fn syncs(path: &std::path::Path) -> Result<f64> {
    let mut file = File::create(path)?;
    let block = [1; 4096];
    per_second(|| {
        file.rewind()?;
        file.write_all(&block)?;
        file.sync_data()?;
        Ok(1)
    })
}

/// Repeats for the span, and returns how many a second `work` has done in sum.
fn per_second(mut work: impl FnMut() -> Result<usize>) -> Result<f64> {
    let begin = Instant::now();
    let mut done = 0;
    while begin.elapsed() < SPAN {
        done += work()?;
    }
    Ok(done as f64 / begin.elapsed().as_secs_f64())
}

fn kind(name: &str, address: &StoreAddress, rows: &mut Vec<Figure>) -> Result<()> {
    let mut opened = store::open(address)?;
    let store = &mut *opened.store;
    store.events_after(0, 1)?;
    let body = "x".repeat(EVENT_BYTES);

    add_jobs(store)?;
    let single = per_second(|| {
        let mut claimed = Vec::new();
        store.transact(&mut |transaction| {
            claimed = transaction.claim(&claim(0, 1))?;
            Ok(())
        })?;
        store.transact(&mut |transaction| {
            transaction.finish(&leases(&claimed))?;
            transaction.append(std::slice::from_ref(&body)).map(drop)
        })?;
        Ok(claimed.len())
    })?;
    rows.push(row(
        name,
        "pairs-single",
        "claim-and-finish pairs, each in two transactions of its own",
        single,
    ));

    let (store, grouped) = group(opened.store, &body)?;
    opened.store = store;
    let store = &mut *opened.store;
    rows.push(row(name, "pairs", &format!("claim-and-finish pairs, {HOSTS} clients of {BATCH}"), grouped));

    let mut appended = 0;
    let one = per_second(|| append(store, std::slice::from_ref(&body)))?;
    rows.push(row(name, "append-single", "events appended, each in a transaction of its own", one));
    let bodies = vec![body; GROUP_MAX];
    let many = per_second(|| append(store, &bodies))?;
    rows.push(row(name, "append", &format!("events appended, {GROUP_MAX} in a transaction"), many));
    while appended < EVENTS {
        append(store, &bodies)?;
        appended = head(store, appended)?;
    }
    let (begin, mut after) = (Instant::now(), 0);
    while after < EVENTS {
        after = store.events_after(after, PAGE)?.last().map_or(EVENTS, |event| event.seq);
    }
    let rate = after as f64 / begin.elapsed().as_secs_f64();
    rows.push(row(name, "read", &format!("events read, {EVENTS} in pages of {PAGE}"), rate));
    let last = head(store, after)?;
    drop(opened);
    let begin = Instant::now();
    store::open(address)?;
    let rate = last as f64 / begin.elapsed().as_secs_f64();
    rows.push(row(name, "open", "events whose chain of hashes is checked when the store is opened", rate));
    Ok(())
}

/// Returns the last event.
fn head(store: &mut dyn Store, mut after: u64) -> Result<u64> {
    while let Some(last) = store.events_after(after, PAGE)?.last() {
        after = last.seq;
    }
    Ok(after)
}

fn append(store: &mut dyn Store, bodies: &[String]) -> Result<usize> {
    store.transact(&mut |transaction| transaction.append(bodies).map(drop))?;
    Ok(bodies.len())
}

fn add_jobs(store: &mut dyn Store) -> Result<()> {
    let jobs: Vec<NewJob> = (0..JOBS)
        .map(|number| NewJob {
            id: format!("contest/{number}-1").as_str().into(),
            pool: "strict".to_owned(),
            class: 0,
            turn: number as i64,
            owner: "team".to_owned(),
            tags: vec![format!("package:{}", number % 15), "language:cpp".to_owned()],
            not_before_ms: 0,
            body: "x".repeat(600),
        })
        .collect();
    for batch in jobs.chunks(GROUP_MAX) {
        store.transact(&mut |transaction| transaction.add_jobs(batch))?;
    }
    Ok(())
}

fn claim(host: usize, max: usize) -> Claim {
    Claim {
        host: format!("host{host}"),
        pool: "strict".to_owned(),
        max,
        now_ms: 1_000_000,
        lease_until_ms: 1_060_000,
        excluded_tags: vec!["package:broken".to_owned()],
    }
}

fn leases(jobs: &[ClaimedJob]) -> Vec<Lease> {
    jobs.iter().map(|job| Lease { job: job.id.clone(), fence: job.fence }).collect()
}

/// A request of a judgehost: the results of its jobs are stored, and it gets others.
struct Request {
    host: usize,
    finished: Vec<Lease>,
    reply: mpsc::Sender<Vec<ClaimedJob>>,
}

/// Lets judgehosts claim and report, and a writer do what waits in one transaction each time; returns finished jobs a second.
fn group(mut store: Box<dyn Store>, body: &str) -> Result<(Box<dyn Store>, f64)> {
    let (requests, waiting) = mpsc::channel::<Request>();
    let begin = Instant::now();
    let clients: Vec<_> = (0..HOSTS)
        .map(|host| {
            let requests = requests.clone();
            thread::spawn(move || client(host, &requests, begin))
        })
        .collect();
    drop(requests);
    let mut finished = 0;
    while let Ok(first) = waiting.recv() {
        let mut group = vec![first];
        group.extend(waiting.try_iter().take(GROUP_MAX - 1));
        let mut answers = Vec::new();
        store.transact(&mut |transaction| {
            (answers, finished) = serve(transaction, &group, body, finished)?;
            Ok(())
        })?;
        for (request, jobs) in group.into_iter().zip(answers) {
            // A client that has stopped needs no answer.
            let _ = request.reply.send(jobs);
        }
    }
    let rate = finished as f64 / begin.elapsed().as_secs_f64();
    for client in clients {
        client.join().map_err(|_| anyhow!("a client failed"))?;
    }
    Ok((store, rate))
}

fn serve(
    transaction: &mut dyn StoreTransaction,
    group: &[Request],
    body: &str,
    finished: usize,
) -> Result<(Vec<Vec<ClaimedJob>>, usize), StoreError> {
    let leases: Vec<Lease> = group.iter().flat_map(|request| request.finished.clone()).collect();
    let current = transaction.finish(&leases)?.into_iter().filter(|&is_current| is_current).count();
    transaction.append(&vec![body.to_owned(); current])?;
    let mut answers = Vec::new();
    for request in group {
        answers.push(transaction.claim(&claim(request.host, BATCH))?);
    }
    Ok((answers, finished + current))
}

fn client(host: usize, requests: &mpsc::Sender<Request>, begin: Instant) {
    let (reply, answers) = mpsc::channel();
    let mut finished = Vec::new();
    while begin.elapsed() < SPAN {
        let request = Request { host, finished, reply: reply.clone() };
        if requests.send(request).is_err() {
            return;
        }
        let Ok(jobs) = answers.recv() else { return };
        finished = leases(&jobs);
    }
}
