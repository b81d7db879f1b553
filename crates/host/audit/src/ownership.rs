//! The owner of a task: the run, tauto, or others.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownTasks {
    /// Launchers: each makes one init per run, and all descendants of that belong to the run.
    pub launchers: Vec<u32>,
    /// Inits of runs that existed before the watching began: their descendants belong to the run.
    pub inits: Vec<u32>,
    /// Other processes of tauto, such as this one and a helper's launcher, with their descendants.
    pub ours: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    Run,
    Ours,
    Others,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ownership {
    owners: BTreeMap<u32, Owner>,
    parents: BTreeMap<u32, u32>,
}

impl Ownership {
    /// Processes the forks (parent and child) in the order in which they happened.
    pub fn new(known: &KnownTasks, forks: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let ours = known.ours.iter().chain(&known.launchers).chain(&known.inits);
        let mut owners: BTreeMap<u32, Owner> = ours.map(|task| (*task, Owner::Ours)).collect();
        let mut inits: BTreeSet<u32> = known.inits.iter().copied().collect();
        let mut parents = BTreeMap::new();
        for (parent, child) in forks {
            // The PID of an ended task may be reused.
            inits.remove(&child);
            let owner = match owners.get(&parent) {
                _ if inits.contains(&parent) => Owner::Run,
                Some(owner) => *owner,
                None => Owner::Others,
            };
            if known.launchers.contains(&parent) {
                inits.insert(child);
            }
            owners.insert(child, owner);
            parents.insert(child, parent);
        }
        Self { owners, parents }
    }

    pub fn of(&self, task: u32) -> Owner {
        self.owners.get(&task).copied().unwrap_or(Owner::Others)
    }

    /// Iterates from a task to its parent, and so on, as far as forks were seen.
    pub fn ancestors(&self, task: u32) -> impl Iterator<Item = u32> + '_ {
        /// A reused PID could make a cycle.
        const DEPTH_MAX: usize = 64;
        let parent = |task: &u32| self.parents.get(task).copied();
        std::iter::successors(parent(&task), parent).take(DEPTH_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_have_the_owner_of_their_parents() {
        let known = KnownTasks { launchers: vec![10], inits: vec![50], ours: vec![1, 2] };
        let forks = [(50, 51), (1, 10), (10, 20), (20, 21), (21, 22), (21, 23), (2, 30), (99, 100), (99, 22)];
        let ownership = Ownership::new(&known, forks);
        for (task, owner) in [
            (10, Owner::Ours),
            (20, Owner::Ours),
            (21, Owner::Run),
            (23, Owner::Run),
            (30, Owner::Ours),
            (100, Owner::Others),
            (22, Owner::Others),
            (0, Owner::Others),
            (50, Owner::Ours),
            (51, Owner::Run),
        ] {
            assert_eq!(ownership.of(task), owner, "{task}");
        }
        assert_eq!(ownership.ancestors(23).collect::<Vec<_>>(), [21, 20, 10, 1]);
    }
}
