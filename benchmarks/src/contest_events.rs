//! Clients that wait for what changes in a contest, most of them idle and some that never read.
//!
//! The server is a process of its own, so that its memory is measured without that of the clients.

use crate::child::{KilledOnDrop, memory_mib};
use crate::contest_http::{DISK, Serving, change, contest_id, fill};
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, bail};
use contest_rules::{Audience, Caller};
use stats::Sample;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const TEAMS: u32 = 200;
const CLIENTS: usize = 2_000;
/// Clients that ask and never read: half of them for events, half for scoreboards.
const STALLED: usize = 50;
/// Enough boards that no buffer between holds them.
const BOARDS_ASKED: usize = 40;
const UPDATES: u32 = 30;
const UPDATE_EVERY: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(60);
const MEMORY_MIB: f64 = 400.0;
const UPDATE_MS: f64 = 1_000.0;

/// Serves a contest until its input ends; for each line of it, changes something and prints the number of the notice.
pub fn serve(folder: &Path) -> Result<()> {
    let serving = Serving::start(folder)?;
    println!("{}", serving.address);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (number, line) in (0..).zip(std::io::stdin().lines()) {
        line?;
        runtime.block_on(change(&serving.ready.app, number));
        let state = serving.ready.app.published.state();
        let view = state.view(&Caller::system(), &contest_id());
        println!("{}", view.map_or(0, |view| view.last_notice(&Audience::Public)));
    }
    serving.end()
}

pub fn figures() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir_in(DISK).context("make a folder on the disk to measure")?;
    fill(folder.path(), TEAMS, 1)?;
    let mut server = Server::start(folder.path())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut clients = vec![runtime.block_on(client(server.address))?];
    let alone = server.updates(&clients)?;
    let before = server.memory_mib()?;
    for _ in 1..CLIENTS {
        clients.push(runtime.block_on(client(server.address))?);
    }
    let connected = server.memory_mib()?;
    let all = server.updates(&clients)?;
    let mut stalled = Vec::new();
    for number in 0..STALLED {
        stalled.push(runtime.block_on(stall(server.address, number % 2 == 0))?);
    }
    let with_stalled = server.updates(&clients)?;
    let after = server.memory_mib()?;
    drop(stalled);
    let per_client = (connected - before) * 1024.0 / (CLIENTS - 1) as f64;
    let clients = format!("{CLIENTS} idle clients");
    let both = format!("{clients} and {STALLED} stalled ones");
    Ok(vec![
        figure("memory-1", "one client: memory of the server", before, "MiB"),
        figure("memory-idle", format!("{clients}: memory"), connected, "MiB").under(MEMORY_MIB),
        figure("memory-stalled", format!("{both}: memory"), after, "MiB").under(MEMORY_MIB),
        figure("memory-each", "a client more", per_client, "KiB"),
        figure("update-1", "one client: until an update is there, median", alone.median(), "ms"),
        figure("update-idle", format!("{clients}: at all of them, median"), all.median(), "ms"),
        figure("update-idle-max", format!("{clients}: at all of them, longest"), all.max(), "ms")
            .under(UPDATE_MS),
        figure("update-stalled", format!("{both}: at all, median"), with_stalled.median(), "ms"),
        figure("update-stalled-max", format!("{both}: at all, longest"), with_stalled.max(), "ms")
            .under(UPDATE_MS),
    ])
}

pub struct Server {
    child: KilledOnDrop,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    pub address: SocketAddr,
}

impl Server {
    pub fn start(folder: &Path) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["contest-server", "--data"])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("no input")?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let address = lines.next().context("the server does not start")??.parse()?;
        Ok(Self { child: KilledOnDrop(child), input, lines, address })
    }

    pub fn memory_mib(&self) -> Result<f64> {
        memory_mib(self.child.0.id(), "VmRSS")
    }

    /// Changes something again and again; returns how long each update took to the last of the clients, in milliseconds.
    fn updates(&mut self, clients: &[Arc<Latest>]) -> Result<Sample> {
        let mut times = Vec::new();
        for _ in 0..UPDATES {
            std::thread::sleep(UPDATE_EVERY);
            let begin = Instant::now();
            writeln!(self.input)?;
            let number = self.lines.next().context("the server ended")??.parse()?;
            let last = loop {
                let arrivals: Option<Vec<Instant>> =
                    clients.iter().map(|client| client.since(number)).collect();
                match arrivals {
                    Some(arrivals) => break arrivals.into_iter().max().context("no clients")?,
                    None if begin.elapsed() > PATIENCE => bail!("an update did not come to all clients"),
                    None => std::thread::sleep(Duration::from_millis(5)),
                }
            };
            times.push(last.duration_since(begin).as_secs_f64() * 1e3);
        }
        Ok(Sample::new(times)?)
    }
}

/// The latest notice that a client has, and since when.
struct Latest(Mutex<(u64, Instant)>);

impl Latest {
    fn since(&self, number: u64) -> Option<Instant> {
        let latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (latest.0 >= number).then_some(latest.1)
    }
}

const EVENTS: &str = "GET /api/contests/demo/events HTTP/1.1\r\nHost: bench\r\n\r\n";
const BOARD: &str = "GET /api/contests/demo/scoreboard HTTP/1.1\r\nHost: bench\r\n\r\n";

/// Connects a client, and reads its events from then on.
async fn client(address: SocketAddr) -> Result<Arc<Latest>> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(EVENTS.as_bytes()).await?;
    let latest = Arc::new(Latest(Mutex::new((0, Instant::now()))));
    let seen = Arc::clone(&latest);
    let mut lines = tokio::io::BufReader::with_capacity(1024, stream).lines();
    let status = lines.next_line().await?.unwrap_or_default();
    anyhow::ensure!(status.starts_with("HTTP/1.1 200"), "the server answered {status}");
    tokio::spawn(async move {
        while let Ok(Some(line)) = lines.next_line().await {
            let number = line.strip_prefix("id: p").and_then(|number| number.trim().parse().ok());
            if let Some(number) = number {
                *seen.0.lock().unwrap_or_else(PoisonError::into_inner) = (number, Instant::now());
            }
        }
    });
    Ok(latest)
}

/// Connects a client that requests more than is buffered, and reads nothing.
async fn stall(address: SocketAddr, for_events: bool) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4096)?;
    let mut stream = socket.connect(address).await?;
    let asked = if for_events { EVENTS.to_owned() } else { BOARD.repeat(BOARDS_ASKED) };
    stream.write_all(asked.as_bytes()).await?;
    Ok(stream)
}
