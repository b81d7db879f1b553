use crate::printed;
use api::{
    NoiseAdvice, NoiseCompareReport, NoiseCompareSide, NoiseCost, NoiseCostAt, NoiseGain, NoiseInQuanta,
    NoiseOrigin, NoiseQuanta, NoiseReport, NoiseRiding, NoiseSource, NoiseSourcesCpu, NoiseSourcesReport,
    Unavailable,
};

fn sources() -> NoiseSourcesReport {
    let tick = NoiseSource {
        kind: "periodic".to_owned(),
        frequency_hz: 250.0,
        frequency_error_hz: Some(0.0001),
        drift_ppm: Some(0.1),
        jitter_ns: Some(310.0),
        median_ns: 6_300.0,
        mean_ns: 6_400.5,
        p95_ns: 7_000.0,
        longest_ns: 21_000.0,
        share: 0.0016,
        seen: 2_480,
        exposed: Some(2_500),
        chance_log10: Some(-4_000.5),
        rides_on: None,
        in_quanta: Some(NoiseInQuanta {
            status: "seen".to_owned(),
            length_ns: Some(6_250.5),
            length_error_ns: Some(140.0),
            chance_log10: Some(-45.5),
        }),
        origin: NoiseOrigin {
            status: "explained".to_owned(),
            by: Some("LOC".to_owned()),
            detail: "counted 250.2 a second".to_owned(),
        },
    };
    let riding = NoiseSource {
        frequency_hz: 62.5,
        rides_on: Some(NoiseRiding { source: 0, every: 4 }),
        in_quanta: Some(NoiseInQuanta {
            status: "faint".to_owned(),
            length_ns: None,
            length_error_ns: None,
            chance_log10: None,
        }),
        ..tick.clone()
    };
    let random = NoiseSource {
        kind: "random".to_owned(),
        frequency_error_hz: None,
        drift_ppm: None,
        jitter_ns: None,
        exposed: None,
        chance_log10: None,
        in_quanta: None,
        origin: NoiseOrigin {
            status: "unexplained".to_owned(),
            by: None,
            detail: "3.0 interrupts are left".to_owned(),
        },
        ..tick.clone()
    };
    let cpu = NoiseSourcesCpu {
        cpu: 0,
        watched_ns: Some(10_000_000_000),
        detours: Some(2_500),
        share: Some(0.0021),
        quanta: Some(NoiseQuanta {
            lost: 0.0022,
            expected: 0.0021,
            difference_low: -0.0001,
            difference_high: 0.0003,
            confidence: 0.95,
            agreement: "agrees".to_owned(),
        }),
        sources: vec![tick, riding, random],
        unavailable: Unavailable::new(),
    };
    let why = || "CPU 1 went offline".to_owned();
    let gone = NoiseSourcesCpu {
        cpu: 1,
        watched_ns: None,
        detours: None,
        share: None,
        quanta: None,
        sources: Vec::new(),
        unavailable: ["watched_ns", "detours", "share", "quanta"]
            .map(|field| (field.to_owned(), why()))
            .into(),
    };
    NoiseSourcesReport {
        profile: "here.noise".to_owned(),
        host: "host7".to_owned(),
        processor: "Fast CPU".to_owned(),
        kernel: "6.1.0".to_owned(),
        began_unix_s: 1_700_000_000,
        load: "all-cpus".to_owned(),
        false_alarms_max: 0.001,
        cpus: vec![cpu, gone],
        weaknesses: vec!["memory could not be locked".to_owned()],
    }
}

fn side(path: &str) -> NoiseCompareSide {
    NoiseCompareSide {
        path: path.to_owned(),
        identity: "0123456789abcdef".to_owned(),
        host: "host7".to_owned(),
        began_unix_s: 1_700_000_000,
        load: "all-cpus".to_owned(),
    }
}

#[test]
fn noise_sources() {
    insta::assert_snapshot!(printed(&sources()));
}

#[test]
fn noise_report() {
    let report = NoiseReport {
        sources: NoiseSourcesReport { cpus: Vec::new(), ..sources() },
        advice: vec![NoiseAdvice {
            cpu: 0,
            source: "250.00 Hz x 6.30 us".to_owned(),
            what: "the kernel's tick".to_owned(),
            settings: vec!["tickless-cpus".to_owned()],
            removable: true,
            share: 0.0016,
            gains: vec![NoiseGain { stencil: "1d".to_owned(), nodes: 100, gain_ns: 1_400.5 }],
            is_checked: true,
        }],
        iteration_ns: 100_000,
        costs: vec![NoiseCost {
            cpu: 0,
            at: vec![NoiseCostAt {
                stencil: "1d".to_owned(),
                nodes: 100,
                extra_ns: 2_800.5,
                not_removable_ns: 1_400.0,
            }],
        }],
        before: None,
        comparison: Some(NoiseCompareReport {
            first: side("before.noise"),
            second: side("here.noise"),
            cautions: Vec::new(),
            rows: Vec::new(),
        }),
        changed_sources: vec!["CPU 0: 1000.00 Hz x 6.30 us has gone.".to_owned()],
    };
    insta::assert_snapshot!(printed(&report));
}
