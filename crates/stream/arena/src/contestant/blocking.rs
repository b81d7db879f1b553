//! A read that waits: the kernel wakes the very thread that solves, and nothing is in between. As fast as a wake-up is.

use super::io::{Link, PATIENCE, READ_BYTES, is_nothing, write_all};
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;

pub(crate) struct Blocking {
    feed: TcpStream,
    output: TcpStream,
    buffer: Vec<u8>,
}

impl Blocking {
    pub fn new(feed: TcpStream, output: TcpStream) -> io::Result<Self> {
        feed.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { feed, output, buffer: vec![0; READ_BYTES] })
    }
}

impl Link for Blocking {
    fn read(&mut self) -> io::Result<Option<&[u8]>> {
        match self.feed.read(&mut self.buffer) {
            Ok(count) => Ok(Some(&self.buffer[..count])),
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(error),
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
