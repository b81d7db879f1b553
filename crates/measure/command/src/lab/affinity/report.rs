//! Makes the document from measured runs, and the page from the document.

use super::super::setting::{Setting, compare_with_article, describe_setting};
use documents::{
    ComparedWithArticle, LabAffinityArm, LabAffinityReport, LabAffinityRun, LabThread, LabThreadCounts,
};
use labs::affinity::{Arm, ArmSeries, Interval, RunOfPair, explain};
use model::Nanos;
use plot::{Axis, LinePlot, LineSeries, Unit};
use stats::Sample;
use terminal::numbers::{count, percent, time};
use terminal::{Report, Table};

pub fn document(
    setting: &Setting,
    names: &[String; 2],
    arms: &[Arm; 2],
    interval: Nanos,
    runs: &[Vec<RunOfPair>; 2],
    complete: bool,
) -> LabAffinityReport {
    let series = [ArmSeries::of(&runs[0]), ArmSeries::of(&runs[1])];
    let explained = explain(&series[0], &series[1]);
    let arms: Vec<_> = (0..2).map(|at| arm(&names[at], arms[at], interval, &series[at], &runs[at])).collect();
    let not_shown = vec![
        "cache misses: this program does not read the processor's counters, which virtual machines mostly do not have; \
         where 'perf stat -e cache-misses true' counts, 'perf stat -e cache-misses,migrations -p PID' during this \
         experiment shows them"
            .to_owned(),
    ];
    LabAffinityReport {
        setting: setting.document(complete, not_shown),
        interval_ns: interval.0,
        variation_ratio: explained.variation_ratio,
        variation_low: explained.variation_range.map(|range| range.low).filter(|low| low.is_finite()),
        variation_high: explained.variation_range.map(|range| range.high).filter(|high| high.is_finite()),
        explanation: explained.sentences,
        compared: next_to_article(&arms),
        arms,
    }
}

fn arm(name: &str, arm: Arm, interval: Nanos, series: &ArmSeries, runs: &[RunOfPair]) -> LabAffinityArm {
    let (receiver_cpu, sender_cpu) = match arm {
        Arm::Unpinned => (None, None),
        Arm::Pinned { receiver, sender } => (Some(receiver.0), Some(sender.0)),
    };
    let (sent, received) = (Sample::new(series.sent.clone()).ok(), Sample::new(series.received.clone()).ok());
    let per_second = |sample: &Option<Sample>| {
        sample.as_ref().map_or(0.0, |sample| sample.mean() / interval.as_secs_f64())
    };
    LabAffinityArm {
        name: name.to_owned(),
        receiver_cpu,
        sender_cpu,
        sent_per_second: per_second(&sent),
        received_per_second: per_second(&received),
        sent_variation: sent.as_ref().and_then(Sample::variation),
        received_variation: received.as_ref().and_then(Sample::variation),
        received_min: received.as_ref().map_or(0.0, Sample::min),
        received_max: received.as_ref().map_or(0.0, Sample::max),
        runs: runs.iter().map(run).collect(),
    }
}

fn run(run: &RunOfPair) -> LabAffinityRun {
    LabAffinityRun {
        sent: run.sent.clone(),
        received: run.received.clone(),
        receiver: counts(&run.receiver),
        sender: counts(&run.sender),
        threads: run.threads.clone(),
    }
}

fn counts(intervals: &[Interval]) -> LabThreadCounts {
    let each = |of: fn(&Interval) -> u64| intervals.iter().map(of).collect();
    LabThreadCounts {
        migrations: intervals.iter().map(|interval| interval.migrations).collect(),
        voluntary_switches: each(|interval| interval.voluntary),
        forced_switches: each(|interval| interval.forced),
        waited_ns: each(|interval| interval.waited.0),
    }
}

fn next_to_article(arms: &[LabAffinityArm]) -> Vec<ComparedWithArticle> {
    let [unpinned, pinned] = arms else { return Vec::new() };
    let both = |of: fn(&LabAffinityArm) -> f64| {
        format!("{} not pinned, {} pinned", count(of(unpinned)), count(of(pinned)))
    };
    let variation =
        |arm: &LabAffinityArm| arm.received_variation.map_or_else(|| "unavailable".to_owned(), percent);
    vec![
        ComparedWithArticle::new(
            "sent a second",
            "about 80,000 (Java, 4 cores)",
            both(|arm| arm.sent_per_second),
        ),
        ComparedWithArticle::new("received a second", "about 55,000", both(|arm| arm.received_per_second)),
        ComparedWithArticle::new(
            "variation of the received series",
            "pinned nearly flat",
            format!("{} not pinned, {} pinned", variation(unpinned), variation(pinned)),
        ),
    ]
}

/// Makes the page.
pub fn report(document: &LabAffinityReport) -> Report {
    let mut report = Report::new("Affinity: messages on loopback, with and without pinning");
    report.paragraph(
        "A sender sends UDP multicast messages of 64 bytes on the loopback interface as fast as it can, and a receiver counts \
         those that arrive; what it cannot take in time is lost. Both are programs of one thread.",
    );
    let each = time(document.interval_ns);
    report.heading("Messages");
    report.table(
        &format!("Messages, counted in intervals of {each}"),
        Table::of(
            &["arm", "sent/s", "received/s", "lost", "CV received", "CV sent", "least", "most"],
            document.arms.iter().map(arm_row),
        ),
    );
    let curves = |of: fn(&LabAffinityRun) -> Vec<f64>| {
        document.arms.iter().map(|arm| curve(document, arm, of)).collect()
    };
    let plot = |title: &str, quantity: &str, series| {
        let (x, y) = (Axis::new("time, run after run", Unit::TIME_NS), Axis::new(quantity, Unit::COUNT));
        LinePlot { title: title.to_owned(), x, y, series }.draw()
    };
    report.figure(
        "received",
        plot(&format!("Messages received in {each}"), "messages", curves(|run| floats(&run.received))),
        "Each arm's runs one behind the other, with a gap between them; the first interval of each is left out.",
    );
    report.figure(
        "sent",
        plot(&format!("Messages sent in {each}"), "messages", curves(|run| floats(&run.sent))),
        "The same of the sender.",
    );
    report.heading("Why");
    report.sentences(document.explanation.clone());
    if document
        .arms
        .iter()
        .flat_map(|arm| &arm.runs)
        .all(|run| both(run, |counts| counts.migrations.clone()).is_some())
    {
        report.figure(
            "migrations",
            plot(
                &format!("Moves to another CPU in {each}"),
                "moves",
                curves(|run| both(run, |counts| counts.migrations.clone()).unwrap_or_default()),
            ),
            "Of both programs together.",
        );
    }
    report.figure(
        "involuntary",
        plot(
            &format!("Forced switches in {each}"),
            "switches",
            curves(|run| both(run, |counts| Some(counts.forced_switches.clone())).unwrap_or_default()),
        ),
        "How often both programs were preempted.",
    );
    report.figure(
        "voluntary",
        plot(
            &format!("Voluntary switches in {each}"),
            "switches",
            curves(|run| both(run, |counts| Some(counts.voluntary_switches.clone())).unwrap_or_default()),
        ),
        "How often both programs gave up their CPU to wait: the receiver for messages.",
    );
    report.heading("Threads");
    report.table(
        "Threads of each arm's first run",
        Table::with_words(
            &[
                "arm",
                "program",
                "thread",
                "name",
                "CPUs",
                "moves",
                "voluntary",
                "involuntary",
                "ran",
                "run-queue wait",
            ],
            &[1, 3, 4],
            document.arms.iter().flat_map(thread_rows),
        ),
    );
    compare_with_article(
        &mut report,
        "Compared with the article",
        "The article: Binding a process to a processor with taskset (unsigned), after one by Martin Thompson, 2011. Its \
         programs are in Java, on a machine of four cores.",
        &document.compared,
    );
    describe_setting(&mut report, &document.setting, vec![
        "messages leave by the loopback interface with a time to live of 0, so that none leaves the machine".to_owned(),
        "both are in one control group of the highest weight, where that could be made, so that other programs take little \
         of their time"
            .to_owned(),
        "moves and switches are the kernel's counts (/proc/PID/task), read once in each interval".to_owned(),
    ]);
    report
}

fn arm_row(arm: &LabAffinityArm) -> Vec<String> {
    let name = match (arm.receiver_cpu, arm.sender_cpu) {
        (Some(receiver), Some(sender)) => format!("{}: receiver {receiver}, sender {sender}", arm.name),
        _ => arm.name.clone(),
    };
    let variation = |part: Option<f64>| part.map_or_else(|| "-".to_owned(), percent);
    vec![
        name,
        count(arm.sent_per_second),
        count(arm.received_per_second),
        percent(1.0 - arm.received_per_second / arm.sent_per_second.max(1.0)),
        variation(arm.received_variation),
        variation(arm.sent_variation),
        count(arm.received_min),
        count(arm.received_max),
    ]
}

fn thread_rows(arm: &LabAffinityArm) -> Vec<Vec<String>> {
    let threads = arm.runs.first().map(|run| run.threads.as_slice()).unwrap_or_default();
    let row = |thread: &LabThread| {
        vec![
            arm.name.clone(),
            thread.program.clone(),
            thread.thread.to_string(),
            thread.name.clone(),
            thread.cpus.clone(),
            thread.migrations.map_or_else(|| "unavailable".to_owned(), |moves| moves.to_string()),
            thread.voluntary_switches.to_string(),
            thread.forced_switches.to_string(),
            time(thread.ran_ns),
            time(thread.waited_ns),
        ]
    };
    threads.iter().map(row).collect()
}

fn floats(counts: &[u64]) -> Vec<f64> {
    counts.iter().map(|count| *count as f64).collect()
}

/// Sums the activity of both programs' threads in each interval.
fn both(run: &LabAffinityRun, of: impl Fn(&LabThreadCounts) -> Option<Vec<u64>>) -> Option<Vec<f64>> {
    let (receiver, sender) = (of(&run.receiver)?, of(&run.sender)?);
    Some(receiver.iter().zip(&sender).map(|(one, other)| (one + other) as f64).collect())
}

/// Draws an arm's runs one after the other.
fn curve(
    report: &LabAffinityReport,
    arm: &LabAffinityArm,
    of: impl Fn(&LabAffinityRun) -> Vec<f64>,
) -> LineSeries {
    let mut points = Vec::new();
    let mut now = 0.0;
    for run in &arm.runs {
        for value in of(run).into_iter().skip(1) {
            points.push((now, value));
            now += report.interval_ns as f64;
        }
        points.push((f64::NAN, f64::NAN));
    }
    LineSeries { label: arm.name.clone(), points }
}
