//! Does the same program report the same time? Ours compared with one plain run, the lowest of several, and BenchExec's runner.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use stats::Sample;

use super::host::Host;
use super::summary::{Spread, sample_of};
use super::tools::{argument, benchexec, read_json};
use xtask::process;

/// Ours may spread by this part of what one plain run does, or by [`FLOOR`].
const PART_OF_PLAIN: f64 = 0.25;
/// A spread of half a per cent is what a verdict does not notice.
const FLOOR: f64 = 0.005;
/// Ours must never spread more than this part of what one plain run does.
const PART_OF_PLAIN_MAX: f64 = 0.5;
/// Of this many programs the first bar must hold for [`PROGRAMS_WITHIN`].
const PROGRAMS: usize = 7;
const PROGRAMS_WITHIN: usize = 5;
/// People usually take the lowest of this many.
const FEW: usize = 5;
/// What two readings of all evidence may take.
const EVIDENCE_NS_MAX: f64 = 100_000.0;
/// What `tauto machine check` may take.
const CHECK_NS_MAX: f64 = 1e9;
const EVIDENCE_READS: &str = "200";

#[derive(Clone)]
pub struct Extent {
    /// Series that `tauto-bench time-round` has printed before, in place of new ones.
    pub from: Vec<PathBuf>,
    pub reports: u32,
    pub series: u32,
    pub quick: bool,
}

#[derive(Serialize)]
struct Report {
    benchmark: &'static str,
    host: Host,
    reports: u32,
    tables: Vec<Table>,
    evidence_ns: Vec<u64>,
    check_ns: Option<u64>,
}

#[derive(Serialize)]
struct Table {
    load: String,
    cpus: String,
    warnings: Vec<String>,
    series: Vec<Series>,
    rows: Vec<Row>,
}

/// What `tauto-bench time-round` prints: a line about the place, then one for each round.
#[derive(Clone, Serialize)]
struct Series {
    place: Conditions,
    rounds: Vec<Round>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Conditions {
    cpus: String,
    load: String,
    warnings: Vec<String>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Round {
    programs: Vec<Sampled>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Sampled {
    name: String,
    plain_ns: Vec<u64>,
    ours_ns: Vec<u64>,
    /// How many of these had a core at its best.
    calm: usize,
    agreed: bool,
    runexec: Option<Peer>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Peer {
    CpuTimeNs(u64),
    Failed(String),
}

/// Spreads of one program: medians of the series, as parts of the mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    name: String,
    plain: f64,
    plain_lowest_of_as_many: f64,
    plain_lowest_of_five: f64,
    ours: f64,
    /// Of those times of ours that undisturbed runs confirm; none where there are not two in a series.
    ours_agreed: Option<f64>,
    runexec: Option<f64>,
    runs_a_time: f64,
    /// Of the runs of ours, those on a core at its best.
    calm: f64,
    not_agreed: usize,
}

pub fn run(tauto: &Path, inner: &Path, mut extent: Extent, json: bool) -> Result<()> {
    let host = Host::read();
    let tables = if extent.from.is_empty() {
        measure_all(tauto, inner, &extent)?
    } else {
        let series = read_all(&extent.from)?;
        extent.reports = series.iter().map(|series| series.rounds.len() as u32).max().unwrap_or(0);
        let mut loads: Vec<Vec<Series>> = Vec::new();
        for series in series {
            match loads.iter_mut().find(|load| load[0].place.load == series.place.load) {
                Some(load) => load.push(series),
                None => loads.push(vec![series]),
            }
        }
        loads.into_iter().map(table).collect::<Result<_>>()?
    };
    let evidence_ns = read_json(Command::new(inner).args(["evidence-reads", "--count", EVIDENCE_READS]))?;
    let report = Report {
        benchmark: "time",
        host,
        reports: extent.reports,
        tables,
        evidence_ns,
        check_ns: time_check(tauto)?,
    };
    report.host.show(json, &report, || words(&report))
}

fn measure_all(tauto: &Path, inner: &Path, extent: &Extent) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for everywhere in [false, true] {
        let mut series = Vec::new();
        for number in 1..=extent.series {
            let where_ = if everywhere { "every CPU" } else { "all CPUs but the leased one" };
            eprintln!("bench: load on {where_}, series {number} of {}", extent.series);
            series.push(measure(tauto, inner, extent, everywhere)?);
        }
        tables.push(table(series)?);
    }
    Ok(tables)
}

/// Reads series; one that was cut off has the rounds that were done.
fn read_all(paths: &[PathBuf]) -> Result<Vec<Series>> {
    let read = |path: &PathBuf| {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        parse(&text).with_context(|| format!("{} is not what time-round prints", path.display()))
    };
    paths.iter().map(read).collect()
}

fn parse(text: &str) -> Result<Series> {
    let (place, rounds) = text.split_once('\n').unwrap_or((text, ""));
    let rounds = rounds.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?;
    Ok(Series { place: serde_json::from_str(place)?, rounds })
}

fn measure(tauto: &Path, inner: &Path, extent: &Extent, everywhere: bool) -> Result<Series> {
    let mut command = Command::new(inner);
    command.args(["time-round", "--tauto", &argument(tauto), "--rounds", &extent.reports.to_string()]);
    if extent.quick {
        command.arg("--quick");
    }
    if everywhere {
        command.arg("--load-everywhere");
    }
    if let Some(runexec) = benchexec("runexec").or_else(|| process::find("runexec")) {
        command.args(["--runexec", &argument(&runexec)]);
    }
    parse(&process::read(&mut command)?).context("time-round printed something else than it should")
}

/// Times `tauto machine check`, whose exit code depends on what it found, not on whether it worked.
fn time_check(tauto: &Path) -> Result<Option<u64>> {
    let begin = Instant::now();
    let output = process::capture(Command::new(tauto).args(["machine", "check", "--json"]))?;
    let time_ns = u64::try_from(begin.elapsed().as_nanos()).context("a check took centuries")?;
    Ok(matches!(output.status.code(), Some(0 | 1)).then_some(time_ns))
}

fn table(series: Vec<Series>) -> Result<Table> {
    let Some(first) = series.first().cloned() else { bail!("no series was measured") };
    let names = first.rounds.first().map(|round| round.programs.iter().map(|sampled| sampled.name.clone()));
    let rows = names.into_iter().flatten().map(|name| row(&name, &series)).collect();
    let Conditions { cpus, load, warnings } = first.place;
    Ok(Table { load, cpus, warnings, series, rows })
}

/// Returns each series' spread of what an arm reports, and the median of these.
fn row(name: &str, series: &[Series]) -> Row {
    let of: Vec<Vec<&Sampled>> = series
        .iter()
        .map(|series| {
            series
                .rounds
                .iter()
                .flat_map(|round| round.programs.iter().filter(|sampled| sampled.name == name))
                .collect()
        })
        .collect();
    let all = || of.iter().flatten();
    let runs: usize = all().map(|sampled| sampled.ours_ns.len()).sum();
    let runs_a_time = runs as f64 / all().count().max(1) as f64;
    let spread = |reported: &dyn Fn(&Sampled) -> Option<u64>| {
        let of_series = |samples: &Vec<&Sampled>| {
            share(&samples.iter().filter_map(|sampled| reported(sampled)).collect::<Vec<_>>())
        };
        Sample::new(of.iter().filter_map(of_series).collect()).ok().map(|shares| shares.median())
    };
    let lowest = |sampled: &Sampled, count: usize| sampled.plain_ns.iter().take(count).min().copied();
    Row {
        name: name.to_owned(),
        plain: spread(&|sampled| lowest(sampled, 1)).unwrap_or(f64::NAN),
        plain_lowest_of_as_many: spread(&|sampled| lowest(sampled, sampled.ours_ns.len()))
            .unwrap_or(f64::NAN),
        plain_lowest_of_five: spread(&|sampled| lowest(sampled, FEW)).unwrap_or(f64::NAN),
        ours: spread(&|sampled| sampled.ours_ns.iter().min().copied()).unwrap_or(f64::NAN),
        ours_agreed: spread(&|sampled| sampled.ours_ns.iter().min().copied().filter(|_| sampled.agreed)),
        runexec: spread(&|sampled| match sampled.runexec {
            Some(Peer::CpuTimeNs(time_ns)) => Some(time_ns),
            _ => None,
        }),
        runs_a_time,
        calm: all().map(|sampled| sampled.calm).sum::<usize>() as f64 / runs.max(1) as f64,
        not_agreed: all().filter(|sampled| !sampled.agreed).count(),
    }
}

/// Highest less lowest, as a part of the mean; one time has none.
fn share(times_ns: &[u64]) -> Option<f64> {
    let sample = sample_of(times_ns)?;
    (sample.count() > 1 && sample.mean() > 0.0).then(|| sample.spread() / sample.mean())
}

fn is_within(row: &Row) -> bool {
    row.ours <= (row.plain * PART_OF_PLAIN).max(FLOOR) && row.ours <= row.plain_lowest_of_five.max(FLOOR)
}

fn words(report: &Report) -> String {
    let reports = report.reports;
    let mut text = String::new();
    for table in &report.tables {
        text.push_str(&format!(
            "Load: {}; leased CPU {}. Spread of {reports} reported CPU times (highest less lowest, of the mean), \
             median of {} series.\n\n",
            table.load,
            table.cpus,
            table.series.len()
        ));
        text.push_str(&rows(&table.rows));
        let within = table.rows.iter().filter(|row| is_within(row)).count();
        let never = table.rows.iter().all(|row| row.ours <= (row.plain * PART_OF_PLAIN_MAX).max(FLOOR));
        let needed = (table.rows.len() * PROGRAMS_WITHIN).div_ceil(PROGRAMS);
        let verdict = if within >= needed && never { "kept" } else { "NOT kept" };
        text.push_str(&format!(
            "\nBar {verdict}: {within} of {} programs within it, {needed} needed; {} above half of one plain run.\n",
            table.rows.len(),
            if never { "none" } else { "some" }
        ));
        let failures =
            table.series.iter().flat_map(|series| &series.rounds).flat_map(|round| &round.programs);
        if let Some(Peer::Failed(why)) = failures
            .filter_map(|sampled| sampled.runexec.as_ref())
            .find(|peer| matches!(peer, Peer::Failed(_)))
        {
            text.push_str(&format!("runexec does not run all of them here: {}\n", why.replace('|', "/")));
        }
        text.push_str(&table.warnings.iter().map(|warning| format!("{warning}\n")).collect::<String>());
        text.push('\n');
    }
    text.push_str("| cost | median | p10..p90 | bar |\n|---|--:|--:|--:|\n");
    if let Some(Spread { median_ns, p10_ns, p90_ns }) = Spread::of(&report.evidence_ns) {
        let us = |ns: f64| format!("{:.0} us", ns / 1e3);
        let kept = if median_ns <= EVIDENCE_NS_MAX { "kept" } else { "NOT kept" };
        text.push_str(&format!(
            "| evidence of a run: two readings of its counters | {} | {}..{} | {}, {kept} |\n",
            us(median_ns),
            us(p10_ns),
            us(p90_ns),
            us(EVIDENCE_NS_MAX)
        ));
    }
    let check = match report.check_ns {
        Some(ns) => {
            let kept = if ns as f64 <= CHECK_NS_MAX { "kept" } else { "NOT kept" };
            format!(
                "| `tauto machine check` | {:.0} ms | once | {:.0} ms, {kept} |\n",
                ns as f64 / 1e6,
                CHECK_NS_MAX / 1e6
            )
        }
        None => "| `tauto machine check` | - | - | it does not run here |\n".to_owned(),
    };
    text + &check
}

fn rows(rows: &[Row]) -> String {
    let mut text = "| program | one plain run | lowest of as many | lowest of 5 | ours | agreed alone | runs a time | on a calm core | no agreement | runexec | bar |\n\
                    |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        .to_owned();
    let percent = |part: f64| format!("{:.2} %", part * 100.0);
    for row in rows {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {:.1} | {:.0} % | {} | {} | {} |\n",
            row.name,
            percent(row.plain),
            percent(row.plain_lowest_of_as_many),
            percent(row.plain_lowest_of_five),
            percent(row.ours),
            row.ours_agreed.map_or_else(|| "-".to_owned(), percent),
            row.runs_a_time,
            row.calm * 100.0,
            row.not_agreed,
            row.runexec.map_or_else(|| "-".to_owned(), percent),
            if is_within(row) { "kept" } else { "not kept" }
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(times: &[(&[u64], &[u64])]) -> Series {
        let programs = |(plain, ours): &(&[u64], &[u64])| Round {
            programs: vec![Sampled {
                name: "x".to_owned(),
                plain_ns: plain.to_vec(),
                ours_ns: ours.to_vec(),
                calm: 1,
                agreed: ours.len() < 10,
                runexec: Some(Peer::CpuTimeNs(plain[0])),
            }],
        };
        let place = Conditions { cpus: "1".to_owned(), load: "none".to_owned(), warnings: Vec::new() };
        Series { place, rounds: times.iter().map(programs).collect() }
    }

    #[test]
    fn row_has_the_spread_of_each_arm() {
        let one =
            series(&[(&[100, 90, 80, 70, 60], &[90, 91, 90]), (&[200, 90, 80, 70, 60], &[110, 110, 111])]);
        let row = row("x", &[one]);
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(near(row.plain, 100.0 / 150.0) && near(row.runexec.unwrap(), row.plain), "{row:?}");
        assert!(near(row.plain_lowest_of_as_many, 0.0) && near(row.plain_lowest_of_five, 0.0));
        assert!(near(row.ours, 0.2) && near(row.runs_a_time, 3.0) && row.not_agreed == 0);
        assert!(!is_within(&row));
        assert!(is_within(&Row { ours: 0.004, ..row.clone() }));
        assert!(is_within(&Row { ours: 0.1, plain_lowest_of_five: 0.1, ..row }));
    }

    #[test]
    fn a_table_says_whether_the_bar_is_kept() {
        let steady: &[(&[u64], &[u64])] = &[(&[100; 5], &[100, 100, 100]), (&[150; 5], &[100, 100, 100])];
        let report = Report {
            benchmark: "time",
            host: Host::read(),
            reports: 2,
            tables: vec![table(vec![series(steady)]).unwrap()],
            evidence_ns: vec![50_000, 60_000, 70_000],
            check_ns: Some(300_000_000),
        };
        let text = words(&report);
        for words in [
            "| x | 40.00 % | 40.00 % | 40.00 % | 0.00 % | 0.00 % | 3.0 | 33 % | 0 | 40.00 % | kept |",
            "Bar kept: 1 of 1 programs within it, 1 needed; none above half",
            "| 60 us | 52 us..68 us | 100 us, kept |",
            "| `tauto machine check` | 300 ms | once | 1000 ms, kept |",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }
    }

    #[test]
    fn one_time_has_no_spread() {
        assert_eq!((share(&[]), share(&[5]), share(&[4, 6])), (None, None, Some(0.4)));
    }
}
