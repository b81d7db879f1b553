//! Reads that do not wait, one after the other: no wake-up, which is most of what a blocking read takes, and the caches stay
//! warm. It takes a whole CPU; on a shared one the scheduler would stop it just when digits come.

use super::io::{Link, PATIENCE, READ_BYTES, is_nothing, write_all};
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

/// Reads that find nothing before the clock is read.
const READS: u32 = 256;

pub(crate) struct BusyPoll {
    feed: TcpStream,
    /// It blocks: an answer is far smaller than its buffer.
    output: TcpStream,
    buffer: Vec<u8>,
}

impl BusyPoll {
    pub fn new(feed: TcpStream, output: TcpStream) -> io::Result<Self> {
        feed.set_nonblocking(true)?;
        Ok(Self { feed, output, buffer: vec![0; READ_BYTES] })
    }
}

impl Link for BusyPoll {
    fn read(&mut self) -> io::Result<Option<&[u8]>> {
        let until = Instant::now() + PATIENCE;
        loop {
            for _ in 0..READS {
                match self.feed.read(&mut self.buffer) {
                    Ok(count) => return Ok(Some(&self.buffer[..count])),
                    Err(error) if is_nothing(&error) => std::hint::spin_loop(),
                    Err(error) => return Err(error),
                }
            }
            if Instant::now() >= until {
                return Ok(None);
            }
        }
    }

    fn write(&mut self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        write_all(parts, |parts| (&self.output).write_vectored(parts))
    }

    fn set_output(&mut self, output: TcpStream) -> io::Result<()> {
        self.output = output;
        Ok(())
    }
}
