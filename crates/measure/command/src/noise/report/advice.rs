//! Which settings would remove which source, and what that would gain.

use super::scale::{self, Part};
use documents::{NoiseAdvice, NoiseGain, NoiseSource};
use noise::model::Stencil;

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
        what: "the hypervisor runs other guests: no setting of the guest removes it; ask for dedicated CPUs",
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

/// Returns for each source of one CPU what would remove it, and what that gains where an iteration computes for
/// `compute_ns`. `parts` are the same sources, as the model takes them.
pub fn of(cpu: u32, sources: &[NoiseSource], parts: &[Part], compute_ns: f64) -> Vec<NoiseAdvice> {
    let advice = sources.iter().zip(parts).enumerate().map(|(at, (source, part))| {
        let rule = rule(source);
        NoiseAdvice {
            cpu,
            source: name(source),
            what: rule.what.to_owned(),
            settings: rule.settings.iter().map(|id| (*id).to_owned()).collect(),
            removable: part.is_removable,
            share: source.share,
            gains: scale::gains(compute_ns, parts, at),
            is_checked: scale::is_checked(compute_ns, part),
        }
    });
    advice.collect()
}

/// Returns whether a setting of this machine could remove a source.
pub fn is_removable(source: &NoiseSource) -> bool {
    source.origin.status != "outside" && source.origin.by.as_deref() != Some("steal")
}

/// Returns what removing it gains on the longest line of nodes: by that advice is put in order.
pub fn gain_at_scale(advice: &NoiseAdvice) -> f64 {
    let (_, most) = scale::SIZES
        .into_iter()
        .filter(|size| size.0 == Stencil::Line)
        .max_by_key(|size| size.1)
        .unwrap_or(scale::SIZES[0]);
    let gain = |gain: &&NoiseGain| gain.stencil == scale::name(Stencil::Line) && gain.nodes == most;
    advice.gains.iter().find(gain).map_or(0.0, |gain| gain.gain_ns)
}

/// Returns a source in a few words.
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

#[cfg(test)]
mod tests {
    use super::*;
    use documents::NoiseOrigin;
    use noise::{Occurrence, Source};

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
            in_quanta: None,
            origin: NoiseOrigin {
                status: status.to_owned(),
                by: by.map(str::to_owned),
                detail: String::new(),
            },
        }
    }

    #[test]
    fn every_named_setting_is_in_the_catalogue() {
        let known = settings::ids();
        for rule in RULES.iter().chain([&DEVICE, &UNEXPLAINED, &OUTSIDE]) {
            for id in rule.settings {
                assert!(known.contains(id), "{id}");
            }
        }
    }

    #[test]
    fn each_source_has_its_settings_and_the_hosts_cannot_be_removed() {
        let sources = [
            source("periodic", 1000.0, 6_300.0, "outside", None),
            source("periodic", 250.0, 6_300.0, "explained", Some("LOC Local timer interrupts")),
            source("periodic", 8.0, 160_000.0, "explained", Some("24 virtio0-input.0")),
            source("stall", 0.5, 3e6, "explained", Some("steal")),
        ];
        let parts: Vec<Part> = sources
            .iter()
            .map(|source| Part {
                sources: vec![Source {
                    occurrence: Occurrence::Periodic { frequency_hz: source.frequency_hz },
                    length_ns: source.mean_ns,
                }],
                is_removable: is_removable(source),
            })
            .collect();
        let advice = of(1, &sources, &parts, 100e3);
        let reported: Vec<_> = advice
            .iter()
            .map(|advice| (advice.source.as_str(), advice.removable, advice.settings[0].as_str()))
            .collect();
        assert_eq!(
            reported,
            [
                ("1000.00 Hz x 6.30 us", false, "virtual-machine"),
                ("250.00 Hz x 6.30 us", true, "tickless-cpus"),
                ("8.00 Hz x 160.00 us", true, "irq-affinity"),
                ("stalls, 0.50 a second", false, "steal"),
            ]
        );
        let most = advice.iter().max_by(|one, other| gain_at_scale(one).total_cmp(&gain_at_scale(other)));
        assert_eq!(most.map(|advice| advice.source.as_str()), Some("stalls, 0.50 a second"));
    }
}
