//! Imports recorded traces of real clusters, if there are any next to the checkout, and compares them with what is known of them.
//!
//! `TAUTO_TRACE_FIXTURES` names the folder; its README describes the files.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests read files"
)]

use flate2::Compression;
use flate2::write::GzEncoder;
use placement::Level;
use simulator::trace::import::planetlab::Day;
use simulator::trace::import::{
    About, ImportError, Input, MadeUpHosts, Summary, azure, openb, planetlab, swf,
};
use simulator::trace::{Head, HostRecord, JobRecord, Reader, Record};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

const FOLDER_BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/fixtures/traces");
const DAY_MS: u64 = 24 * 3600 * 1000;

type Source = Input<BufReader<File>>;

/// Returns a function that opens a file of the folder; `None` where there is none.
fn folder() -> Option<impl Fn(&str) -> Source> {
    let folder = std::env::var_os("TAUTO_TRACE_FIXTURES").map_or_else(|| FOLDER_BESIDE.into(), PathBuf::from);
    if !folder.is_dir() {
        eprintln!(
            "skipped: no recorded traces in {}; TAUTO_TRACE_FIXTURES names their folder",
            folder.display()
        );
        return None;
    }
    Some(move |name: &str| {
        let path = folder.join(name);
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Input { name: name.to_owned(), reader: BufReader::new(file) }
    })
}

fn about() -> About {
    About { name: "recorded".to_owned(), made_by: "test".to_owned() }
}

/// An imported trace, and what was read back from it.
struct Imported {
    summary: Summary,
    head: Head,
    hosts: Vec<HostRecord>,
    jobs: Vec<JobRecord>,
}

/// Imports into gzip, and reads all of it.
fn imported(
    name: &str,
    import: impl FnOnce(&mut GzEncoder<Vec<u8>>) -> Result<Summary, ImportError>,
) -> Imported {
    let mut target = GzEncoder::new(Vec::new(), Compression::default());
    let summary = import(&mut target).unwrap();
    let bytes = target.finish().unwrap();
    let mut reader = Reader::open(&bytes[..]).unwrap();
    let head = reader.head().clone();
    let (mut hosts, mut jobs) = (Vec::new(), Vec::new());
    while let Some(record) = reader.next().unwrap() {
        match record {
            Record::Host(host) => hosts.push(host),
            Record::Job(job) => jobs.push(job),
            Record::Change(change) => panic!("{change:?}"),
        }
    }
    eprintln!("{name}: {} hosts, {} jobs, {} bytes", hosts.len(), jobs.len(), bytes.len());
    assert_eq!((summary.hosts, summary.jobs), (hosts.len() as u64, jobs.len() as u64));
    Imported { summary, head, hosts, jobs }
}

fn count(jobs: &[JobRecord], is_counted: impl Fn(&JobRecord) -> bool) -> usize {
    jobs.iter().filter(|job| is_counted(job)).count()
}

#[test]
fn openb_has_all_its_nodes_and_pods() {
    let Some(open) = folder() else { return };
    let nodes = || open("openb_node_list_all_node.csv.gz");
    for (list, pods, best_effort) in [("default", 8152, Some(3397)), ("cpu250", 9420, None)] {
        let source = open(&format!("openb_pod_list_{list}.csv.gz"));
        let trace = imported(list, |target| {
            openb::import(nodes(), source, openb::Options::default(), &about(), target)
        });
        assert_eq!((trace.hosts.len(), trace.jobs.len()), (1523, pods - 1));
        // One pod of each list was deleted in the second of its creation, and had no node.
        assert_eq!(trace.summary.remarks, ["pods that lived for 0 s are left out: 1"]);
        let cpus: u64 = trace.hosts.iter().map(|host| u64::from(host.cpu_milli)).sum();
        let memory_mib: u64 = trace.hosts.iter().map(|host| u64::from(host.memory_mib)).sum();
        assert_eq!((cpus, memory_mib), (125_514_000, 612_028_416));
        assert_eq!(trace.hosts.iter().filter(|host| host.labels == ["G2"]).count(), 549);
        assert_eq!(trace.hosts.iter().filter(|host| host.labels.is_empty()).count(), 310);
        if let Some(best_effort) = best_effort {
            assert_eq!(count(&trace.jobs, |job| job.level == Level::BestEffort && job.elastic), best_effort);
        }
        let last = trace.jobs.iter().map(|job| job.at_ms + job.for_ms.unwrap()).max();
        // Pods end earlier here, by the time that they waited for a node.
        assert!(last.is_some_and(|last| last <= 12_902_960_000), "{last:?}");
    }
    let shapes = open("openb_pod_list_multigpu50.csv.gz");
    let refused = openb::import(nodes(), shapes, openb::Options::default(), &about(), Vec::new())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("multigpu50.csv.gz:1: ") && refused.contains("no column 'qos'"), "{refused}");
}

#[test]
fn planetlab_has_all_its_machines_and_loads() {
    let Some(open) = folder() else { return };
    let days = [
        ("20110303", 1052, 12.31),
        ("20110322", 1516, 9.26),
        ("20110403", 1463, 12.39),
        ("20110411", 1233, 11.56),
    ];
    let sources =
        || days.iter().map(|(day, _, _)| Day::Table(open(&format!("planetlab-{day}.csv.gz")))).collect();
    let options = planetlab::Options::default();
    let trace = imported("planetlab", |target| planetlab::import(sources(), &options, &about(), target));
    assert!(trace.head.separate_days && trace.head.note.contains("Made up: "), "{:?}", trace.head);
    let mut busiest = 0;
    for (day, (_, machines, mean_percent)) in (0..).zip(days) {
        let jobs: Vec<_> = trace.jobs.iter().filter(|job| job.at_ms == day * DAY_MS).cloned().collect();
        assert_eq!(jobs.len(), machines);
        assert_eq!(count(&jobs, |job| job.for_ms == Some(DAY_MS)), machines);
        let mean = jobs.iter().map(mean_load_percent).sum::<f64>() / machines as f64;
        assert!((mean - mean_percent).abs() < 0.0051, "day {day}: {mean}");
        busiest = busiest.max(jobs.iter().map(|job| u64::from(job.cpu_milli)).sum());
    }
    let capacity = |hosts: u64| hosts * 16_000 * u64::from(options.allocation_permille) / 1000;
    let hosts = trace.hosts.len() as u64;
    assert!(capacity(hosts) >= busiest && capacity(hosts - 1) < busiest, "{hosts} hosts for {busiest}");

    let options = planetlab::Options { spread_minutes: 60, ..options };
    let trace =
        imported("planetlab spread", |target| planetlab::import(sources(), &options, &about(), target));
    let first: Vec<_> = trace.jobs.iter().filter(|job| job.at_ms < DAY_MS).collect();
    assert!(first.iter().all(|job| job.at_ms < 3_600_000 && job.at_ms + job.for_ms.unwrap() == DAY_MS));
    let early = first.iter().filter(|job| job.at_ms < 1_800_000).count();
    assert!((450..600).contains(&early), "{early} of 1052 in the first half of the hour");
}

/// Returns the mean of a job's load over its day, as a share of its request.
fn mean_load_percent(job: &JobRecord) -> f64 {
    let ends = job.uses.iter().skip(1).map(|(offset, _)| *offset).chain([DAY_MS]);
    let used: u64 = job.uses.iter().zip(ends).map(|((from, cpu), to)| (to - from) * u64::from(*cpu)).sum();
    used as f64 * 100.0 / (DAY_MS as f64 * f64::from(job.cpu_milli))
}

#[test]
fn the_grid_has_all_its_jobs_that_ran() {
    let Some(open) = folder() else { return };
    let options = swf::Options::default();
    let trace = imported("LCG", |target| swf::import(open("LCG.swf.gz"), &options, &about(), target));
    assert_eq!(trace.summary.remarks, ["jobs with a run time of 0 are left out: 521"]);
    assert_eq!(trace.jobs.len(), 188_041 - 521);
    assert_eq!(trace.hosts.len(), 24_515_usize.div_ceil(16));
    let ran_ms: u64 = trace.jobs.iter().filter_map(|job| job.for_ms).sum();
    assert_eq!(ran_ms.div_ceil(3_600_000), 417_370);
    assert_eq!(trace.jobs.last().unwrap().at_ms, 950_392_000);
    let mut services: Vec<_> = trace.jobs.iter().filter_map(|job| job.service.as_deref()).collect();
    services.sort_unstable();
    services.dedup();
    assert_eq!(services.len(), 216);
    assert_eq!(count(&trace.jobs, |job| job.elastic && job.cpu_milli == 1000), trace.jobs.len());
}

#[test]
fn the_noise_of_rented_machines_is_known() {
    let Some(open) = folder() else { return };
    let groups = azure::read(open("azure-vm-noise-westus2-sysbench-cpu.csv.gz")).unwrap();
    // The middle, and the slowdown of the slowest: from the quantiles that are known.
    let expect = [
        ("B8ms long", 11_432, 3, 6822.0, 6822.0 / 5805.0),
        ("B8ms short", 9_287, 9_287, 6828.0, 6828.0 / 5935.0),
        ("D8s_v5 long", 20_747, 3, 12_510.0, 12_510.0 / 11_904.0),
        ("D8s_v5 short", 10_633, 10_633, 12_510.0, 12_510.0 / 11_380.0),
    ];
    assert_eq!(groups.len(), expect.len());
    for (group, (name, measurements, machines, median, slowest)) in groups.iter().zip(expect) {
        let summary = group.summary();
        eprintln!("{name}: noise {}, {:?}", summary.noise_permille, summary.slowdowns);
        assert_eq!(
            (group.name().as_str(), summary.measurements, summary.machines),
            (name, measurements, machines)
        );
        assert!((summary.median - median).abs() <= 0.5, "{name}: {}", summary.median);
        let most = f64::from(summary.slowdowns.last().unwrap().permille);
        assert!((most - (slowest - 1.0) * 1000.0).abs() <= 1.0, "{name}: {most}");
    }
    let hosts = MadeUpHosts { count: Some(300), noise: vec![(&groups[1]).into()], ..MadeUpHosts::default() };
    let options = swf::Options { hosts, ..swf::Options::default() };
    let log = Input { name: "no jobs".to_owned(), reader: &b""[..] };
    let trace = imported("noise", |target| swf::import(log, &options, &about(), target));
    let mut figures: Vec<_> = trace.hosts.iter().filter_map(|host| host.noise_permille).collect();
    figures.sort_unstable();
    assert_eq!(figures.len(), 300);
    // Half of the machines are at the median or faster.
    assert_eq!(figures[100], 0);
    assert!((1..=151).contains(&figures[299]), "{figures:?}");
}
