//! Can a program be isolated?

use super::{Area, Check};
use model::Reading;
use system::machine::{Capability, Isolation, KernelVersion, Namespace};
use system::{Machine, Status};

/// The oldest kernel with everything that a run needs; the most recent requirement is `cgroup.kill`.
const OLDEST_KERNEL: KernelVersion = KernelVersion(5, 14);

enum NamespaceMode {
    /// Directly, with the capability.
    Privileged,
    /// In a user namespace first.
    UserNamespace,
    /// Not at all, with the reason.
    None(String),
}

pub(super) fn checks(machine: &Machine) -> Vec<Check> {
    let isolation = &machine.isolation;
    let way = way(isolation);
    let mut checks = vec![kernel(machine)];
    checks.push(capabilities(isolation));
    checks.push(root_of_machine(isolation));
    checks.extend(Namespace::ALL.into_iter().map(|namespace| make_namespace(isolation, namespace, &way)));
    checks.push(mounts(&way));
    checks.push(seccomp(isolation));
    checks.push(existing_filter(isolation));
    checks.push(landlock(isolation));
    checks
}

fn check(name: &'static str, status: Status, what: impl Into<String>, why: impl Into<String>) -> Check {
    Check::new(Area::Isolation, name, status, what, why)
}

fn way(isolation: &Isolation) -> NamespaceMode {
    let privileged = isolation.capabilities.known().is_some_and(|set| set.has(Capability::SYS_ADMIN));
    match (privileged, &isolation.unprivileged_user_namespaces) {
        (true, _) => NamespaceMode::Privileged,
        (false, Reading::Known(true)) => NamespaceMode::UserNamespace,
        (false, Reading::Known(false)) => NamespaceMode::None(
            "this process lacks sys_admin, and the system forbids user namespaces to it".to_owned(),
        ),
        (false, Reading::Unavailable(why)) => {
            NamespaceMode::None(format!("this process lacks sys_admin, and {why}"))
        }
    }
}

fn kernel(machine: &Machine) -> Check {
    let why = "pidfd (5.3), clone3 into a cgroup (5.7), the new mount calls (5.2) and cgroup.kill (5.14) are needed";
    Check::of(Area::Isolation, "kernel", why, &machine.kernel.version, |version| match version {
        version if *version >= OLDEST_KERNEL => (Status::Pass, version.to_string()),
        version => (Status::Fail, format!("{version} is older than {OLDEST_KERNEL}")),
    })
    .fix("apt-get install linux-image-amd64 && reboot")
}

fn capabilities(isolation: &Isolation) -> Check {
    let why = "mounts, groups, users and CPU masks of runs need them; without, a user namespace has to do";
    let needed = [
        (Capability::SYS_ADMIN, "sys_admin"),
        (Capability::SETUID, "setuid"),
        (Capability::SETGID, "setgid"),
        (Capability::NET_ADMIN, "net_admin"),
        (Capability::SYS_NICE, "sys_nice"),
    ];
    Check::of(Area::Isolation, "capabilities", why, &isolation.capabilities, |set| {
        let absent = needed.iter().filter(|(capability, _)| !set.has(*capability));
        match absent.map(|(_, name)| *name).collect::<Vec<_>>() {
            missing if missing.is_empty() => (Status::Pass, set.to_string()),
            missing => (Status::Caution, format!("missing: {}", missing.join(", "))),
        }
    })
    .fix("sudo tauto doctor")
}

fn root_of_machine(isolation: &Isolation) -> Check {
    const FIX: &str = "sudo podman run --cap-drop all --cap-add SYS_ADMIN,SETUID,SETGID,CHOWN,DAC_OVERRIDE,KILL,SETPCAP \
                       -v /sys/fs/cgroup:/sys/fs/cgroup:rw --cgroupns host ...";
    let why = "in a rootless container the capabilities are none over the machine: its control groups, CPU masks and mounts stay as they are";
    Check::of(Area::Isolation, "root of the machine", why, &isolation.first_user_namespace, |is_first| {
        match is_first {
            true => (Status::Pass, "no container without root".to_owned()),
            false => {
                (Status::Caution, "this process is in a user namespace, as in rootless podman".to_owned())
            }
        }
    })
    .fix(FIX)
}

fn make_namespace(isolation: &Isolation, namespace: Namespace, way: &NamespaceMode) -> Check {
    let (name, why) = match namespace {
        Namespace::User => ("user namespace", "without privileges, all other namespaces need one"),
        Namespace::Pid => ("process namespace", "a run sees no other process, and dies as a whole"),
        Namespace::Mount => ("mount namespace", "a run sees only the files it may see"),
        Namespace::Network => ("network namespace", "a run has no network"),
        Namespace::Ipc => ("IPC namespace", "no shared memory is left behind or shared between runs"),
        Namespace::Uts => ("host name namespace", "every run sees the same host name"),
        Namespace::Cgroup => ("cgroup namespace", "a run does not see the groups of the host"),
    };
    let limit = isolation.namespaces.iter().find(|(kind, _)| *kind == namespace).map(|(_, limit)| limit);
    let sysctl = format!("sysctl -w user.max_{}_namespaces=15000", namespace.name());
    match (limit, way) {
        (Some(Reading::Known(0)), NamespaceMode::Privileged) if namespace == Namespace::User => {
            check(name, Status::Pass, "switched off, and not needed with these capabilities", why)
        }
        (Some(Reading::Known(0)), _) => check(name, Status::Fail, "the limit is 0", why).fix(sysctl),
        (Some(Reading::Known(_)), NamespaceMode::Privileged) => check(name, Status::Pass, "can be made", why),
        (Some(Reading::Known(_)), NamespaceMode::UserNamespace) => {
            check(name, Status::Pass, "can be made in a user namespace", why)
        }
        (Some(Reading::Known(_)), NamespaceMode::None(reason)) => {
            check(name, Status::Fail, "cannot be made", reason).fix("sudo tauto doctor")
        }
        (Some(Reading::Unavailable(reason)), _) => check(name, Status::Fail, "cannot be made", reason),
        (None, _) => check(name, Status::Unavailable, "not checked", "the kind of namespace was not read"),
    }
}

fn mounts(way: &NamespaceMode) -> Check {
    const NAME: &str = "mounts";
    let why = "a run gets its own root with tmpfs and read-only binds";
    match way {
        NamespaceMode::Privileged => check(NAME, Status::Pass, "allowed by sys_admin", why),
        NamespaceMode::UserNamespace => check(NAME, Status::Pass, "allowed in a user namespace", why),
        NamespaceMode::None(reason) => {
            check(NAME, Status::Fail, "not allowed", reason).fix("sudo tauto doctor")
        }
    }
}

fn seccomp(isolation: &Isolation) -> Check {
    const NAME: &str = "system call filter";
    const NEEDED: [&str; 2] = ["kill_process", "errno"];
    let why = "calls that reach out of a run are refused";
    match &isolation.seccomp_actions {
        Reading::Known(actions) => {
            let missing: Vec<_> =
                NEEDED.into_iter().filter(|needed| !actions.iter().any(|action| action == needed)).collect();
            if missing.is_empty() {
                check(NAME, Status::Pass, actions.join(" "), why)
            } else {
                check(NAME, Status::Fail, format!("missing actions: {}", missing.join(" ")), why)
            }
        }
        Reading::Unavailable(reason) => {
            check(NAME, Status::Fail, "the kernel has no seccomp filters", reason)
        }
    }
}

fn existing_filter(isolation: &Isolation) -> Check {
    let why = "a container's filter may refuse clone3, mount or pivot_root although all else allows them";
    Check::of(Area::Isolation, "filter on ourselves", why, &isolation.filtered, |is_filtered| {
        match is_filtered {
            false => (Status::Pass, "none".to_owned()),
            true => (Status::Caution, "a filter is already on this process".to_owned()),
        }
    })
    .fix("docker run --security-opt seccomp=unconfined ...")
}

fn landlock(isolation: &Isolation) -> Check {
    const NAME: &str = "landlock";
    let why = "a further fence around files; runs do not need it";
    match &isolation.landlock_abi {
        Reading::Known(version) => check(NAME, Status::Pass, format!("ABI {version}"), why),
        Reading::Unavailable(reason) => check(NAME, Status::Unavailable, "not there", reason),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, examine_tree, good_tree};
    use super::*;

    const NO_CAPABILITIES: (&str, &str) =
        ("proc/self/status", "CapEff:\t0000000000000000\nSeccomp:\t0\nCpus_allowed_list:\t0-1\n");

    #[test]
    fn old_kernels_fail() {
        check(&[("proc/sys/kernel/osrelease", "5.14.0\n")], "kernel", Status::Pass, None);
        check(
            &[("proc/sys/kernel/osrelease", "5.10.0-28-amd64\n")],
            "kernel",
            Status::Fail,
            Some("apt-get install linux-image-amd64 && reboot"),
        );
    }

    #[test]
    fn without_capabilities_a_user_namespace_does() {
        check(&[NO_CAPABILITIES], "process namespace", Status::Pass, None);
        check(&[NO_CAPABILITIES], "mounts", Status::Pass, None);
        check(&[NO_CAPABILITIES], "capabilities", Status::Caution, Some("sudo tauto doctor"));
    }

    #[test]
    fn a_rootless_container_is_named_with_what_it_lacks() {
        let tree = good_tree();
        tree.write(&[(
            "proc/self/uid_map",
            "         0       1000          1\n         1     100000      65536\n",
        )]);
        let checks = examine_tree(&tree);
        let found = checks.iter().find(|check| check.name == "root of the machine").unwrap();
        assert_eq!(
            (found.status, &*found.what),
            (Status::Caution, "this process is in a user namespace, as in rootless podman")
        );
        assert!(
            found
                .fix
                .as_deref()
                .is_some_and(|fix| fix.starts_with("sudo podman run") && fix.contains("--cgroupns host"))
        );
    }

    #[test]
    fn without_capabilities_and_user_namespaces_checks_fail() {
        let forbidden = ("proc/sys/kernel/unprivileged_userns_clone", "0\n");
        for name in ["process namespace", "network namespace", "mounts"] {
            check(&[NO_CAPABILITIES, forbidden], name, Status::Fail, Some("sudo tauto doctor"));
        }
    }

    #[test]
    fn a_limit_of_zero_names_its_setting() {
        check(
            &[("proc/sys/user/max_pid_namespaces", "0\n")],
            "process namespace",
            Status::Fail,
            Some("sysctl -w user.max_pid_namespaces=15000"),
        );
        check(&[("proc/sys/user/max_user_namespaces", "0\n")], "user namespace", Status::Pass, None);
    }

    #[test]
    fn kernel_without_a_namespace_kind_fails() {
        let tree = good_tree();
        tree.remove("proc/self/ns/cgroup");
        let checks = examine_tree(&tree);
        let found = checks.iter().find(|check| check.name == "cgroup namespace").unwrap();
        assert_eq!(found.status, Status::Fail);
        assert_eq!(found.why, "this kernel has no cgroup namespaces: /proc/self/ns/cgroup is missing");
    }

    #[test]
    fn filters_of_a_container_are_named() {
        let status = "CapEff:\t000001ffffffffff\nSeccomp:\t2\nCpus_allowed_list:\t0-1\n";
        check(
            &[("proc/self/status", status)],
            "filter on ourselves",
            Status::Caution,
            Some("docker run --security-opt seccomp=unconfined ..."),
        );
        check(
            &[("proc/sys/kernel/seccomp/actions_avail", "trap\n")],
            "system call filter",
            Status::Fail,
            None,
        );
    }
}
