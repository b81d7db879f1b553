use crate::printed;
use api::{
    NoiseCheckCpu, NoiseCheckReport, NoiseCompareReport, NoiseCompareRow, NoiseCompareSide, NoiseCpu,
    NoiseDetours, NoiseKernelCounts, NoiseProbeReport, Unavailable,
};
use model::{Nanos, Reading};

fn counted(counts: &[(&str, u64)]) -> Reading<Vec<(String, u64)>> {
    Reading::Known(counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect())
}

#[test]
fn a_probe_tells_what_it_could_not_read() {
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

#[test]
fn a_check_and_a_comparison_can_be_read_back() {
    let cpu = NoiseCheckCpu {
        cpu: 1,
        share: Some(0.004),
        watched_ns: Some(2e9),
        within: true,
        baseline_share: None,
        baseline_began_unix_s: None,
        unavailable: Unavailable::from([("baseline_share".to_owned(), "none".to_owned())]),
    };
    let text = printed(&NoiseCheckReport {
        budget: 0.005,
        within: true,
        load: "one-cpu".to_owned(),
        weaknesses: Vec::new(),
        cpus: vec![cpu],
    });
    assert!(text.contains("\"schema\": \"tautochrone/noise-check/1\""), "{text}");
    let side = || NoiseCompareSide {
        path: "a.noise".to_owned(),
        identity: "cafe".to_owned(),
        host: "here".to_owned(),
        began_unix_s: 1,
        load: "one-cpu".to_owned(),
    };
    let row = NoiseCompareRow {
        cpu: 1,
        what: "taken".to_owned(),
        first: Some(0.01),
        second: Some(0.002),
        difference_low: Some(-0.009),
        difference_high: Some(-0.007),
        chance: Some(0.000_3),
        significant: true,
        unavailable: None,
    };
    let text = printed(&NoiseCompareReport {
        first: side(),
        second: side(),
        cautions: vec!["they differ".to_owned()],
        rows: vec![row],
    });
    assert!(text.contains("\"schema\": \"tautochrone/noise-compare/1\""), "{text}");
}
