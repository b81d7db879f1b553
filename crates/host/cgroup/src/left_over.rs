//! Groups of slots whose owner was killed.
//!
//! A run of theirs may still be about to end. Empty ones can have exclusive CPUs, which nothing else can use then.

use crate::{CgroupError, GROUP_PREFIX, Layout, group};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Suffix of the group that has a slot's dedicated CPUs in version 2.
const PARTITION_SUFFIX: &str = ".cpus";

pub fn slots_with_groups(layout: &Layout) -> BTreeSet<u32> {
    let entries = roots(layout).filter_map(|root| fs::read_dir(root).ok()).flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| slot_number(&name)).collect()
}

/// Ends what is left in the groups of slots whose numbers the caller has reserved, and removes them, as far as that is
/// possible within a second.
pub fn end_slots(layout: &Layout, slots: impl IntoIterator<Item = u32>) {
    let groups: Vec<_> =
        slots.into_iter().flat_map(|slot| groups(layout, slot)).filter(|group| group.exists()).collect();
    // All are killed before one is waited for.
    groups.iter().for_each(|group| group::kill_all(group));
    let start = Instant::now();
    for group in groups {
        let _ = group::remove_within(&group, group::LEFT_OVER_TIME_MAX.saturating_sub(start.elapsed()));
    }
}

/// Removes all groups of a slot whose number the caller has reserved.
///
/// # Errors
/// When processes are left in them.
pub fn remove_slot_groups(layout: &Layout, slot: u32) -> Result<(), CgroupError> {
    groups(layout, slot).try_for_each(|group| group::remove_left_over(&group))
}

/// Lists where a slot can have groups, apart from those inside another.
fn groups(layout: &Layout, slot: u32) -> impl Iterator<Item = PathBuf> {
    roots(layout).flat_map(move |root| {
        let group = root.join(format!("{GROUP_PREFIX}{slot}"));
        let partition = root.join(format!("{GROUP_PREFIX}{slot}{PARTITION_SUFFIX}"));
        [partition, group]
    })
}

fn roots(layout: &Layout) -> impl Iterator<Item = &PathBuf> {
    layout.v1.values().chain(layout.unified.iter().map(|(root, _)| root))
}

fn slot_number(name: &str) -> Option<u32> {
    name.strip_prefix(GROUP_PREFIX)?.trim_end_matches(PARTITION_SUFFIX).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn groups_of_a_slot_are_found_and_removed_in_every_hierarchy() {
        let tree = tempfile::tempdir().unwrap();
        let root = |name: &str| tree.path().join(name);
        for path in [
            "v1/tauto-slot-3",
            "v2/tauto-slot-3.cpus/run",
            "v2/tauto-slot-12",
            "v2/tauto-slot-x",
            "v2/tauto-lab-4",
        ] {
            fs::create_dir_all(root(path)).unwrap();
        }
        let v1 = BTreeMap::from([(crate::Controller::CpuSet, root("v1"))]);
        let layout = Layout { unified: Some((root("v2"), Vec::new())), v1 };
        assert_eq!(slots_with_groups(&layout), BTreeSet::from([3, 12]));
        remove_slot_groups(&layout, 3).unwrap();
        assert_eq!(slots_with_groups(&layout), BTreeSet::from([12]));
        assert!(root("v2/tauto-lab-4").exists());
    }
}
