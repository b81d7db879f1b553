//! From profiles to documents.

use documents::{
    NoiseCalls, NoiseCpu, NoiseDetours, NoiseKernelCounts, NoiseLengths, NoiseProbeReport, NoiseWarmUp,
    Unavailable,
};
use model::Reading;
use noise::{GapSummary, GapTrace, KernelCounts, Lengths, NodeLoad, Profile, QuantumSummary, TickRate};

pub fn profile(profile: &Profile) -> NoiseProbeReport {
    NoiseProbeReport {
        identity: profile.machine.identity.clone(),
        host: profile.machine.host.clone(),
        processor: profile.machine.processor.clone(),
        kernel: profile.machine.kernel.clone(),
        began_unix_s: profile.began_unix_s,
        load: load(profile.load).to_owned(),
        counter_hz: profile.rate.0,
        weaknesses: profile.weaknesses.clone(),
        cpus: profile.cpus.iter().map(|one| cpu(one, profile.rate)).collect(),
    }
}

/// Marks what makes a profile weaker.
pub fn weaker(weaknesses: &[String]) -> Vec<String> {
    weaknesses.iter().map(|weakness| format!("weaker: {weakness}")).collect()
}

/// Names a load.
pub fn load(load: NodeLoad) -> &'static str {
    match load {
        NodeLoad::OneCpu => "one-cpu",
        NodeLoad::AllCpus => "all-cpus",
    }
}

fn cpu(cpu: &noise::CpuProfile, rate: TickRate) -> NoiseCpu {
    let mut unavailable = Unavailable::new();
    let detours = match &cpu.gaps {
        Reading::Known(gaps) => Some(detours(gaps, rate)),
        Reading::Unavailable(why) => {
            unavailable.insert("detours".to_owned(), why.clone());
            None
        }
    };
    let calls = match &cpu.quanta {
        Reading::Known(quanta) => QuantumSummary::of(quanta, rate).map(|summary| calls(&summary)),
        Reading::Unavailable(why) => {
            unavailable.insert("calls".to_owned(), why.clone());
            None
        }
    };
    NoiseCpu { cpu: cpu.cpu.0, detours, calls, unavailable }
}

fn detours(gaps: &GapTrace, rate: TickRate) -> NoiseDetours {
    let summary = GapSummary::of(gaps, rate);
    NoiseDetours {
        watched_ns: summary.watched_ns,
        turn_ns: summary.turn_ns,
        threshold_ns: rate.nanos(gaps.threshold),
        bursts: gaps.bursts.len() as u64,
        count: summary.detours,
        count_of_1_us: summary.counted,
        stolen_ns: summary.stolen_ns,
        share: summary.share(),
        lengths: summary.lengths.as_ref().map(lengths),
        kernel: counts(&gaps.counts),
    }
}

fn lengths(lengths: &Lengths) -> NoiseLengths {
    NoiseLengths {
        min_ns: lengths.min_ns,
        p50_ns: lengths.p50_ns,
        p99_ns: lengths.p99_ns,
        max_ns: lengths.max_ns,
        mean_ns: lengths.mean_ns,
    }
}

fn calls(summary: &QuantumSummary) -> NoiseCalls {
    NoiseCalls {
        count: summary.calls,
        target_ns: summary.target.0,
        lengths: lengths(&summary.lengths),
        warm_up: summary.warm_up.as_ref().map(|warm_up| NoiseWarmUp {
            slower: warm_up.slower,
            slowest_window: warm_up.slowest_window,
            settled_after_ns: warm_up.settled_after.0,
        }),
    }
}

fn counts(counts: &KernelCounts) -> NoiseKernelCounts {
    NoiseKernelCounts::new(
        counts.interval,
        &counts.interrupts,
        &counts.softirqs,
        &counts.steal,
        &counts.run_delay,
        &counts.forced_switches,
        &match &counts.events {
            Reading::Known(events) => {
                Reading::Known(events.iter().map(|(name, when)| (name.clone(), when.len() as u64)).collect())
            }
            Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
        },
    )
}
