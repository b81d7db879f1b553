//! Decides what works on a machine, what causes timing variance, and how to fix it.

mod check;
mod consistency;
mod control_groups;
mod host;
mod isolation;

use crate::Setting;
pub use check::{Area, Check, MissingTool};
use model::Reading;
use system::Machine;

/// Answers every question, in the order of the areas. Of `settings` it shows the most important ones; `doubts` are the
/// warnings from reading the machine's topology, `missing` are the missing programs of languages, and `language_count`
/// is the number of languages that were examined.
pub fn examine(
    machine: &Machine,
    settings: &[Setting],
    doubts: &Reading<Vec<String>>,
    missing: &[MissingTool],
    language_count: usize,
) -> Vec<Check> {
    let mut checks = isolation::checks(machine);
    checks.extend(control_groups::checks(machine));
    checks.push(consistency::topology(doubts));
    checks.extend(consistency::of_settings(settings, Area::Consistency));
    checks.extend(consistency::of_settings(settings, Area::Host));
    checks.extend(host::checks(machine));
    checks.extend(host::languages(missing, language_count));
    debug_assert!(checks.is_sorted_by_key(|check| check.area), "the areas come one after the other");
    checks
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Snapshot, Timing};
    use model::{Bytes, Reading};
    use system::machine::Space;
    use system::{KernelAnswers, Machine, Roots, Status};
    use test_tree::Tree;

    pub(crate) fn good_tree() -> Tree {
        let tree = crate::tests::tree(crate::tests::GOOD);
        tree.write(&[
            ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
            ("proc/sys/kernel/pid_max", "4194304\n"),
            ("proc/sys/kernel/seccomp/actions_avail", "kill_process errno user_notif allow\n"),
            ("proc/sys/vm/overcommit_memory", "0\n"),
            ("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 8000000 kB\n"),
            ("proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t0\nCpus_allowed_list:\t0-1\n"),
            ("proc/self/uid_map", "0 0 4294967295\n"),
            ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu memory pids\n"),
        ]);
        for name in ["user", "pid", "mnt", "net", "ipc", "uts", "cgroup"] {
            tree.write(&[
                (&format!("proc/self/ns/{name}"), ""),
                (&format!("proc/sys/user/max_{name}_namespaces"), "1000\n"),
            ]);
        }
        tree
    }

    pub(crate) fn examine_tree(tree: &Tree) -> Vec<Check> {
        let space =
            |path: &str| Space { path: path.into(), available: Reading::Known(Bytes::from_mib(8192)) };
        let answers = KernelAnswers {
            tick_hz: Reading::Known(250),
            landlock_abi: Reading::Known(3),
            spaces: vec![space("/tmp"), space("/run")],
        };
        let machine = Machine::read(&Roots::under(tree.path()), &answers);
        examine(&machine, &judged(tree), &Reading::Known(Vec::new()), &[], 25)
    }

    fn judged(tree: &Tree) -> Vec<Setting> {
        let snapshot = Snapshot::read(&Roots::under(tree.path()), Timing::unmeasured("a test"));
        crate::examine(&snapshot, &Reading::unavailable("a test"))
    }

    /// Changes one thing on the good machine, and asserts the answer of the named check.
    pub(crate) fn check(change: &[(&str, &str)], name: &str, status: Status, fix: Option<&str>) {
        let tree = good_tree();
        tree.write(change);
        let checks = examine_tree(&tree);
        let found =
            checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("no check '{name}'"));
        assert_eq!((found.status, found.fix.as_deref()), (status, fix), "{change:?}: {found:?}");
    }

    fn worst(checks: &[Check]) -> Status {
        Status::worst(checks.iter().map(|check| check.status))
    }

    #[test]
    fn a_good_machine_passes_everything() {
        let checks = examine_tree(&good_tree());
        let others: Vec<_> = checks.iter().filter(|check| check.status != Status::Pass).collect();
        assert!(others.is_empty(), "{others:#?}");
        assert_eq!(worst(&checks), Status::Pass);
        let mut names: Vec<_> = checks.iter().map(|check| check.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), checks.len(), "names are unique");
    }

    #[test]
    fn an_empty_tree_has_answers_and_reasons() {
        let tree = Tree::new(&[("proc/", "")]);
        let machine = Machine::read(&Roots::under(tree.path()), &KernelAnswers::unasked("a test"));
        let checks = examine(&machine, &judged(&tree), &Reading::unavailable("a test"), &[], 0);
        assert_eq!(worst(&checks), Status::Fail);
        for check in checks {
            assert!(!check.what.is_empty() && !check.why.is_empty(), "{check:?}");
        }
    }
}
