//! Tests each decision with a few values.

use super::CPU;
use crate::{Aim, Snapshot, examine};
use system::Status;

#[track_caller]
fn check(id: &str, values: &[(&str, &str)], status: Status, found: &str, fix: Option<&str>) {
    let online = [("/sys/devices/system/cpu/online", "0-3"), ("/proc/sys/kernel/osrelease", "6.1.0")];
    let values: Vec<_> = online.iter().chain(values).copied().collect();
    let snapshot = Snapshot::of(&values);
    let settings = examine(&snapshot, &Aim::choose(&snapshot, None).unwrap());
    let setting = settings.into_iter().find(|setting| setting.id == id).unwrap();
    let judged = (setting.status, setting.found.as_str(), setting.fix.as_deref());
    assert_eq!(judged, (status, found, fix), "{id} of {values:?}");
}

#[test]
fn decisions_follow_the_values() {
    use Status::{Caution, Fail, Pass, Unavailable};
    let boost = format!("{CPU}/cpufreq/boost");
    check("turbo", &[(&boost, "1")], Fail, "on", Some("echo 0 > /sys/devices/system/cpu/cpufreq/boost"));
    check("turbo", &[(&boost, "0")], Pass, "off", None);
    check(
        "turbo",
        &[(&boost, "many")],
        Unavailable,
        "/sys/devices/system/cpu/cpufreq/boost holds 'many', not a number",
        None,
    );
    let governor = |policy: u32| format!("{CPU}/cpufreq/policy{policy}/scaling_governor");
    check(
        "governor",
        &[(&governor(0), "powersave"), (&governor(10), "schedutil"), (&governor(2), "performance")],
        Fail,
        "performance, powersave, schedutil",
        Some(
            "for f in /sys/devices/system/cpu/cpufreq/policy[0-9]*/scaling_governor; do echo performance > $f; done",
        ),
    );
    let offered = format!("{CPU}/cpufreq/policy0/scaling_available_governors");
    check(
        "governor",
        &[(&governor(0), "powersave"), (&offered, "powersave userspace")],
        Fail,
        "powersave",
        Some("set one frequency in the firmware: this kernel has no governor 'performance'"),
    );
    check("smt", &[], Pass, "not in this kernel", None);
    let smt = format!("{CPU}/smt/control");
    check("smt", &[(&smt, "notsupported")], Pass, "none", None);
    let active = format!("{CPU}/smt/active");
    check(
        "smt",
        &[(&smt, "notimplemented"), (&active, "1")],
        Caution,
        "on",
        Some("switch it off in the firmware"),
    );
    check("smt", &[(&smt, "on")], Caution, "on", Some("echo off > /sys/devices/system/cpu/smt/control"));
    check(
        "isolated-cpus",
        &[(&format!("{CPU}/isolated"), "")],
        Caution,
        "none",
        Some("boot with: isolcpus=managed_irq,domain,1-3"),
    );
    check("rcu-callbacks", &[("/proc/cmdline", "nohz_full=2-3")], Pass, "nohz_full=2-3", None);
    check(
        "rcu-callbacks",
        &[("/proc/cmdline", "quiet -- rcu_nocbs=1")],
        Caution,
        "run where they were queued",
        Some("boot with: rcu_nocbs=1-3"),
    );
    check("workqueue-cpus", &[("/sys/devices/virtual/workqueue/cpumask", "1")], Pass, "CPU 0", None);
    check(
        "workqueue-cpus",
        &[("/sys/devices/virtual/workqueue/cpumask", "xyz")],
        Unavailable,
        "'xyz' is not a mask of CPUs",
        None,
    );
    check("crash-helper", &[("/proc/sys/kernel/core_pattern", "")], Pass, "none", None);
    check(
        "crash-helper",
        &[("/proc/sys/kernel/core_pattern", "@/run/crash.sock")],
        Fail,
        "@/run/crash.sock",
        Some("sysctl -w kernel.core_pattern=core"),
    );
    check(
        "swappiness",
        &[("/proc/sys/vm/swappiness", "60")],
        Caution,
        "60",
        Some("sysctl -w vm.swappiness=0"),
    );
    check(
        "writeback-interval",
        &[("/proc/sys/vm/dirty_writeback_centisecs", "0")],
        Pass,
        "never by itself",
        None,
    );
    check(
        "numa-balancing",
        &[("/proc/sys/kernel/numa_balancing", "1"), ("/sys/devices/system/node/online", "0")],
        Pass,
        "on, but there is one NUMA node only",
        None,
    );
    check(
        "nmi-watchdog",
        &[("/proc/sys/kernel/nmi_watchdog", "1"), ("/proc/sys/kernel/watchdog_cpumask", "0")],
        Pass,
        "on, but not on CPUs 1-3",
        None,
    );
    check(
        "clock-source",
        &[("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet")],
        Fail,
        "hpet",
        Some("boot with: tsc=reliable"),
    );
    check(
        "steal",
        &[("/proc/stat", "cpu  500 0 0 500 0 0 0 5")],
        Caution,
        "0.498 % of all time",
        Some("ask for dedicated CPUs"),
    );
    check(
        "steal",
        &[("/proc/stat", "cpu  500 0 0 500")],
        Unavailable,
        "this kernel's /proc/stat has no steal column",
        None,
    );
    check(
        "control-groups",
        &[("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-3")],
        Caution,
        "version 1",
        Some("boot with: systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all"),
    );
}

#[test]
fn idle_states_that_are_slow_to_leave_are_to_be_disabled() {
    let state = |number: u32, name| format!("{CPU}/cpu0/cpuidle/state{number}/{name}");
    let mut values = Vec::new();
    for (number, name, latency, disable) in
        [(0, "POLL", "0", "0"), (1, "C1E", "10", "0"), (2, "C6", "133", "0"), (3, "C8", "200", "1")]
    {
        values.extend([
            (state(number, "name"), name),
            (state(number, "latency"), latency),
            (state(number, "disable"), disable),
        ]);
    }
    let values: Vec<_> = values.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let fix = "echo 1 > /sys/devices/system/cpu/cpu0/cpuidle/state2/disable";
    check("idle-states", &values, Status::Caution, "C6 (133 us)", Some(fix));
}
