//! Sets of CPUs that several holders share.

use crate::{LeaseId, Leases};
use model::CpuSet;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// With more holders each would mostly wait; this also limits memory.
const HOLDERS_MAX: usize = 4096;

/// A lease whose CPUs several holders use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSet {
    /// How much may be promised, in per cent of the CPUs: 100 promises each CPU once.
    pub promise_percent: NonZeroU32,
    pub holders: BTreeMap<LeaseId, Holder>,
    pub cpus: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    pub cpus: NonZeroU32,
    /// Its weight relative to the others when all together need more CPUs than there are.
    pub weight: NonZeroU32,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// There is no such lease, or it is not shared.
    #[error("there is no shared set '{0}'")]
    NoSuchSet(LeaseId),
    /// The name is in use in the set.
    #[error("'{holder}' shares the set '{set}' already")]
    IdInUse { set: LeaseId, holder: LeaseId },
    /// No more may be promised.
    #[error(
        "{asked} CPUs are asked for in the shared set '{set}', and {left} are left to be promised: of its {cpus} \
         CPUs {promise_percent} % may be promised and {promised} CPUs are"
    )]
    Full { set: LeaseId, asked: u32, left: u32, promised: u32, cpus: u32, promise_percent: u32 },
    #[error("{HOLDERS_MAX} holders share the set '{0}', which is the limit")]
    TooMany(LeaseId),
}

impl SharedSet {
    pub fn promised(&self) -> u32 {
        self.holders.values().map(|holder| holder.cpus.get()).sum()
    }

    /// Counts the CPUs that may still be promised.
    pub fn left(&self) -> u32 {
        let most = u64::from(self.cpus) * u64::from(self.promise_percent.get()) / 100;
        u32::try_from(most).unwrap_or(u32::MAX).saturating_sub(self.promised())
    }

    /// Returns the CPUs that a holder gets, in thousandths, while all holders use as much as they can.
    pub fn worst_share_thousandths(&self, holder: &LeaseId) -> Option<u64> {
        let weight = u64::from(self.holders.get(holder)?.weight.get());
        let weights: u64 = self.holders.values().map(|holder| u64::from(holder.weight.get())).sum();
        Some(u64::from(self.cpus) * 1000 * weight / weights)
    }
}

impl Leases {
    /// Lets several holders use a lease, with a limit on what is promised to all of them together.
    pub fn share(&mut self, id: &LeaseId, promise_percent: NonZeroU32) -> Result<(), ShareError> {
        let lease = self.get(id).ok_or_else(|| ShareError::NoSuchSet(id.clone()))?;
        let set = SharedSet { promise_percent, holders: BTreeMap::new(), cpus: lease.cpus.len() as u32 };
        self.shared.entry(id.clone()).or_insert(set);
        Ok(())
    }

    pub fn shared(&self, id: &LeaseId) -> Option<&SharedSet> {
        self.shared.get(id)
    }

    /// Adds a holder to a shared set; returns the set's CPUs.
    pub fn join(&mut self, id: &LeaseId, name: LeaseId, holder: Holder) -> Result<CpuSet, ShareError> {
        let cpus = self.get(id).map(|lease| lease.cpus.clone());
        let (Some(set), Some(cpus)) = (self.shared.get_mut(id), cpus) else {
            return Err(ShareError::NoSuchSet(id.clone()));
        };
        if set.holders.contains_key(&name) {
            return Err(ShareError::IdInUse { set: id.clone(), holder: name });
        }
        if set.holders.len() >= HOLDERS_MAX {
            return Err(ShareError::TooMany(id.clone()));
        }
        if holder.cpus.get() > set.left() {
            return Err(ShareError::Full {
                set: id.clone(),
                asked: holder.cpus.get(),
                left: set.left(),
                promised: set.promised(),
                cpus: set.cpus,
                promise_percent: set.promise_percent.get(),
            });
        }
        set.holders.insert(name, holder);
        Ok(cpus)
    }

    /// Ends a holder's use of a shared set; `false` if it had none.
    pub fn part(&mut self, id: &LeaseId, name: &LeaseId) -> bool {
        self.shared.get_mut(id).is_some_and(|set| set.holders.remove(name).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Regular, Request, Siblings};
    use std::sync::Arc;

    fn number(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).unwrap()
    }

    #[test]
    fn no_more_is_promised_than_allowed() {
        let topology = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores: 4, threads: 2 }.topology();
        let machine = Machine::new(&topology, &CpuSet::new()).unwrap();
        let mut leases = Leases::new(Arc::new(machine));
        let (pool, a, b) = (LeaseId::new("pool"), LeaseId::new("a"), LeaseId::new("b"));
        let holder = |cpus, weight| Holder { cpus: number(cpus), weight: number(weight) };
        assert_eq!(leases.join(&pool, a.clone(), holder(1, 1)), Err(ShareError::NoSuchSet(pool.clone())));
        leases
            .grant(pool.clone(), &Request { siblings: Siblings::Used, ..Request::timed(number(4)) })
            .unwrap();
        leases.share(&pool, number(150)).unwrap();
        assert_eq!(leases.join(&pool, a.clone(), holder(4, 300)).unwrap().to_string(), "2-3,6-7");
        let full = leases.join(&pool, b.clone(), holder(3, 100)).unwrap_err();
        assert_eq!(
            full.to_string(),
            "3 CPUs are asked for in the shared set 'pool', and 2 are left to be promised: of its 4 CPUs 150 % may \
             be promised and 4 CPUs are"
        );
        leases.join(&pool, b.clone(), holder(2, 100)).unwrap();
        let set = leases.shared(&pool).unwrap();
        assert_eq!((set.left(), set.worst_share_thousandths(&a)), (0, Some(3000)));
        assert!(leases.part(&pool, &a) && !leases.part(&pool, &a));
        assert_eq!(leases.shared(&pool).unwrap().worst_share_thousandths(&b), Some(4000));
        leases.release(&pool);
        assert!(leases.shared(&pool).is_none());
        leases.assert_consistent();
    }
}
