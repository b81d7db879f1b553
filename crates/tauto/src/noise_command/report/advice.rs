//! Which settings would remove which source, and what that would gain.

use api::{NoiseAdvice, NoiseSource};

/// Gains are given for iterations of so long: what the source article's model is shown for.
pub const ITERATION_NS: f64 = 100_000.0;

/// A kind of origin, which settings of `tauto machine check` govern it, and what to do.
struct Rule {
    /// Any of these in the kernel's name.
    names: &'static [&'static str],
    settings: &'static [&'static str],
    what: &'static str,
}

const RULES: [Rule; 8] = [
    Rule {
        names: &["kcompactd"],
        settings: &["compaction", "huge-page-defrag"],
        what: "the kernel moves memory together: it does so less often",
    },
    Rule {
        names: &["LOC", "timer", "Local timer"],
        settings: &["tickless-cpus", "isolated-cpus", "tick-rate", "timer-migration"],
        what: "the kernel's tick: a tickless CPU with one task on it has one a second; a lower tick rate has fewer",
    },
    Rule {
        names: &["softirq RCU", "RCU"],
        settings: &["rcu-callbacks", "tickless-cpus"],
        what: "work of RCU that follows the tick: let other CPUs do it",
    },
    Rule {
        names: &["softirq SCHED"],
        settings: &["isolated-cpus"],
        what: "balancing of load: isolated CPUs have none",
    },
    Rule {
        names: &["softirq TIMER", "softirq HRTIMER"],
        settings: &["timer-migration", "workqueue-cpus", "statistics-interval"],
        what: "timers of the kernel and of programs: keep them on other CPUs",
    },
    Rule {
        names: &["NMI", "PMI"],
        settings: &["nmi-watchdog", "perf-events"],
        what: "the watchdog's performance counter",
    },
    Rule {
        names: &["switch", "RES", "CAL", "TLB", "run delay", "IWI"],
        settings: &["other-tasks", "isolated-cpus", "control-groups"],
        what: "other tasks, or other CPUs that interrupt this one: give the CPU to one task",
    },
    Rule {
        names: &["steal"],
        settings: &["steal", "virtual-machine"],
        what: "the hypervisor runs somebody else: no setting of the guest removes it; ask for dedicated CPUs",
    },
];

/// Interrupts of devices have their own number or name.
const DEVICE: Rule = Rule {
    names: &[],
    settings: &["irq-affinity", "irq-default-affinity", "irqbalance", "packet-steering"],
    what: "an interrupt of a device: let other CPUs serve it",
};
const UNEXPLAINED: Rule = Rule {
    names: &[],
    settings: &["other-tasks", "workqueue-cpus", "writeback-cpus", "irq-affinity", "statistics-interval"],
    what: "not one known source: 'tauto machine audit' names who runs there",
};
const OUTSIDE: Rule = Rule {
    names: &[],
    settings: &["virtual-machine", "steal"],
    what: "it comes from outside this kernel, so no setting of this kernel removes it: the host's own tick, other \
           machines, or the firmware",
};

/// Says for each source of one CPU what would remove it, the most costly at scale first.
pub fn of(cpu: u32, sources: &[NoiseSource]) -> Vec<NoiseAdvice> {
    let mut advice: Vec<_> = sources
        .iter()
        .map(|source| {
            let rule = rule(source);
            NoiseAdvice {
                cpu,
                source: name(source),
                what: rule.what.to_owned(),
                settings: rule.settings.iter().map(|id| (*id).to_owned()).collect(),
                removable: source.origin.status != "outside" && source.origin.by.as_deref() != Some("steal"),
                share: source.share,
                delay_per_iteration_ns: delay_at_scale(source, ITERATION_NS),
            }
        })
        .collect();
    advice.sort_by(|one, other| other.delay_per_iteration_ns.total_cmp(&one.delay_per_iteration_ns));
    advice
}

/// A source in a few words.
pub fn name(source: &NoiseSource) -> String {
    let us = source.median_ns / 1e3;
    match source.kind.as_str() {
        "periodic" => format!("{:.2} Hz x {us:.2} us", source.frequency_hz),
        "stall" => format!("stalls, {:.2} a second", source.frequency_hz),
        _ => format!("without a period, {:.1} a second", source.frequency_hz),
    }
}

fn rule(source: &NoiseSource) -> &'static Rule {
    match (source.origin.status.as_str(), source.origin.by.as_deref()) {
        (_, Some(by)) => RULES
            .iter()
            .find(|rule| rule.names.iter().any(|name| by.starts_with(name) || by.contains(name)))
            .unwrap_or(&DEVICE),
        ("outside", None) => &OUTSIDE,
        _ => &UNEXPLAINED,
    }
}

/// By how much it delays each iteration of very many nodes on a line that wait for their neighbours: `d sqrt(2 f T_C)`
/// while it is rare, and at most what it takes if it hits every iteration. This is the one place where the page
/// predicts; `tauto noise predict` does so for a given number of nodes.
fn delay_at_scale(source: &NoiseSource, iteration_ns: f64) -> f64 {
    let per_iteration = source.frequency_hz * iteration_ns / 1e9;
    source.mean_ns * (2.0 * per_iteration).sqrt().min(per_iteration.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::NoiseOrigin;

    fn source(kind: &str, frequency_hz: f64, mean_ns: f64, status: &str, by: Option<&str>) -> NoiseSource {
        NoiseSource {
            kind: kind.to_owned(),
            frequency_hz,
            frequency_error_hz: None,
            drift_ppm: None,
            jitter_ns: None,
            median_ns: mean_ns,
            mean_ns,
            p95_ns: mean_ns,
            longest_ns: mean_ns,
            share: frequency_hz * mean_ns / 1e9,
            seen: 1,
            exposed: None,
            chance_log10: None,
            rides_on: None,
            origin: NoiseOrigin {
                status: status.to_owned(),
                by: by.map(str::to_owned),
                detail: String::new(),
            },
        }
    }

    #[test]
    fn every_named_setting_is_in_the_catalogue() {
        let known = probe::settings::ids();
        for rule in RULES.iter().chain([&DEVICE, &UNEXPLAINED, &OUTSIDE]) {
            for id in rule.settings {
                assert!(known.contains(id), "{id}");
            }
        }
    }

    #[test]
    fn the_costliest_at_scale_comes_first_and_the_hosts_cannot_be_removed() {
        let advice = of(
            1,
            &[
                source("periodic", 1000.0, 6_300.0, "outside", None),
                source("periodic", 250.0, 6_300.0, "explained", Some("LOC Local timer interrupts")),
                source("periodic", 8.0, 160_000.0, "explained", Some("24 virtio0-input.0")),
                source("stall", 0.5, 3e6, "explained", Some("steal")),
            ],
        );
        let told: Vec<_> = advice
            .iter()
            .map(|advice| (advice.source.as_str(), advice.removable, advice.settings[0].as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("stalls, 0.50 a second", false, "steal"),
                ("8.00 Hz x 160.00 us", true, "irq-affinity"),
                ("1000.00 Hz x 6.30 us", false, "virtual-machine"),
                ("250.00 Hz x 6.30 us", true, "tickless-cpus"),
            ]
        );
        // d sqrt(2 f T_C): 160 us sqrt(2 x 8 Hz x 100 us) = 6.4 us.
        assert!((advice[1].delay_per_iteration_ns - 6_400.0).abs() < 1.0);
    }
}
