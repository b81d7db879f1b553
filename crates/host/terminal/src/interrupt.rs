//! Signals that request a stop: they make a descriptor readable, on which every wait polls.

use anyhow::Context;
use rustix::fd::OwnedFd;
use rustix::pipe::PipeFlags;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `/proc/self/status` has about 1.5 KiB.
const STATUS_BYTES_MAX: usize = 8192;

/// Records whether a stop was requested, and by which signal.
#[derive(Clone, Debug)]
pub struct Interrupt {
    stop: Arc<OwnedFd>,
    signal: Arc<AtomicUsize>,
}

/// A stop was requested.
#[derive(Debug, thiserror::Error)]
#[error("interrupted by {}", signal_name(*signal))]
pub struct Interrupted {
    signal: u8,
}

impl Interrupt {
    /// Installs the handlers. No thread is started for it.
    pub fn listen() -> anyhow::Result<Self> {
        Self::listen_to(&[SIGINT, SIGTERM, SIGHUP])
    }

    /// The same, for a command that does something else when its terminal hangs up.
    pub fn listen_but_hang_up() -> anyhow::Result<Self> {
        Self::listen_to(&[SIGINT, SIGTERM])
    }

    fn listen_to(signals: &[i32]) -> anyhow::Result<Self> {
        let (stop, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)
            .context("cannot make a pipe for signals")?;
        let signal = Arc::new(AtomicUsize::new(0));
        let ignored = ignored_signals();
        for &number in signals {
            // nohup(1) makes the process ignore hang-ups so that the work continues.
            if number == SIGHUP && ignored & (1 << (number - 1)) != 0 {
                continue;
            }
            let failed = || format!("cannot handle {}", signal_name(number as u8));
            // The number first: it must be set when the descriptor becomes readable.
            signal_hook::flag::register_usize(number, Arc::clone(&signal), number as usize)
                .with_context(failed)?;
            let write = write.try_clone().with_context(failed)?;
            signal_hook::low_level::pipe::register(number, write).with_context(failed)?;
        }
        // With a handler, exceeding the caller's file size limit is an error instead of a fatal signal.
        signal_hook::flag::register(SIGXFSZ, Arc::default()).context("cannot handle SIGXFSZ")?;
        Ok(Self { stop: Arc::new(stop), signal })
    }

    /// Returns the descriptor that becomes readable.
    pub fn stop(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.stop)
    }

    /// Fails if a stop was requested.
    pub fn check(&self) -> Result<(), Interrupted> {
        match self.signal.load(Ordering::SeqCst) {
            0 => Ok(()),
            signal => Err(Interrupted { signal: signal as u8 }),
        }
    }
}

/// Returns a descriptor that becomes readable for each SIGHUP.
pub fn hang_ups() -> anyhow::Result<OwnedFd> {
    let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)
        .context("cannot make a pipe for signals")?;
    signal_hook::low_level::pipe::register(SIGHUP, write).context("cannot handle SIGHUP")?;
    Ok(read)
}

impl Interrupted {
    /// Returns a shell's exit code for a program that the signal killed.
    pub fn exit_code(&self) -> u8 {
        128 + self.signal
    }
}

/// Returns the name of a signal, such as `SIGSEGV`.
pub fn signal_name(signal: u8) -> String {
    let name = signal_hook::low_level::signal_name(i32::from(signal));
    name.map_or_else(|| format!("signal {signal}"), str::to_owned)
}

/// Returns the signals that this process ignores, one bit each; 0 if that cannot be read.
fn ignored_signals() -> u64 {
    // The kernel generates this file again for each read, so it is read at once.
    let mut status = [0; STATUS_BYTES_MAX];
    let read = std::fs::File::open("/proc/self/status").and_then(|mut file| file.read(&mut status));
    let status = String::from_utf8_lossy(&status[..read.unwrap_or(0)]);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_and_exit_codes() {
        assert_eq!(signal_name(11), "SIGSEGV");
        assert_eq!(signal_name(63), "signal 63");
        let interrupted = Interrupted { signal: 2 };
        assert_eq!(interrupted.exit_code(), 130);
        assert_eq!(interrupted.to_string(), "interrupted by SIGINT");
    }
}
