use crate::printed;
use documents::{NoiseCpu, NoiseDetours, NoiseKernelCounts, NoiseProbeReport, Unavailable};
use model::{Nanos, Reading};

fn counted(counts: &[(&str, u64)]) -> Reading<Vec<(String, u64)>> {
    Reading::Known(counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect())
}

#[test]
fn unreadable_values_of_a_probe_are_null_with_a_reason() {
    let kernel = NoiseKernelCounts::new(
        Nanos(10),
        &counted(&[("LOC Local timer interrupts", 2500)]),
        &counted(&[]),
        &Reading::Known(Nanos(0)),
        &Reading::unavailable("no schedstat"),
        &Reading::Known(3),
        &Reading::unavailable("tracing cannot be mounted"),
    );
    let detours = NoiseDetours {
        watched_ns: 1e10,
        turn_ns: 19.5,
        threshold_ns: 119.5,
        bursts: 1,
        count: 0,
        count_of_1_us: 0,
        stolen_ns: 0.0,
        share: 0.0,
        lengths: None,
        kernel,
    };
    let reason = Unavailable::from([("calls".to_owned(), "none were asked for".to_owned())]);
    let text = printed(&NoiseProbeReport {
        identity: "cafe".to_owned(),
        host: "here".to_owned(),
        processor: "Fast CPU".to_owned(),
        kernel: "6.1.0".to_owned(),
        began_unix_s: 1,
        load: "one-cpu".to_owned(),
        counter_hz: 2_100_000_125.5,
        weaknesses: Vec::new(),
        cpus: vec![NoiseCpu { cpu: 1, detours: Some(detours), calls: None, unavailable: reason }],
    });
    for part in [
        "\"schema\": \"tautochrone/noise-probe/1\"",
        "\"LOC Local timer interrupts\": 2500",
        "\"run_delay_ns\": null",
        "\"run_delay_ns\": \"no schedstat\"",
        "\"calls\": null",
        "\"counter_hz\": 2100000125.5",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
