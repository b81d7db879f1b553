//! The clients: ordinary ones, sockets that only carry bytes, and hostile ones.

use anyhow::{Context, Result, ensure};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a chunk of middle length has.
const CHUNK: [u8; 175] = [b'7'; 175];

/// Reads from sockets until it should stop, on one thread, as it would be on machines of their own: without waiting for any.
struct Reading {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<usize>,
}

impl Reading {
    fn start(mut sockets: Vec<TcpStream>) -> Result<Self> {
        sockets.iter().try_for_each(|socket| socket.set_nonblocking(true))?;
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut bytes = vec![0; 1 << 16];
            let mut open = vec![true; sockets.len()];
            while !until.load(Ordering::Relaxed) {
                for (socket, open) in sockets.iter_mut().zip(&mut open) {
                    match socket.read(&mut bytes) {
                        Ok(0) => *open = false,
                        Err(error) if error.kind() != ErrorKind::WouldBlock => *open = false,
                        _ => {}
                    }
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            open.into_iter().filter(|open| *open).count()
        });
        Ok(Self { stop, thread })
    }

    fn stop(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(0)
    }
}

/// Clients of the feed.
pub struct Listening(Reading);

impl Listening {
    pub fn start(to: SocketAddr, count: usize) -> Result<Self> {
        Ok(Self(Reading::start((0..count).map(|_| listener(to)).collect::<Result<_>>()?)?))
    }

    /// Returns how many were not dropped.
    pub fn stop(self) -> usize {
        self.0.stop()
    }
}

fn listener(to: SocketAddr) -> Result<TcpStream> {
    let mut socket = TcpStream::connect(to).context("cannot connect to the feed")?;
    socket.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")?;
    Ok(socket)
}

/// As many connections that only carry bytes.
pub struct PairsOfSockets {
    writers: Vec<TcpStream>,
    _reading: Reading,
}

impl PairsOfSockets {
    pub fn open(count: usize) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let here = listener.local_addr()?;
        let (mut readers, mut writers) = (Vec::new(), Vec::new());
        for _ in 0..count {
            readers.push(TcpStream::connect(here)?);
            let writer = listener.accept()?.0;
            writer.set_nodelay(true)?;
            writers.push(writer);
        }
        Ok(Self { writers, _reading: Reading::start(readers)? })
    }

    /// Writes a chunk to all, and returns how long that takes.
    pub fn write_to_all(&self) -> Result<f64> {
        let start = Instant::now();
        for mut writer in &self.writers {
            writer.write_all(&CHUNK)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Connections that answer, by turns.
pub struct Answering {
    connections: Vec<Mutex<TcpStream>>,
    next: AtomicU64,
    replied: AtomicU64,
    times_s: Mutex<Vec<f64>>,
}

impl Answering {
    pub fn start(to: SocketAddr, count: usize) -> Result<Self> {
        let connect = |_| -> Result<_> {
            let socket = TcpStream::connect(to).context("cannot connect to the output port")?;
            socket.set_nodelay(true)?;
            socket.set_read_timeout(Some(Duration::from_secs(30)))?;
            Ok(Mutex::new(socket))
        };
        let connections = (0..count).map(connect).collect::<Result<_>>()?;
        Ok(Self {
            connections,
            next: AtomicU64::new(0),
            replied: AtomicU64::new(0),
            times_s: Mutex::default(),
        })
    }

    /// Sends the next contestant's answer and waits for the reply. It is a wrong one, of the length of a right one.
    pub fn send(&self) -> Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let at = number as usize % self.connections.len();
        let body = format!("{}{number:020}", "9".repeat(140));
        let request = format!(
            "POST /submit?user=c{at}&passwd=pw HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut socket = self.connections[at].lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        socket.write_all(request.as_bytes())?;
        let mut reply = [0; 512];
        let count = socket.read(&mut reply).context("an answer has no reply")?;
        let time_s = start.elapsed().as_secs_f64();
        let text = String::from_utf8_lossy(&reply[..count]);
        ensure!(text.starts_with("HTTP/1.1 200"), "the reply to an answer is {text}");
        self.replied.fetch_add(1, Ordering::Relaxed);
        self.times_s.lock().unwrap_or_else(PoisonError::into_inner).push(time_s);
        Ok(())
    }

    /// Sends `per_second` answers in a second until it should stop.
    pub fn send_at(&self, per_second: u32, stop: &AtomicBool) -> Result<()> {
        let start = Instant::now();
        for number in 0_u32.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let due = start + Duration::from_secs(1) / per_second * number;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            self.send()?;
        }
        Ok(())
    }

    /// Returns how many have a reply.
    pub fn replied(&self) -> u64 {
        self.replied.load(Ordering::Relaxed)
    }

    /// Returns the times since the last call.
    pub fn take_times(&self) -> Vec<f64> {
        std::mem::take(&mut self.times_s.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Everything at once: clients that never read, connections that say nothing, rubbish, requests by the byte, and wrong passwords.
pub fn attack(input: SocketAddr, output: SocketAddr, stop: &AtomicBool) -> Result<()> {
    let _slow: Vec<TcpStream> = (0..50).map(|_| listener(input)).collect::<Result<_>>()?;
    let mut half_open: Vec<TcpStream> = Vec::new();
    let mut turn = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        turn += 1;
        for to in [input, output] {
            let Ok(mut socket) = TcpStream::connect(to) else { continue };
            let _ = match turn % 4 {
                0 => socket.write_all(&[b'x'; 4096]),
                1 => socket
                    .write_all(b"POST /submit?user=c0&passwd=no HTTP/1.1\r\nContent-Length: 3\r\n\r\n777"),
                2 => socket.write_all(b"POST /submit?us"),
                _ => Ok(()),
            };
            half_open.push(socket);
        }
        if half_open.len() > 400 {
            half_open.drain(..100);
        }
        // Two hundred connections a second.
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}
