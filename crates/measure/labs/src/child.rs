//! A measured program: a child process of this binary.
//!
//! It prints a line when it is ready, begins when it gets a signal on its input, and prints the rest when it is done.

use super::{LabError, Stop};
use crate::words::Words;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a requested stop is checked.
const LOOK: Duration = Duration::from_millis(50);
/// A child that shares its CPU with others starts late, but not as late as this.
const READY_TIME_MAX: Duration = Duration::from_secs(20);
/// Limit on a child's output: a line for each of some 100,000 requests.
const WORDS_BYTES_MAX: usize = 16 << 20;

/// A running child; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Measured {
    what: &'static str,
    child: Child,
    orders: ChildStdin,
    words: Words,
}

impl Measured {
    /// Starts `tauto internal ARGUMENTS... --parent PID` and returns its first line. Must be called from the main
    /// thread, since the kernel ends the child when the calling thread does.
    pub(crate) fn start(
        what: &'static str,
        arguments: &[String],
        stop: Stop,
    ) -> Result<(Self, String), LabError> {
        let failed = |source| LabError::Start { what, source };
        let mut child = Command::new("/proc/self/exe")
            .arg("internal")
            .args(arguments)
            .args(["--parent", &std::process::id().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .current_dir("/")
            // Ctrl-C reaches only this process, which ends the child after printing the results.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let Some((orders, words)) = child.stdin.take().zip(child.stdout.take()) else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let mut started = Self { what, child, orders, words: Words::of(words) };
        let begun = Instant::now();
        loop {
            if let Some(line) = started.words.line() {
                return Ok((started, line));
            }
            if begun.elapsed() > READY_TIME_MAX {
                return Err(started.broken(format!("was not ready for {} s", READY_TIME_MAX.as_secs())));
            }
            if started.listen(LOOK, stop)? {
                return Err(started.broken("ended before it began".to_owned()));
            }
        }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Lets it begin.
    pub(crate) fn begin(&mut self) -> Result<(), LabError> {
        self.orders.write_all(b"\n").map_err(|error| self.broken(format!("hears nothing: {error}")))
    }

    /// Waits for the end of its output, calling `look` every `every`; returns the output.
    pub(crate) fn finish(
        mut self,
        every: Duration,
        time_max: Duration,
        stop: Stop,
        mut look: impl FnMut(u32) -> Result<(), LabError>,
    ) -> Result<String, LabError> {
        let begun = Instant::now();
        let mut next = begun + every;
        loop {
            let wait = next.saturating_duration_since(Instant::now()).min(LOOK);
            if self.listen(wait, stop)? {
                break;
            }
            if Instant::now() >= next {
                look(self.process())?;
                next += every;
            }
            if begun.elapsed() > time_max {
                return Err(self.broken(format!("was not done after {} s", time_max.as_secs())));
            }
        }
        let status = self.child.wait().map_err(|error| self.broken(error.to_string()))?;
        if !status.success() {
            return Err(self.broken(format!("failed ({status}), as said above")));
        }
        Ok(String::from_utf8_lossy(&self.words.received).into_owned())
    }

    /// Reads its output for this time; returns whether it was the last.
    fn listen(&mut self, wait: Duration, stop: Stop) -> Result<bool, LabError> {
        if stop() {
            return Err(LabError::Stopped);
        }
        let arrived = self.words.listen(wait).map_err(|error| self.broken(error.to_string()))?;
        if self.words.received.len() > WORDS_BYTES_MAX {
            return Err(self.broken(format!("said more than {} MiB", WORDS_BYTES_MAX >> 20)));
        }
        Ok(arrived == Some(0))
    }

    pub(crate) fn broken(&self, why: String) -> LabError {
        LabError::Child { what: self.what, why }
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        // If it has already ended there is nothing to kill, and waiting reaps it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The child's side: prints that it is ready, and waits for the signal to begin.
pub(crate) fn wait_for_begin(ready: &str) -> io::Result<()> {
    let mut words = io::stdout().lock();
    writeln!(words, "{ready}")?;
    words.flush()?;
    if io::stdin().lock().read(&mut [0])? == 0 {
        return Err(io::Error::other("the process that wanted this is gone"));
    }
    Ok(())
}
