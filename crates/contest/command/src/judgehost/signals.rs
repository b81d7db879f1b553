//! The first signal asks a judgehost to end what it has, a second one ends it at once.

use anyhow::Context;
use judgehost::Ending;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fd::OwnedFd;
use std::sync::Arc;
use terminal::interrupt::Interrupt;

pub struct Signals {
    /// Readable for each signal.
    arrived: Arc<OwnedFd>,
    /// Readable when everything should stop at once.
    at_once: Arc<OwnedFd>,
}

impl Signals {
    /// Prepares for signals; no thread is started for it.
    pub fn new(interrupt: &Interrupt) -> anyhow::Result<Self> {
        let at_once = eventfd(0, EventfdFlags::CLOEXEC).context("cannot make an event for signals")?;
        Ok(Self { arrived: interrupt.stop(), at_once: Arc::new(at_once) })
    }

    /// Returns the descriptor that becomes readable at the second signal.
    pub fn at_once(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.at_once)
    }

    /// Starts a thread that reads the signals; each one requests the end.
    pub fn watch(self) -> anyhow::Result<Ending> {
        let ending = Ending::default();
        let asked = ending.clone();
        let watch = move || self.read(&asked);
        let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(watch);
        thread.context("cannot start a thread for signals")?;
        Ok(ending)
    }

    fn read(&self, ending: &Ending) {
        loop {
            let waited = poll(&mut [PollFd::new(&*self.arrived, PollFlags::IN)], None);
            let mut signals = [0; 16];
            let count = match (waited, rustix::io::read(&*self.arrived, &mut signals)) {
                (_, Ok(count)) if count > 0 => count,
                (Err(rustix::io::Errno::INTR), _)
                | (_, Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR)) => continue,
                _ => return,
            };
            for _ in 0..count {
                ending.ask();
            }
            if ending.asked() > 1 {
                // This fails only after 2^64 signals.
                let _ = rustix::io::write(&*self.at_once, &1_u64.to_ne_bytes());
            }
        }
    }
}
