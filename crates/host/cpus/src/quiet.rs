//! Keeps the kernel's own work off dedicated CPUs: device interrupts, movable kernel threads, deep sleep states.
//!
//! A record next to the leases lists what is moved and where it was before; it is written before anything is moved. A
//! process that was killed has lost its leases; the next process that changes the record restores what was moved for
//! that process alone.
//!
//! Two records would take positions of each other for the original ones. So nothing is moved while a process that has
//! another folder, as in another container, keeps something moved.

mod movable;
mod record;

use crate::latency::WakefulCpus;
use crate::lease::{LeaseError, MovedWork, Registry};
use model::{CpuSet, Reading};
use movable::{Host, Movables, Refusal};
use record::Record;
use std::io;
use std::path::{Path, PathBuf};

/// CPUs that the kernel's own work is kept off as long as this exists.
#[derive(Debug)]
pub struct QuietCpus {
    registry: Registry,
    cpus: CpuSet,
    warnings: Vec<String>,
    _wakeful: Option<WakefulCpus>,
    /// Held until what was moved is restored.
    _right: Option<MovedWork>,
}

impl QuietCpus {
    /// Keeps it off leased CPUs as far as possible; [`Self::warnings`] lists the rest.
    pub fn hold(registry: &Registry, cpus: &CpuSet) -> Self {
        let wakeful = WakefulCpus::hold(Path::new(WakefulCpus::DEVICE));
        let mut warnings = Vec::new();
        if let Reading::Unavailable(why) = &wakeful {
            warnings.push(format!("idle CPUs may sleep deeply during the run: {why}"));
        }
        let (moved, _right) =
            change(registry, &mut Host::here(), |quiet| quiet.iter().chain(cpus.iter()).collect());
        if let Err(why) = moved {
            warnings.push(format!("interrupts and kernel threads stay on {}: {why}", cpus.named()));
        }
        Self {
            registry: registry.clone(),
            cpus: cpus.clone(),
            warnings,
            _wakeful: wakeful.into_known(),
            _right,
        }
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Restores everything that was moved, even for processes that still hold quiet CPUs: needed before the same things
    /// are changed permanently.
    pub fn give_all_back(registry: &Registry) -> Result<usize, QuietError> {
        change(registry, &mut Host::here(), |_| CpuSet::new()).0
    }

    /// Restores what was moved for processes that are gone, and returns how many things that were.
    pub fn give_left_back(registry: &Registry) -> Result<usize, QuietError> {
        change(registry, &mut Host::here(), CpuSet::clone).0
    }
}

impl Drop for QuietCpus {
    fn drop(&mut self) {
        // What stays moved is in the record, and a later process restores it.
        let _ = change(&self.registry, &mut Host::here(), |quiet| quiet.difference(&self.cpus));
    }
}

#[derive(Debug, thiserror::Error)]
pub enum QuietError {
    #[error("{0}")]
    Registry(#[from] LeaseError),
    #[error(
        "a tauto process with another folder at {folder}, such as one in a container, keeps some moved at present; give both the \
         same {folder}, or try again when it has ended",
        folder = .0.display()
    )]
    Elsewhere(PathBuf),
    #[error("cannot {what} {path}")]
    Record { what: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot move {name}: {source}")]
    Refused { name: String, source: io::Error },
}

/// Changes which of the leased CPUs are quiet, moves work accordingly, and returns how many things were moved, and the
/// right to keep them moved, even if some were not.
fn change(
    registry: &Registry,
    movables: &mut impl Movables,
    quiet: impl FnOnce(&CpuSet) -> CpuSet,
) -> (Result<usize, QuietError>, Option<MovedWork>) {
    let claimed = registry.choose().and_then(|choosing| Ok((registry.claim_moved_work()?, choosing)));
    let (right, _choosing) = match claimed {
        Ok((Some(right), choosing)) => (right, choosing),
        Ok((None, _)) => return (Err(QuietError::Elsewhere(registry.folder().to_owned())), None),
        Err(error) => return (Err(error.into()), None),
    };
    (change_alone(registry, movables, quiet), Some(right))
}

/// Does the same while no other process changes anything.
fn change_alone(
    registry: &Registry,
    movables: &mut impl Movables,
    quiet: impl FnOnce(&CpuSet) -> CpuSet,
) -> Result<usize, QuietError> {
    let leased: CpuSet = registry.holders()?.iter().flat_map(|holder| holder.cpus.iter()).collect();
    let path = registry.folder().join(record::FILE_NAME);
    let mut record = Record::read(&path, &movables.boot())?;
    record.quiet = quiet(&record.quiet.intersection(&leased));
    settle(record, &path, movables, &registry.topology().allowed)
}

fn settle(
    mut record: Record,
    path: &Path,
    movables: &mut impl Movables,
    all: &CpuSet,
) -> Result<usize, QuietError> {
    if record.quiet.is_empty() && record.moved.is_empty() {
        return record.write(path).map(|()| 0);
    }
    let found = movables.list();
    let mut moves = Vec::new();
    let earlier = std::mem::take(&mut record.moved);
    for found in found {
        // A change that another program has made since is respected.
        let before = earlier.get(&found.what).filter(|moved| moved.holds == found.cpus);
        let wanted = match before {
            Some(moved) => wanted(&moved.before, &moved.before, &found.cpus, &record.quiet, all),
            None => wanted(&found.cpus, &found.served_by, &found.cpus, &record.quiet, all),
        };
        let before = before.map_or(&found.cpus, |moved| &moved.before).clone();
        if wanted != before {
            record.moved.insert(found.what.clone(), record::MovedEntry { before, holds: wanted.clone() });
        }
        if wanted != found.cpus {
            moves.push((found, wanted));
        }
    }
    record.write(path)?;
    let (mut moved, mut refused) = (0, None);
    for (found, wanted) in moves {
        let put = movables.put(&found.what, &wanted);
        moved += usize::from(put.is_ok());
        if let Err(refusal) = put {
            // It stays where it was, moved earlier or not at all.
            match earlier.get(&found.what).filter(|moved| moved.holds == found.cpus) {
                Some(moved) => record.moved.insert(found.what, moved.clone()),
                None => record.moved.remove(&found.what),
            };
            if let Refusal::NoRight(source) = refusal {
                refused.get_or_insert(QuietError::Refused { name: found.name, source });
            }
        }
    }
    record.write(path)?;
    refused.map_or(Ok(moved), Err)
}

/// Returns the CPUs for something that was allowed on `before`, is now allowed on `now`, and is served by `served_by`.
fn wanted(before: &CpuSet, served_by: &CpuSet, now: &CpuSet, quiet: &CpuSet, all: &CpuSet) -> CpuSet {
    if served_by.intersection(quiet).is_empty() {
        return before.clone();
    }
    let rest = [before, all].map(|cpus| cpus.difference(quiet));
    // If all CPUs are quiet, no other place is better.
    rest.into_iter().find(|rest| !rest.is_empty()).unwrap_or_else(|| now.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use allocator::{Regular, Request};
    use movable::{Movable, MovableId};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::num::NonZeroU32;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Manner {
        Obeys,
        Manages,
        Forbids,
    }

    /// Interrupts: where each may go, and whether it can be moved. Each is served on the last CPU that it may use.
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Machine {
        interrupts: BTreeMap<u32, (CpuSet, Manner)>,
    }

    impl Movables for Machine {
        fn boot(&self) -> String {
            "one".to_owned()
        }

        fn list(&self) -> Vec<Movable> {
            let found = |(number, (cpus, _)): (&u32, &(CpuSet, Manner))| Movable {
                what: MovableId::Interrupt(*number),
                name: format!("interrupt {number}"),
                cpus: cpus.clone(),
                served_by: cpus.iter().next_back().into_iter().collect(),
            };
            self.interrupts.iter().map(found).collect()
        }

        fn put(&mut self, what: &MovableId, cpus: &CpuSet) -> Result<(), Refusal> {
            let MovableId::Interrupt(number) = what else { panic!("there are no threads") };
            assert!(!cpus.is_empty(), "the kernel takes no empty mask");
            let (now, manner) = self.interrupts.get_mut(number).unwrap();
            match manner {
                Manner::Obeys => *now = cpus.clone(),
                Manner::Manages => return Err(Refusal::Managed),
                Manner::Forbids => return Err(Refusal::NoRight(io::ErrorKind::PermissionDenied.into())),
            }
            Ok(())
        }
    }

    impl Machine {
        fn of(lists: &[&str]) -> Self {
            let cpus = |list: &&str| (list.parse().unwrap(), Manner::Obeys);
            Self { interrupts: (30..).zip(lists.iter().map(cpus)).collect() }
        }

        fn lists(&self) -> Vec<String> {
            self.interrupts.values().map(|(cpus, _)| cpus.to_string()).collect()
        }
    }

    fn set(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    fn registry(folder: &Path) -> Registry {
        let shape = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores: 4, threads: 1 };
        Registry::new(folder, shape.topology())
    }

    /// Makes some CPUs quiet in addition to the present ones, and others not quiet any more.
    fn turn(registry: &Registry, machine: &mut Machine, on: &str, off: &str) -> Result<usize, QuietError> {
        let (on, off) = (set(on), set(off));
        change(registry, machine, |quiet| quiet.iter().chain(on.iter()).collect::<CpuSet>().difference(&off))
            .0
    }

    #[test]
    fn work_on_quiet_cpus_is_moved_and_restored() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(folder.path());
        let _lease = registry.take(&Request::timed(NonZeroU32::new(2).unwrap())).unwrap();
        let before = Machine::of(&["0-3", "0-1", "3", "0,2"]);
        let mut machine = before.clone();
        turn(&registry, &mut machine, "3", "").unwrap();
        assert_eq!(machine.lists(), ["0-2", "0-1", "0-2", "0,2"], "what is served elsewhere stays");
        turn(&registry, &mut machine, "2", "").unwrap();
        assert_eq!(machine.lists(), ["0-1", "0-1", "0-1", "0"]);
        turn(&registry, &mut machine, "", "3").unwrap();
        assert_eq!(machine.lists(), ["0-1,3", "0-1", "3", "0"]);
        turn(&registry, &mut machine, "", "2").unwrap();
        assert_eq!(machine, before);
        assert!(!folder.path().join(record::FILE_NAME).exists(), "nothing is left to record");
    }

    #[test]
    fn dead_process_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(folder.path());
        let before = Machine::of(&["0-3"]);
        let mut machine = before.clone();
        let lease = registry.take(&Request::timed(NonZeroU32::MIN)).unwrap();
        turn(&registry, &mut machine, "3", "").unwrap();
        assert_eq!(machine.lists(), ["0-2"]);
        drop(lease);
        assert_eq!(turn(&registry, &mut machine, "", "").unwrap(), 1);
        assert_eq!(machine, before);
        assert_eq!(turn(&registry, &mut machine, "", "").unwrap(), 0);
    }

    #[test]
    fn work_moved_by_others_stays_there() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(folder.path());
        let _lease = registry.take(&Request::timed(NonZeroU32::MIN)).unwrap();
        let mut machine = Machine::of(&["0-3"]);
        turn(&registry, &mut machine, "3", "").unwrap();
        machine.interrupts.insert(30, (set("1"), Manner::Obeys));
        turn(&registry, &mut machine, "", "3").unwrap();
        assert_eq!(machine.lists(), ["1"]);
    }

    #[test]
    fn kernel_managed_work_is_no_failure_but_missing_permission_is() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(folder.path());
        let _lease = registry.take(&Request::timed(NonZeroU32::MIN)).unwrap();
        let mut machine = Machine::of(&["3", "0-3"]);
        machine.interrupts.get_mut(&30).unwrap().1 = Manner::Manages;
        turn(&registry, &mut machine, "3", "").unwrap();
        assert_eq!(machine.lists(), ["3", "0-2"]);
        machine.interrupts.get_mut(&31).unwrap().1 = Manner::Forbids;
        let refused = turn(&registry, &mut machine, "", "3").unwrap_err();
        assert_eq!(refused.to_string(), "cannot move interrupt 31: permission denied");
        machine.interrupts.get_mut(&31).unwrap().1 = Manner::Obeys;
        turn(&registry, &mut machine, "", "").unwrap();
        assert_eq!(machine.lists(), ["3", "0-3"], "what was refused is tried again");
    }

    /// As in two containers: each has its own record, and both have the claims.
    #[test]
    fn only_processes_with_one_folder_move_work() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("cgroup.procs"), "").unwrap();
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [one, other] = folders
            .each_ref()
            .map(|folder| registry(folder.path()).with_claims(cgroup::ClaimPlace::at(tree.path()).unwrap()));
        let (_three, _two) = (one.take_these(&set("3")).unwrap(), other.take_these(&set("2")).unwrap());
        let mut machine = Machine::of(&["0-3", "0-2"]);
        let quiet = |cpus: &'static str| move |quiet: &CpuSet| quiet.iter().chain(set(cpus).iter()).collect();
        let (moved, right) = change(&one, &mut machine, quiet("3"));
        assert_eq!((moved.unwrap(), machine.lists()), (1, vec!["0-2".to_owned(); 2]));
        let (refused, none) = change(&other, &mut machine, quiet("2"));
        let refused = refused.unwrap_err().to_string();
        assert!(none.is_none() && refused.contains("keeps some moved at present"), "{refused}");
        let (moved, same) = change(&one, &mut machine, quiet(""));
        assert_eq!((moved.unwrap(), machine.lists()), (0, vec!["0-2".to_owned(); 2]));
        turn(&one, &mut machine, "", "3").unwrap();
        drop((right, same));
        assert_eq!(turn(&other, &mut machine, "2", "").unwrap(), 1);
        assert_eq!(machine.lists(), ["0-3", "0-1"]);
        turn(&other, &mut machine, "", "2").unwrap();
        assert_eq!(machine.lists(), ["0-3", "0-2"]);
    }

    #[test]
    fn record_of_another_boot_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(record::FILE_NAME);
        let moved = record::MovedEntry { before: set("0-3"), holds: set("0-2") };
        let record = Record {
            boot: "one".to_owned(),
            quiet: set("3"),
            moved: [
                (MovableId::Interrupt(30), moved.clone()),
                (MovableId::Thread { pid: 2, start_ticks: 7 }, moved),
            ]
            .into(),
        };
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path, "one").unwrap(), record);
        let fresh = Record { boot: "two".to_owned(), ..Record::default() };
        assert_eq!(Record::read(&path, "two").unwrap(), fresh);
        std::fs::write(&path, "{").unwrap();
        assert_eq!(Record::read(&path, "two").unwrap(), fresh);
    }

    proptest! {
        #[test]
        fn everything_is_restored_afterwards(
            masks in prop::collection::vec(1_u8..16, 1..6),
            turns in prop::collection::vec((0_u32..4, any::<bool>()), 1..12),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let registry = registry(folder.path());
            let _leases = registry.take_free(&set("0-3")).unwrap();
            let cpus = |mask: &u8| (0..4).filter(|cpu| mask >> cpu & 1 == 1).map(model::CpuId).collect::<CpuSet>();
            let before = Machine {
                interrupts: (30..).zip(masks.iter().map(|mask| (cpus(mask), Manner::Obeys))).collect(),
            };
            let mut machine = before.clone();
            let mut quiet = CpuSet::new();
            for (cpu, on) in turns {
                let one = CpuSet::from_iter([model::CpuId(cpu)]);
                let (add, remove) = if on { (one, CpuSet::new()) } else { (CpuSet::new(), one) };
                quiet = quiet.iter().chain(add.iter()).collect::<CpuSet>().difference(&remove);
                turn(&registry, &mut machine, &add.to_string(), &remove.to_string()).unwrap();
                for found in machine.list() {
                    prop_assert!(quiet.len() == 4 || found.served_by.intersection(&quiet).is_empty(), "{found:?}");
                }
            }
            turn(&registry, &mut machine, "", "0-3").unwrap();
            prop_assert_eq!(machine, before);
        }
    }
}
