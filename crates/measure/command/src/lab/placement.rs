//! `tauto lab placement`.

use super::setting::{Amount, Setting, compare_with_article, describe_setting};
use crate::arguments::PlacementArguments;
use documents::{
    ComparedWithArticle, LabPlace, LabPlacementReport, LabPlacementResult, LabPlacementRun, LabPlacementWork,
};
use labs::Quantiles;
use labs::placement::{Outcome, PlaceKind, Placement, Work, measure, places};
use model::{CpuId, Nanos};
use plot::{StripPlot, StripRow, Unit};
use std::process::ExitCode;
use terminal::numbers::{count, time};
use terminal::{Report, Table};

/// For `--quick`, by default, and for `--full`.
const AMOUNTS: [Amount; 3] = [
    Amount { rounds: 2, time: Nanos::from_millis(100) },
    Amount { rounds: 10, time: Nanos::from_millis(300) },
    Amount { rounds: 40, time: Nanos::from_millis(1_000) },
];
/// Several threads do at most their number times the work of one; this factor allows for chance.
const POSSIBLE: f64 = 1.05;
/// The name for the placement of one thread.
const ALONE: &str = "one thread alone";

/// A work in a placement.
struct Cell {
    work: Work,
    /// `None` for a single thread.
    place: Option<PlaceKind>,
    cpus: Vec<CpuId>,
}

pub fn run(arguments: &PlacementArguments, json: bool) -> anyhow::Result<ExitCode> {
    let setting = Setting::prepare("placement", &arguments.lab, AMOUNTS)?;
    let places = places(&setting.topology);
    let cells = cells(&places, setting.cpus.iter().next_back());
    let names: Vec<_> = cells.iter().map(|cell| format!("{}, {}", cell.work.name(), cell.name())).collect();
    let mut outcomes: Vec<Vec<Outcome>> = cells.iter().map(|_| Vec::new()).collect();
    let duration = setting.amount.time.to_duration();
    let error = setting.rounds(
        &names,
        |turn, stop| measure(cells[turn.arm].work, &cells[turn.arm].cpus, duration, stop),
        |cell, outcome| outcomes[cell].push(outcome),
    );
    if outcomes.iter().any(Vec::is_empty) {
        return Err(error.unwrap_or_else(|| anyhow::anyhow!("there is no run to report")));
    }
    let works = works(&cells, &outcomes);
    let document = LabPlacementReport {
        setting: setting
            .document(error.is_none(), places.iter().filter_map(|place| place.cpus.clone().err()).collect()),
        places: places.iter().map(document_place).collect(),
        compared: next_to_article(&works),
        works,
    };
    setting.deliver(&report_of(&document), &document, json, error)
}

impl Cell {
    fn name(&self) -> &'static str {
        self.place.map_or(ALONE, PlaceKind::name)
    }
}

/// Lists the measurements: each work in each placement that exists, and with a single thread where that works.
fn cells(places: &[Placement], alone: Option<CpuId>) -> Vec<Cell> {
    let mut cells = Vec::new();
    for work in Work::ALL {
        let alone = alone.filter(|_| work.works_alone());
        cells.extend(alone.map(|cpu| Cell { work, place: None, cpus: vec![cpu] }));
        for place in places {
            let Ok(cpus) = &place.cpus else { continue };
            let cpus = cpus.map_or_else(Vec::new, |(first, second)| vec![first, second]);
            cells.push(Cell { work, place: Some(place.kind), cpus });
        }
    }
    cells
}

fn document_place(place: &Placement) -> LabPlace {
    LabPlace {
        name: place.kind.name().to_owned(),
        cpus: place.cpus.clone().ok().flatten().map(|(first, second)| vec![first.0, second.0]),
        missing: place.cpus.clone().err(),
    }
}

fn works(cells: &[Cell], outcomes: &[Vec<Outcome>]) -> Vec<LabPlacementWork> {
    let of_work = |work: Work| {
        let own = || cells.iter().zip(outcomes).filter(|(cell, _)| cell.work == work);
        let rate =
            |is: &dyn Fn(&Cell) -> bool| own().find(|(cell, _)| is(cell)).map(|(_, runs)| together(runs));
        let alone = rate(&|cell| cell.place.is_none());
        let nearest = rate(&|cell| cell.place.is_some());
        let result = |(cell, runs): (&Cell, &Vec<Outcome>)| {
            let all = together(runs);
            let pair = cell.place.is_some();
            let threads = if pair { 2 } else { 1 };
            let times_alone = alone
                .as_ref()
                .filter(|alone| alone.batches_per_second > 0.0)
                .map(|alone| all.batches_per_second / alone.batches_per_second);
            let impossible = times_alone.filter(|times| *times > f64::from(threads) * POSSIBLE);
            LabPlacementResult {
                place: cell.name().to_owned(),
                threads,
                times_alone: times_alone.filter(|_| impossible.is_none()),
                not_measured: impossible.map(|times| {
                    format!(
                        "{threads} threads cannot do {times:.2} times the work of one: the runs of one thread alone were \
                         disturbed; run the experiment again, with --full"
                    )
                }),
                p99_times_nearest: nearest
                    .as_ref()
                    .filter(|_| pair)
                    .map(|nearest| all.p99_ns as f64 / nearest.p99_ns.max(1) as f64),
                runs: runs.iter().map(|run| together(std::slice::from_ref(run))).collect(),
                all,
            }
        };
        LabPlacementWork {
            name: work.name().to_owned(),
            what: work.what().to_owned(),
            results: own().map(result).collect(),
        }
    };
    Work::ALL.into_iter().map(of_work).collect()
}

fn together(runs: &[Outcome]) -> LabPlacementRun {
    let mut batches = Quantiles::default();
    runs.iter().for_each(|run| batches.add_all(&run.batches));
    LabPlacementRun {
        batches: batches.count(),
        p50_ns: batches.at(0.5).0,
        p99_ns: batches.at(0.99).0,
        max_ns: batches.max().0,
        batches_per_second: runs.iter().map(|run| run.batches_per_second).sum::<f64>()
            / runs.len().max(1) as f64,
    }
}

fn next_to_article(works: &[LabPlacementWork]) -> Vec<ComparedWithArticle> {
    let pinned = || {
        works.iter().flat_map(|work| {
            let own = work.results.iter().filter(|result| result.threads == 2);
            own.filter(|result| result.place != PlaceKind::Unpinned.name()).map(move |result| (work, result))
        })
    };
    let worst = pinned()
        .filter_map(|(work, result)| Some((result.p99_times_nearest?, work, result)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let several = works.iter().any(|work| pinned().filter(|(own, _)| own.name == work.name).count() > 1);
    let siblings = pinned()
        .find(|(work, result)| {
            work.name == Work::Compute.name() && result.place == PlaceKind::Siblings.name()
        })
        .map(|(_, result)| result);
    vec![
        ComparedWithArticle {
            what: "worst choice, P99".to_owned(),
            article: "up to 500 % dearer".to_owned(),
            here: match worst.filter(|_| several) {
                Some((times, work, result)) => {
                    format!("{:+.0} % ({}, {})", (times - 1.0) * 100.0, work.name, result.place)
                }
                None => "unavailable: there is only one placement to choose here".to_owned(),
            },
        },
        ComparedWithArticle {
            what: "two hyperthreads, computing".to_owned(),
            article: "about 1.3 cores".to_owned(),
            here: match siblings.map(|result| (result.times_alone, &result.not_measured)) {
                Some((Some(times), _)) => format!("{times:.2} cores"),
                Some((None, Some(why))) => format!("unavailable: {why}"),
                _ => "unavailable: no SMT siblings are shown here".to_owned(),
            },
        },
    ]
}

fn report_of(document: &LabPlacementReport) -> Report {
    let mut report = Report::new("Placement: two threads close together and far apart");
    let not_measured = document.works.iter().flat_map(|work| {
        let reason = |result: &LabPlacementResult| {
            Some(format!("{}, {}: {}", work.name, result.place, result.not_measured.as_ref()?))
        };
        work.results.iter().filter_map(reason)
    });
    let places = document.places.iter().map(|place| match (&place.cpus, &place.missing) {
        (Some(cpus), _) => format!(
            "{}: CPUs {}",
            place.name,
            cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")
        ),
        (None, Some(_)) => format!("{}: not on this machine", place.name),
        (None, None) => format!("{}: the kernel chooses", place.name),
    });
    report.details(places.collect());
    for work in &document.works {
        report.heading(&work.name);
        report.paragraph(&format!("{}.", work.what));
        report.table(
            &format!("{}: {}", work.name, work.what),
            Table::of(&HEADER, work.results.iter().map(row)),
        );
        // The first word suffices for a file name.
        let file = work.name.split(' ').next().unwrap_or_default();
        let figures: [(_, _, Quantile); 2] =
            [("p50", "median batch", |run| run.p50_ns), ("p99", "99th percentile", |run| run.p99_ns)];
        for (quantile, words, of) in figures {
            let svg = plot(work, &format!("{}: {words}", work.name), of);
            report.figure(&format!("{file}-{quantile}"), svg, "Each dot is one run.");
        }
    }
    report.sentences(not_measured.collect());
    compare_with_article(
        &mut report,
        "Compared with the article",
        "The article: Joakim Recht and Yury Vostrikov, Avoiding CPU throttling in a containerized environment.",
        &document.compared,
    );
    describe_setting(&mut report, &document.setting, vec![
        "a batch is timed by reading the clock after each, which takes some tens of nanoseconds and is in the numbers"
            .to_owned(),
        "a thread touches its own memory first when it is where it stays; what both share is touched by the first".to_owned(),
    ]);
    report
}

const HEADER: [&str; 7] = ["placement", "P50", "P99", "P99 of runs", "max", "batches/s", "times alone"];

type Quantile = fn(&LabPlacementRun) -> u64;
fn row(result: &LabPlacementResult) -> Vec<String> {
    let p99s = || result.runs.iter().map(|run| run.p99_ns);
    vec![
        result.place.clone(),
        time(result.all.p50_ns),
        time(result.all.p99_ns),
        format!("{} - {}", time(p99s().min().unwrap_or(0)), time(p99s().max().unwrap_or(0))),
        time(result.all.max_ns),
        count(result.all.batches_per_second),
        match (result.times_alone, &result.not_measured) {
            (Some(times), _) => format!("{times:.2}"),
            (None, Some(_)) => "not measured".to_owned(),
            (None, None) => "-".to_owned(),
        },
    ]
}

fn plot(work: &LabPlacementWork, title: &str, of: Quantile) -> String {
    let row = |result: &LabPlacementResult| StripRow {
        label: result.place.clone(),
        values: result.runs.iter().map(|run| of(run) as f64).collect(),
        odd: Vec::new(),
        median: Some(of(&result.all) as f64),
        median_range: None,
    };
    StripPlot {
        title: title.to_owned(),
        quantity: "time of a batch".to_owned(),
        units: Unit::TIME_NS,
        dot: "a run",
        diamond: StripPlot::APART,
        rows: work.results.iter().map(row).collect(),
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_threads_cannot_do_was_not_measured() {
        let cell = |place, cpus: &[u32]| Cell {
            work: Work::Compute,
            place,
            cpus: cpus.iter().copied().map(CpuId).collect(),
        };
        let cells = [
            cell(None, &[1]),
            cell(Some(PlaceKind::Unpinned), &[]),
            cell(Some(PlaceKind::Siblings), &[0, 1]),
        ];
        let outcomes = [100.0, 265.0, 205.0].map(|batches_per_second| {
            let mut batches = Quantiles::default();
            batches.add(Nanos(1000));
            vec![Outcome { batches, batches_per_second }]
        });
        let works = works(&cells, &outcomes);
        let results = &works.iter().find(|work| !work.results.is_empty()).unwrap().results;
        let shown: Vec<_> = results.iter().map(|result| row(result).pop().unwrap()).collect();
        assert_eq!(shown, ["1.00", "not measured", "2.05"]);
        let why = results[1].not_measured.as_deref().unwrap();
        assert!(why.starts_with("2 threads cannot do 2.65 times the work of one"), "{why}");
        assert!(results.iter().all(|result| result.times_alone.is_some() != result.not_measured.is_some()));
    }
}
