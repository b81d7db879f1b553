//! Reads a child process's output with a time limit.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read};
use std::process::ChildStdout;
use std::time::Duration;

/// A child's output that was not taken yet.
#[derive(Debug)]
pub(crate) struct Words {
    from: ChildStdout,
    pub(crate) received: Vec<u8>,
}

impl Words {
    pub(crate) fn of(from: ChildStdout) -> Self {
        Self { from, received: Vec::new() }
    }

    /// Waits for more, and returns how many bytes were read: `None` if nothing arrived in time, 0 at the end.
    pub(crate) fn listen(&mut self, wait: Duration) -> io::Result<Option<usize>> {
        let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut [PollFd::new(&self.from, PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut buffer = [0; 64 << 10];
        let length = self.from.read(&mut buffer)?;
        self.received.extend_from_slice(&buffer[..length]);
        Ok(Some(length))
    }

    /// Takes the first line, if it is complete.
    pub(crate) fn line(&mut self) -> Option<String> {
        let end = self.received.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.received.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}
