//! An asynchronous runtime of one thread: a read that finds nothing registers with a reactor, which waits for readiness, wakes
//! the task, and the task reads again. Made for many connections; for one it is the longest way.

use super::io::{Link, PATIENCE, READ_BYTES, is_nothing};
use std::io::{self, IoSlice};
use std::net::TcpStream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

pub(crate) struct Asynchronous {
    runtime: Runtime,
    feed: tokio::net::TcpStream,
    output: tokio::net::TcpStream,
    buffer: Vec<u8>,
}

impl Asynchronous {
    pub fn new(feed: TcpStream, output: TcpStream) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let feed = of(&runtime, feed)?;
        let output = of(&runtime, output)?;
        Ok(Self { runtime, feed, output, buffer: vec![0; READ_BYTES] })
    }
}

fn of(runtime: &Runtime, connection: TcpStream) -> io::Result<tokio::net::TcpStream> {
    let _inside = runtime.enter();
    connection.set_nonblocking(true)?;
    tokio::net::TcpStream::from_std(connection)
}

impl Link for Asynchronous {
    fn read(&mut self) -> io::Result<Option<&[u8]>> {
        let Self { runtime, feed, buffer, .. } = self;
        match runtime.block_on(async { tokio::time::timeout(PATIENCE, feed.read(buffer)).await }) {
            Ok(Ok(count)) => Ok(Some(&self.buffer[..count])),
            Ok(Err(error)) if is_nothing(&error) => Ok(None),
            Ok(Err(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn write(&mut self, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let Self { runtime, output, .. } = self;
        runtime.block_on(async {
            while !parts.is_empty() {
                match output.write_vectored(parts).await? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    count => IoSlice::advance_slices(&mut parts, count),
                }
            }
            Ok(())
        })
    }

    fn set_output(&mut self, output: TcpStream) -> io::Result<()> {
        self.output = of(&self.runtime, output)?;
        Ok(())
    }
}
