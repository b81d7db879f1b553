//! What a judgehost reports about its machine, for people.

use documents::judgehost::{CpuNoise, MACHINE_BYTES_MAX, MachineReport};
use host_command::machine::check;
use judge::Station;
use model::{CpuSet, Nanos, Reading};
use noise::{GapSummary, NodeLoad};
use noise_probe::{Plan, Priority, USUAL_QUANTUM, measure};
use system::Roots;

/// How long the loop looks on each timed CPU, on all at the same time.
const LOOKING: Nanos = Nanos::from_millis(1_000);

/// Measures what is taken from a program on these CPUs, while nothing is judged there yet.
pub fn noise(cpus: &CpuSet) -> Reading<Vec<CpuNoise>> {
    let plan = Plan {
        cpus: cpus.clone(),
        load: NodeLoad::AllCpus,
        looking: LOOKING,
        quantum: USUAL_QUANTUM,
        calls: 0,
        priority: Priority::Normal,
        events: false,
    };
    let profile = match measure(&Roots::host(), &plan, &|_| (), &|| false) {
        Ok(profile) => profile,
        Err(error) => return Reading::Unavailable(error.to_string()),
    };
    let rate = profile.rate;
    let measured = profile.cpus.iter().filter_map(|one| {
        let summary = GapSummary::of(one.gaps.known()?, rate);
        Some(CpuNoise {
            cpu: one.cpu.0,
            watched_ns: summary.watched_ns as u64,
            lost_ppm: (summary.share() * 1e6).round() as u32,
            gaps_per_second: summary.rate_hz().round() as u32,
            longest_gap_ns: summary.lengths.map_or(0, |lengths| lengths.max_ns as u64),
        })
    });
    let measured: Vec<_> = measured.collect();
    if measured.is_empty() {
        Reading::unavailable("no timed CPU could be watched")
    } else {
        Reading::Known(measured)
    }
}

/// Describes the machine, except for its self-test.
pub fn machine(station: &Station, noise: Reading<Vec<CpuNoise>>) -> MachineReport {
    let mut unavailable = documents::Unavailable::new();
    let mut known = |field: &str, why: String| drop(unavailable.insert(field.to_owned(), why));
    let topology = match timing::host_cpus() {
        Ok(host) => Some(documents::TopologyReport::new("this machine", host.topology(), Vec::new())),
        Err(error) => {
            known("topology", error.to_string());
            None
        }
    };
    let (check, settings_passed) = match check::here() {
        Ok(mut check) => {
            let all = check.settings.len();
            check.settings.retain(|setting| setting.status != "pass");
            // Their paths and contents are only for operators of the machine.
            check.settings.iter_mut().for_each(|setting| setting.files.clear());
            let passed = all - check.settings.len();
            (Some(check), u32::try_from(passed).unwrap_or(u32::MAX))
        }
        Err(error) => {
            known("check", error.to_string());
            (None, 0)
        }
    };
    let noise = match noise {
        Reading::Known(noise) => noise,
        Reading::Unavailable(why) => {
            known("noise", why);
            Vec::new()
        }
    };
    let mut report = MachineReport {
        tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
        topology,
        places: station.places().iter().map(|place| place.cpus().to_string()).collect(),
        helper_cpus: station.helper_cpus().to_string(),
        check,
        settings_passed,
        noise,
        unavailable,
        ..MachineReport::default()
    };
    // The server takes no more, and a judgehost must be able to register on any machine.
    if serde_json::to_vec(&report).is_ok_and(|bytes| bytes.len() > MACHINE_BYTES_MAX / 2) {
        report.topology = None;
        report.unavailable.insert("topology".to_owned(), "it is too large to be sent".to_owned());
    }
    report
}
