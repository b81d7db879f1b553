//! Waiting for CPUs that others have.

use crate::{Choice, HostCpus, PlaceError};
use model::Nanos;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use sandbox::SandboxError;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a waiting process asks again: this reads a few small files.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// How to wait for CPUs that others have.
#[derive(Clone)]
pub struct Queue {
    /// For how long at most; `None` for no limit.
    pub patience: Option<Nanos>,
    /// When this becomes readable, the wait is over.
    pub stop: Option<Arc<OwnedFd>>,
    /// Called with the holders at first and whenever they have changed.
    pub report: Arc<dyn Fn(&PlaceError) + Send + Sync>,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Queue {
    /// Takes the CPUs once it is this process's turn and they are free. Meanwhile it holds only its place in the queue.
    pub(crate) fn wait<T>(
        &self,
        host: &dyn HostCpus,
        choice: &Choice,
        take: impl Fn() -> Result<T, PlaceError>,
    ) -> Result<T, PlaceError> {
        let began = Instant::now();
        let wanted = match choice {
            Choice::Leased(_) => None,
            Choice::Named(cpus) | Choice::Shared(cpus) => Some(cpus),
        };
        let mut ticket = None;
        let mut reported = String::new();
        loop {
            let why = match take() {
                Err(why) if why.is_taken() => why,
                other => return other,
            };
            if reported != why.to_string() {
                (self.report)(&why);
                reported = why.to_string();
            }
            if ticket.is_none() {
                ticket = host.queue(wanted)?;
            }
            let left = match self.patience {
                Some(patience) => Duration::from_nanos(patience.0).saturating_sub(began.elapsed()),
                None => ASK_EVERY,
            };
            if left.is_zero() {
                let waited = self.patience.unwrap_or_default();
                return Err(PlaceError::Waited { waited, why: Box::new(why) });
            }
            self.pause(left.min(ASK_EVERY))?;
        }
    }

    fn pause(&self, time: Duration) -> Result<(), PlaceError> {
        let Some(stop) = &self.stop else {
            std::thread::sleep(time);
            return Ok(());
        };
        let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        match rustix::event::poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&time)) {
            Ok(1..) => Err(SandboxError::Interrupted.into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixed::TestRegistry;
    use crate::{Choice, HostCpus, IfTaken, PlaceError, Queue, TimedCpus};
    use allocator::Regular;
    use cpus::Registry;
    use model::Nanos;
    use std::num::NonZeroU32;
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};

    const ONE: Choice = Choice::Leased(NonZeroU32::MIN);

    fn host(folder: &std::path::Path) -> Arc<dyn HostCpus> {
        let shape = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores: 1, threads: 1 };
        Arc::new(TestRegistry(Registry::new(folder, shape.topology())))
    }

    fn queue(patience: Option<Nanos>, report: impl Fn(&PlaceError) + Send + Sync + 'static) -> IfTaken {
        IfTaken::Wait(Queue { patience, stop: None, report: Arc::new(report) })
    }

    #[test]
    fn waiter_gets_the_cpu_when_it_is_returned() {
        let folder = tempfile::tempdir().unwrap();
        let first = TimedCpus::take(host(folder.path()), &ONE, &IfTaken::Refuse).unwrap();
        let (sender, reported) = channel();
        let sender = Mutex::new(sender);
        let wait = queue(None, move |why| sender.lock().unwrap().send(why.to_string()).unwrap());
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| TimedCpus::take(host(folder.path()), &ONE, &wait).unwrap());
            let why = reported.recv().unwrap();
            assert!(why.contains(&format!("process {} (", std::process::id())), "{why}");
            drop(first);
            assert_eq!(waiter.join().unwrap().cpus().to_string(), "0");
        });
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert!(
            !left.iter().any(|entry| entry.file_name().to_string_lossy().starts_with("wait-")),
            "{left:?}"
        );
    }

    #[test]
    fn wait_ends_with_patience() {
        let folder = tempfile::tempdir().unwrap();
        let _first = TimedCpus::take(host(folder.path()), &ONE, &IfTaken::Refuse).unwrap();
        let wait = queue(Some(Nanos::from_millis(1)), |_| ());
        let error = TimedCpus::take(host(folder.path()), &ONE, &wait).unwrap_err();
        assert!(matches!(error, PlaceError::Waited { .. }), "{error}");
        assert!(error.to_string().starts_with("waited 1.0 ms for CPUs: 1 CPU needs"), "{error}");
    }
}
