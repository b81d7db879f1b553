use crate::{machine, printed};
use api::{
    ExchangeAdded, ExchangeArm, ExchangeInjection, ExchangeSize, ExchangeSpread, ExchangeWarmUp,
    NoiseExchangeReport, Unavailable,
};

#[test]
fn exchange() {
    let spread = |median_ns: f64| ExchangeSpread {
        mean_ns: median_ns + 1.5,
        median_ns,
        low_ns: median_ns - 2.0,
        high_ns: median_ns + 2.0,
    };
    let report = NoiseExchangeReport {
        machine: machine(),
        library: "Open MPI v4.1.4".to_owned(),
        call_wanted_ns: 75_000,
        call_steps: 201_160,
        message_bytes: 1024,
        iterations: 100_000,
        block_iterations: 1000,
        boundary_part: 0.1,
        tests: 4,
        injections: vec![
            ExchangeInjection { frequency_hz: 1000.0, length_ns: 13_000.0, ranks: None },
            ExchangeInjection { frequency_hz: 8.0, length_ns: 160_000.0, ranks: Some(vec![0, 2]) },
        ],
        phases: "own".to_owned(),
        seed: 1,
        clock_ns: 30.5,
        warm_up: Some(ExchangeWarmUp {
            slice_ns: 50_000_000,
            calls_ns: vec![81_517.0, 69_774.0],
            first_quarter_ratio: 1.5,
        }),
        sizes: vec![ExchangeSize {
            ranks: 2,
            cpus: vec![1, 0],
            cpus_shared: false,
            blocks_moved: 0,
            arms: vec![ExchangeArm {
                work: "blocking".to_owned(),
                injected: true,
                iteration: spread(77_000.0),
                beyond_alone: Some(spread(2_000.0)),
                counting_ns: 75_900.0,
                detours: 210,
                detour_mean_ns: Some(13_020.5),
                detours_absorbed: 68,
                times_ns: vec![77_000.0, 77_001.0],
            }],
            added: vec![ExchangeAdded {
                work: "blocking".to_owned(),
                measured: Some(spread(1_900.0)),
                computed: spread(1_850.0),
            }],
        }],
        complete: true,
        warnings: vec!["it was busy".to_owned()],
        unavailable: Unavailable::new(),
    };
    insta::assert_snapshot!(printed(&report));
}
