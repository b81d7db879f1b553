//! The event feed of a long contest: how fast it is read as a whole, and what that costs submissions meanwhile.
//!
//! The server is a process of its own. For comparison, a loop sends the same bytes: what the machine and its loopback can do.

use crate::contest_events::Server;
use crate::contest_http::{DISK, SUBMISSIONS, TOKEN, fill};
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::json;
use stats::Sample;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const TEAMS: u32 = 1_000;
const RUNS: u32 = 33;
const CLIENTS: usize = 20;
const STALLED: usize = 50;
/// With its judgement and runs.
const EVENTS: u64 = SUBMISSIONS as u64 * (2 + RUNS as u64);
const EVENTS_A_SECOND: f64 = 200_000.0;
const SUBMISSIONS_A_SECOND: u32 = 20;
const LOAD_FOR: Duration = Duration::from_secs(15);

pub fn figures() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir_in(DISK).context("make a folder on the disk to measure")?;
    fill(folder.path(), TEAMS, RUNS)?;
    let server = Server::start(folder.path())?;
    let address = server.address;
    let idle = server.memory_mib()?;
    let alone = submissions(address, 0, || ())?.0;
    let one = (0..3).map(|_| read_all(address, EVENTS)).collect::<Result<Vec<_>>>()?;
    let bytes = one.first().context("no read")?.bytes;
    let rate = |read: &FeedRead| read.events as f64 / read.took.as_secs_f64();
    let rates = Sample::new(one.iter().map(rate).collect())?;
    let (with_many_ms, many) = submissions(address, 1, || {
        let clients: Vec<_> =
            (0..CLIENTS).map(|_| std::thread::spawn(move || read_all(address, EVENTS))).collect();
        let join = |client: std::thread::JoinHandle<Result<FeedRead>>| {
            client.join().map_err(|_| anyhow!("a client panicked"))?
        };
        clients.into_iter().map(join).collect::<Result<Vec<FeedRead>>>()
    })?;
    let many = many?;
    let each = Sample::new(many.iter().map(rate).collect())?;
    let all = many.iter().map(|read| read.events).sum::<u64>() as f64
        / many.iter().map(|read| read.took.as_secs_f64()).fold(0.0, f64::max);
    let busy = server.memory_mib()?;
    let stalled = (0..STALLED).map(|_| ask(address)).collect::<Result<Vec<_>>>()?;
    std::thread::sleep(Duration::from_secs(1));
    let with_stalled_ms = submissions(address, 2, || std::thread::sleep(LOAD_FOR))?.0;
    let with_stalled = read_all(address, EVENTS)?;
    let after = server.memory_mib()?;
    drop(stalled);
    let plain = plain_server(bytes)?;
    let with_plain_ms = submissions(address, 3, || {
        let is_over = Instant::now() + LOAD_FOR;
        let read = move || {
            while Instant::now() < is_over {
                read_bytes(plain, bytes)?;
            }
            anyhow::Ok(())
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| std::thread::spawn(read)).collect();
        clients.into_iter().for_each(|client| drop(client.join()));
    })?
    .0;
    let clients: Vec<_> =
        (0..CLIENTS).map(|_| std::thread::spawn(move || read_bytes(plain, bytes))).collect();
    let mut took = Duration::ZERO;
    for client in clients {
        took = took.max(client.join().map_err(|_| anyhow!("a client panicked"))??);
    }
    let loopback = EVENTS as f64 * CLIENTS as f64 / took.as_secs_f64();
    let feed = format!("feed of {EVENTS} events, {} MiB", bytes >> 20);
    Ok(vec![
        figure("feed-1", format!("{feed}, one client, median of 3"), rates.median(), "events/s")
            .over(EVENTS_A_SECOND),
        figure("feed-20-each", format!("{CLIENTS} clients at once, the slowest"), each.min(), "events/s"),
        figure("feed-20", format!("{CLIENTS} clients at once, together"), all, "events/s")
            .over(EVENTS_A_SECOND),
        figure(
            "feed-plain",
            format!("a loop sends the same bytes to {CLIENTS}, together"),
            loopback,
            "events/s",
        ),
        figure(
            "feed-stalled",
            format!("one client next to {STALLED} stalled ones"),
            rate(&with_stalled),
            "events/s",
        )
        .over(EVENTS_A_SECOND),
        figure("submit-p50", "a submission is taken, p50, alone", alone.median(), "ms"),
        figure("submit-p99", "p99, alone", alone.quantile(0.99), "ms"),
        figure(
            "submit-20-p50",
            format!("p50, next to {CLIENTS} clients that read all"),
            with_many_ms.median(),
            "ms",
        ),
        figure(
            "submit-20-p99",
            format!("p99, next to {CLIENTS} clients that read all"),
            with_many_ms.quantile(0.99),
            "ms",
        ),
        figure(
            "submit-plain-p50",
            format!("p50, next to {CLIENTS} clients of a loop"),
            with_plain_ms.median(),
            "ms",
        ),
        figure(
            "submit-plain-p99",
            format!("p99, next to {CLIENTS} clients of a loop"),
            with_plain_ms.quantile(0.99),
            "ms",
        ),
        figure(
            "submit-50-p50",
            format!("p50, next to {STALLED} stalled clients"),
            with_stalled_ms.median(),
            "ms",
        ),
        figure(
            "submit-50-p99",
            format!("p99, next to {STALLED} stalled clients"),
            with_stalled_ms.quantile(0.99),
            "ms",
        ),
        figure("feed-memory-0", "memory of the server before", idle, "MiB"),
        figure("feed-memory-20", format!("after {CLIENTS} clients"), busy, "MiB"),
        figure("feed-memory-50", format!("with {STALLED} stalled clients"), after, "MiB"),
    ])
}

struct FeedRead {
    events: u64,
    bytes: u64,
    took: Duration,
}

fn ask(address: SocketAddr) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    let path = "/api/contests/demo/event-feed";
    write!(stream, "GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {TOKEN}\r\n\r\n")?;
    Ok(stream)
}

fn read_all(address: SocketAddr, events: u64) -> Result<FeedRead> {
    let begin = Instant::now();
    let mut stream = ask(address)?;
    let mut buffer = vec![0; 256 << 10];
    let (mut seen, mut bytes) = (0, 0);
    while seen < events {
        let count = stream.read(&mut buffer)?;
        ensure!(count > 0, "the feed ended after {seen} events");
        // A chunk of the transfer has its line breaks as well, two in 64 KiB.
        seen += memchr::memchr_iter(b'\n', &buffer[..count]).count() as u64;
        bytes += count as u64;
    }
    Ok(FeedRead { events: seen, bytes, took: begin.elapsed() })
}

/// Submits during `meanwhile`; returns how long each submission took in ms, and the result of `meanwhile`.
fn submissions<T>(address: SocketAddr, round: u32, meanwhile: impl FnOnce() -> T) -> Result<(Sample, T)> {
    let is_over = Arc::new(AtomicBool::new(false));
    let stop = is_over.clone();
    let submitting = std::thread::spawn(move || -> Result<Vec<f64>> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let (begin, mut times) = (Instant::now(), Vec::new());
        for number in 0_u32.. {
            if stop.load(Ordering::Relaxed) && begin.elapsed() >= LOAD_FOR {
                break;
            }
            let due = begin + Duration::from_secs(1) * number / SUBMISSIONS_A_SECOND;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            submit(&mut stream, round, number)?;
            times.push(due.elapsed().as_secs_f64() * 1e3);
        }
        Ok(times)
    });
    let result = meanwhile();
    is_over.store(true, Ordering::Relaxed);
    let times = submitting.join().map_err(|_| anyhow!("a client panicked"))??;
    Ok((Sample::new(times)?, result))
}

fn submit(stream: &mut TcpStream, round: u32, number: u32) -> Result<()> {
    let team = format!("t{}", (number * 3 + round) % TEAMS);
    let files = json!([{ "filename": "a.cpp", "data": "aW50IG1haW4oKXt9" }]);
    let body =
        json!({ "problem_id": "p1", "language_id": "cpp", "team_id": team, "files": files }).to_string();
    write!(
        stream,
        "POST /api/contests/demo/submissions HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let count = stream.read(&mut buffer)?;
        ensure!(count > 0, "the server closed the connection");
        answer.extend_from_slice(&buffer[..count]);
        // The object ends the answer.
        if answer.ends_with(b"}") && memchr::memmem::find(&answer, b"\r\n\r\n").is_some() {
            break;
        }
    }
    ensure!(answer.starts_with(b"HTTP/1.1 201"), "{}", String::from_utf8_lossy(&answer));
    Ok(())
}

/// Starts a server that sends `bytes` bytes to each client; it ends with this process.
fn plain_server(bytes: u64) -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || -> std::io::Result<()> {
                let piece = vec![b'x'; 64 << 10];
                let mut left = bytes;
                while left > 0 {
                    let count = left.min(piece.len() as u64) as usize;
                    stream.write_all(&piece[..count])?;
                    left -= count as u64;
                }
                Ok(())
            });
        }
    });
    Ok(address)
}

fn read_bytes(address: SocketAddr, bytes: u64) -> Result<Duration> {
    let begin = Instant::now();
    let mut stream = TcpStream::connect(address)?;
    let mut buffer = vec![0; 256 << 10];
    let mut left = bytes;
    while left > 0 {
        let count = stream.read(&mut buffer)? as u64;
        ensure!(count > 0, "the bytes ended");
        std::hint::black_box(memchr::memchr_iter(b'\n', &buffer).count());
        left -= count;
    }
    Ok(begin.elapsed())
}
