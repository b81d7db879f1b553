//! Can a run be limited and counted exactly?

use super::{Area, Check};
use model::Reading;
use system::machine::{CgroupLayout, Controller, ControllerPlace, KernelVersion};
use system::{Machine, Status};

/// The first kernel with `cgroup.kill`.
const CGROUP_KILL: KernelVersion = KernelVersion(5, 14);
/// The first kernel with `memory.peak`.
const MEMORY_PEAK: KernelVersion = KernelVersion(5, 19);

pub(super) fn checks(machine: &Machine) -> Vec<Check> {
    let layout = &machine.cgroups;
    let mut checks = vec![kind(layout)];
    for (controller, name, why, missing) in [
        (Controller::Memory, "memory controller", "memory limits and the peak of a run", Status::Fail),
        (Controller::Pids, "pids controller", "the number of processes of a run is limited", Status::Fail),
        (
            Controller::CpuAcct,
            "CPU time counter",
            "CPU time of all processes of a run, to the microsecond",
            Status::Fail,
        ),
        (
            Controller::Cpu,
            "cpu controller",
            "a high weight tames neighbours; without it, runs share the CPU evenly with others",
            Status::Caution,
        ),
        (
            Controller::CpuSet,
            "cpuset controller",
            "a run keeps to its CPUs; without it, a CPU mask does, which others may ignore",
            Status::Caution,
        ),
    ] {
        checks.push(controller_check(layout, controller, name, why, missing));
    }
    checks.push(kill(machine));
    checks.push(memory_peak(machine));
    checks.push(leftovers(layout));
    checks
}

fn check(name: &'static str, status: Status, what: impl Into<String>, why: impl Into<String>) -> Check {
    Check::new(Area::ControlGroups, name, status, what, why)
}

fn kind(layout: &CgroupLayout) -> Check {
    const NAME: &str = "layout";
    let why = "version 2 has one tree for all controllers and can kill a group at once";
    match (&layout.mounts, layout.kind()) {
        (Reading::Unavailable(reason), _) => check(NAME, Status::Unavailable, "not known", reason),
        (_, "v2") => check(NAME, Status::Pass, "version 2", why),
        (_, "hybrid") => check(NAME, Status::Pass, "version 2 and version 1", why),
        (_, "v1") => check(NAME, Status::Caution, "version 1 only", why)
            .fix("mkdir -p /sys/fs/cgroup/unified && mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified"),
        _ => check(NAME, Status::Fail, "no control groups are mounted", why)
            .fix("mount -t cgroup2 cgroup2 /sys/fs/cgroup"),
    }
}

fn controller_check(
    layout: &CgroupLayout,
    controller: Controller,
    name: &'static str,
    why: &str,
    when_missing: Status,
) -> Check {
    let kernel_name = controller.name();
    match layout.place(controller) {
        ControllerPlace::Usable(version, point) => {
            check(name, Status::Pass, format!("{version} at {}", point.display()), why)
        }
        ControllerPlace::ReadOnly(version, point) => {
            let what = format!("{version} at {}, where we may not make groups", point.display());
            check(name, when_missing, what, why).fix("sudo tauto doctor")
        }
        ControllerPlace::NotHandedDown(point) => {
            let point = point.display();
            let what = format!("version 2 at {point}, whose root holds processes and hands nothing down");
            check(name, when_missing, what, why).fix(format!(
                "mkdir {point}/others && for p in $(cat {point}/cgroup.procs); do echo $p > {point}/others/cgroup.procs; \
                 done && echo +{kernel_name} > {point}/cgroup.subtree_control"
            ))
        }
        ControllerPlace::Absent => check(name, when_missing, format!("no hierarchy has {kernel_name}"), why)
            .fix(format!(
                "mkdir -p /sys/fs/cgroup/{kernel_name} && mount -t cgroup -o {kernel_name} {kernel_name} \
                 /sys/fs/cgroup/{kernel_name}"
            )),
    }
}

fn kill(machine: &Machine) -> Check {
    const NAME: &str = "cgroup.kill";
    let why = "all processes of a run die at once; without it, the process namespace must do";
    match (machine.cgroups.unified(), &machine.kernel.version) {
        (_, Reading::Unavailable(reason)) => check(NAME, Status::Unavailable, "not known", reason),
        (Some(_), Reading::Known(version)) if *version >= CGROUP_KILL => {
            check(NAME, Status::Pass, format!("kernel {version} has it"), why)
        }
        (Some(_), Reading::Known(version)) => {
            check(NAME, Status::Caution, format!("kernel {version} is older than {CGROUP_KILL}"), why)
        }
        (None, _) => check(NAME, Status::Caution, "there is no version 2 tree", why),
    }
}

fn memory_peak(machine: &Machine) -> Check {
    const NAME: &str = "memory peak";
    let why = "the most memory that a run held; without it, only the largest process is known";
    match (machine.cgroups.place(Controller::Memory), &machine.kernel.version) {
        (ControllerPlace::Usable(system::machine::CgroupVersion::V1, _), _) => {
            check(NAME, Status::Pass, "version 1 counts it", why)
        }
        (ControllerPlace::Usable(..), Reading::Known(version)) if *version >= MEMORY_PEAK => {
            check(NAME, Status::Pass, format!("kernel {version} has memory.peak"), why)
        }
        (ControllerPlace::Usable(..), Reading::Known(version)) => check(
            NAME,
            Status::Caution,
            format!("kernel {version} has no memory.peak, {MEMORY_PEAK} has"),
            why,
        ),
        (ControllerPlace::Usable(..), Reading::Unavailable(reason)) => {
            check(NAME, Status::Unavailable, "not known", reason)
        }
        _ => check(NAME, Status::Unavailable, "not counted", "the memory controller cannot be used"),
    }
}

fn leftovers(layout: &CgroupLayout) -> Check {
    const NAME: &str = "leftover groups";
    /// More would not be typed; the rest is shown next time.
    const SHOWN_MAX: usize = 20;
    let why = "groups of an earlier tauto that was killed; they hold a little memory of the kernel";
    let paths: Vec<_> = layout.leftovers.iter().map(|path| path.display().to_string()).collect();
    if paths.is_empty() {
        check(NAME, Status::Pass, "none", why)
    } else {
        let shown = &paths[..paths.len().min(SHOWN_MAX)];
        check(NAME, Status::Caution, format!("{} without a process", paths.len()), why)
            .fix(format!("find {} -type d -delete", shown.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn a_missing_controller_fails_if_limits_need_it() {
        let without = |names: &str| [("sys/fs/cgroup/cgroup.controllers", format!("{names}\n"))];
        let [(file, names)] = without("cpuset cpu pids");
        check(
            &[(file, &names)],
            "memory controller",
            Status::Fail,
            Some("mkdir -p /sys/fs/cgroup/memory && mount -t cgroup -o memory memory /sys/fs/cgroup/memory"),
        );
        let [(file, names)] = without("cpuset memory pids");
        check(
            &[(file, &names)],
            "cpu controller",
            Status::Caution,
            Some("mkdir -p /sys/fs/cgroup/cpu && mount -t cgroup -o cpu cpu /sys/fs/cgroup/cpu"),
        );
    }

    #[test]
    fn busy_root_of_a_container_is_reported() {
        check(
            &[
                ("sys/fs/cgroup/cgroup.events", "populated 1\n"),
                ("sys/fs/cgroup/cgroup.subtree_control", "\n"),
                ("sys/fs/cgroup/cgroup.procs", "1\n"),
            ],
            "pids controller",
            Status::Fail,
            Some(
                "mkdir /sys/fs/cgroup/others && for p in $(cat /sys/fs/cgroup/cgroup.procs); do echo $p > \
                 /sys/fs/cgroup/others/cgroup.procs; done && echo +pids > /sys/fs/cgroup/cgroup.subtree_control",
            ),
        );
    }

    #[test]
    fn features_follow_the_kernels_age() {
        let old = ("proc/sys/kernel/osrelease", "5.15.0\n");
        check(&[old], "cgroup.kill", Status::Pass, None);
        check(&[old], "memory peak", Status::Caution, None);
        let v1 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n";
        check(&[old, ("proc/self/mountinfo", v1)], "memory peak", Status::Pass, None);
        check(&[("proc/self/mountinfo", v1)], "cgroup.kill", Status::Caution, None);
        check(
            &[("proc/self/mountinfo", "\n")],
            "layout",
            Status::Fail,
            Some("mount -t cgroup2 cgroup2 /sys/fs/cgroup"),
        );
    }

    #[test]
    fn leftovers_come_with_their_removal() {
        check(
            &[("sys/fs/cgroup/tauto-slot-3/cgroup.procs", "")],
            "leftover groups",
            Status::Caution,
            Some("find /sys/fs/cgroup/tauto-slot-3 -type d -delete"),
        );
    }
}
