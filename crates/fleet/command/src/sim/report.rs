//! `tauto sim report`: a run on one page.

use super::files::{RunFile, refuse_same};
use super::text::{self, duration};
use crate::arguments::SimReportArguments;
use documents::{SimJob, SimReport, SimSample};
use plot::{Axis, LinePlot, LineSeries, Unit};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::process::ExitCode;
use terminal::{AtomicFile, Report, Table, numbers, print_result};

/// At most this many jobs are listed.
const JOBS_SHOWN: usize = 20;
/// A picture is 758 units wide; more points would be drawn over each other.
const POINTS_MAX: usize = 750;
const HOURS: &[Unit] = &[Unit { name: "h", size: 1.0 }];
const HOUR_MS: f64 = 3_600_000.0;

/// The jobs that fared worst, while a file is read.
#[derive(Default)]
struct Worst {
    jobs: Vec<(u64, SimJob)>,
}

impl Worst {
    fn offer(&mut self, badness: u64, job: &SimJob) {
        if badness == 0 || (self.jobs.len() == JOBS_SHOWN && self.jobs[JOBS_SHOWN - 1].0 >= badness) {
            return;
        }
        let at = self.jobs.partition_point(|(other, _)| Reverse(*other) <= Reverse(badness));
        self.jobs.insert(at, (badness, job.clone()));
        self.jobs.truncate(JOBS_SHOWN);
    }
}

/// Prints a run's figures, and writes the page.
pub fn run(arguments: &SimReportArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (mut waited, mut short) = (Worst::default(), Worst::default());
    let mut moves: BTreeMap<u64, u64> = BTreeMap::new();
    let take_job = |job: SimJob| {
        let end_ms = job.start_ms.or(job.end_ms).unwrap_or(u64::MAX);
        // A job that never found a host has waited longest.
        waited.offer(end_ms - job.at_ms.min(end_ms), &job);
        short.offer((job.missed_s * 1000.0) as u64, &job);
    };
    let RunFile { run, samples, summary } = RunFile::read(&arguments.run, take_job, |step| {
        *moves.entry(step.at_ms / HOUR_MS as u64).or_default() += 1;
    })?;
    let document = SimReport { run, summary };
    let mut report = text::summary(&document);
    curves(&mut report, &samples, &moves);
    if !waited.jobs.is_empty() {
        report.section("Jobs that waited longest");
        report.table("", waited_table(&waited));
    }
    report.on_page(|page| details(page, &document, &short));
    if let Some(path) = &arguments.html {
        refuse_same(&[("--html", path)], &[("the run", &arguments.run)])?;
        AtomicFile::write_whole(path, report.page().as_bytes())?;
        report.line(&format!("{} has the pictures", path.display()));
    }
    print_result(&document, json, |_| report)?;
    Ok(ExitCode::SUCCESS)
}

fn waited_table(waited: &Worst) -> Table {
    let row = |(_, job): &(u64, SimJob)| {
        let waited = match job.start_ms {
            Some(start_ms) => duration(start_ms.saturating_sub(job.at_ms)),
            None => "to the end".to_owned(),
        };
        vec![job.name.clone(), job.level.clone(), duration(job.at_ms), waited]
    };
    Table::with_words(&["job", "level", "arrived", "waited"], &[1], waited.jobs.iter().map(row))
}

fn short_table(short: &Worst) -> Table {
    let header = ["job", "level", "missed", "of what it wanted", "ran", "alone", "moves"];
    let row = |(_, job): &(u64, SimJob)| {
        let share = job.missed_s / job.wanted_s.max(f64::MIN_POSITIVE);
        let ran_ms = job.end_ms.zip(job.start_ms).map(|(end, start)| end.saturating_sub(start));
        vec![
            job.name.clone(),
            job.level.clone(),
            format!("{:.0} s", job.missed_s),
            numbers::percent(share),
            ran_ms.map_or("to the end".to_owned(), duration),
            job.for_ms.map_or("-".to_owned(), duration),
            job.moves.to_string(),
        ]
    };
    Table::with_words(&header, &[1], short.jobs.iter().map(row))
}

/// Adds the pictures; `moves` is by hour.
fn curves(report: &mut Report, samples: &[SimSample], moves: &BTreeMap<u64, u64>) {
    report.heading("CPUs");
    let cpus: [Curve; 4] = [
        ("used", |sample| sample.used_cpus),
        ("requested", |sample| sample.requested_cpus),
        ("of hosts with a job", |sample| sample.in_use_cpus),
        ("of all hosts", |sample| sample.cpus),
    ];
    report.figure(
        "cpus",
        picture("CPUs over time", "CPUs", samples, &cpus),
        "Means of the time between two lines of the run's file.",
    );
    report.heading("Hosts");
    report.figure(
        "hot-hosts",
        picture("Hot hosts over time", "hosts", samples, &[("hot", |sample| sample.hot_hosts)]),
        "Hosts whose jobs wanted more than 80 % of their CPUs.",
    );
    let hosts: [Curve; 2] = [("with a job", |sample| sample.in_use_hosts), ("up", |sample| sample.hosts)];
    report.figure(
        "hosts",
        picture("Hosts in use over time", "hosts", samples, &hosts),
        "Hosts with a job, and all that were up.",
    );
    report.heading("Jobs");
    let jobs: [Curve; 2] = [("on hosts", |sample| sample.running), ("waiting", |sample| sample.waiting)];
    report.figure(
        "jobs",
        picture("Jobs over time", "jobs", samples, &jobs),
        "Jobs on hosts, and those that waited for one.",
    );
    if let Some(last) = moves.keys().next_back() {
        let points = (0..=*last).map(|hour| (hour as f64, *moves.get(&hour).unwrap_or(&0) as f64)).collect();
        let series = vec![LineSeries { label: "moves".to_owned(), points }];
        let svg = plot("Moves over time", "moves in an hour", series);
        report.figure("moves", svg, "Jobs that were moved.");
    }
}

fn details(page: &mut Report, document: &SimReport, short: &Worst) {
    if !short.jobs.is_empty() {
        page.heading("Jobs that missed most CPU time");
        page.detail_table(short_table(short));
    }
    page.heading("Policy and options");
    page.code(&document.run.policy);
    page.code(&serde_json::to_string_pretty(&document.run.options).unwrap_or_default());
}

/// A label, and the quantity.
type Curve = (&'static str, fn(&SimSample) -> f64);

fn picture(title: &str, quantity: &str, samples: &[SimSample], curves: &[Curve]) -> String {
    let step = samples.len().div_ceil(POINTS_MAX).max(1);
    let series = curves.iter().map(|(label, take)| LineSeries {
        label: (*label).to_owned(),
        points: samples
            .chunks(step)
            .map(|part| {
                let mean = part.iter().map(take).sum::<f64>() / part.len() as f64;
                (part[part.len() - 1].at_ms as f64 / HOUR_MS, mean)
            })
            .collect(),
    });
    plot(title, quantity, series.collect())
}

fn plot(title: &str, quantity: &str, series: Vec<LineSeries>) -> String {
    LinePlot {
        title: title.to_owned(),
        x: Axis::new("time", HOURS),
        y: Axis::new(quantity, Unit::COUNT),
        series,
    }
    .draw()
}
