//! The gap loop against `oslat` of rt-tests, in turns on one CPU, and its timer interrupts against a plain trace.
//!
//! A virtual machine's noise drifts by the second, so both look for as long, in turns, and rounds are compared.
//! Both have real-time priority, so that other programs, which come and go, are in neither.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::comparisons::host::Host;
use crate::comparisons::tools::read_json;
use stats::Sample;
use xtask::process;

/// What the ratio of both may differ from one.
const DIFFERENCE_MAX: f64 = 0.1;
/// From here `oslat` counts all gaps as one, whose length it does not report.
const BUCKETS: u64 = 1024;
/// What we call our thread on a CPU, so that the plain trace knows it.
const THREAD: &str = "noise-";

/// What one tool saw of gaps from 1 us.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct GapStatistics {
    gaps_per_s: f64,
    /// Of those shorter than oslat's last bucket.
    mean_us: f64,
}

/// One turn of each.
#[derive(Clone, Copy, Debug, Serialize)]
struct Round {
    oslat: GapStatistics,
    tauto: GapStatistics,
    timer: Timer,
}

/// Timer interrupts while we looked, by three counts.
#[derive(Clone, Copy, Debug, Serialize)]
struct Timer {
    /// Events of a plain trace while our thread was on the CPU; that is a little longer than it looked.
    plain: u64,
    /// Events in the profile.
    profile: u64,
    /// The kernel's counter in the profile.
    counter: u64,
}

#[derive(Serialize)]
struct Report<'r> {
    benchmark: &'static str,
    host: &'r Host,
    cpu: u32,
    seconds: u32,
    rounds: &'r [Round],
    gaps_ratio: f64,
    mean_ratio: f64,
    within: bool,
}

/// Runs the comparison and prints it; fails if the medians over the rounds differ by more than is promised.
pub fn run(tauto: &Path, rounds: usize, seconds: u32, json: bool) -> Result<bool> {
    if Command::new("oslat").arg("--version").output().is_err() {
        bail!("oslat is missing; install it: tools/install bench");
    }
    let host = Host::read();
    // The main thread of either waits on the first.
    let cpu = u32::try_from(host.cpus.saturating_sub(1))?;
    let folder = tempfile::tempdir()?;
    let mut measured = Vec::new();
    for round in 0..rounds {
        eprintln!("bench: round {} of {rounds}, {} s each", round + 1, seconds);
        // Who comes first takes turns as well.
        let (oslat, ours) = if round % 2 == 0 {
            let oslat = by_oslat(folder.path(), cpu, seconds)?;
            (oslat, by_tauto(tauto, folder.path(), cpu, seconds)?)
        } else {
            let ours = by_tauto(tauto, folder.path(), cpu, seconds)?;
            (by_oslat(folder.path(), cpu, seconds)?, ours)
        };
        measured.push(Round { oslat, tauto: ours, timer: timers(tauto, cpu, seconds)? });
    }
    let gaps_ratio = median(measured.iter().map(|round| round.tauto.gaps_per_s / round.oslat.gaps_per_s));
    let mean_ratio = median(measured.iter().map(|round| round.tauto.mean_us / round.oslat.mean_us));
    let within = [gaps_ratio, mean_ratio].iter().all(|ratio| (ratio - 1.0).abs() <= DIFFERENCE_MAX);
    let report = Report {
        benchmark: "noise oslat",
        host: &host,
        cpu,
        seconds,
        rounds: &measured,
        gaps_ratio,
        mean_ratio,
        within,
    };
    host.show(json, &report, || table(&report))?;
    Ok(within)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    Sample::new(values.collect()).map_or(f64::NAN, |sample| sample.median())
}

fn table(report: &Report) -> String {
    let mut table = String::from(
        "| round | oslat, gaps/s | tauto, gaps/s | ratio | oslat, mean us | tauto, mean us | ratio | timer: plain trace | \
         profile's events | counter |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (at, Round { oslat, tauto, timer }) in report.rounds.iter().enumerate() {
        table.push_str(&format!(
            "| {} | {:.0} | {:.0} | {:.3} | {:.2} | {:.2} | {:.3} | {} | {} | {} |\n",
            at + 1,
            oslat.gaps_per_s,
            tauto.gaps_per_s,
            tauto.gaps_per_s / oslat.gaps_per_s,
            oslat.mean_us,
            tauto.mean_us,
            tauto.mean_us / oslat.mean_us,
            timer.plain,
            timer.profile,
            timer.counter,
        ));
    }
    table.push_str(&format!(
        "\nMedian ratio of gaps of 1 us and more: {:.3}; of their mean (below {BUCKETS} us): {:.3}. CPU {}, {} s a turn.\n",
        report.gaps_ratio, report.mean_ratio, report.cpu, report.seconds
    ));
    table
}

/// What `oslat --json` writes, as far as it is read.
#[derive(Deserialize)]
struct OslatReport {
    thread: BTreeMap<String, OslatThread>,
}

#[derive(Deserialize)]
struct OslatThread {
    duration: f64,
    /// Gaps by their length in microseconds, rounded up.
    histogram: BTreeMap<String, u64>,
}

fn by_oslat(folder: &Path, cpu: u32, seconds: u32) -> Result<GapStatistics> {
    let file = folder.join("oslat.json");
    process::read(
        Command::new("oslat")
            .args(["--quiet", "--zero-omit", "--rtprio", "1", "--cpu-list", &cpu.to_string()])
            .args(["--duration", &seconds.to_string(), "--bucket-size", &BUCKETS.to_string()])
            .arg(format!("--json={}", file.display())),
    )?;
    let text = fs::read_to_string(&file).with_context(|| format!("oslat wrote no {}", file.display()))?;
    seen_by_oslat(&text)
}

fn seen_by_oslat(text: &str) -> Result<GapStatistics> {
    let report: OslatReport = serde_json::from_str(text).context("oslat's report has an unknown form")?;
    let thread = report.thread.values().next().context("oslat's report has no thread")?;
    let mut gaps = Vec::new();
    for (bucket, count) in &thread.histogram {
        let bucket: u64 =
            bucket.parse().with_context(|| format!("oslat's bucket '{bucket}' is no number"))?;
        // The first is of gaps up to 1 us: all undisturbed turns are in it.
        if bucket >= 2 {
            gaps.push((bucket, *count));
        }
    }
    let all: u64 = gaps.iter().map(|(_, count)| count).sum();
    // A bucket's gaps are from one microsecond below it.
    let measured = gaps.iter().filter(|(bucket, _)| *bucket < BUCKETS);
    let (sum, count) = measured.fold((0.0, 0), |(sum, all), (bucket, count)| {
        (sum + (*bucket as f64 - 0.5) * *count as f64, all + count)
    });
    ensure!(thread.duration > 0.0 && count > 0, "oslat saw no gap of 1 us, so there is nothing to compare");
    Ok(GapStatistics { gaps_per_s: all as f64 / thread.duration, mean_us: sum / count as f64 })
}

/// The part of `tauto noise probe --json` that is read.
#[derive(Deserialize)]
struct ProbeReport {
    cpus: Vec<ProbeCpu>,
}

#[derive(Deserialize)]
struct ProbeCpu {
    detours: Option<ProbeDetours>,
}

#[derive(Deserialize)]
struct ProbeDetours {
    watched_ns: f64,
    turn_ns: f64,
    kernel: ProbeCounts,
}

#[derive(Deserialize)]
struct ProbeCounts {
    interrupts: Option<BTreeMap<String, u64>>,
    events: Option<BTreeMap<String, u64>>,
}

fn probe(tauto: &Path, cpu: u32, seconds: u32, more: &[&str]) -> Result<ProbeDetours> {
    let report: ProbeReport = read_json(
        Command::new(tauto)
            .args(["noise", "probe", "--json", "--calls", "0", "--cpu-list", &cpu.to_string()])
            .args(["--seconds", &seconds.to_string()])
            .args(more),
    )?;
    report.cpus.into_iter().next().and_then(|cpu| cpu.detours).context("tauto measured no detours")
}

fn by_tauto(tauto: &Path, folder: &Path, cpu: u32, seconds: u32) -> Result<GapStatistics> {
    let csv = folder.join("gaps.csv");
    let detours =
        probe(tauto, cpu, seconds, &["--no-events", "--real-time", "--csv", &csv.to_string_lossy()])?;
    let text = fs::read_to_string(&csv).with_context(|| format!("tauto wrote no {}", csv.display()))?;
    seen_by_tauto(&text, &detours)
}

fn seen_by_tauto(csv: &str, detours: &ProbeDetours) -> Result<GapStatistics> {
    let mut gaps_us = Vec::new();
    for line in csv.lines().skip(1) {
        let length = line.rsplit(',').next().and_then(|length| length.parse::<f64>().ok());
        // A gap of oslat has the turn in it.
        gaps_us.push((length.context("a line has no length")? + detours.turn_ns) / 1e3);
    }
    gaps_us.retain(|gap| *gap > 1.0);
    let short: Vec<f64> = gaps_us.iter().copied().filter(|gap| *gap < (BUCKETS - 1) as f64).collect();
    ensure!(!short.is_empty(), "tauto saw no gap of 1 us, so there is nothing to compare");
    Ok(GapStatistics {
        gaps_per_s: gaps_us.len() as f64 * 1e9 / detours.watched_ns,
        mean_us: short.iter().sum::<f64>() / short.len() as f64,
    })
}

/// A plain trace of one event on one CPU, as one would make it by hand.
struct PlainTrace {
    mount: PathBuf,
    instance: PathBuf,
}

impl PlainTrace {
    fn begin(mount: &Path, cpu: u32) -> Result<Self> {
        process::run(Command::new("mount").args(["-t", "tracefs", "none"]).arg(mount))?;
        let instance = mount.join("instances/bench-noise");
        let trace = Self { mount: mount.to_owned(), instance };
        fs::create_dir(&trace.instance).context("cannot make an instance of the kernel's tracing")?;
        trace.write("tracing_cpumask", &format!("{:x}", 1_u64 << cpu))?;
        trace.write("events/irq_vectors/local_timer_entry/enable", "1")?;
        trace.write("tracing_on", "1")?;
        Ok(trace)
    }

    fn write(&self, file: &str, value: &str) -> Result<()> {
        fs::write(self.instance.join(file), value)
            .with_context(|| format!("cannot write {file} of the trace"))
    }

    /// Counts the events that came while a thread of this name was on the CPU.
    fn count(&self, thread: &str) -> Result<u64> {
        self.write("tracing_on", "0")?;
        let mut text = String::new();
        File::open(self.instance.join("trace"))?.read_to_string(&mut text)?;
        let is_ours = |line: &&str| {
            let line = line.trim_start();
            line.starts_with(thread) && line.contains(": local_timer_entry:")
        };
        Ok(text.lines().filter(is_ours).count() as u64)
    }
}

impl Drop for PlainTrace {
    fn drop(&mut self) {
        // What is left is reported by the next one, which cannot make its own.
        let _ = fs::remove_dir(&self.instance);
        let _ = Command::new("umount").arg(&self.mount).status();
    }
}

fn timers(tauto: &Path, cpu: u32, seconds: u32) -> Result<Timer> {
    let folder = tempfile::tempdir()?;
    let trace = PlainTrace::begin(folder.path(), cpu)?;
    let detours = probe(tauto, cpu, seconds, &[])?;
    let plain = trace.count(&format!("{THREAD}{cpu}-"))?;
    let named = |counts: &Option<BTreeMap<String, u64>>, begin: &str| {
        let counts = counts.as_ref()?;
        counts.iter().find(|(name, _)| name.starts_with(begin)).map(|(_, count)| *count)
    };
    Ok(Timer {
        plain,
        profile: named(&detours.kernel.events, "local_timer").context("the profile has no timer events")?,
        counter: named(&detours.kernel.interrupts, "LOC").context("the profile has no timer interrupts")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oslat_and_tauto_are_read_alike() {
        let oslat = r#"{"thread": {"0": {"cpu": 1, "duration": 2.0,
            "histogram": {"1": 38342434, "2": 100, "7": 300, "1024": 4}}}}"#;
        let seen = seen_by_oslat(oslat).unwrap();
        assert_eq!(seen, GapStatistics { gaps_per_s: 202.0, mean_us: (1.5 * 100.0 + 6.5 * 300.0) / 400.0 });
        let counts = ProbeCounts { interrupts: None, events: None };
        let detours = ProbeDetours { watched_ns: 2e9, turn_ns: 20.0, kernel: counts };
        let csv = "cpu,what,start_ns,length_ns\n1,gap,5.0,300.0\n1,gap,900.0,990.0\n1,gap,9000.0,6480.0\n1,gap,1e4,9e6\n";
        let seen = seen_by_tauto(csv, &detours).unwrap();
        assert_eq!(seen.gaps_per_s, 1.5);
        assert!((seen.mean_us - (1.01 + 6.5) / 2.0).abs() < 1e-9);
        assert!(seen_by_oslat(r#"{"thread": {}}"#).is_err() && seen_by_tauto("cpu\n", &detours).is_err());
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0].into_iter()), 2.5);
    }
}
