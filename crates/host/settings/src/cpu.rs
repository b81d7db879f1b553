//! Hyperthreads, idle states, and CPUs that are kept free.

use super::Entry;
use super::finding::{Change, Finding, View, number};
use super::text::{boot_parameter, some_of};
use std::collections::BTreeSet;

const SMT: &str = "/sys/devices/system/cpu/smt/control";
const CORE: &str = "/sys/devices/system/cpu/cpu#/topology/core_cpus_list";
const SMT_ACTIVE: &str = "/sys/devices/system/cpu/smt/active";
const IDLE_DRIVER: &str = "/sys/devices/system/cpu/cpuidle/current_driver";
const IDLE_DISABLE: &str = "/sys/devices/system/cpu/cpu#/cpuidle/state#/disable";
const IDLE_LATENCY: &str = "/sys/devices/system/cpu/cpu#/cpuidle/state#/latency";
const IDLE_NAME: &str = "/sys/devices/system/cpu/cpu#/cpuidle/state#/name";
const LATENCY_BOUND: &str = "/dev/cpu_dma_latency";
const ISOLATED: &str = "/sys/devices/system/cpu/isolated";
const TICKLESS: &str = "/sys/devices/system/cpu/nohz_full";
const COMMAND_LINE: &str = "/proc/cmdline";
/// From this exit latency on, waking up costs as much as the scheduler's tick. Poll, C1 and C1E are below.
const IDLE_EXIT_US_MAX: i64 = 10;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "smt",
        name: "hyperthreads",
        effect: "two CPUs of one core share its units and caches: two hyperthreads do the work of some 1.3 cores",
        source: "Documentation/admin-guide/hw-vuln/core-scheduling.rst; Documentation/ABI/testing/sysfs-devices-system-cpu (smt)",
        cost: "half of the CPUs; timed runs leave the siblings idle without this. 'tune' leaves it alone, since CPUs that go offline fall out of affinities and cpusets for good",
        reads: &[SMT, SMT_ACTIVE],
        judge: smt,
    },
    Entry {
        id: "idle-states",
        name: "deep idle states",
        effect: "waking from a deep state takes 10 to 200 us, and empties caches",
        source: "Documentation/admin-guide/pm/cpuidle.rst (disable, latency)",
        cost: "more power and heat while idle, and less turbo",
        reads: &[IDLE_DRIVER, IDLE_NAME, IDLE_LATENCY, IDLE_DISABLE],
        judge: idle_states,
    },
    Entry {
        id: "wake-up-bound",
        name: "wake-up latency bound",
        effect: "without a bound the idle governor may choose any state that is enabled",
        source: "Documentation/admin-guide/pm/cpuidle.rst (PM QoS), Documentation/power/pm_qos_interface.rst",
        cost: "more power while it is held; it ends with the process that holds it",
        reads: &[LATENCY_BOUND],
        judge: latency_bound,
    },
    Entry {
        id: "isolated-cpus",
        name: "isolated CPUs",
        effect: "the scheduler moves any task onto any CPU: each switch costs us and a part of the caches",
        source: "Documentation/admin-guide/kernel-parameters.txt (isolcpus), cgroup-v2.rst (cpuset.cpus.partition)",
        cost: "these CPUs do nothing but what is put on them",
        reads: &[ISOLATED],
        judge: isolated,
    },
    Entry {
        id: "tickless-cpus",
        name: "tickless CPUs",
        effect: "the scheduler's tick interrupts a computing program 100 to 1000 times a second, for some us each",
        source: "Documentation/timers/no_hz.rst (nohz_full)",
        cost: "entering and leaving the kernel gets slower on these CPUs",
        reads: &[TICKLESS],
        judge: tickless,
    },
    Entry {
        id: "rcu-callbacks",
        name: "RCU callbacks elsewhere",
        effect: "the kernel's deferred frees run where they were queued, in batches of up to milliseconds",
        source: "Documentation/admin-guide/kernel-per-CPU-kthreads.rst (rcuc, rcuo), kernel-parameters.txt (rcu_nocbs)",
        cost: "housekeeping CPUs do this work",
        reads: &[COMMAND_LINE],
        judge: rcu_callbacks,
    },
];

fn smt(view: &View<'_>) -> Result<Finding, Finding> {
    let control = view.feature(SMT)?;
    let active = view.known(SMT_ACTIVE);
    let cores: BTreeSet<_> = view.snapshot.all(CORE).into_iter().map(|(_, cpus)| cpus).collect();
    let shared: Vec<_> = cores.into_iter().filter(|cpus| cpus.contains([',', '-'])).collect();
    let on = || {
        Finding::caution("on")
            .here((!shared.is_empty()).then(|| format!("share a core: {}", some_of(&shared))))
    };
    Ok(match control {
        "off" | "forceoff" => Finding::pass("off"),
        // The kernel cannot switch SMT, but the machine may still use it.
        "notsupported" | "notimplemented" if active == Some("1") => {
            on().person("switch it off in the firmware")
        }
        "notsupported" | "notimplemented" => Finding::pass("none"),
        _ if active == Some("0") => Finding::pass("on, but no core has two CPUs online"),
        _ => on().person(format!("echo off > {SMT}")),
    })
}

fn idle_states(view: &View<'_>) -> Result<Finding, Finding> {
    let disabled = view.snapshot.all(IDLE_DISABLE);
    if disabled.is_empty() {
        let driver = view.file(IDLE_DRIVER)?;
        return Err(Finding::unavailable(format!(
            "no idle states in sysfs (driver: {driver}): the hypervisor or the processor decides"
        )));
    }
    let (mut changes, mut names) = (Vec::new(), Vec::new());
    for (path, off) in disabled {
        let sibling = |name| path.replace("/disable", name);
        let latency_path = sibling("/latency");
        let latency = number(&latency_path, view.file(&latency_path)?)?;
        if latency > IDLE_EXIT_US_MAX && off == "0" {
            let name = view.known(&sibling("/name")).unwrap_or("unnamed");
            let state = format!("{name} ({latency} us)");
            if !names.contains(&state) {
                names.push(state);
            }
            changes.push(Change::new(path, off, "1"));
        }
    }
    Ok(if changes.is_empty() {
        Finding::pass(format!("none slower than {IDLE_EXIT_US_MAX} us to leave"))
    } else {
        Finding::caution(some_of(&names)).write(changes)
    })
}

fn latency_bound(view: &View<'_>) -> Result<Finding, Finding> {
    /// `PM_QOS_CPU_LATENCY_DEFAULT_VALUE`: no process has a request.
    const NO_BOUND: i64 = 2_000_000_000;
    let bound = number(LATENCY_BOUND, view.file(LATENCY_BOUND)?)?;
    let states = view.snapshot.all(IDLE_DISABLE);
    Ok(if (0..=IDLE_EXIT_US_MAX).contains(&bound) {
        Finding::pass(format!("{bound} us"))
    } else if states.is_empty() {
        Finding::pass("none, and no idle states that it could bound")
    } else {
        let found = if bound == NO_BOUND { "none".to_owned() } else { format!("{bound} us") };
        Finding::caution(found).person(
            "exec 9> /dev/cpu_dma_latency && printf '\\0\\0\\0\\0' >&9  (holds as long as this shell)",
        )
    })
}

fn isolated(view: &View<'_>) -> Result<Finding, Finding> {
    let list = view.file(ISOLATED)?;
    if !list.is_empty() {
        return Ok(Finding::pass(list));
    }
    let timed = &view.aim()?.timed;
    Ok(Finding::caution("none").boot([format!("isolcpus=managed_irq,domain,{timed}")]))
}

fn tickless(view: &View<'_>) -> Result<Finding, Finding> {
    let list = view.file(TICKLESS).map_err(|_| {
        Finding::unavailable("the kernel was built without CONFIG_NO_HZ_FULL (no nohz_full in sysfs)")
    })?;
    // The kernel prints `(null)` if the boot parameter is missing.
    if !list.is_empty() && list != "(null)" {
        return Ok(Finding::pass(list));
    }
    let timed = &view.aim()?.timed;
    Ok(Finding::caution("none").boot([format!("nohz_full={timed}")]))
}

fn rcu_callbacks(view: &View<'_>) -> Result<Finding, Finding> {
    let command_line = view.file(COMMAND_LINE)?;
    for parameter in ["rcu_nocbs", "nohz_full"] {
        if let Some(list) = boot_parameter(command_line, parameter) {
            return Ok(Finding::pass(format!("{parameter}={list}")));
        }
    }
    if let Some(config) = view.snapshot.config.known()
        && super::config::option(config, "CONFIG_RCU_NOCB_CPU").is_none()
    {
        return Err(Finding::unavailable("the kernel was built without CONFIG_RCU_NOCB_CPU"));
    }
    let timed = &view.aim()?.timed;
    Ok(Finding::caution("run where they were queued").boot([format!("rcu_nocbs={timed}")]))
}
