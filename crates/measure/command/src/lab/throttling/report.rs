//! Makes the document from measured runs, and the page from the document.

use super::super::setting::{Setting, compare_with_article, describe_setting};
use cgroup::{CpuShare, Throttling};
use documents::{ComparedWithArticle, LabThrottlingArm, LabThrottlingReport, LabThrottlingRun};
use labs::Quantiles;
use labs::throttling::{Arm, Plan, RunOfArm, Workload, right_size};
use model::Nanos;
use plot::{Axis, LinePlot, LineSeries, Unit};
use terminal::numbers::{percent, time};
use terminal::{Report, Table};

/// Targets for the right size, in addition to the user's.
const TARGETS_MS: [u64; 7] = [5, 10, 20, 30, 50, 75, 100];
/// The ticks of the latency curves.
const QUANTILES: [(f64, &str); 5] =
    [(0.0, "0"), (0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %")];
/// Points of a curve between two ticks.
const CURVE_POINTS: usize = 200;
/// The time step in the picture of throttling.
const STEP: Nanos = Nanos::from_millis(100);
/// The kernel's usual period, with which the article compares.
const ARTICLE_PERIOD_NS: u64 = 100_000_000;

pub fn document(
    setting: &Setting,
    plan: &Plan,
    workload: &Workload,
    runs: &[Vec<RunOfArm>],
    target: Option<Nanos>,
    complete: bool,
) -> LabThrottlingReport {
    let arms: Vec<_> = plan.arms.iter().zip(runs).map(|(planned, runs)| arm(planned, runs)).collect();
    let mut targets: Vec<_> = TARGETS_MS.iter().map(|ms| Nanos::from_millis(*ms)).chain(target).collect();
    targets.sort_unstable();
    targets.dedup();
    let sizes = || plan.arms.iter().zip(&arms).map(|(planned, arm)| (planned, Nanos(arm.all.p99_ns)));
    let sizing: Vec<_> = targets.into_iter().map(|target| right_size(sizes(), target)).collect();
    let not_shown = vec![format!(
        "a fleet: the article saved cores over 65,000 hosts; one machine of {} CPUs shows the sizes of one \
         server, and 'tauto lab throttling' on your machine shows them for it",
        setting.cpus.len()
    )];
    LabThrottlingReport {
        setting: setting.document(complete, not_shown),
        workload: documents::LabWorkload {
            seed: workload.seed,
            bursts_per_second: workload.bursts_per_second,
            requests_per_burst: workload.requests_per_burst,
            request_ns: workload.request.0,
            parts: workload.parts,
            threads: workload.threads,
            chores_ns: workload.chores.0,
            chores_every_ns: workload.chores_every.0,
            chore_threads: workload.chore_threads,
            cpus_needed: workload.cpus_needed(),
        },
        compared: next_to_article(&arms, &sizing),
        arms,
        sizing,
    }
}

fn arm(arm: &Arm, runs: &[RunOfArm]) -> LabThrottlingArm {
    let each: Vec<_> = runs.iter().map(|run| one(std::slice::from_ref(run), true)).collect();
    let (mode, quota_ns, period_ns, cpu_list) = match &arm.share {
        CpuShare::Quota { quota, period } => ("quota", Some(quota.0), Some(period.0), None),
        CpuShare::Cpus(cpus) => ("cpus", None, None, Some(cpus.to_string())),
        CpuShare::All => ("all", None, None, None),
    };
    LabThrottlingArm {
        name: arm.name.clone(),
        mode: mode.to_owned(),
        cpus: f64::from(arm.centi_cpus) / 100.0,
        quota_ns,
        period_ns,
        cpu_list,
        compared: arm.is_compared,
        all: one(runs, false),
        runs: each,
    }
}

fn one(runs: &[RunOfArm], with_each: bool) -> LabThrottlingRun {
    let mut latencies = Quantiles::default();
    runs.iter().for_each(|run| latencies.add_all(&run.latencies()));
    let requests = || runs.iter().flat_map(|run| &run.requests);
    let sum = |of: fn(&RunOfArm) -> u64| runs.iter().map(of).sum::<u64>();
    let throttling = |of: fn(&Throttling) -> u64| runs.iter().map(|run| of(&run.throttling)).sum::<u64>();
    let given_up = requests().filter(|request| request.given_up).count() as u64;
    let wall_time_ns = sum(|run| run.wall_time.0);
    let served = requests().count() as u64 - given_up;
    LabThrottlingRun {
        requests: requests().count() as u64,
        given_up,
        p50_ns: latencies.at(0.5).0,
        p90_ns: latencies.at(0.9).0,
        p99_ns: latencies.at(0.99).0,
        max_ns: latencies.max().0,
        served_per_second: served as f64 / (wall_time_ns.max(1) as f64 / 1e9),
        cpu_time_ns: sum(|run| run.cpu_time.0),
        wall_time_ns,
        periods: throttling(|of| of.periods),
        throttled_periods: throttling(|of| of.throttled_periods),
        throttled_ns: throttling(|of| of.throttled.0),
        latencies_ns: requests().filter(|_| with_each).map(|request| request.latency.0).collect(),
        ticks: runs.iter().filter(|_| with_each).flat_map(|run| run.ticks.iter().cloned()).collect(),
    }
}

/// Returns the two arms that the article compares: a quota with the usual period, and whole CPUs.
fn compared(arms: &[LabThrottlingArm]) -> Option<(&LabThrottlingArm, &LabThrottlingArm)> {
    let quota = arms.iter().find(|arm| arm.compared && arm.period_ns == Some(ARTICLE_PERIOD_NS))?;
    Some((quota, arms.iter().find(|arm| arm.compared && arm.mode == "cpus")?))
}

fn next_to_article(arms: &[LabThrottlingArm], sizing: &[documents::LabSizing]) -> Vec<ComparedWithArticle> {
    let Some((quota, whole)) = compared(arms) else { return Vec::new() };
    let change = |of: fn(&LabThrottlingRun) -> u64| {
        let (before, after) = (of(&quota.all), of(&whole.all));
        let part = after as f64 / before.max(1) as f64 - 1.0;
        format!("{} to {}: {:+.0} %", time(before), time(after), part * 100.0)
    };
    let throttled =
        |arm: &LabThrottlingArm| format!("{} of {} periods", arm.all.throttled_periods, arm.all.periods);
    let savings: Vec<String> = sizing
        .iter()
        .filter_map(|size| Some(format!("{:.0} % at {}", size.saving? * 100.0, time(size.target_ns))))
        .collect();
    vec![
        ComparedWithArticle::new(
            "throttling",
            "gone",
            format!(
                "{} to {}",
                throttled(quota),
                if whole.all.throttled_periods == 0 { "none".to_owned() } else { throttled(whole) }
            ),
        ),
        ComparedWithArticle::new("P99 latency", "about -50 %", change(|run| run.p99_ns)),
        ComparedWithArticle::new("P50 latency", "slightly higher", change(|run| run.p50_ns)),
        ComparedWithArticle::new(
            "CPUs given back",
            "measured over a fleet only",
            if savings.is_empty() {
                "none: no target is met both ways".to_owned()
            } else {
                savings.join(", ")
            },
        ),
    ]
}

/// Makes the page.
pub fn report(document: &LabThrottlingReport) -> Report {
    let mut report = Report::new("Throttling: a CPU quota against whole CPUs");
    let load = &document.workload;
    report.paragraph(&format!(
        "A server with {} threads gets bursts of {} requests, {} bursts a second on the mean at times that a seed draws; each \
         request needs {} of CPU time, cut into {} parts for as many threads. Housekeeping (collecting garbage, compacting \
         files) takes {} with {} threads, every {} on the mean. All of it needs {:.2} CPUs. A latency counts from when the \
         request was due, whether or not the server was there to see it.",
        load.threads,
        load.requests_per_burst,
        load.bursts_per_second,
        time(load.request_ns),
        load.parts,
        time(load.chores_ns),
        load.chore_threads,
        time(load.chores_every_ns),
        load.cpus_needed
    ));
    let rows = |compared: bool| {
        document.arms.iter().filter(|arm| arm.compared == compared).map(row).collect::<Vec<_>>()
    };
    report.heading("The same CPUs, given in different ways");
    report.table("The same CPUs, given in different ways", Table::of(&HEADER, rows(true)));
    report.figure(
        "latency",
        latency_plot(document),
        "How long requests took: the share of requests below was done within the time on the left.",
    );
    report.figure("throttling", throttling_plot(document), "Time for which the quota stopped threads, added up over CPUs, in each tenth of a second of every arm's first run.");
    compare_with_article(
        &mut report,
        "Compared with the article",
        "The article: Joakim Recht and Yury Vostrikov, Avoiding CPU throttling in a containerized environment.",
        &document.compared,
    );
    report.heading("The right size");
    report.paragraph(
        "For each target the smallest size that was tried and from which on every larger one meets it, too: as a quota with \
         a period of 100 ms, and as whole CPUs.",
    );
    let cpus = |cpus: Option<f64>| cpus.map_or_else(|| "none tried".to_owned(), |cpus| format!("{cpus:.2}"));
    let sizes = document.sizing.iter().map(|size| {
        vec![
            time(size.target_ns),
            cpus(size.quota_cpus),
            cpus(size.whole_cpus),
            size.saving.map_or_else(|| "-".to_owned(), percent),
        ]
    });
    report.table(
        "CPUs it takes to serve 99 of 100 requests within a time",
        Table::of(&["within", "as a quota", "as whole CPUs", "given back"], sizes),
    );
    report.figure(
        "sizes",
        size_plot(document),
        "Latency of 99 of 100 requests by how many CPUs the server has.",
    );
    report.detail_table(Table::of(&HEADER, rows(false)));
    describe_setting(
        &mut report,
        &document.setting,
        vec![
            "every run is a process of its own in a control group of its own, which is gone afterwards"
                .to_owned(),
            format!("in each round every arm serves the same schedule (seeds from {} on)", load.seed),
            "every latency of every run is in report.json".to_owned(),
        ],
    );
    report
}

const HEADER: [&str; 8] =
    ["CPUs", "P50", "P90", "P99", "P99 of runs", "max", "served/s", "throttled periods"];

fn row(arm: &LabThrottlingArm) -> Vec<String> {
    let all = &arm.all;
    let p99s = || arm.runs.iter().map(|run| run.p99_ns);
    let (low, high) = (p99s().min().unwrap_or(0), p99s().max().unwrap_or(0));
    let given_up = if all.given_up > 0 { format!(" ({} given up)", all.given_up) } else { String::new() };
    vec![
        format!("{}{given_up}", arm.name),
        time(all.p50_ns),
        time(all.p90_ns),
        time(all.p99_ns),
        format!("{} - {}", time(low), time(high)),
        time(all.max_ns),
        format!("{:.1}", all.served_per_second),
        match all.throttled_periods {
            0 => format!("none of {}", all.periods),
            throttled => format!("{throttled} of {}, {}", all.periods, time(all.throttled_ns)),
        },
    ]
}

fn latency_plot(report: &LabThrottlingReport) -> String {
    // The axis is logarithmic in the fraction of requests beyond a tick.
    let place = |part: f64| -(1.0 - part).log10();
    let curve = |arm: &LabThrottlingArm| {
        let latencies: Quantiles =
            arm.runs.iter().flat_map(|run| &run.latencies_ns).map(|ns| Nanos(*ns)).collect();
        let end = place(QUANTILES[QUANTILES.len() - 1].0);
        let points = (0..=CURVE_POINTS).map(|at| {
            let x = end * at as f64 / CURVE_POINTS as f64;
            (x, latencies.at(1.0 - 10_f64.powf(-x)).0 as f64)
        });
        LineSeries { label: arm.name.clone(), points: points.collect() }
    };
    LinePlot {
        title: "Latency of requests".to_owned(),
        x: Axis {
            quantity: "share of requests".to_owned(),
            units: Unit::COUNT,
            ticks: QUANTILES.iter().map(|(part, label)| (place(*part), (*label).to_owned())).collect(),
        },
        y: Axis::new("latency", Unit::TIME_NS),
        series: report.arms.iter().filter(|arm| arm.compared).map(curve).collect(),
    }
    .draw()
}

fn throttling_plot(report: &LabThrottlingReport) -> String {
    let curve = |arm: &LabThrottlingArm| {
        let ticks = arm.runs.first().map(|run| run.ticks.as_slice()).unwrap_or_default();
        let steps = ticks.last().map_or(0, |tick| tick.at_ns / STEP.0 + 1) as usize;
        let mut stopped = vec![0.0; steps];
        let mut last = 0;
        for tick in ticks {
            stopped[(tick.at_ns / STEP.0) as usize] += tick.throttled_ns.saturating_sub(last) as f64;
            last = tick.throttled_ns;
        }
        let points = stopped.into_iter().enumerate().map(|(at, ns)| ((at as u64 * STEP.0) as f64, ns));
        LineSeries { label: arm.name.clone(), points: points.collect() }
    };
    LinePlot {
        title: "Throttling in the course of a run".to_owned(),
        x: Axis::new("time", Unit::TIME_NS),
        y: Axis::new("stopped", Unit::TIME_NS),
        series: report.arms.iter().filter(|arm| arm.compared).map(curve).collect(),
    }
    .draw()
}

fn size_plot(report: &LabThrottlingReport) -> String {
    let curve = |label: &str, is_in: fn(&LabThrottlingArm) -> bool| {
        let mut points: Vec<_> = report
            .arms
            .iter()
            .filter(|arm| is_in(arm))
            .map(|arm| (arm.cpus, arm.all.p99_ns as f64))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        LineSeries { label: label.to_owned(), points }
    };
    LinePlot {
        title: "Latency of 99 of 100 requests by size".to_owned(),
        x: Axis::new("CPUs", Unit::COUNT),
        y: Axis::new("P99", Unit::TIME_NS),
        series: vec![
            curve("quota, period 100 ms", |arm| arm.period_ns == Some(ARTICLE_PERIOD_NS)),
            curve("whole CPUs", |arm| arm.mode == "cpus"),
        ],
    }
    .draw()
}
