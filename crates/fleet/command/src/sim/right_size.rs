//! `tauto sim right-size`: how many CPUs a service needs.

use crate::arguments::SimRightSizeArguments;
use anyhow::Context;
use documents::{SimRightSizeReport, SimSize, SimTrace};
use model::Nanos;
use simulator::right_size::{Goal, PERIOD, Size, Usage, right_size as size};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::because;
use terminal::numbers::time;
use terminal::{Progress, Report, Table, print_result};

const LEFT_OUT: [&str; 5] = [
    "how much of the work can go on in parallel: a burst is as wide as the CPUs allow",
    "neighbours, caches and memory: work takes as long on any CPU, in either mode",
    "how the kernel hands a quota to CPUs in slices, a rest of an earlier period, and bursts",
    "that a trace of use was already limited by the quota under which it was recorded",
    "what happens within an interval: its work arrives evenly",
];

pub fn right_size(arguments: &SimRightSizeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let quota = read(&arguments.quota)?;
    let cpuset = arguments.cpuset.as_deref().map(read).transpose()?;
    let progress = Progress::on_stderr(true);
    progress.say("finding the fewest CPUs");
    let part_ppm = (arguments.quantile * 1e6).round() as u32;
    let goal =
        Goal { delay: Nanos::from_millis(arguments.goal_ms), part_ppm, machine_cpus: arguments.machine_cpus };
    let found = size(&quota, cpuset.as_ref(), goal, arguments.seed);
    drop(progress);
    let saved = found.saved_tenths.as_ref();
    let interval = saved.and_then(|(_, interval)| interval.as_ref());
    let saved_cpus = saved.map(|(tenths, _)| *tenths as f64 / 10.0);
    let report = SimRightSizeReport {
        quota_trace: trace(&arguments.quota, &quota),
        cpuset_trace: arguments
            .cpuset
            .as_deref()
            .zip(cpuset.as_ref())
            .map(|(path, usage)| trace(path, usage)),
        goal_ns: goal.delay.0,
        quantile: arguments.quantile,
        machine_cpus: arguments.machine_cpus,
        seed: arguments.seed,
        quota: found.quota.map(size_of),
        cpuset: found.cpuset.map(size_of),
        periods: found.stopped.1,
        stopped_periods: found.stopped.0,
        saved_cpus,
        saved_percent: saved_cpus
            .zip(found.quota)
            .map(|(saved, quota)| saved / (f64::from(quota.tenths) / 10.0) * 100.0),
        saved_cpus_low: interval.map(|interval| interval.low / 10.0),
        saved_cpus_high: interval.map(|interval| interval.high / 10.0),
        blocks: found.blocks.0 as u64,
        block_ns: found.blocks.1.0,
        left_out: LEFT_OUT.map(str::to_owned).to_vec(),
    };
    print_result(&report, json, report_of)?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<Usage> {
    let shown = path.display();
    let file = File::open(path).with_context(|| because(format!("cannot read '{shown}'")))?;
    Usage::read(BufReader::new(file))
        .with_context(|| because(format!("'{shown}' is not a trace of CPU time")))
}

fn trace(path: &Path, usage: &Usage) -> SimTrace {
    let cpus = |work: u64, length: Nanos| work as f64 / length.0.max(1) as f64;
    let of_each = usage.readings().iter().map(|one| cpus(one.after - one.before, one.to - one.from));
    SimTrace {
        path: path.display().to_string(),
        intervals: usage.readings().len() as u64,
        length_ns: usage.length().0,
        mean_cpus: cpus(usage.work(), usage.length()),
        peak_cpus: of_each.fold(0.0, f64::max),
    }
}

fn size_of(size: Size) -> SimSize {
    SimSize { cpus: f64::from(size.tenths) / 10.0, delay_p50_ns: size.delay_p50.0, delay_ns: size.delay.0 }
}

fn report_of(document: &SimRightSizeReport) -> Report {
    let mut report = Report::default();
    let cpuset = document.cpuset_trace.as_ref();
    let none = || "none, so the quota's trace counts for both".to_owned();
    report.facts(vec![
        ("quota trace", described(&document.quota_trace)),
        ("cpuset trace", cpuset.map_or_else(none, described)),
    ]);
    let header = ["", "fewest CPUs", "delay, median", &format!("delay at {}", document.quantile)];
    let rows = [("quota", document.quota), ("cpuset", document.cpuset)].map(|(name, size)| match size {
        Some(size) => {
            vec![name.into(), format!("{:.1}", size.cpus), time(size.delay_p50_ns), time(size.delay_ns)]
        }
        None => vec![name.into(), format!("more than {}", document.machine_cpus)],
    });
    report.table("", Table::of(&header, rows));
    let mut sentences = Vec::new();
    if document.periods > 0 {
        let (stopped, periods, period) = (document.stopped_periods, document.periods, time(PERIOD.0));
        sentences
            .push(format!("That quota stops the service in {stopped} of {periods} periods of {period}."));
    }
    if let (Some(cpus), Some(percent)) = (document.saved_cpus, document.saved_percent) {
        let (saved, verb) = if cpus < 0.0 { (-cpus, "costs") } else { (cpus, "saves") };
        let interval = match (document.saved_cpus_low, document.saved_cpus_high) {
            (Some(low), Some(high)) => format!(
                "; 95 % interval of the saving {low:.1} to {high:.1} CPUs, from {} blocks of {}",
                document.blocks,
                time(document.block_ns)
            ),
            _ => "; the trace is too short for an interval".to_owned(),
        };
        sentences.push(format!(
            "A cpuset in place of the quota {verb} {saved:.1} CPUs ({:.0} %){interval}.",
            percent.abs()
        ));
    }
    report.sentences(sentences);
    report.section("The model leaves out");
    report.sentences(document.left_out.clone());
    report
}

fn described(trace: &SimTrace) -> String {
    format!(
        "{}, {} intervals in {}, {:.2} CPUs on average, {:.2} at most",
        trace.path,
        trace.intervals,
        time(trace.length_ns),
        trace.mean_cpus,
        trace.peak_cpus
    )
}
