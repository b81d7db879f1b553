//! Tests every decision with values, and the reader with synthetic machines.

mod decisions;

use super::*;
use model::Nanos;
use system::{Roots, Status};
use test_tree::Tree;

const CPU: &str = "/sys/devices/system/cpu";

/// Values without problems: two cores, the second one for timed runs.
pub(crate) const GOOD: &[(&str, &str)] = &[
    ("/proc/sys/kernel/osrelease", "6.1.0"),
    ("/proc/sys/kernel/random/boot_id", "00000000-0000-4000-8000-000000000000"),
    ("/proc/cmdline", "isolcpus=1 nohz_full=1 rcu_nocbs=1"),
    ("/proc/version", "Linux version 6.1.0 #1 SMP PREEMPT_DYNAMIC"),
    (
        "/proc/interrupts",
        "   CPU0   CPU1\n 5:  7  0  IO-APIC  5-edge  disk\nLOC:  1  2  Local timer interrupts",
    ),
    ("/proc/irq/default_smp_affinity", "1"),
    ("/proc/irq/5/smp_affinity_list", "0"),
    ("/proc/stat", "cpu  10 0 10 979 0 0 0 1 0 0"),
    ("/proc/vmstat", "nr_free_pages 1"),
    ("/proc/swaps", "Filename Type Size Used Priority"),
    ("/proc/cpuinfo", "flags: fpu"),
    ("/proc/1/stat", "1 (init) S 0 0 0 0 -1 4194560 0"),
    ("/proc/1/status", "Cpus_allowed_list:\t0"),
    ("/boot/config-6.1.0", "CONFIG_HZ=250\nCONFIG_IRQ_TIME_ACCOUNTING=y\nCONFIG_PREEMPT_NONE=y"),
    ("/proc/sys/vm/swappiness", "60"),
    ("/proc/sys/vm/nr_hugepages", "0"),
    ("/proc/sys/vm/zone_reclaim_mode", "0"),
    ("/proc/sys/vm/compaction_proactiveness", "0"),
    ("/proc/sys/vm/stat_interval", "10"),
    ("/proc/sys/vm/dirty_writeback_centisecs", "1500"),
    ("/proc/sys/kernel/numa_balancing", "0"),
    ("/proc/sys/kernel/randomize_va_space", "0"),
    ("/proc/sys/kernel/timer_migration", "0"),
    ("/proc/sys/kernel/sched_rt_runtime_us", "950000"),
    ("/proc/sys/kernel/sched_rt_period_us", "1000000"),
    ("/proc/sys/kernel/sched_autogroup_enabled", "0"),
    ("/proc/sys/kernel/sched_energy_aware", "0"),
    ("/proc/sys/kernel/perf_event_paranoid", "2"),
    ("/proc/sys/kernel/perf_cpu_time_max_percent", "25"),
    ("/proc/sys/kernel/nmi_watchdog", "0"),
    ("/proc/sys/kernel/soft_watchdog", "0"),
    ("/proc/sys/kernel/watchdog_cpumask", "0-1"),
    ("/proc/sys/kernel/core_pattern", "core"),
    ("/sys/devices/system/node/online", "0"),
    ("/sys/devices/system/cpu/online", "0-1"),
    ("/sys/devices/system/cpu/isolated", "1"),
    ("/sys/devices/system/cpu/nohz_full", "1"),
    ("/sys/devices/system/cpu/smt/control", "off"),
    ("/sys/devices/system/cpu/smt/active", "0"),
    ("/sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
    ("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance"),
    ("/sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors", "performance powersave"),
    ("/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference", "performance"),
    ("/sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "2500000"),
    ("/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "2500000"),
    ("/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "2500000"),
    ("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0"),
    ("/sys/devices/system/cpu/cpuidle/current_driver", "intel_idle"),
    ("/sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C6"),
    ("/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "133"),
    ("/sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "1"),
    ("/dev/cpu_dma_latency", "10"),
    ("/sys/class/net/eth0/queues/rx-0/rps_cpus", "1"),
    ("/sys/devices/virtual/workqueue/cpumask", "1"),
    ("/sys/devices/virtual/workqueue/writeback/cpumask", "1"),
    ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"),
    ("/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never"),
    ("/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", "0"),
    ("/sys/kernel/mm/ksm/run", "0"),
    ("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory pids"),
    ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"),
    ("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet"),
    ("/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI"),
];

/// For each possible failure and caution the setting, and the changes that cause it.
const BAD: &[(&str, &str, &str)] = &[
    ("turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
    ("governor", "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave"),
    (
        "energy-preference",
        "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference",
        "balance_power",
    ),
    ("frequency-range", "/sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "800000"),
    ("thermal-throttling", "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3"),
    ("smt", "/sys/devices/system/cpu/smt/control", "on"),
    ("smt", "/sys/devices/system/cpu/smt/active", "1"),
    ("idle-states", "/sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "0"),
    ("wake-up-bound", "/dev/cpu_dma_latency", "2000000000"),
    ("isolated-cpus", "/sys/devices/system/cpu/isolated", ""),
    ("tickless-cpus", "/sys/devices/system/cpu/nohz_full", "(null)"),
    ("rcu-callbacks", "/proc/cmdline", "quiet"),
    ("irq-default-affinity", "/proc/irq/default_smp_affinity", "3"),
    ("irq-affinity", "/proc/irq/5/smp_affinity_list", "0-1"),
    ("irqbalance", "/proc/1/stat", "1 (irqbalance) S 0 0 0 0 -1 4194560 0"),
    ("packet-steering", "/sys/class/net/eth0/queues/rx-0/rps_cpus", "00000000,00000002"),
    ("workqueue-cpus", "/sys/devices/virtual/workqueue/cpumask", "3"),
    ("writeback-cpus", "/sys/devices/virtual/workqueue/writeback/cpumask", "3"),
    ("huge-pages", "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
    ("huge-page-defrag", "/sys/kernel/mm/transparent_hugepage/defrag", "[always] defer madvise never"),
    ("khugepaged", "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", "1"),
    ("page-merging", "/sys/kernel/mm/ksm/run", "1"),
    ("swap", "/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 1000 500 -2"),
    ("swappiness", "/proc/sys/vm/swappiness", "1"),
    ("swap-accounting", "/proc/sys/vm/swappiness", "1"),
    ("reserved-huge-pages", "/proc/sys/vm/nr_hugepages", "16"),
    ("numa-balancing", "/sys/devices/system/node/online", "0-1"),
    ("numa-balancing", "/proc/sys/kernel/numa_balancing", "1"),
    ("zone-reclaim", "/proc/sys/vm/zone_reclaim_mode", "1"),
    ("compaction", "/proc/sys/vm/compaction_proactiveness", "20"),
    ("statistics-interval", "/proc/sys/vm/stat_interval", "1"),
    ("writeback-interval", "/proc/sys/vm/dirty_writeback_centisecs", "500"),
    ("address-randomisation", "/proc/sys/kernel/randomize_va_space", "2"),
    ("other-tasks", "/proc/1/status", "Cpus_allowed_list:\t0-1"),
    ("timer-migration", "/proc/sys/kernel/timer_migration", "1"),
    ("real-time-throttling", "/proc/sys/kernel/sched_rt_runtime_us", "-1"),
    ("autogroup", "/proc/sys/kernel/sched_autogroup_enabled", "1"),
    ("energy-aware-scheduling", "/proc/sys/kernel/sched_energy_aware", "1"),
    ("perf-events", "/proc/sys/kernel/perf_event_paranoid", "-1"),
    ("control-groups", "/sys/fs/cgroup/cgroup.controllers", "memory pids"),
    ("nmi-watchdog", "/proc/sys/kernel/nmi_watchdog", "1"),
    ("soft-watchdog", "/proc/sys/kernel/soft_watchdog", "1"),
    ("watchdog-cpus", "/proc/sys/kernel/watchdog_cpumask", "0-1"),
    ("clock-source", "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet"),
    ("tick-rate", "/boot/config-6.1.0", "CONFIG_HZ=1000\nCONFIG_KASAN=y\nCONFIG_RCU_NOCB_CPU=y"),
    ("interrupt-time", "/boot/config-6.1.0", "CONFIG_HZ=1000\nCONFIG_KASAN=y\nCONFIG_RCU_NOCB_CPU=y"),
    ("debug-kernel", "/boot/config-6.1.0", "CONFIG_HZ=1000\nCONFIG_KASAN=y\nCONFIG_RCU_NOCB_CPU=y"),
    ("preemption", "/proc/version", "Linux version 6.1.0 #1 SMP PREEMPT_RT"),
    ("mitigations", "/sys/devices/system/cpu/vulnerabilities/meltdown", "Vulnerable"),
    ("crash-helper", "/proc/sys/kernel/core_pattern", "|/usr/share/apport %p"),
    ("virtual-machine", "/proc/cpuinfo", "flags: fpu hypervisor"),
    ("steal", "/proc/stat", "cpu  10 0 10 900 0 0 0 80 0 0"),
    (
        "free-page-reporting",
        "/proc/interrupts",
        "   CPU0   CPU1\n 5:  7  9  IO-APIC  5-edge  virtio0-reporting_vq",
    ),
];

pub(crate) fn tree(values: &[(&str, &str)]) -> Tree {
    let tree = Tree::new(&[("proc/", "")]);
    for (path, text) in values {
        tree.write(&[(&path[1..], &format!("{text}\n"))]);
    }
    tree
}

fn read(roots: &Roots) -> (Snapshot, Vec<Setting>) {
    let timing = Timing { clock_read: Reading::Known(Nanos(25)), system_call: Reading::Known(Nanos(90)) };
    let snapshot = Snapshot::read(roots, timing);
    let aim = Aim::choose(&snapshot, None).unwrap();
    let settings = examine(&snapshot, &aim);
    (snapshot, settings)
}

fn bad_tree() -> Tree {
    let tree = tree(GOOD);
    for (_, path, text) in BAD {
        tree.write(&[(&path[1..], &format!("{text}\n"))]);
    }
    tree
}

fn worst(settings: &[Setting]) -> Status {
    Status::worst(settings.iter().map(|setting| setting.status))
}

fn changes(setting: &Setting) -> &[Change] {
    match &setting.remedy {
        Remedy::Write(changes) | Remedy::WriteOnRequest(changes) => changes,
        _ => &[],
    }
}

#[test]
fn a_good_machine_passes_everything() {
    let (_, settings) = read(&Roots::under(tree(GOOD).path()));
    for setting in &settings {
        assert_eq!(setting.status, Status::Pass, "{setting:#?}");
        assert_eq!((&setting.remedy, &setting.fix), (&Remedy::Nothing, &None), "{}", setting.id);
    }
    assert_eq!(worst(&settings), Status::Pass);
    assert!(settings.len() >= 40, "{}", settings.len());
    assert!(settings.is_sorted_by_key(|setting| setting.group), "the groups come one after the other");
}

#[test]
fn a_bad_machine_passes_nothing() {
    let (snapshot, settings) = read(&Roots::under(bad_tree().path()));
    for setting in &settings {
        assert!(matches!(setting.status, Status::Caution | Status::Fail), "{setting:#?}");
        assert!(setting.fix.is_some() && setting.fixed_by().is_some(), "{setting:#?}");
    }
    let failing: Vec<_> =
        settings.iter().filter(|setting| setting.status == Status::Fail).map(|setting| setting.id).collect();
    assert_eq!(
        failing,
        [
            "turbo",
            "governor",
            "huge-pages",
            "swap",
            "swap-accounting",
            "numa-balancing",
            "clock-source",
            "debug-kernel",
            "crash-helper",
            "steal"
        ]
    );
    let aim = Aim::choose(&snapshot, None).unwrap();
    let boot = Advice::of(&settings, &aim, &snapshot).boot.unwrap();
    assert_eq!(
        boot.parameters,
        "isolcpus=managed_irq,domain,1 nohz_full=1 rcu_nocbs=1 swapaccount=1 irqaffinity=0"
    );
}

#[test]
fn every_setting_has_a_case_that_does_not_pass() {
    for id in ids() {
        assert!(BAD.iter().any(|(of, _, _)| *of == id), "no case for {id}");
    }
    let mut unique = ids();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids().len(), "ids are unique");
}

#[test]
fn written_values_would_pass() {
    let tree = bad_tree();
    let (_, settings) = read(&Roots::under(tree.path()));
    for change in settings.iter().flat_map(changes) {
        // Here the kernel marks the choice among all; other files are read as they are written.
        let value = match change.before.contains('[') {
            true => format!("[{}]", change.value),
            false => change.value.clone(),
        };
        tree.write(&[(&change.path[1..], &value)]);
    }
    let (_, after) = read(&Roots::under(tree.path()));
    for setting in settings.iter().filter(|setting| !changes(setting).is_empty()) {
        let after = after.iter().find(|after| after.id == setting.id).unwrap();
        assert_eq!(after.status, Status::Pass, "{after:#?}");
    }
}

#[test]
fn an_empty_tree_has_a_reason_for_everything() {
    let (_, settings) = read(&Roots::under(Tree::new(&[("proc/", "")]).path()));
    for setting in &settings {
        assert_eq!(setting.status, Status::Unavailable, "{setting:#?}");
        assert!(!setting.found.is_empty() && setting.found != "not read", "{setting:#?}");
    }
    assert_eq!(worst(&settings), Status::Caution);
}

#[test]
fn nonsense_is_never_written_back() {
    let tree = tree(GOOD);
    for (path, _) in GOOD {
        tree.write(&[(&path[1..], "\u{0}nonsense\u{ff}[[")]);
    }
    let (_, settings) = read(&Roots::under(tree.path()));
    assert!(
        settings.iter().all(|setting| changes(setting).iter().all(|change| !change.value.contains('\0')))
    );
}

#[test]
fn pipe_in_a_tree_does_not_block() {
    let tree = tree(GOOD);
    let path = tree.path().join("proc/sys/vm/swappiness");
    std::fs::remove_file(&path).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let (_, settings) = read(&Roots::under(tree.path()));
    let swappiness = settings.iter().find(|setting| setting.id == "swappiness").unwrap();
    assert!(swappiness.found.ends_with("swappiness is not a file"), "{}", swappiness.found);
}

#[test]
fn this_machine_is_judged() {
    let snapshot = Snapshot::here();
    let settings = examine(&snapshot, &Aim::choose(&snapshot, None).unwrap());
    for setting in &settings {
        println!("{:<12} {:<24} {} | {:?}", setting.status, setting.id, setting.found, setting.fix);
    }
    let found: Vec<&str> = settings.iter().map(|setting| setting.id).collect();
    assert_eq!(found, ids(), "each has a place in the report");
    // Every kernel has this one, and its finding is the content of its file.
    let value = std::fs::read_to_string("/proc/sys/vm/swappiness").unwrap();
    let swappiness = settings.iter().find(|setting| setting.id == "swappiness").unwrap();
    assert_ne!(swappiness.status, Status::Unavailable, "{swappiness:#?}");
    assert!(swappiness.found.starts_with(value.trim()), "{swappiness:#?}");
}

/// The guide's tables are made from the catalogue: `UPDATE_GUIDE=1 cargo test -p tautochrone-settings guide`.
#[test]
fn guide_matches_the_catalogue() {
    const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/settings.md");
    const HEADING: &str = "## Every setting\n";
    let (_, settings) = read(&Roots::under(bad_tree().path()));
    let mut tables = String::new();
    let mut group = None;
    for setting in &settings {
        if group != Some(setting.group) {
            group = Some(setting.group);
            tables.push_str(&format!(
                "\n### {}\n\n| setting | what disturbs | from | fix | cost of the fix | `tune` |\n|---|---|---|---|---|---|\n",
                setting.group
            ));
        }
        let cell = |text: &str| text.replace('|', "\\|");
        let fix = setting.fix.as_deref().unwrap_or_default();
        let fix = match setting.fixed_by() {
            // The user's action is a command or a few words.
            Some("person")
                if !["echo", "for", "exec", "sysctl", "systemctl", "swapoff"]
                    .iter()
                    .any(|word| fix.split(' ').next() == Some(word)) =>
            {
                cell(fix)
            }
            _ => format!("`{}`", cell(fix)),
        };
        tables.push_str(&format!(
            "| `{}`: {} | {} | {} | {fix} | {} | {} |\n",
            setting.id,
            setting.name,
            cell(setting.effect),
            cell(setting.source),
            cell(setting.cost),
            setting.fixed_by().unwrap_or_default()
        ));
    }
    let guide = std::fs::read_to_string(GUIDE).unwrap();
    let (before, after) = guide.split_once(HEADING).unwrap();
    let words = after.split("\n### ").next().unwrap().trim_end_matches('\n');
    let expected = format!("{before}{HEADING}{words}\n{tables}");
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        std::fs::write(GUIDE, &expected).unwrap();
    } else {
        assert!(
            guide == expected,
            "docs/settings.md is not made from the catalogue; run with UPDATE_GUIDE=1"
        );
    }
}
