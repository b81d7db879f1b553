//! The processors' frequencies, and what changes them.

use super::Entry;
use super::finding::{Change, Finding, View, number};
use super::text::some_of;
use model::counted;
use std::collections::BTreeSet;

const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";
const GOVERNOR: &str = "/sys/devices/system/cpu/cpufreq/policy#/scaling_governor";
const GOVERNORS: &str = "/sys/devices/system/cpu/cpufreq/policy#/scaling_available_governors";
const PREFERENCE: &str = "/sys/devices/system/cpu/cpufreq/policy#/energy_performance_preference";
const MIN: &str = "/sys/devices/system/cpu/cpufreq/policy#/scaling_min_freq";
const MAX: &str = "/sys/devices/system/cpu/cpufreq/policy#/scaling_max_freq";
const CURRENT: &str = "/sys/devices/system/cpu/cpufreq/policy#/scaling_cur_freq";
const THROTTLED: &str = "/sys/devices/system/cpu/cpu#/thermal_throttle/core_throttle_count";
const NO_DRIVER: &str = "the kernel has no frequency driver (no cpufreq/policy* in sysfs): the firmware or the hypervisor decides";

/// Turbo comes first: it changes the maximum frequency, to which the range is set afterwards. The governor comes before
/// the preference, which some drivers fix while the governor is `performance`.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "turbo",
        name: "turbo",
        effect: "the frequency rises by what heat and idle neighbours allow: up to tens of per cent between two runs",
        source: "Documentation/admin-guide/pm/intel_pstate.rst (no_turbo), pm/cpufreq.rst (boost)",
        cost: "all programs run at the nominal frequency, so every run takes longer",
        reads: &[NO_TURBO, BOOST],
        judge: turbo,
    },
    Entry {
        id: "governor",
        name: "frequency governor",
        effect: "other governors follow the load: a run starts at a low frequency and speeds up within its first quarter second",
        source: "Documentation/admin-guide/pm/cpufreq.rst (scaling governors)",
        cost: "more power and heat while idle",
        reads: &[GOVERNOR, GOVERNORS],
        judge: governor,
    },
    Entry {
        id: "energy-preference",
        name: "energy preference",
        effect: "the processor itself trades speed for power within the range that it may use",
        source: "Documentation/admin-guide/pm/intel_pstate.rst (energy_performance_preference), pm/amd-pstate.rst",
        cost: "more power",
        reads: &[PREFERENCE],
        judge: preference,
    },
    Entry {
        id: "frequency-range",
        name: "frequency range",
        effect: "between lowest and highest the driver is free to choose; one frequency leaves it no choice",
        source: "Documentation/admin-guide/pm/cpufreq.rst (scaling_min_freq, scaling_max_freq)",
        cost: "more power and heat while idle",
        reads: &[MIN, MAX, CURRENT],
        judge: range,
    },
    Entry {
        id: "thermal-throttling",
        name: "thermal throttling",
        effect: "a processor that is too hot lowers its frequency for milliseconds to seconds",
        source: "Documentation/admin-guide/thermal/intel_powerclamp.rst; arch/x86/kernel/cpu/mce/therm_throt.c",
        cost: "cooling",
        reads: &[THROTTLED],
        judge: throttling,
    },
];

fn turbo(view: &View<'_>) -> Result<Finding, Finding> {
    let (path, text, off) = match (view.known(NO_TURBO), view.known(BOOST)) {
        (Some(text), _) => (NO_TURBO, text, "1"),
        (None, Some(text)) => (BOOST, text, "0"),
        (None, None) => {
            return Err(Finding::unavailable(
                "neither intel_pstate/no_turbo nor cpufreq/boost is there: the firmware or the hypervisor decides",
            ));
        }
    };
    number(path, text)?;
    Ok(if text == off {
        Finding::pass("off")
    } else {
        Finding::fail("on").here(current(view)).write([Change::new(path, text, off)])
    })
}

fn governor(view: &View<'_>) -> Result<Finding, Finding> {
    let governors = view.snapshot.all(GOVERNOR);
    let names: BTreeSet<_> = governors.iter().map(|(_, name)| *name).collect();
    if names.is_empty() {
        return Err(Finding::unavailable(NO_DRIVER));
    }
    let found = names.iter().copied().collect::<Vec<_>>().join(", ");
    if names.iter().all(|name| *name == "performance") {
        return Ok(Finding::pass(found));
    }
    // A kernel without that governor would reject it.
    let offered = view.snapshot.all(GOVERNORS);
    if !offered.is_empty()
        && !offered.iter().any(|(_, names)| names.split(' ').any(|name| name == "performance"))
    {
        let finding = Finding::fail(found).here(current(view));
        return Ok(
            finding.person("set one frequency in the firmware: this kernel has no governor 'performance'")
        );
    }
    let changes = governors
        .into_iter()
        .filter(|(_, name)| *name != "performance")
        .map(|(path, name)| Change::new(path, name, "performance"));
    Ok(Finding::fail(found).here(current(view)).write(changes))
}

fn preference(view: &View<'_>) -> Result<Finding, Finding> {
    let files = view.snapshot.all(PREFERENCE);
    if files.is_empty() {
        return Err(Finding::unavailable(
            "the frequency driver has no energy_performance_preference, or there is no driver",
        ));
    }
    let names: BTreeSet<_> = files.iter().map(|(_, name)| *name).collect();
    let found = names.iter().copied().collect::<Vec<_>>().join(", ");
    // Drivers show the same preference as a word or as the number 0.
    let good = |name: &str| name == "performance" || name == "0";
    let is_good = names.iter().all(|name| good(name));
    let changes = files.into_iter().filter(|(_, name)| !good(name));
    let changes = changes.map(|(path, name)| Change::new(path, name, "performance"));
    Ok(Finding::caution_unless(is_good, found).write(changes))
}

fn range(view: &View<'_>) -> Result<Finding, Finding> {
    let maxima = view.snapshot.all(MAX);
    let mut changes = Vec::new();
    let mut ranges = BTreeSet::new();
    for (path, lowest) in view.snapshot.all(MIN) {
        let Some((_, highest)) = maxima.iter().find(|(max, _)| max.replace("_max_", "_min_") == path) else {
            continue;
        };
        let (low, high) = (number(path, lowest)?, number(path, highest)?);
        ranges.insert(if low == high {
            megahertz(low)
        } else {
            format!("{} to {}", megahertz(low), megahertz(high))
        });
        if low != high {
            changes.push(Change::new(path, lowest, *highest));
        }
    }
    if ranges.is_empty() {
        return Err(Finding::unavailable(NO_DRIVER));
    }
    let found = some_of(&ranges.into_iter().collect::<Vec<_>>());
    Ok(if changes.is_empty() {
        Finding::pass(found)
    } else {
        Finding::caution(found).here(current(view)).write(changes)
    })
}

fn throttling(view: &View<'_>) -> Result<Finding, Finding> {
    let counts = view.snapshot.all(THROTTLED);
    if counts.is_empty() {
        return Err(Finding::unavailable(
            "no thermal_throttle counters in sysfs: not this processor, or a hypervisor",
        ));
    }
    let hot = counts.iter().filter(|(_, count)| *count != "0").count();
    let sum: i64 = counts.iter().filter_map(|(_, count)| count.parse::<i64>().ok()).sum();
    Ok(if hot == 0 {
        Finding::pass("never since boot")
    } else {
        Finding::caution(format!("{sum} times since boot on {}", counted(hot, "CPU")))
            .person("better cooling, or a lower highest frequency")
    })
}

/// Returns what the frequencies are right now, where several differ.
fn current(view: &View<'_>) -> Option<String> {
    let now: Vec<i64> = view.snapshot.all(CURRENT).iter().filter_map(|(_, text)| text.parse().ok()).collect();
    let (low, high) = (*now.iter().min()?, *now.iter().max()?);
    Some(format!("now {} to {} over {}", megahertz(low), megahertz(high), counted(now.len(), "CPU")))
}

fn megahertz(khz: i64) -> String {
    format!("{} MHz", khz / 1000)
}
