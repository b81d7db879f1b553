//! Processes that wait for CPUs, in the order of arrival.

use super::{LeaseError, Owner, Registry, owner_in};
use cgroup::own_file;
use model::CpuSet;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

/// Prefix of the files' names; a number follows.
const PREFIX: &str = "wait-";

/// A place in the queue for CPUs. It ends when this is dropped, or with the process.
#[derive(Debug)]
pub struct Ticket {
    path: PathBuf,
    _lock: File,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiter {
    pub owner: Owner,
    /// The list of CPUs that it waits for; `None` if any will do.
    pub cpus: Option<String>,
}

impl Registry {
    /// Takes a place at the end of the queue for these CPUs, or for any. Until it is given back, no later process
    /// leases what this one waits for.
    pub fn queue(&self, cpus: Option<&CpuSet>) -> Result<Ticket, LeaseError> {
        let _choosing = self.choose()?;
        let last = self.tickets()?.into_iter().map(|(number, _)| number).max();
        let path = self.folder().join(format!("{PREFIX}{}.lock", last.unwrap_or(0) + 1));
        let failed = |source| LeaseError::Registry { path: path.clone(), source };
        let mut file = own_file::make(&path).map_err(failed)?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| failed(error.into()))?;
        let waiter = Waiter { owner: Owner::this_process(), cpus: cpus.map(ToString::to_string) };
        let text = serde_json::to_string(&waiter).unwrap_or_default();
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(failed)?;
        Ok(Ticket { path, _lock: file })
    }

    /// Lists other processes that have waited longer than this one for any of these CPUs, or for any CPU. The caller
    /// holds the lock for choosing.
    pub(super) fn before_us(&self, cpus: Option<&CpuSet>) -> Result<Vec<Waiter>, LeaseError> {
        let us = Owner::this_process();
        let tickets = self.tickets()?;
        let ours = tickets.iter().filter(|(_, waiter)| waiter.owner == us).map(|(number, _)| *number).min();
        let is_before = |number: u64| ours.is_none_or(|ours| number < ours);
        let others = tickets.into_iter().filter(|(number, waiter)| {
            is_before(*number) && waiter.owner != us && waiter.wants_any_of(cpus, self)
        });
        Ok(others.map(|(_, waiter)| waiter).collect())
    }

    /// Lists all waiting processes by their numbers, and removes entries of those that have ended.
    fn tickets(&self) -> Result<Vec<(u64, Waiter)>, LeaseError> {
        let failed = |source| LeaseError::Registry { path: self.folder().to_owned(), source };
        let mut tickets = Vec::new();
        for entry in fs::read_dir(self.folder()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(".lock"));
            let Some(number) = number.and_then(|number| number.parse().ok()) else { continue };
            let file = match own_file::open(&entry.path()) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) {
                // Its owner was killed.
                Ok(()) => drop(fs::remove_file(entry.path())),
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    tickets.extend(owner_in(file).map(|waiter| (number, waiter)));
                }
                Err(error) => return Err(failed(error.into())),
            }
        }
        tickets.sort_by_key(|(number, _)| *number);
        Ok(tickets)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // A file that stays is not locked, so the next process that lists the queue removes it.
        let _ = fs::remove_file(&self.path);
    }
}

impl Waiter {
    /// Returns whether it waits for any of these CPUs; always if either side accepts any CPU.
    fn wants_any_of(&self, cpus: Option<&CpuSet>, registry: &Registry) -> bool {
        let wanted = self.cpus.as_ref().and_then(|list| list.parse::<CpuSet>().ok());
        match (wanted, cpus) {
            (Some(wanted), Some(cpus)) => {
                let topology = registry.topology();
                topology.whole_cores(&wanted).meets(&topology.whole_cores(cpus))
            }
            _ => true,
        }
    }
}

impl fmt::Display for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Owner { pid, command, .. } = &self.owner;
        let what = self.cpus.as_ref().map_or_else(|| "a CPU".to_owned(), |cpus| format!("CPUs {cpus}"));
        write!(f, "process {pid} ({command}) waits for {what}")
    }
}
