//! A ring of requests to the kernel: the write of an answer and the next read of the feed are handed over by one system call, and
//! a read that has completed costs none. The wake-up of a read that waits is the same as a blocking one's.
#![allow(unsafe_code)]

use super::io::{Link, PATIENCE, READ_BYTES, write_all};
use io_uring::{IoUring, opcode, squeue, types};
use std::io::{self, IoSlice};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;

/// A read and a write at a time.
const ENTRIES: u32 = 8;
const READ: u64 = 1;
const WRITE: u64 = 2;

pub(crate) struct Uring {
    ring: IoUring,
    feed: TcpStream,
    output: TcpStream,
    buffer: Vec<u8>,
    /// Whether the kernel has the buffer.
    is_reading: bool,
    read: Option<i32>,
    written: Option<i32>,
}

pub(crate) fn unavailable() -> Option<String> {
    ring().err().map(|error| format!("the kernel refuses a ring (io_uring_setup: {error})"))
}

fn ring() -> io::Result<IoUring> {
    // Completions are handled when this thread waits for them, not by interrupting it.
    IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(ENTRIES)
}

impl Uring {
    pub fn new(feed: TcpStream, output: TcpStream) -> io::Result<Self> {
        let buffer = vec![0; READ_BYTES];
        Ok(Self { ring: ring()?, feed, output, buffer, is_reading: false, read: None, written: None })
    }

    fn begin_read(&mut self) -> io::Result<()> {
        if self.is_reading || self.read.is_some() {
            return Ok(());
        }
        let fd = types::Fd(self.feed.as_raw_fd());
        let entry =
            opcode::Recv::new(fd, self.buffer.as_mut_ptr(), READ_BYTES as u32).build().user_data(READ);
        // SAFETY: the buffer has this length, is not touched while `is_reading`, and lives until `drop` has seen
        // the completion. The connection is open as long.
        unsafe { self.push(&entry)? };
        self.is_reading = true;
        Ok(())
    }

    /// Queues a request.
    ///
    /// # Safety
    /// What the request points to is valid until it completes.
    unsafe fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: as the caller says.
        let pushed = unsafe { self.ring.submission().push(entry) };
        pushed.map_err(|_| io::Error::other("the ring is full"))
    }

    /// Waits for a completion, at most [`PATIENCE`].
    fn wait(&mut self) -> io::Result<()> {
        let patience = types::Timespec::from(PATIENCE);
        let arguments = types::SubmitArgs::new().timespec(&patience);
        let waited = self.ring.submitter().submit_with_args(1, &arguments);
        self.collect();
        match waited {
            Ok(_) => Ok(()),
            Err(error) if matches!(error.raw_os_error(), Some(nix::libc::ETIME | nix::libc::EINTR)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn collect(&mut self) {
        for entry in self.ring.completion() {
            if entry.user_data() == READ {
                self.is_reading = false;
                self.read = Some(entry.result());
            } else {
                self.written = Some(entry.result());
            }
        }
    }

    fn write_some(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let fd = types::Fd(self.output.as_raw_fd());
        let entry = opcode::Writev::new(fd, parts.as_ptr().cast(), parts.len() as u32).build();
        // SAFETY: an `IoSlice` is an iovec, and this function does not return before the request has completed.
        unsafe { self.push(&entry.user_data(WRITE))? };
        let began = self.begin_read();
        loop {
            if let Some(result) = self.written.take() {
                began?;
                return count(result);
            }
            if let Err(error) = self.wait() {
                // The kernel may still read the parts: they must not end before.
                tracing::error!("io_uring_enter failed with a write under way: {error}");
                std::process::abort();
            }
        }
    }
}

fn count(result: i32) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result))
}

impl Link for Uring {
    fn read(&mut self) -> io::Result<Option<&[u8]>> {
        self.begin_read()?;
        if self.read.is_none() {
            self.wait()?;
        }
        match self.read.take().map(count) {
            None => Ok(None),
            Some(Ok(count)) => Ok(Some(&self.buffer[..count])),
            Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            Some(Err(error)) => Err(error),
        }
    }

    fn write(&mut self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        write_all(parts, |parts| self.write_some(parts))
    }

    fn set_output(&mut self, output: TcpStream) -> io::Result<()> {
        self.output = output;
        Ok(())
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        // Ends the read.
        let _ = self.feed.shutdown(Shutdown::Both);
        while self.is_reading {
            if self.wait().is_err() {
                // The kernel may still write into it.
                std::mem::forget(std::mem::take(&mut self.buffer));
                return;
            }
        }
    }
}
