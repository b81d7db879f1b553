//! The building blocks of a sandbox: namespaces, capabilities, system call filters.

use super::{CapabilitySet, Facts, KernelAnswers, shown};
use crate::{Roots, files};
use model::Reading;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    User,
    Pid,
    Mount,
    Network,
    /// System V objects and message queues.
    Ipc,
    Uts,
    /// The view of control groups.
    Cgroup,
}

#[derive(Clone, Debug)]
pub struct Isolation {
    pub capabilities: Reading<CapabilitySet>,
    pub first_user_namespace: Reading<bool>,
    /// Namespaces that the kernel supports, and how many of each may be made.
    pub namespaces: Vec<(Namespace, Reading<u64>)>,
    /// Whether unprivileged users may make user namespaces, if the distribution has a switch for it.
    pub unprivileged_user_namespaces: Reading<bool>,
    pub filtered: Reading<bool>,
    pub seccomp_actions: Reading<Vec<String>>,
    pub landlock_abi: Reading<u32>,
}

impl Namespace {
    pub const ALL: [Self; 7] =
        [Self::User, Self::Pid, Self::Mount, Self::Network, Self::Ipc, Self::Uts, Self::Cgroup];

    /// Returns the kernel's short name, as in `/proc/self/ns` and `max_NAME_namespaces`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Pid => "pid",
            Self::Mount => "mnt",
            Self::Network => "net",
            Self::Ipc => "ipc",
            Self::Uts => "uts",
            Self::Cgroup => "cgroup",
        }
    }
}

impl Isolation {
    pub fn read(roots: &Roots, answers: &KernelAnswers) -> Self {
        let kernel = |name: &str| roots.proc.join("sys/kernel").join(name);
        let status = files::text(&roots.proc.join("self/status"));
        Self {
            capabilities: CapabilitySet::read(roots),
            first_user_namespace: files::text(&roots.proc.join("self/uid_map"))
                .map(|map| map.split_whitespace().eq(["0", "0", "4294967295"])),
            namespaces: Namespace::ALL
                .map(|namespace| (namespace, namespace_limit(roots, namespace)))
                .to_vec(),
            unprivileged_user_namespaces: unprivileged_user_namespaces(roots),
            filtered: files::and_then(status, |status| {
                files::field(&status, "Seccomp")
                    .map(|mode| mode != "0")
                    .ok_or_else(|| "this kernel is built without seccomp".to_owned())
            }),
            seccomp_actions: files::text(&kernel("seccomp/actions_avail"))
                .map(|text| text.split_whitespace().map(str::to_owned).collect()),
            landlock_abi: answers.landlock_abi.clone(),
        }
    }

    pub(super) fn facts(&self, facts: &mut Facts) {
        let yes_no =
            |reading: &Reading<bool>| shown(&reading.clone().map(|yes| if yes { "yes" } else { "no" }));
        let limits: Vec<_> = self
            .namespaces
            .iter()
            .filter_map(|(namespace, limit)| Some(format!("{} {}", namespace.name(), limit.known()?)))
            .collect();
        let limits = files::known_or((!limits.is_empty()).then(|| limits.join(", ")), || {
            "/proc/sys/user holds no limits".to_owned()
        });
        facts.extend([
            ("capabilities", shown(&self.capabilities)),
            ("first user namespace", yes_no(&self.first_user_namespace)),
            ("namespace limits", limits),
            ("unprivileged user namespaces", yes_no(&self.unprivileged_user_namespaces)),
            ("already under a filter", yes_no(&self.filtered)),
            ("seccomp actions", self.seccomp_actions.clone().map(|actions| actions.join(" "))),
            ("landlock ABI", shown(&self.landlock_abi)),
        ]);
    }
}

/// Returns how many namespaces of a kind one user may make; the kernel supports a kind if `/proc/self/ns` has it.
fn namespace_limit(roots: &Roots, namespace: Namespace) -> Reading<u64> {
    let name = namespace.name();
    if std::fs::symlink_metadata(roots.proc.join("self/ns").join(name)).is_err() {
        return Reading::unavailable(format!(
            "this kernel has no {name} namespaces: /proc/self/ns/{name} is missing"
        ));
    }
    files::value(&roots.proc.join(format!("sys/user/max_{name}_namespaces")))
}

fn unprivileged_user_namespaces(roots: &Roots) -> Reading<bool> {
    let kernel = |name: &str| files::value::<u8>(&roots.proc.join("sys/kernel").join(name));
    // Debian's switch, and Ubuntu's since 23.10; other kernels have neither and allow it.
    let clone = kernel("unprivileged_userns_clone").known().copied();
    let restricted = kernel("apparmor_restrict_unprivileged_userns").known().copied();
    match files::value::<u64>(&roots.proc.join("sys/user/max_user_namespaces")) {
        Reading::Known(limit) => {
            Reading::Known(limit > 0 && clone != Some(0) && !matches!(restricted, Some(1..)))
        }
        Reading::Unavailable(why) => Reading::Unavailable(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    #[test]
    fn either_distributions_switch_forbids_user_namespaces() {
        let check = |files: &[(&str, &str)], expected: Option<bool>| {
            let tree = Tree::new(&[("proc/", "")]);
            tree.write(files);
            let isolation = Isolation::read(&Roots::under(tree.path()), &KernelAnswers::unasked("a test"));
            assert_eq!(isolation.unprivileged_user_namespaces.known().copied(), expected, "{files:?}");
        };
        let limit = ("proc/sys/user/max_user_namespaces", "100\n");
        check(&[], None);
        check(&[limit], Some(true));
        check(&[("proc/sys/user/max_user_namespaces", "0\n")], Some(false));
        check(&[limit, ("proc/sys/kernel/unprivileged_userns_clone", "0\n")], Some(false));
        check(&[limit, ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")], Some(false));
        check(&[limit, ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n")], Some(true));
    }

    #[test]
    fn the_first_user_namespace_maps_all_to_itself() {
        let check = |map: &str, first: bool| {
            let tree = Tree::new(&[("proc/self/uid_map", map)]);
            let isolation = Isolation::read(&Roots::under(tree.path()), &KernelAnswers::unasked("a test"));
            assert_eq!(isolation.first_user_namespace, Reading::Known(first), "{map}");
        };
        check("         0          0 4294967295\n", true);
        check("         0       1000          1\n", false);
    }
}
