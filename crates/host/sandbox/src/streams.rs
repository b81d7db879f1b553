//! A program's standard streams, on the supervisor's side: its input, and what is kept and counted of its output.

use crate::emulated::CountSeen;
use crate::forward::Forward;
use crate::{SandboxError, descriptor};
use model::{LimitKind, RunEnd};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::sync::Arc;

const CAPTURE_BYTES_MAX: u64 = 256 << 20;
/// How much of standard error is kept; the rest is counted and discarded.
const STDERR_KEPT_BYTES: usize = 64 << 10;
/// The largest pipe that an unprivileged process may request (`/proc/sys/fs/pipe-max-size`), so that the program rarely
/// waits for the supervisor.
const PIPE_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub enum Input {
    /// Nothing: an immediate end of file.
    Empty,
    /// Memory of the supervisor that no program can write.
    Memory(OwnedFd),
    /// This descriptor of the caller's, if programs may have it.
    Descriptor(OwnedFd),
}

#[derive(Debug)]
pub enum Output {
    /// Into memory, counted against the output limit.
    Capture,
    /// Into memory up to the output limit, which does not end the run; output beyond it is discarded. Only standard
    /// output counts then.
    Cut {
        /// Whether a run that ends normally has still exceeded the limit.
        fails: bool,
    },
    /// Through the supervisor to this descriptor, counted against the output limit.
    Forward(OwnedFd),
    /// Directly to this descriptor, not counted.
    Descriptor(OwnedFd),
    Discard,
}

#[derive(Debug)]
pub struct RunIo {
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
    /// When this becomes readable, the run is ended, as if by a signal.
    pub end_when: Option<Arc<OwnedFd>>,
}

/// The supervisor's ends of a run's pipes.
#[derive(Debug)]
pub(crate) struct OpenIo {
    pub(crate) stdout: Stream,
    pub(crate) stderr: Stream,
    pub(crate) written: u64,
    pub(crate) limit: u64,
    pub(crate) over: Over,
    pub(crate) killed_for: Option<LimitKind>,
    pub(crate) count_seen: CountSeen,
    /// Whether the supervisor has killed the run, for whatever reason.
    pub(crate) ended_by_us: bool,
    pub(crate) end_when: Option<Arc<OwnedFd>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Ends,
    /// A run that ended normally is treated as if it had been ended.
    FailsLate,
    IsCut,
}

#[derive(Debug, Default)]
pub(crate) struct Stream {
    pub(crate) pipe: Option<OwnedFd>,
    forward: Option<Forward>,
    pub(crate) kept: Vec<u8>,
    keep_max: usize,
    read: u64,
}

impl RunIo {
    /// Makes the usual set: this input, output and error captured.
    pub fn captured(stdin: Input) -> Self {
        Self { stdin, stdout: Output::Capture, stderr: Output::Capture, end_when: None }
    }

    /// Opens the streams; returns the supervisor's ends and the program's three descriptors.
    pub(crate) fn open(self) -> Result<(OpenIo, [OwnedFd; 3]), SandboxError> {
        let stdin = match self.stdin {
            Input::Empty => null()?,
            Input::Memory(fd) => fd,
            Input::Descriptor(fd) => descriptor::checked_input(fd)?,
        };
        let captures = matches!(self.stdout, Output::Capture | Output::Cut { .. });
        let over = match self.stdout {
            Output::Cut { fails: true } => Over::FailsLate,
            Output::Cut { fails: false } => Over::IsCut,
            _ => Over::Ends,
        };
        let (stdout, program_stdout) = Stream::open(self.stdout, usize::MAX)?;
        let (stderr, program_stderr) = Stream::open(self.stderr, STDERR_KEPT_BYTES)?;
        let io = OpenIo {
            stdout,
            stderr,
            written: 0,
            // Output that is passed on uses no memory here.
            limit: if captures { CAPTURE_BYTES_MAX } else { u64::MAX },
            over,
            killed_for: None,
            count_seen: CountSeen::default(),
            ended_by_us: false,
            end_when: self.end_when,
        };
        Ok((io, [stdin, program_stdout, program_stderr]))
    }
}

impl Stream {
    fn open(output: Output, keep_max: usize) -> Result<(Self, OwnedFd), SandboxError> {
        let forward = match output {
            Output::Descriptor(fd) => return Ok((Self::default(), fd)),
            Output::Discard => return Ok((Self::default(), null()?)),
            Output::Capture | Output::Cut { .. } => None,
            Output::Forward(fd) => Some(Forward::new(fd)?),
        };
        let (read, write) =
            rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(SandboxError::system("make a pipe"))?;
        // The program may reopen its own end by name, as in `/dev/stderr`, but never the supervisor's.
        rustix::fs::fchmod(&write, rustix::fs::Mode::from_raw_mode(0o222))
            .map_err(SandboxError::system("set up a pipe"))?;
        // A smaller pipe works too; the program only waits more often.
        let _ = rustix::pipe::fcntl_setpipe_size(&read, PIPE_BYTES);
        rustix::io::ioctl_fionbio(&read, true).map_err(SandboxError::system("set up a pipe"))?;
        Ok((Self { pipe: Some(read), forward, kept: Vec::new(), keep_max, read: 0 }, write))
    }

    /// Reads what is available and keeps or passes on at most `allowed` bytes of it; returns how many were read. At the
    /// end of file the pipe is closed. Nothing is read while earlier bytes are still to be passed on.
    fn read(&mut self, chunk: &mut [u8], allowed: u64) -> Result<u64, SandboxError> {
        if let Some(forward) = &mut self.forward {
            forward.go_on()?;
            if forward.awaited().is_some() {
                return Ok(0);
            }
        }
        let Some(pipe) = &self.pipe else { return Ok(0) };
        let length = match rustix::io::read(pipe, &mut *chunk) {
            Ok(0) => {
                self.pipe = None;
                return Ok(0);
            }
            Ok(length) => length,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(0),
            Err(error) => return Err(SandboxError::system("read the program's output")(error)),
        };
        let bytes = &chunk[..length.min(usize::try_from(allowed).unwrap_or(usize::MAX))];
        self.read += length as u64;
        if let Some(forward) = &mut self.forward {
            forward.pass_on(bytes)?;
        } else {
            let keep = self.keep_max.saturating_sub(self.kept.len()).min(bytes.len());
            self.kept.extend_from_slice(&bytes[..keep]);
        }
        Ok(length as u64)
    }
}

impl Stream {
    /// Returns the descriptor that becomes writable when its reader accepts more; `None` if nothing is pending.
    pub(crate) fn awaited(&self) -> Option<&OwnedFd> {
        self.forward.as_ref()?.awaited()
    }
}

/// Lets a program reopen its own streams by name, as in `/dev/stderr`; other processes cannot see them.
///
/// # Errors
/// When the descriptor is not a pipe of this process.
pub fn open_to_all(pipe: impl AsFd) -> Result<(), Errno> {
    rustix::fs::fchmod(pipe, rustix::fs::Mode::from_raw_mode(0o666))
}

fn null() -> Result<OwnedFd, SandboxError> {
    let file = std::fs::File::options().read(true).write(true).open("/dev/null");
    file.map(OwnedFd::from).map_err(SandboxError::file("open", "/dev/null"))
}

impl OpenIo {
    pub(crate) fn read(&mut self, chunk: &mut [u8]) -> Result<(), SandboxError> {
        // Output over the limit is not used; it is still read, so that the pipes do not fill up.
        let together = self.over == Over::Ends;
        let counted = if together { self.written } else { self.stdout.read };
        self.written += self.stdout.read(chunk, self.limit.saturating_sub(counted))?;
        let left = if together { self.limit.saturating_sub(self.written) } else { u64::MAX };
        self.written += self.stderr.read(chunk, left)?;
        Ok(())
    }

    /// Lists the descriptors that become writable when more of the output is accepted.
    pub(crate) fn awaited(&self) -> impl Iterator<Item = &OwnedFd> {
        [&self.stdout, &self.stderr].into_iter().filter_map(Stream::awaited)
    }

    pub(crate) fn is_ended_by_output(&self) -> bool {
        self.over == Over::Ends && self.written > self.limit
    }

    /// Returns whether a run that ended normally wrote too much to count as such.
    pub(crate) fn fails_late(&self, end: Option<RunEnd>, files: u64) -> bool {
        let over_limit = self.stdout.read + files > self.limit;
        self.over == Over::FailsLate && end == Some(RunEnd::Exited(0)) && over_limit
    }
}
