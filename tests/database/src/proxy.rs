//! A proxy between a store and PostgreSQL that cuts and delays.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

const SOCKET: &str = ".s.PGSQL.5432";
/// How often a hung connection checks whether it still is.
const CHECK_EVERY: Duration = Duration::from_millis(5);

#[derive(Default)]
struct Faults {
    /// Bytes, in both directions, until the connection is cut. Below zero, there is no cut.
    until_cut: AtomicI64,
    delay_us: AtomicU64,
    is_hung: AtomicBool,
    is_away: AtomicBool,
}

pub struct Proxy {
    folder: TempDir,
    faults: Arc<Faults>,
}

impl Proxy {
    /// Listens in a folder of its own, and connects to the socket in `server`. Its threads end with the process.
    pub fn start(server: &Path) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let listener = UnixListener::bind(folder.path().join(SOCKET))?;
        let faults = Arc::new(Faults { until_cut: AtomicI64::new(-1), ..Faults::default() });
        let (target, shared) = (server.join(SOCKET), Arc::clone(&faults));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, UnixStream::connect(&target)) else { continue };
                if shared.is_away.load(Ordering::SeqCst) {
                    continue;
                }
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { continue };
                    let faults = Arc::clone(&shared);
                    thread::spawn(move || forward(from, to, &faults));
                }
            }
        });
        Ok(Self { folder, faults })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Cuts the connection that carries the byte after `bytes` more.
    pub fn cut_after(&self, bytes: u64) {
        self.faults.until_cut.store(bytes as i64, Ordering::SeqCst);
    }

    /// Takes a cut back, and returns how many bytes were left until it.
    pub fn never_cut(&self) -> u64 {
        self.faults.until_cut.swap(-1, Ordering::SeqCst).max(0) as u64
    }

    /// Lets nothing pass, and keeps all connections open.
    pub fn hang(&self, is_hung: bool) {
        self.faults.is_hung.store(is_hung, Ordering::SeqCst);
    }

    /// Cuts every connection at its next byte, and takes no new one.
    pub fn away(&self, is_away: bool) {
        self.faults.is_away.store(is_away, Ordering::SeqCst);
    }

    pub fn delay(&self, delay: Duration) {
        self.faults.delay_us.store(delay.as_micros() as u64, Ordering::SeqCst);
    }
}

fn forward(mut from: UnixStream, mut to: UnixStream, faults: &Faults) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read) = from.read(&mut buffer) {
        if read == 0 || faults.is_away.load(Ordering::SeqCst) {
            break;
        }
        thread::sleep(Duration::from_micros(faults.delay_us.load(Ordering::SeqCst)));
        while faults.is_hung.load(Ordering::SeqCst) {
            thread::sleep(CHECK_EVERY);
        }
        let left = faults.until_cut.load(Ordering::SeqCst);
        let is_cut = left >= 0 && left < read as i64;
        let passed = if is_cut { left as usize } else { read };
        if left >= 0 {
            faults.until_cut.fetch_sub(passed as i64, Ordering::SeqCst);
        }
        if to.write_all(&buffer[..passed]).is_err() || is_cut {
            faults.until_cut.store(-1, Ordering::SeqCst);
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}
