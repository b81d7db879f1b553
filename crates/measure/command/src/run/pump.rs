//! Standard input from a terminal or a named pipe, copied through a pipe, so that the program never gets the original.

use anyhow::Context;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::thread::JoinHandle;

/// How much is copied at once; a terminal returns lines of at most 4 KiB.
const CHUNK_BYTES: usize = 64 << 10;

/// Copies from the source until this is dropped.
#[derive(Debug)]
pub struct Pump {
    /// Closing it ends the thread.
    ended: Option<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

/// Starts copying; returns the program's end of the pipe.
pub fn pump(source: OwnedFd) -> anyhow::Result<(OwnedFd, Option<Pump>)> {
    let pipe =
        || rustix::pipe::pipe_with(PipeFlags::CLOEXEC).context("cannot make a pipe for standard input");
    let (program, write) = pipe()?;
    // The program may reopen its input by name, as in `/dev/stdin`, but only for reading.
    rustix::fs::fchmod(&program, Mode::from_raw_mode(0o444))
        .context("cannot set up the pipe for standard input")?;
    let (end, ended) = pipe()?;
    let thread = std::thread::spawn(move || copy(&source, &write, &end));
    Ok((program, Some(Pump { ended: Some(ended), thread: Some(thread) })))
}

/// Copies whatever becomes available, until either side ends.
fn copy(source: &OwnedFd, program: &OwnedFd, end: &OwnedFd) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let mut polled = [PollFd::new(source, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
        match poll(&mut polled, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        if !polled[1].revents().is_empty() {
            return;
        }
        let length = match rustix::io::read(source, &mut *chunk) {
            Ok(length @ 1..) => length,
            Err(Errno::INTR) => continue,
            // The end of input, or a terminal that is gone, which is the same for the program.
            Ok(0) | Err(_) => return,
        };
        let mut rest = &chunk[..length];
        while !rest.is_empty() {
            match rustix::io::write(program.as_fd(), rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                // The program has ended or closed its input.
                Err(_) => return,
            }
        }
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take() {
            // A panic there was already reported.
            let _ = thread.join();
        }
    }
}
