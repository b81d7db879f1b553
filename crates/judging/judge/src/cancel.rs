//! Cancels a single judging.

use rustix::event::EventfdFlags;
use rustix::fd::OwnedFd;
use sandbox::SandboxError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels one judging, in any phase.
#[derive(Clone, Debug)]
pub struct Cancel {
    event: Arc<OwnedFd>,
    is_set: Arc<AtomicBool>,
}

impl Cancel {
    pub fn new() -> Result<Self, SandboxError> {
        let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC);
        let event =
            event.map_err(|error| SandboxError::System { what: "make an event", source: error.into() })?;
        Ok(Self { event: Arc::new(event), is_set: Arc::default() })
    }

    pub fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        // This fails only after 2^64 signals.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
    }

    /// Returns the descriptor that becomes readable when it is cancelled.
    pub fn event(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.event)
    }
}
