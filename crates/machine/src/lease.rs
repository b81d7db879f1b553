//! Which process owns which CPU.
//!
//! A lease is a locked file per CPU, so it ends with its owner, however that ends.

use model::{CpuId, CpuSet};
use rustix::fs::FlockOperation;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// CPUs that no other process of ours uses for timed runs as long as this lives.
#[derive(Debug)]
pub struct CpuLease {
    cpus: CpuSet,
    _locks: Vec<File>,
}

/// Why no CPU could be leased.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// The registry cannot be written.
    #[error("cannot write the lease registry {path}")]
    Registry {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// More CPUs were asked for than are allowed to us.
    #[error("{wanted} CPUs were asked for, but only {allowed} are allowed to this process (see 'nproc')")]
    TooMany {
        /// How many were asked for.
        wanted: usize,
        /// How many there are.
        allowed: usize,
    },
    /// Others hold the CPUs.
    #[error(
        "{free} of the {allowed} allowed CPUs are free, {wanted} are needed; other tauto processes lease the rest"
    )]
    Taken {
        /// How many were asked for.
        wanted: usize,
        /// How many are free.
        free: usize,
        /// How many there are.
        allowed: usize,
    },
}

impl CpuLease {
    /// Leases `count` of the `allowed` CPUs, the highest numbers first: the lowest serve most interrupts.
    ///
    /// # Errors
    /// When there are not as many, or others hold them.
    pub fn take(registry: &Path, allowed: &CpuSet, count: usize) -> Result<Self, LeaseError> {
        if count > allowed.len() {
            return Err(LeaseError::TooMany { wanted: count, allowed: allowed.len() });
        }
        fs::create_dir_all(registry)
            .map_err(|source| LeaseError::Registry { path: registry.to_owned(), source })?;
        let mut locks = Vec::new();
        let mut cpus = CpuSet::new();
        for cpu in allowed.iter().rev() {
            if cpus.len() == count {
                break;
            }
            if let Some(lock) = lock(registry, cpu)? {
                locks.push(lock);
                cpus.insert(cpu);
            }
        }
        if cpus.len() < count {
            return Err(LeaseError::Taken { wanted: count, free: cpus.len(), allowed: allowed.len() });
        }
        Ok(Self { cpus, _locks: locks })
    }

    /// Gives the leased CPUs.
    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }
}

fn lock(registry: &Path, cpu: CpuId) -> Result<Option<File>, LeaseError> {
    let path = registry.join(format!("cpu-{cpu}.lock"));
    let failed = |source| LeaseError::Registry { path: path.clone(), source };
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(failed(error.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_never_overlap_and_end_with_their_owner() {
        let registry = tempfile::tempdir().unwrap();
        let allowed: CpuSet = "0-3".parse().unwrap();
        let first = CpuLease::take(registry.path(), &allowed, 2).unwrap();
        assert_eq!(first.cpus().to_string(), "2-3");
        let second = CpuLease::take(registry.path(), &allowed, 1).unwrap();
        assert_eq!(second.cpus().to_string(), "1");
        let refused = CpuLease::take(registry.path(), &allowed, 2).unwrap_err();
        assert!(matches!(refused, LeaseError::Taken { wanted: 2, free: 1, allowed: 4 }));
        drop(first);
        assert_eq!(CpuLease::take(registry.path(), &allowed, 2).unwrap().cpus().to_string(), "2-3");
        assert!(matches!(
            CpuLease::take(registry.path(), &allowed, 5).unwrap_err(),
            LeaseError::TooMany { .. }
        ));
    }
}
