//! How the kernel was built and booted, and what it runs when a program crashes.

use super::Entry;
use super::config::option;
use super::finding::{Change, Finding, View, known};
use super::text::some_of;

const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const CLOCKS: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
const VULNERABILITIES: &str = "/sys/devices/system/cpu/vulnerabilities/*";
const CORE_PATTERN: &str = "/proc/sys/kernel/core_pattern";
const VERSION: &str = "/proc/version";
const PREEMPTION: &str = "/sys/kernel/debug/sched/preempt";
const REAL_TIME: &str = "/sys/kernel/realtime";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "clock-source",
        name: "clock source",
        effect: "a clock that is not in the processor costs us for each reading, and some drift",
        source: "Documentation/timers/timekeeping.rst; Documentation/virt/kvm/x86/timekeeping.rst",
        cost: "none",
        reads: &[CLOCK, CLOCKS],
        judge: clock_source,
    },
    Entry {
        id: "tick-rate",
        name: "scheduler tick",
        effect: "each tick takes some us from the program that computes: 1000 Hz x 5 us is 0.5 %",
        source: "kernel/Kconfig.hz; Documentation/timers/no_hz.rst",
        cost: "timers and time slices are coarser",
        reads: &[],
        judge: tick_rate,
    },
    Entry {
        id: "interrupt-time",
        name: "interrupt time accounting",
        effect: "without it the time of interrupts is charged to the program that they interrupt",
        source: "init/Kconfig (IRQ_TIME_ACCOUNTING)",
        cost: "two readings of the clock for each interrupt",
        reads: &[],
        judge: interrupt_time,
    },
    Entry {
        id: "preemption",
        name: "preemption model",
        effect: "a real-time kernel trades throughput for latency: interrupts become threads, locks cost more",
        source: "kernel/Kconfig.preempt; Documentation/admin-guide/kernel-parameters.txt (preempt)",
        cost: "another kernel",
        reads: &[VERSION, PREEMPTION, REAL_TIME],
        judge: preemption,
    },
    Entry {
        id: "debug-kernel",
        name: "debugging in the kernel",
        effect: "checkers in the kernel make system calls and faults several times slower",
        source: "Documentation/dev-tools/kasan.rst, kcsan.rst, kmemleak.rst; Documentation/locking/lockdep-design.rst",
        cost: "another kernel",
        reads: &[],
        judge: debug_kernel,
    },
    Entry {
        id: "mitigations",
        name: "processor mitigations",
        effect: "they make system calls and switches slower, evenly; without them a program may read what is not its own",
        source: "Documentation/admin-guide/hw-vuln/index.rst",
        cost: "leave them on: contestants' programs are strangers",
        reads: &[VULNERABILITIES],
        judge: mitigations,
    },
    Entry {
        id: "crash-helper",
        name: "helper for crashes",
        effect: "each crash starts this program as root, outside of all limits and on any CPU",
        source: "core(5), Piping core dumps to a program",
        cost: "crashes are not collected",
        reads: &[CORE_PATTERN],
        judge: crash_helper,
    },
];

fn clock_source(view: &View<'_>) -> Result<Finding, Finding> {
    const SLOW: [&str; 6] = ["acpi_pm", "hpet", "jiffies", "refined-jiffies", "pit", "xen"];
    let name = view.file(CLOCK)?;
    let here = view.snapshot.timing.clock_read.known().map(|cost| format!("{} ns for each reading", cost.0));
    if !SLOW.contains(&name) {
        return Ok(Finding::pass(name).here(here));
    }
    let finding = Finding::fail(name).here(here);
    let offered = view.known(CLOCKS).unwrap_or_default().split_whitespace();
    let best = offered.into_iter().find(|offered| !SLOW.contains(offered));
    Ok(match best {
        Some(best) => finding.write([Change::new(CLOCK, name, best)]),
        None => finding.boot(["tsc=reliable".to_owned()]),
    })
}

fn tick_rate(view: &View<'_>) -> Result<Finding, Finding> {
    const MANY_HZ: u32 = 300;
    let config = known(&view.snapshot.config)?;
    let hz = option(config, "CONFIG_HZ").and_then(|hz| hz.parse::<u32>().ok());
    let hz = hz.ok_or_else(|| Finding::unavailable("the kernel's configuration has no CONFIG_HZ"))?;
    let when = if option(config, "CONFIG_NO_HZ_FULL").is_some() {
        "none where nohz_full is set"
    } else if option(config, "CONFIG_NO_HZ_COMMON").is_some() {
        "none while idle"
    } else {
        "always"
    };
    let found = format!("{hz} Hz, {when}");
    // A tick that can be stopped is the setting `tickless-cpus`.
    Ok(Finding::caution_unless(hz <= MANY_HZ, found).person("a kernel with CONFIG_HZ=250 or 100"))
}

fn interrupt_time(view: &View<'_>) -> Result<Finding, Finding> {
    let config = known(&view.snapshot.config)?;
    let exact = ["CONFIG_IRQ_TIME_ACCOUNTING", "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE"];
    Ok(if exact.iter().any(|name| option(config, name).is_some()) {
        Finding::pass("on")
    } else {
        Finding::caution("off: interrupts are charged to the program")
            .person("a kernel with CONFIG_IRQ_TIME_ACCOUNTING=y; until then keep interrupts off timed CPUs")
    })
}

fn preemption(view: &View<'_>) -> Result<Finding, Finding> {
    let version = view.file(VERSION)?;
    if version.contains("PREEMPT_RT") || view.known(REAL_TIME) == Some("1") {
        return Ok(Finding::caution("real-time").person("the distribution's usual kernel"));
    }
    // With PREEMPT_DYNAMIC the model is chosen at boot, and debugfs shows it: `none voluntary (full)`.
    let chosen = view.known(PREEMPTION).and_then(|text| {
        text.split_whitespace().find_map(|word| Some(word.strip_prefix('(')?.strip_suffix(')')?.to_owned()))
    });
    let booted = view.known("/proc/cmdline").and_then(|line| super::text::boot_parameter(line, "preempt"));
    let built = || {
        let config = view.snapshot.config.known()?;
        let models = [
            ("CONFIG_PREEMPT_NONE", "none"),
            ("CONFIG_PREEMPT_VOLUNTARY", "voluntary"),
            ("CONFIG_PREEMPT_LAZY", "lazy"),
            ("CONFIG_PREEMPT", "full"),
        ];
        models.iter().find(|(name, _)| option(config, name).is_some()).map(|(_, model)| (*model).to_owned())
    };
    let model = chosen.or_else(|| booted.map(str::to_owned)).or_else(built);
    model.map(Finding::pass).ok_or_else(|| {
        Finding::unavailable("neither debugfs, the command line nor the kernel's configuration shows it")
    })
}

fn debug_kernel(view: &View<'_>) -> Result<Finding, Finding> {
    const CHECKERS: [&str; 6] = [
        "CONFIG_KASAN",
        "CONFIG_KCSAN",
        "CONFIG_KMSAN",
        "CONFIG_DEBUG_KMEMLEAK",
        "CONFIG_PROVE_LOCKING",
        "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT",
    ];
    let config = known(&view.snapshot.config)?;
    let on: Vec<_> = CHECKERS.into_iter().filter(|name| option(config, name) == Some("y")).collect();
    let here =
        view.snapshot.timing.system_call.known().map(|cost| format!("{} ns for a system call", cost.0));
    Ok(if on.is_empty() {
        Finding::pass("none").here(here)
    } else {
        Finding::fail(on.join(", ")).here(here).person("the distribution's usual kernel")
    })
}

fn mitigations(view: &View<'_>) -> Result<Finding, Finding> {
    let all = view.snapshot.all(VULNERABILITIES);
    if all.is_empty() {
        return Err(Finding::unavailable("the kernel lists no vulnerabilities in sysfs"));
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let open: Vec<_> =
        all.iter().filter(|(_, text)| text.starts_with("Vulnerable")).map(|(path, _)| name(path)).collect();
    let mitigated = all.iter().filter(|(_, text)| text.starts_with("Mitigation")).count();
    let here =
        view.snapshot.timing.system_call.known().map(|cost| format!("{} ns for a system call", cost.0));
    Ok(if open.is_empty() {
        Finding::pass(format!("{mitigated} of {} needed, all on", all.len())).here(here)
    } else {
        let finding = Finding::caution(format!("vulnerable: {}", some_of(&open))).here(here);
        finding.person("boot without mitigations=off, with the newest microcode")
    })
}

fn crash_helper(view: &View<'_>) -> Result<Finding, Finding> {
    let pattern = view.feature(CORE_PATTERN)?;
    // From 6.16 on a pattern may name a socket; then a service gets the crash.
    Ok(if pattern.starts_with(['|', '@']) {
        Finding::fail(pattern).write([Change::new(CORE_PATTERN, pattern, "core")])
    } else {
        Finding::pass(if pattern.is_empty() { "none" } else { pattern })
    })
}
