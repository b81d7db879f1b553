//! CPUs for timed runs: leased, or shared with a warning.

use crate::{Helpers, HostCpus, PlaceError, Queue, TimedSlot};
use cpus::{CpuLease, Holder, LeaseError, QuietCpus};
use microvm::Machines;
use model::CpuSet;
use rustix::fd::OwnedFd;
use sandbox::{OwnCpus, Role, RootView, SandboxError, Slot, SlotCpus, SlotOptions};
use std::num::NonZeroU32;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This many, leased: no other process of tauto's uses them for timed runs.
    Leased(NonZeroU32),
    /// These, leased: no other process of tauto's uses them for timed runs.
    Named(CpuSet),
    /// These, not leased: others may use them for timed runs too.
    Shared(CpuSet),
}

/// What to do if the CPUs cannot be leased because others have them.
#[derive(Clone, Debug, Default)]
pub enum IfTaken {
    #[default]
    Refuse,
    /// Share them, with a warning.
    Share,
    /// Wait for them, after the processes that already wait.
    Wait(Queue),
}

/// What runs of a slot have for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusive {
    Nothing,
    /// Their CPUs, as far as the machine can isolate them.
    Cpus,
    /// Their CPUs, and only memory of the nearest NUMA nodes.
    CpusAndMemory,
}

#[derive(Clone, Debug)]
pub struct SlotTerms {
    pub root: RootView,
    /// What each run gets a machine of its own from; then `root` is the machine's.
    pub machines: Option<Arc<Machines>>,
    pub roles: Vec<Role>,
    /// When this becomes readable, the present run is ended and no other is begun.
    pub stop: Option<Arc<OwnedFd>>,
    /// What its runs have for themselves; has no effect on CPUs that are not leased.
    pub own: Exclusive,
}

/// CPUs for timed runs, as long as this exists.
#[derive(Debug)]
pub struct TimedCpus {
    host: Arc<dyn HostCpus>,
    cpus: CpuSet,
    lease: Option<CpuLease>,
    /// Leased neighbours, so that a load on them disturbs no other timed run.
    neighbours: Vec<CpuLease>,
    warnings: Vec<String>,
}

impl TimedCpus {
    pub fn take(host: Arc<dyn HostCpus>, choice: &Choice, if_taken: &IfTaken) -> Result<Self, PlaceError> {
        if let IfTaken::Wait(queue) = if_taken {
            return queue.wait(&*host, choice, || Self::take(Arc::clone(&host), choice, &IfTaken::Refuse));
        }
        let allowed = host.topology().allowed.clone();
        if let Choice::Named(cpus) | Choice::Shared(cpus) = choice
            && (cpus.is_empty() || !cpus.is_subset(&allowed))
        {
            return Err(PlaceError::NotAllowed { cpus: cpus.clone(), allowed });
        }
        let mut warnings = host.warnings().to_vec();
        let lease = match choice {
            Choice::Leased(count) => host.take(*count).map(Some),
            Choice::Named(cpus) => host.take_these(cpus).map(Some),
            Choice::Shared(cpus) => {
                warnings.extend(others_on(&*host, cpus)?);
                Ok(None)
            }
        };
        let lease = match lease {
            Ok(lease) => lease,
            Err(error)
                if matches!(if_taken, IfTaken::Share)
                    && (error.is_taken() || matches!(error, LeaseError::NoFit(..))) =>
            {
                warnings.push(shared(&error.to_string()));
                None
            }
            Err(error) => return Err(error.into()),
        };
        warnings.extend(lease.iter().flat_map(|lease| lease.warnings().iter().cloned()));
        let cpus = match (&lease, choice) {
            (Some(lease), _) => lease.cpus().clone(),
            (None, Choice::Named(cpus) | Choice::Shared(cpus)) => cpus.clone(),
            // The lowest CPUs serve most interrupts.
            (None, Choice::Leased(count)) => allowed.iter().rev().take(count.get() as usize).collect(),
        };
        Ok(Self { host, cpus, lease, neighbours: Vec::new(), warnings })
    }

    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    /// Returns the leased CPUs, including siblings that stay idle; empty if they are shared.
    pub fn whole_cores(&self) -> CpuSet {
        self.lease.as_ref().map_or_else(CpuSet::new, CpuLease::whole_cores)
    }

    /// Returns the CPUs for a slot, which has them for itself; there are none if they are shared.
    pub fn slot_cpus(&self, own: Exclusive) -> SlotCpus {
        let Some(lease) = &self.lease else { return SlotCpus::default() };
        let memory_nodes = match own {
            Exclusive::CpusAndMemory => lease.memory_nodes().to_vec(),
            Exclusive::Nothing | Exclusive::Cpus => Vec::new(),
        };
        let own = (own != Exclusive::Nothing).then(|| OwnCpus { cpus: lease.whole_cores(), memory_nodes });
        SlotCpus { own, claim: lease.claim() }
    }

    pub fn host(&self) -> &dyn HostCpus {
        &*self.host
    }

    pub fn allowed(&self) -> &CpuSet {
        &self.host.topology().allowed
    }

    /// Returns whether other timed runs may use them as well.
    pub fn is_shared(&self) -> bool {
        self.lease.is_none()
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn helpers(&self) -> Helpers {
        let ours = self.neighbours.iter().flat_map(|lease| lease.whole_cores().iter().collect::<Vec<_>>());
        Helpers::outside(self.host.clone(), self.with_idle(), ours.collect())
    }

    /// Returns the CPUs that this process may use and that are not for these timed runs, even if others time on them.
    pub fn neighbours(&self) -> CpuSet {
        self.allowed().difference(&self.with_idle())
    }

    /// Leases those of the neighbours on which no other process of tauto's has timed runs, for as long as these CPUs
    /// are taken: a load on them would disturb others' runs. Returns all leased neighbours.
    pub fn take_neighbours(&mut self) -> Result<CpuSet, PlaceError> {
        let taken = self.host.take_free(&self.neighbours())?;
        self.neighbours.extend(taken);
        Ok(self.neighbours.iter().flat_map(|lease| lease.whole_cores().iter().collect::<Vec<_>>()).collect())
    }

    /// Keeps the kernel's own work off the leased CPUs as long as the returned value exists.
    pub fn keep_quiet(&self) -> Option<QuietCpus> {
        self.host.keep_quiet(&self.whole_cores())
    }

    /// Opens a slot whose runs are timed on these CPUs.
    pub fn slot(&self, terms: SlotTerms) -> Result<TimedSlot, SandboxError> {
        self.slot_on(&self.cpus, terms)
    }

    /// Opens a slot whose runs are timed on any CPUs that the kernel chooses.
    pub fn slot_anywhere(&self, terms: SlotTerms) -> Result<TimedSlot, SandboxError> {
        self.slot_on(self.allowed(), SlotTerms { own: Exclusive::Nothing, ..terms })
    }

    fn slot_on(&self, cpus: &CpuSet, terms: SlotTerms) -> Result<TimedSlot, SandboxError> {
        let SlotTerms { root, machines, roles, stop, own } = terms;
        let container = machines.as_ref().map_or_else(|| root.clone(), |machines| machines.container());
        let slot = Slot::open(SlotOptions { root: container, roles, stop, cpus: self.slot_cpus(own) })?;
        let quiet = if own == Exclusive::Nothing { None } else { self.keep_quiet() };
        let inside = machines.map(|machines| (machines, root));
        Ok(TimedSlot::new(slot, inside, cpus, quiet))
    }

    fn with_idle(&self) -> CpuSet {
        self.cpus.iter().chain(self.whole_cores().iter()).collect()
    }
}

/// Returns a warning if other processes have leased some of the shared CPUs.
fn others_on(host: &dyn HostCpus, cpus: &CpuSet) -> Result<Option<String>, LeaseError> {
    let holders: Vec<Holder> = host.holders()?.into_iter().filter(|holder| holder.cpus.meets(cpus)).collect();
    let taken: CpuSet =
        holders.iter().flat_map(|holder| holder.cpus.intersection(cpus).iter().collect::<Vec<_>>()).collect();
    let error = LeaseError::Taken { cpus: taken, holders };
    let is_taken = matches!(&error, LeaseError::Taken { holders, .. } if !holders.is_empty());
    Ok(is_taken.then(|| shared(&error.to_string())))
}

fn shared(why: &str) -> String {
    format!("{why}; timed runs share CPUs, so times will vary")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::{FixedCpus, TestRegistry};
    use allocator::Regular;
    use cpus::Registry;

    fn set(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    fn leased(count: u32) -> Choice {
        Choice::Leased(NonZeroU32::new(count).unwrap())
    }

    /// Takes CPUs of four; returns those of runs, the leased ones, those of helpers, and the warnings.
    fn taken(host: FixedCpus, choice: Choice, if_taken: IfTaken) -> Result<[String; 4], String> {
        let cpus = TimedCpus::take(Arc::new(host), &choice, &if_taken).map_err(|error| error.to_string())?;
        let helpers = cpus.helpers();
        let warnings = cpus.warnings().iter().map(String::as_str).chain(helpers.warning());
        let warnings = warnings.collect::<Vec<_>>().join(" | ");
        Ok([cpus.cpus().to_string(), cpus.whole_cores().to_string(), helpers.cpus().to_string(), warnings])
    }

    #[test]
    fn leased_cpus_are_exclusive() {
        let quiet = |cpus: &str, helpers: &str| {
            Ok([cpus.to_owned(), cpus.to_owned(), helpers.to_owned(), String::new()])
        };
        let four = || FixedCpus::new(4, "2-3", "1-3");
        assert_eq!(taken(four(), leased(2), IfTaken::Refuse), quiet("2-3", "0"));
        assert_eq!(taken(four(), Choice::Named(set("3")), IfTaken::Share), quiet("3", "0"));
    }

    #[test]
    fn taken_cpus_are_refused_or_shared_with_a_warning() {
        let four = || FixedCpus::new(4, "", "2-3");
        for choice in [leased(1), Choice::Named(set("3"))] {
            let refused = taken(four(), choice.clone(), IfTaken::Refuse).unwrap_err();
            assert!(refused.contains("; a tauto process has CPUs 2-3"), "{refused}");
            let [cpus, own, helpers, warnings] = taken(four(), choice, IfTaken::Share).unwrap();
            assert_eq!([cpus.as_str(), own.as_str(), helpers.as_str()], ["3", "", "0-1"]);
            assert!(warnings.starts_with(&refused) && warnings.ends_with("so times will vary"), "{warnings}");
        }
        let [cpus, _, helpers, warnings] =
            taken(FixedCpus::new(2, "", "0-1"), leased(1), IfTaken::Share).unwrap();
        assert_eq!([cpus.as_str(), helpers.as_str()], ["1", "1"], "helpers have no CPU of another process");
        assert!(warnings.contains("other tauto processes time on CPU 0"), "{warnings}");
    }

    #[test]
    fn shared_cpus_need_no_lease_but_give_a_warning() {
        let shared = |held, cpus| {
            taken(FixedCpus::new(4, "0-3", held), Choice::Shared(set(cpus)), IfTaken::Refuse).unwrap()
        };
        assert_eq!(shared("", "3"), ["3", "", "0-2", ""]);
        assert_eq!(shared("2", "3"), ["3", "", "0-1", ""]);
        let [cpus, own, helpers, warnings] = shared("2-3", "1-2");
        assert_eq!([cpus.as_str(), own.as_str(), helpers.as_str()], ["1-2", "", "0"]);
        assert!(
            warnings.starts_with("others have CPU 2; a tauto process has CPUs 2-3; timed runs share"),
            "{warnings}"
        );
    }

    #[test]
    fn named_cpus_must_be_allowed() {
        for cpus in ["", "3-4"] {
            for choice in [Choice::Named(set(cpus)), Choice::Shared(set(cpus))] {
                let refused = taken(FixedCpus::new(4, "0-3", ""), choice, IfTaken::Share).unwrap_err();
                assert_eq!(
                    refused,
                    format!("the CPU list {cpus} is not within what is allowed here, CPUs 0-3")
                );
            }
        }
    }

    #[test]
    fn shared_cpus_are_never_exclusive() {
        let own = |assigned, own| {
            let host = Arc::new(FixedCpus::new(4, assigned, ""));
            TimedCpus::take(host, &leased(1), &IfTaken::Share)
                .unwrap()
                .slot_cpus(own)
                .own
                .map(|own| own.cpus.to_string())
        };
        assert_eq!(own("3", Exclusive::CpusAndMemory).as_deref(), Some("3"));
        assert_eq!(own("3", Exclusive::Nothing), None);
        assert_eq!(own("", Exclusive::Cpus), None);
    }

    /// Each registry acts as a process of its own: they share only files.
    #[test]
    fn helpers_of_one_are_never_on_the_timed_cpus_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let shape = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores: 3, threads: 2 };
        let take = || {
            let host = Arc::new(TestRegistry(Registry::new(folder.path(), shape.topology())));
            TimedCpus::take(host, &leased(1), &IfTaken::Share).unwrap()
        };
        let one = take();
        let of_one = one.helpers();
        assert_eq!(
            (one.whole_cores().to_string(), of_one.cpus().to_string()),
            ("2,5".into(), "0-1,3-4".into())
        );
        let other = take();
        assert_eq!(
            (other.whole_cores().to_string(), other.helpers().cpus().to_string()),
            ("1,4".into(), "0,3".into())
        );
        assert_eq!(of_one.now().to_string(), "0,3", "the first makes room for the second");
        let mut last = take();
        assert_eq!(last.warnings().len(), 1, "{:?}", last.warnings());
        let places = [&one, &other, &last];
        for place in places {
            assert_eq!(place.helpers().now(), place.whole_cores(), "only its own are left");
            assert!(place.helpers().warning().is_some());
        }
        assert!(last.take_neighbours().unwrap().is_empty());
        drop(other);
        assert_eq!(last.take_neighbours().unwrap().to_string(), "1,4");
        assert_eq!(last.helpers().now().to_string(), "1,4", "next to its own load");
        assert_eq!(one.helpers().now().to_string(), "2,5", "a load is no neighbour for others' helpers");
    }
}
