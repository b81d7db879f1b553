//! Each document as it is printed. A change here is a change for every reader of our JSON.

mod audit;
mod judge;
mod machine;
mod noise;
mod record;
mod run;
mod topology;

use documents::{Document, DocumentKind, MachineIdentity, from_json, to_json};
use model::{
    Bytes, Evidence, Guard, HardwareCounts, Isolation, IsolationKind, MachineUse, Nanos, Reading, RunEnd,
    RunResult, Slowdown, Unusual, UnusualKind, Usage,
};

/// Makes a test of each document: the file next to this one is read, and printed the same again.
macro_rules! documents {
    ($($name:ident: $kind:ty,)*) => {$(
        #[test]
        fn $name() {
            let text = include_str!(concat!(stringify!($name), ".json"));
            let read: $kind = from_json(text).expect("a document of before");
            assert_eq!(printed(&read), text);
        }
    )*};
}

documents! {
    allocation: documents::AllocationReport,
    bench: documents::BenchReport,
    bench_comparison: documents::BenchComparisonReport,
    bench_counts: documents::BenchCountsReport,
    bench_counts_comparison: documents::BenchCountsComparisonReport,
    doctor: documents::DoctorReport,
    image: documents::ImageReport,
    image_contents: documents::ImageContents,
    images: documents::ImagesReport,
    images_prune: documents::ImagesPruneReport,
    judgehost_event: documents::judgehost::JudgehostEvent,
    lab_affinity: documents::LabAffinityReport,
    lab_noise: documents::LabNoiseReport,
    lab_placement: documents::LabPlacementReport,
    lab_sharing: documents::LabSharingReport,
    lab_clock: documents::LabClockReport,
    lab_sieve: documents::LabSieveReport,
    lab_stability: documents::LabStabilityReport,
    lab_throttling: documents::LabThrottlingReport,
    languages: documents::LanguagesReport,
    machine_check: documents::MachineCheckReport,
    machine_restore: documents::MachineRestoreReport,
    machine_tune: documents::MachineTuneReport,
    noise_check: documents::NoiseCheckReport,
    noise_compare: documents::NoiseCompareReport,
    noise_exchange: documents::NoiseExchangeReport,
    noise_report: documents::NoiseReport,
    noise_sources: documents::NoiseSourcesReport,
    policies: documents::PoliciesReport,
    policy_check: documents::PolicyCheckReport,
    record_verification: documents::RecordVerification,
    sim_contest: documents::SimContestReport,
    sim_import: documents::SimImportReport,
    sim_noise: documents::SimNoiseReport,
    sim_right_size: documents::SimRightSizeReport,
}

/// Results of benchmarks are kept and compared later: what is newer in them has a default.
#[test]
fn results_of_older_versions_are_read() {
    let bench: documents::BenchReport =
        from_json(include_str!("bench_before.json")).expect("a result of before");
    assert_eq!((bench.tautochrone.metric.as_str(), bench.tautochrone.reference), ("cpu", None));
    let text = include_str!("bench_comparison_before.json");
    let comparison: documents::BenchComparisonReport = from_json(text).expect("a comparison of before");
    assert_eq!(comparison.machine_change, None);
}

/// Prints a document, and makes sure that it can be read back and follows its schema.
fn printed<T: Document + PartialEq + std::fmt::Debug>(document: &T) -> String {
    let text = to_json(document);
    assert_eq!(&from_json::<T>(&text).expect("our own document"), document);
    follows_schema::<T>(&text);
    text
}

/// Makes sure that a document follows its schema.
fn follows_schema<T: Document>(text: &str) {
    let kind = DocumentKind::find(T::SCHEMA).expect("a document that is not in DOCUMENTS");
    let schema = jsonschema::draft202012::new(kind.json_schema().as_value()).expect("our own schema");
    let document = serde_json::from_str(text).expect("our own document");
    let errors: Vec<_> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}: {errors:#?}\n{text}", T::SCHEMA);
}

fn result(end: RunEnd, cpu_time_ms: u64) -> RunResult {
    RunResult {
        end,
        usage: Usage {
            cpu_time: Nanos::from_millis(cpu_time_ms),
            user_time: Reading::Known(Nanos::from_millis(cpu_time_ms - 1)),
            system_time: Reading::Known(Nanos::from_millis(1)),
            wall_time: Nanos::from_millis(cpu_time_ms + 2),
            instructions: Reading::Known(model::InstructionCount(94_818_947)),
            memory_peak: Reading::Known(Bytes::from_mib(3)),
            max_rss: Reading::Known(Bytes::from_mib(2)),
            output: Reading::Known(Bytes(12)),
            forced_switches: Reading::Known(1),
            voluntary_switches: Reading::Known(2),
            minor_faults: Reading::Known(3),
            major_faults: Reading::Known(0),
        },
        evidence: Evidence {
            neighbours: Reading::Known(model::Neighbours {
                helpers: ["checker".to_owned()].into(),
                timed_cpus: "1".parse().expect("a list of CPUs"),
            }),
            cpus: "1".parse().expect("a list of CPUs"),
            steal: Reading::Known(Nanos::from_millis(20)),
            interrupts: Reading::Known(260),
            softirqs: Reading::Known(40),
            throttled: Reading::Known(Nanos::ZERO),
            cpu_pressure: Reading::unavailable("cpu.pressure cannot be opened"),
            others_cpu_time: Reading::Known(Nanos::ZERO),
            migrations: Reading::Known(0),
            frequency: Reading::unavailable("this machine has no cpufreq"),
            heat_throttles: Reading::unavailable("this machine has no thermal_throttle"),
            core_slowdown: Reading::Known(Slowdown(12)),
            guard: Reading::Known(Guard {
                looks: 50,
                slow_looks: 3,
                slowdown: Slowdown(12),
                held: Nanos::from_millis(7),
            }),
            unusual: Reading::Known(vec![Unusual {
                what: UnusualKind::Interrupts,
                seen: 2600.0,
                usual: 260.0,
            }]),
            hardware: Reading::Known(HardwareCounts {
                instructions: 5_000_000_000,
                cycles: 2_300_000_000,
                reference_cycles: Some(2_300_000_000),
                cache_misses: None,
                enabled: Nanos::from_millis(1000),
                running: Nanos::from_millis(500),
            }),
            isolation: Isolation {
                kind: IsolationKind::CpuSet,
                weaker_because: Some("cgroup v1 has no partitions".to_owned()),
                lost: None,
            },
            machine: Some(MachineUse {
                is_emulated: true,
                cpu_time: Nanos::from_millis(1400),
                start_time: Nanos::from_millis(60),
                memory_peak: Some(Bytes::from_mib(120)),
            }),
        },
    }
}

fn machine() -> MachineIdentity {
    MachineIdentity::new(
        &Reading::Known("Fast CPU".to_owned()),
        &Reading::Known(2),
        &Reading::Known(Bytes::from_mib(1024)),
        &Reading::Known("6.1.0".to_owned()),
        &Reading::unavailable("the firmware names no product"),
        "0123456789abcdef".to_owned(),
    )
}
