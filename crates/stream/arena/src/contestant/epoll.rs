//! A wait for readiness, and then a read: what a server with many connections does. For one connection it is a system call
//! more than a blocking read between the digits and the solver.

use super::io::{Link, PATIENCE, READ_BYTES, is_nothing, write_all};
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;

pub(crate) struct Epoll {
    epoll: OwnedFd,
    feed: TcpStream,
    output: TcpStream,
    buffer: Vec<u8>,
    events: Vec<epoll::Event>,
}

impl Epoll {
    pub fn new(feed: TcpStream, output: TcpStream) -> io::Result<Self> {
        feed.set_nonblocking(true)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &feed, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        Ok(Self { epoll, feed, output, buffer: vec![0; READ_BYTES], events: Vec::with_capacity(4) })
    }
}

impl Link for Epoll {
    fn read(&mut self) -> io::Result<Option<&[u8]>> {
        let patience = Timespec { tv_sec: 0, tv_nsec: PATIENCE.as_nanos() as i64 };
        self.events.clear();
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&patience)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
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
