//! Leases of processes with another folder at `/run`, as in containers.
//!
//! They see none of this registry's files. Every lease also claims its CPUs in the kernel's tree of control groups,
//! which all of them see.

use super::{CHOOSING_TIME_MAX, Holder, LeaseError, Registry};
use cgroup::{CgroupError, Claim, ClaimPlace, Claimable, Layout};
use model::{CpuId, CpuSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Instant;

impl Registry {
    /// Makes its leases exclude those of all registries with the same place for claims.
    #[must_use]
    pub fn with_claims(self, place: ClaimPlace) -> Self {
        Self { claims: Some(place), ..self }
    }

    /// Makes it exclude those of all processes on this machine, as far as this process can see them.
    pub(super) fn on_this_machine(self) -> Self {
        let place = Layout::detect().and_then(|layout| ClaimPlace::of_machine(&layout));
        match place {
            Ok(place) => self.with_claims(place),
            Err(why) => Self { no_claims: Some(why.to_string()), ..self },
        }
    }

    /// Opens the files for claims; none for a private registry. If they cannot be written, there is a warning.
    pub(super) fn claim(&self) -> (Option<Claim>, Option<String>) {
        let alone = |why: &str| {
            format!("processes with another folder at {} may use the same CPUs: {why}", self.folder.display())
        };
        match &self.claims {
            None => (None, self.no_claims.as_deref().map(alone)),
            Some(place) if place.is_nowhere() => (None, Some(alone("no control groups are mounted here"))),
            Some(place) => match place.open() {
                Ok(claim) => (Some(claim), None),
                Err(why) => (None, Some(alone(&why.to_string()))),
            },
        }
    }

    /// Claims CPUs that no process holds; returns a warning if they cannot be claimed.
    pub(super) fn claim_cpus(&self, cpus: &CpuSet) -> Result<(Option<Claim>, Option<String>), LeaseError> {
        let (claim, warning) = self.claim();
        if let Some(claim) = &claim {
            cpus.iter().try_for_each(|cpu| self.claim_soon(claim, Claimable::Cpu(cpu.0)))?;
        }
        Ok((claim, warning))
    }

    /// Claims something that no lease holds; another process may do so for a moment to see whether it is held.
    pub(super) fn claim_soon(&self, claim: &Claim, what: Claimable) -> Result<(), LeaseError> {
        let start = Instant::now();
        while !claim.take(what)? {
            if start.elapsed() > CHOOSING_TIME_MAX {
                return Err(LeaseError::Busy(self.folder.clone()));
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Adds the CPUs that are claimed, but not by a process whose file this registry has.
    pub(super) fn add_holders_elsewhere(&self, holders: &mut Vec<Holder>) -> Result<(), LeaseError> {
        let Some(place) = &self.claims else { return Ok(()) };
        let claims = place.open_to_read()?;
        let known: CpuSet = holders.iter().flat_map(|holder| holder.cpus.iter()).collect();
        let mut cpus = CpuSet::new();
        for cpu in self.topology.cpus().difference(&known).iter() {
            if claims.is_held(Claimable::Cpu(cpu.0))? {
                cpus.insert(cpu);
            }
        }
        if !cpus.is_empty() {
            holders.push(Holder { cpus, owner: None });
        }
        Ok(())
    }

    pub(super) fn wait_for_claim(&self, cpu: CpuId) -> Result<(), LeaseError> {
        let Some(place) = &self.claims else { return Ok(()) };
        Ok(place.open_to_read()?.wait_for(Claimable::Cpu(cpu.0))?)
    }

    /// Claims the right to move the kernel's own work, together with all processes that record it in the same folder;
    /// `None` if a process that records it elsewhere has moved some. The caller holds the lock for choosing.
    pub(crate) fn claim_moved_work(&self) -> Result<Option<MovedWork>, LeaseError> {
        let (Some(claim), _) = self.claim() else { return Ok(Some(MovedWork { _claim: None })) };
        let folder = fs::metadata(&self.folder)
            .map_err(|source| LeaseError::Registry { path: self.folder.clone(), source })?;
        // The device of a mounted folder is unique on the machine; 24 bits distinguish its folders.
        let ours = Claimable::MovedWork(folder.dev() << 24 | folder.ino() & 0xff_ffff);
        if claim.is_another_held(ours)? || !claim.share(ours)? {
            return Ok(None);
        }
        Ok(Some(MovedWork { _claim: Some(claim) }))
    }
}

/// The right to move the kernel's own work, as long as this exists.
#[derive(Debug)]
pub(crate) struct MovedWork {
    _claim: Option<Claim>,
}

impl From<CgroupError> for LeaseError {
    fn from(error: CgroupError) -> Self {
        Self::Claims(error)
    }
}
