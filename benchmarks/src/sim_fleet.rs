//! The simulator of fleets: its speed and memory, the time of a decision, and the results of policies on recorded loads.

mod tight;

use crate::child::memory_mib;
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use placement::policy::{Limits, Policy, Promise, Rescheduling, Score};
use placement::predict::ObservedLoad;
use placement::{Amount, Host, Job, Level, Scheduler};
use rayon::prelude::*;
use simulator::compare::{Comparison, options};
use simulator::run::{Run, plain_options};
use simulator::source::{Draw, Drawn};
use simulator::trace::Reader;
use simulator::trace::generate::{self, generate};
use simulator::trace::import::{About, Input, MadeUpHosts, openb, planetlab};
use stats::{Dice, Sample, of_replicates};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The fleet and the day of the bar.
const DAY_HOSTS: u32 = 100_000;
const DAY_JOBS: u64 = 1_000_000;
const DAY_SECONDS_MAX: f64 = 60.0;
const DAY_GIB_MAX: f64 = 2.0;
/// The fleet on which decisions are timed.
const HOSTS: u32 = 10_000;
const DECISIONS: usize = 20_000;
const DECISION_US_MAX: f64 = 200.0;
/// Scoring every host takes so long that fewer suffice.
const DECISIONS_BY_ALL: usize = 200;

fn policy(name: &str) -> Policy {
    Policy::built_in(name).expect("it is built in")
}

fn about(name: &str) -> About {
    About { name: name.to_owned(), made_by: "tauto-bench".to_owned() }
}

/// Runs the day of the bar from a file, as `tauto sim run` does, in a process that has done nothing else.
pub fn day() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("day.trace");
    let mut target = GzEncoder::new(BufWriter::new(File::create(&path)?), Compression::fast());
    let made_up = generate::Options { hosts: DAY_HOSTS, jobs: DAY_JOBS, ..generate::Options::default() };
    generate(&made_up, &about("day"), &mut target)?;
    target.finish()?.flush()?;
    let trace_mib = std::fs::metadata(&path)?.len() as f64 / f64::from(1 << 20);
    let before_gib = memory_mib("self", "VmHWM")? / 1024.0;
    let mut read = open(&path)?;
    let start = Instant::now();
    while read.next()?.is_some() {}
    let read_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let run = Run::start(open(&path)?, policy("load-aware"), plain_options(), "", std::io::sink())?;
    let (summary, ..) = run.finish()?;
    let run_s = start.elapsed().as_secs_f64();
    let unplaced: u64 = summary.levels.values().map(|fared| fared.unplaced).sum();
    let jobs: u64 = summary.levels.values().map(|fared| fared.jobs).sum();
    ensure!(jobs == DAY_JOBS, "{jobs} of {DAY_JOBS} jobs were simulated");
    let decided = summary.decisions as f64 / run_s;
    Ok(vec![
        figure("day", "a day of 100,000 hosts and 1,000,000 jobs, load-aware, on one core", run_s, "s")
            .under(DAY_SECONDS_MAX),
        figure("memory", "the process's peak memory", memory_mib("self", "VmHWM")? / 1024.0, "GiB")
            .under(DAY_GIB_MAX),
        figure("memory_before", "of that before the run", before_gib, "GiB"),
        figure("read", "only reading the trace", read_s, "s"),
        figure("trace", "its compressed size", trace_mib, "MiB"),
        figure("decisions", "decisions a second of the run, all its other work included", decided, ""),
        figure("unplaced", "jobs without a host at the end", unplaced as f64, ""),
    ])
}

fn open(path: &Path) -> Result<Reader<BufReader<File>>> {
    Ok(Reader::open(BufReader::with_capacity(1 << 18, File::open(path)?))?)
}

/// Times decisions on a loaded fleet: by the index, and by scoring every host.
pub fn decisions() -> Result<Vec<Figure>> {
    let mut scheduler = Scheduler::new(policy("load-aware"));
    let mut dice = Dice::new(1);
    for number in 0..HOSTS {
        let cpus = [16, 32, 64][number as usize % 3];
        let capacity = Amount { cpu_milli: cpus * 1000, memory_mib: cpus * 4096 };
        let host = Host {
            capacity,
            numa_nodes: 1,
            threads: 1,
            pool: 0,
            cluster: 0,
            labels: 0,
            noise_permille: None,
            price: 1,
        };
        scheduler.add_host(host, "default");
    }
    let draw = |dice: &mut Dice| {
        let cpus = 1 + dice.below(4) as u32;
        Job {
            request: Amount { cpu_milli: cpus * 1000, memory_mib: cpus * 2048 },
            level: [Level::Standard, Level::Standard, Level::Standard, Level::BestEffort][dice.below(4)],
            service: Some(dice.below(1000) as u32),
            pool: None,
            cluster: None,
            host: None,
            needs: 0,
            apart: false,
            idle_siblings: false,
            noise_max_permille: None,
        }
    };
    // About two thirds of what standard jobs may request.
    let mut placed = Vec::new();
    for _ in 0..HOSTS * 10 {
        let job = draw(&mut dice);
        placed.extend(scheduler.place(&job, 0).map(|found| (found.job, job.request.cpu_milli)));
    }
    for window in 1..=12 {
        let seen: Vec<_> = placed
            .iter()
            .map(|(job, cpu)| {
                let mean_milli = cpu / 10 * (1 + dice.below(9) as u32);
                (*job, ObservedLoad { mean_milli, peak_milli: mean_milli })
            })
            .collect();
        let ended_ms = window * 300_000;
        scheduler.observe(ended_ms, ended_ms, seen.into_iter(), std::iter::empty());
    }
    let at_ms = 12 * 300_000;
    let (mut by_index, mut by_all) = (Vec::new(), Vec::new());
    for number in 0..DECISIONS {
        let job = draw(&mut dice);
        let start = Instant::now();
        let found = scheduler.place(&job, at_ms);
        by_index.push(start.elapsed().as_secs_f64() * 1e6);
        // The fleet stays as full as it was.
        if let Some(found) = found {
            let at = dice.below(placed.len());
            let (old, _) = std::mem::replace(&mut placed[at], (found.job, job.request.cpu_milli));
            scheduler.release(old);
        }
        if number % (DECISIONS / DECISIONS_BY_ALL) == 0 {
            let job = draw(&mut dice);
            let start = Instant::now();
            let looks = scheduler.look_at_all(&job, at_ms);
            by_all.push(start.elapsed().as_secs_f64() * 1e6);
            ensure!(looks.iter().any(Result::is_ok), "the fleet is full");
        }
    }
    let (by_index, by_all) = (Sample::new(by_index)?, Sample::new(by_all)?);
    Ok(vec![
        figure("decision", "a decision on 10,000 hosts, median", by_index.median(), "us")
            .under(DECISION_US_MAX),
        figure("decision_p99", "99 of 100 take less", by_index.quantile(0.99), "us"),
        figure("by_all", "scoring every host instead, median", by_all.median(), "us"),
        figure("ratio", "how many times as long", by_all.median() / by_index.median(), ""),
    ])
}

/// Requested CPUs as a multiple of the hosts' CPUs, in thousandths: with 12 % of it used, that is half of the CPUs.
const ALLOCATION_PERMILLE: u32 = 4000;
/// Hosts of the packed fleets: enough that packing leaves some empty.
const PACKED_ALLOCATION_PERMILLE: u32 = 2000;
const REPLICATES: u32 = 20;
/// Groups of machines that are drawn again.
const GROUPS: u32 = 20;

fn promised(mut policy: Policy, cpu_permille: u32, name: &str) -> Policy {
    let promise = Promise { cpu_permille, ..Promise::default() };
    let pools = BTreeMap::from([("default".to_owned(), promise)]);
    if let Some(fallback) = &mut policy.fallback {
        fallback.pools.clone_from(&pools);
    }
    Policy { name: name.to_owned(), pools, ..policy }
}

/// Compares policies on each recorded day, on openb, and on openb with few hosts. Prints tables to standard error while it goes.
pub fn policies(traces: &Path) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut days: Vec<PathBuf> = std::fs::read_dir(traces)
        .with_context(|| format!("cannot read {}", traces.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("planetlab-")))
        .collect();
    days.sort();
    for day in &days {
        let name = day.file_name().map(|name| name.to_string_lossy()[10..18].to_owned()).unwrap_or_default();
        figures.extend(hot_hosts(day, &name)?);
        figures.extend(utilisation(day, &name)?);
    }
    figures.extend(fragments(traces)?);
    figures.extend(tight::tight(traces)?);
    Ok(figures)
}

/// Makes a trace of a day in memory. What is made up: 16-CPU hosts, requests of 1 to 8 CPUs by the name's hash, arrivals
/// within the first two hours.
fn planetlab_trace(day: &Path, allocation_permille: u32) -> Result<Vec<u8>> {
    let options = planetlab::Options {
        hosts: MadeUpHosts::default(),
        allocation_permille,
        spread_minutes: 120,
        ..planetlab::Options::default()
    };
    let input = Input { name: day.display().to_string(), reader: BufReader::new(File::open(day)?) };
    let mut bytes = Vec::new();
    planetlab::import(vec![planetlab::Day::Table(input)], &options, &about("planetlab"), &mut bytes)?;
    Ok(bytes)
}

/// Spreading by requests against load-aware placement, on the same hosts with the same jobs.
fn hot_hosts(day: &Path, name: &str) -> Result<Vec<Figure>> {
    let bytes = planetlab_trace(day, ALLOCATION_PERMILLE)?;
    let wide = ALLOCATION_PERMILLE + 2000;
    let load_aware = Policy { limits: Limits::default(), ..policy("load-aware") };
    let comparison = Comparison {
        policies: vec![promised(policy("spread"), wide, "spread"), promised(load_aware, wide, "load-aware")],
        options: options(),
        replicates: REPLICATES,
        groups: GROUPS,
        seed: 1,
    };
    let found = comparison.run(|| Ok::<_, anyhow::Error>(Reader::open(Cursor::new(&bytes[..]))?), || ())?;
    let hot = found.figures.iter().find(|figure| figure.name == "hot").context("no figure of hot hosts")?;
    let values = [hot.values[0], hot.values[1]].map(|value| value.unwrap_or(f64::NAN) * 100.0);
    let difference = hot.differences[0].context("no difference of hot hosts")?;
    let key = |what: &str| format!("hot_{name}_{what}");
    Ok(vec![
        figure(key("spread"), format!("{name}: hot hosts, spread by requests"), values[0], "%"),
        figure(key("load_aware"), format!("{name}: hot hosts, load-aware"), values[1], "%"),
        figure(key("ratio"), format!("{name}: load-aware / spread"), values[1] / values[0], "").under(0.5),
        figure(key("low"), format!("{name}: difference, low end of 95 %"), difference.low * 100.0, "points"),
        figure(
            key("high"),
            format!("{name}: difference, high end of 95 %"),
            difference.high * 100.0,
            "points",
        ),
        figure(key("p"), format!("{name}: p, corrected"), difference.p, ""),
    ])
}

/// Packing by requests, at several overcommitments, against packing by predicted peaks: what of the hosts in use is used
/// where as many of them are hot.
fn utilisation(day: &Path, name: &str) -> Result<Vec<Figure>> {
    let bytes = planetlab_trace(day, PACKED_ALLOCATION_PERMILLE)?;
    let mut dice = Dice::new(1);
    let drawn = (0..REPLICATES).map(|_| Draw::new(None, GROUPS, &mut dice));
    let draws: Vec<Draw> = std::iter::once(Draw::all(None)).chain(drawn).collect();
    let packed: Vec<Packed> = draws.par_iter().map(|draw| pack(&bytes, draw)).collect::<Result<_>>()?;
    let Packed { hot, used, at_equal } = packed[0];
    let gains: Vec<f64> = packed.iter().map(|packed| (packed.used - packed.at_equal) * 100.0).collect();
    let gain = gains[0];
    let estimate = of_replicates(gain, &gains[1..]).context("no interval")?;
    let key = |what: &str| format!("packed_{name}_{what}");
    let gain = (used - at_equal) * 100.0;
    Ok(vec![
        figure(
            key("hot"),
            format!("{name}: hot hosts of those in use, packed by predicted peaks"),
            hot * 100.0,
            "%",
        ),
        figure(key("load_aware"), format!("{name}: utilisation of hosts in use"), used * 100.0, "%"),
        figure(
            key("requests"),
            format!("{name}: the same, packed by requests, where as many are hot"),
            at_equal * 100.0,
            "%",
        ),
        figure(key("gain"), format!("{name}: points above"), gain, "points").over(10.0),
        figure(key("low"), format!("{name}: low end of 95 %"), estimate.interval.low, "points"),
        figure(key("high"), format!("{name}: high end of 95 %"), estimate.interval.high, "points"),
    ])
}

/// Hosts in use, packed by predicted peaks: the share that is hot, what is used of them, and what is used where packing by
/// requests has as many hot ones.
struct Packed {
    hot: f64,
    used: f64,
    at_equal: f64,
}

fn pack(trace: &[u8], draw: &Draw) -> Result<Packed> {
    let measure = |policy: Policy| -> Result<(f64, f64)> {
        let source = Drawn::new(Reader::open(Cursor::new(trace))?, draw.clone());
        let (summary, ..) = Run::start(source, policy, options(), "", std::io::sink())?.finish()?;
        let (hot, used) = (summary.all.hot_in_use, summary.all.utilisation_in_use);
        Ok((hot.context("no hosts")?, used.context("no hosts")?))
    };
    let by_requests = [1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000]
        .map(|wide| measure(promised(policy("pack"), wide, "pack")));
    let by_requests: Vec<(f64, f64)> = by_requests.into_iter().collect::<Result<_>>()?;
    let by_peaks = Policy {
        limits: Limits { peak_permille: Some(800), ..Limits::default() },
        prefer: BTreeMap::from([(Score::Packed, 1)]),
        rescheduling: Some(Rescheduling { empty_below_permille: Some(400), ..Rescheduling::default() }),
        ..policy("load-aware")
    };
    let (hot, used) = measure(promised(by_peaks, 10_000, "load-aware-packed"))?;
    Ok(Packed { hot, used, at_equal: between(&by_requests, hot) })
}

/// Returns the utilisation at a share of hot hosts, between two measured points.
fn between(points: &[(f64, f64)], hot: f64) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let above = sorted.iter().position(|point| point.0 >= hot);
    match above {
        Some(0) => sorted[0].1,
        Some(at) => {
            let ((low, from), (high, to)) = (sorted[at - 1], sorted[at]);
            from + (to - from) * (hot - low) / (high - low).max(f64::MIN_POSITIVE)
        }
        None => sorted.last().map_or(f64::NAN, |point| point.1),
    }
}

fn openb_trace(traces: &Path, hosts: Option<u32>) -> Result<Vec<u8>> {
    let file = |name: &str| -> Result<Input<BufReader<File>>> {
        let path = traces.join(name);
        Ok(Input { name: path.display().to_string(), reader: BufReader::new(File::open(&path)?) })
    };
    let mut bytes = Vec::new();
    openb::import(
        file("openb_node_list_all_node.csv.gz")?,
        file("openb_pod_list_default.csv.gz")?,
        openb::Options { hosts },
        &about("openb"),
        &mut bytes,
    )?;
    Ok(bytes)
}

/// What is left over on the hosts of openb, by policy.
fn fragments(traces: &Path) -> Result<Vec<Figure>> {
    let bytes = openb_trace(traces, None)?;
    let mut figures = Vec::new();
    for name in ["spread", "pack", "best-fit", "dot-product", "load-aware"] {
        let source = Reader::open(Cursor::new(&bytes[..]))?;
        let (summary, ..) = Run::start(source, policy(name), options(), "", std::io::sink())?.finish()?;
        let unplaced: u64 = summary.levels.values().map(|fared| fared.unplaced).sum();
        let usable = summary.usable.unwrap_or(f64::NAN) * 100.0;
        figures.push(figure(
            format!("openb_{name}_unplaced"),
            format!("openb, {name}: jobs without a host"),
            unplaced as f64,
            "",
        ));
        figures.push(figure(
            format!("openb_{name}_usable"),
            format!("openb, {name}: free CPUs that requests for 4 can take"),
            usable,
            "%",
        ));
    }
    Ok(figures)
}
