//! Standard input from a terminal: copied into a pipe, so that the program never holds the terminal.

use anyhow::Context;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::thread::JoinHandle;

/// A terminal hands out lines, and no longer ones than this.
const LINE_BYTES_MAX: usize = 4096;

/// Copies from the terminal until this is dropped.
#[derive(Debug)]
pub struct Pump {
    /// Its being closed tells the thread to end.
    ended: Option<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

/// Starts copying; gives the program's end of the pipe.
pub fn pump(terminal: OwnedFd) -> anyhow::Result<(OwnedFd, Option<Pump>)> {
    let pipe =
        || rustix::pipe::pipe_with(PipeFlags::CLOEXEC).context("cannot make a pipe for standard input");
    let (program, write) = pipe()?;
    let (told, ended) = pipe()?;
    let thread = std::thread::spawn(move || copy(&terminal, &write, &told));
    Ok((program, Some(Pump { ended: Some(ended), thread: Some(thread) })))
}

/// Copies line by line until either side ends.
fn copy(terminal: &OwnedFd, program: &OwnedFd, told: &OwnedFd) {
    let mut line = [0; LINE_BYTES_MAX];
    loop {
        let mut polled = [PollFd::new(terminal, PollFlags::IN), PollFd::new(told, PollFlags::IN)];
        match poll(&mut polled, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        if !polled[1].revents().is_empty() {
            return;
        }
        let length = match rustix::io::read(terminal, &mut line) {
            Ok(length @ 1..) => length,
            Err(Errno::INTR) => continue,
            // The end of input, or a terminal that went away, which is the same to the program.
            Ok(0) | Err(_) => return,
        };
        let mut rest = &line[..length];
        while !rest.is_empty() {
            match rustix::io::write(program.as_fd(), rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                // The program has ended or reads no more.
                Err(_) => return,
            }
        }
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take() {
            // A panic there has been told already.
            let _ = thread.join();
        }
    }
}
