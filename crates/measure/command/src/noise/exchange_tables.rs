//! The result of `tauto noise exchange` for people.

use documents::{ExchangeArm, ExchangeSize, ExchangeSpread, NoiseExchangeReport};
use model::Nanos;
use terminal::numbers::{in_us, us};
use terminal::{Align, Cell, Report, Table};

/// A first quarter second that is longer by less says nothing.
const SLOW_START: f64 = 1.05;

/// Makes tables and sentences.
pub fn report_of(report: &NoiseExchangeReport) -> Report {
    let what = format!(
        "{}: a call of {}, messages of {} bytes, {} iterations in blocks of {}",
        report.library,
        Nanos(report.call_wanted_ns),
        report.message_bytes,
        report.iterations,
        report.block_iterations
    );
    let mut shown = Report::default();
    shown.line(&what);
    shown.table("", times(report));
    if !report.injections.is_empty() {
        shown.table(&injected(report), added(report));
    }
    shown.sentences(sentences(report));
    shown.cautions(report.warnings.iter().map(|warning| format!("warning: {warning}")).collect());
    shown
}

fn times(report: &NoiseExchangeReport) -> Table {
    let mut table = Table::new(&[
        ("ranks", Align::Right),
        ("each iteration", Align::Left),
        ("median us", Align::Right),
        ("mean us", Align::Right),
        ("beyond T_1", Align::Right),
        ("95 %", Align::Left),
    ]);
    for size in &report.sizes {
        for arm in size.arms.iter().filter(|arm| !arm.injected) {
            let beyond = arm.beyond_alone;
            table.row([
                Cell::from(format!("{}{}", size.ranks, if size.cpus_shared { "*" } else { "" })),
                words(&arm.work).into(),
                in_us(arm.iteration.median_ns).into(),
                in_us(arm.iteration.mean_ns).into(),
                beyond.map(|beyond| in_us(beyond.median_ns)).unwrap_or_default().into(),
                beyond.map(|beyond| range(&beyond)).unwrap_or_default().into(),
            ]);
        }
    }
    if report.sizes.iter().any(|size| size.cpus_shared) {
        table.note(None, "* ranks share CPUs: not the model's times");
    }
    table
}

fn added(report: &NoiseExchangeReport) -> Table {
    let mut table = Table::new(&[
        ("ranks", Align::Right),
        ("each iteration", Align::Left),
        ("measured us", Align::Right),
        ("95 %", Align::Left),
        ("computed us", Align::Right),
        ("95 %", Align::Left),
        ("times", Align::Right),
    ]);
    for size in &report.sizes {
        for added in &size.added {
            let measured = added.measured;
            let ratio = measured.map(|measured| measured.median_ns / added.computed.median_ns);
            table.row([
                Cell::from(size.ranks.to_string()),
                words(&added.work).into(),
                measured.map_or_else(|| "-".to_owned(), |spread| in_us(spread.median_ns)).into(),
                measured.map(|spread| range(&spread)).unwrap_or_default().into(),
                in_us(added.computed.median_ns).into(),
                range(&added.computed).into(),
                ratio
                    .filter(|ratio| ratio.is_finite())
                    .map(|ratio| format!("{ratio:.2}"))
                    .unwrap_or_default()
                    .into(),
            ]);
        }
    }
    table
}

fn injected(report: &NoiseExchangeReport) -> String {
    let sources: Vec<String> = report
        .injections
        .iter()
        .map(|injection| {
            let ranks = match &injection.ranks {
                None => "all ranks".to_owned(),
                Some(ranks) => {
                    format!("rank {}", ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
                }
            };
            format!("{} Hz of {} on {ranks}", injection.frequency_hz, us(injection.length_ns))
        })
        .collect();
    format!("What {} ({} phases) adds to an iteration", sources.join(" and "), report.phases)
}

/// Returns what the numbers mean.
fn sentences(report: &NoiseExchangeReport) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(warm_up) = &report.warm_up {
        let ratio = warm_up.first_quarter_ratio;
        sentences.push(format!(
            "in the first quarter second of load, which is left out, a call took {ratio:.2} times as long as half a second \
             later{}",
            if ratio < SLOW_START { ": no slow start was seen here" } else { "" }
        ));
    }
    for size in report.sizes.iter().filter(|size| !size.cpus_shared && size.ranks > 1) {
        sentences.extend(formula(size));
        sentences.extend(waiting(size));
    }
    sentences
}

/// Returns the article's T_2 = T_C + T^S, and T_P = T_C + 2 T^S from three ranks on.
fn formula(size: &ExchangeSize) -> Option<String> {
    let (bare, blocking) = (arm(size, "bare", false)?, arm(size, "blocking", false)?);
    let beyond = blocking.beyond_alone?;
    let name = if size.ranks == 2 { "T^S" } else { "2 T^S" };
    let rest = beyond.median_ns - bare.iteration.median_ns;
    Some(format!(
        "{} ranks: the exchange by itself takes {} ({name}), and an iteration {} beyond T_1; the difference of {} is what \
         waiting for each other costs",
        size.ranks,
        us(bare.iteration.median_ns),
        us(beyond.median_ns),
        us(rest)
    ))
}

/// Blocking compared with overlapped, the article's conclusion 5a.
fn waiting(size: &ExchangeSize) -> Option<String> {
    let added = |work: &str| size.added.iter().find(|added| added.work == work)?.measured;
    let (blocking, overlapped) = (added("blocking")?, added("overlapped")?);
    let saved = 1.0 - overlapped.median_ns / blocking.median_ns;
    (blocking.low_ns > 0.0).then(|| {
        format!(
            "{} ranks: exchange that overlaps with computing suffers {} of the noise, blocking exchange {}: {:.0} % less",
            size.ranks,
            us(overlapped.median_ns),
            us(blocking.median_ns),
            saved * 100.0
        )
    })
}

fn arm<'s>(size: &'s ExchangeSize, work: &str, injected: bool) -> Option<&'s ExchangeArm> {
    size.arms.iter().find(|arm| arm.work == work && arm.injected == injected)
}

/// Returns in words what ranks do.
fn words(work: &str) -> &'static str {
    match work {
        "alone" => "computing (T_1)",
        "bare" => "exchange",
        "blocking" => "computing, then exchange",
        "overlapped" => "computing during exchange",
        _ => "",
    }
}

fn range(spread: &ExchangeSpread) -> String {
    format!("{} to {}", in_us(spread.low_ns), in_us(spread.high_ns))
}
