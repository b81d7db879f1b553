//! The drift detector on recorded speeds of real machines.

use contest_rules::pools::{Drift, DriftRule, Drifted};
use contest_rules::{Instant, Millis};
use model::Nanos;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// How far apart the measurements are taken to be: the recorded test lasts that long.
const INTERVAL: Millis = Millis(90_000);
/// Detectors start at this many places of each recording.
const STARTS: usize = 40;

/// Returns the times of one unit of work on each machine, in order.
fn recorded(text: &str) -> BTreeMap<String, Vec<Nanos>> {
    let mut machines: BTreeMap<String, Vec<Nanos>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [_, machine, size, lifespan, _, value] = fields[..] else { panic!("{line}") };
        if lifespan == "long" {
            let seconds = 1000.0 / value.parse::<f64>().unwrap();
            machines
                .entry(format!("{size} {machine}"))
                .or_default()
                .push(Nanos::from_secs_f64(seconds).unwrap());
        }
    }
    machines
}

fn run(times: impl Iterator<Item = Nanos>) -> Option<(usize, Drifted)> {
    let (rule, mut drift) = (DriftRule::default(), Drift::default());
    times.enumerate().find_map(|(at, time)| {
        let found = drift.add(&rule, Instant(at as i64 * INTERVAL.0), time)?;
        Some((at, found))
    })
}

/// Checks that no machine is accused, and that each is found out after it became 5 % slower.
fn check(machines: &BTreeMap<String, Vec<Nanos>>, late_percent_max: usize) {
    let calibrated = 60;
    let mut delays = Vec::new();
    for (name, times) in machines {
        for start in (0..times.len().saturating_sub(200)).step_by((times.len() / STARTS).max(1)) {
            let times = || times.iter().skip(start).take(1000).copied();
            assert_eq!(run(times()), None, "{name} from {start}");
            for onset in [calibrated, calibrated + 47] {
                let slower =
                    |(at, time): (usize, Nanos)| if at < onset { time } else { Nanos(time.0 / 20 * 21) };
                let (at, found) =
                    run(times().enumerate().map(slower)).unwrap_or_else(|| panic!("{name} from {start}"));
                assert!(at >= onset, "{name} from {start}: accused at {at}, {found:?}");
                delays.push(at + 1 - onset);
            }
        }
    }
    // A machine that has become faster than at first is found out when that ends.
    let late = delays.iter().filter(|delay| **delay > 40).count();
    assert!(late * 100 <= delays.len() * late_percent_max, "{late} of {} were found late", delays.len());
    println!(
        "{} machines, {} beginnings: no false alarm; 5 % slower is found, {late} times after more than 40 measurements, \
         at worst after {}",
        machines.len(),
        delays.len() / 2,
        delays.iter().max().unwrap_or(&0)
    );
}

#[test]
fn recorded_machines_are_not_accused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/speed/azure-westus2.csv");
    // The excerpt is mostly the time around a machine's faster phase.
    check(&recorded(&std::fs::read_to_string(path).unwrap()), 10);
}

#[test]
#[ignore = "needs TAUTO_TRACES, a folder with azure-vm-noise-*.csv.gz"]
fn whole_recordings_are_not_accused() {
    let folder = std::env::var_os("TAUTO_TRACES").unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("azure-vm-noise-") && name.ends_with(".csv.gz") {
            let mut text = String::new();
            flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            println!("{name}");
            check(&recorded(&text), 1);
        }
    }
}

#[test]
fn a_bad_phase_of_minutes_is_no_drift() {
    // Every second, with phases of eight minutes in which nothing is fast.
    let time =
        |second: i64| Nanos::from_micros(if second % 3600 < 480 { 1100 } else { 1000 } + (second % 7) as u64);
    let (rule, mut drift) = (DriftRule::default(), Drift::default());
    for second in 0..20_000 {
        assert_eq!(drift.add(&rule, Instant(second * 1000), time(second)), None, "at {second} s");
    }
    let found = (20_000..24_000).find_map(|second| {
        drift.add(&rule, Instant(second * 1000), Nanos(time(second).0 / 20 * 21)).map(|found| (second, found))
    });
    let (second, found) = found.unwrap();
    assert!(second < 20_000 + 4 * 600, "{second}");
    assert!(found.reason().contains("5.0 % more than 1.00 ms"), "{}", found.reason());
}
